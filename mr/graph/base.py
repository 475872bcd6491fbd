"""What every fitted graph offers."""

import numbers
import warnings

from scipy.sparse import csgraph

from mr.graph.laplacians import degree, laplacian
from mr.graph.product import sparse_product

LAPLACIANS = ("normalized", "unnormalized")


class GraphWarning(UserWarning):
    """A graph was built, but not quite the one that was asked for, or it has points without edges."""


class FittedGraph:
    """Mixin: from an affinity matrix W to the fitted attributes of the graph contract.

    ``affinity_`` is CSR, symmetric, non-negative, without self loops or stored zeros. ``laplacian_`` is the first
    power; ``apply(v)`` multiplies by its ``power``-th. Points of degree 0 form components of their own and have a zero
    row in the Laplacian.
    """

    def _set_affinity(self, W):
        W.eliminate_zeros()
        W.sort_indices()
        self.affinity_ = W
        self.degrees_ = degree(W)
        self.laplacian_ = laplacian(W, normalized=self.laplacian == "normalized")
        self.n_components_, self.component_labels_ = csgraph.connected_components(W, directed=False)
        isolated = int((self.degrees_ == 0).sum())
        if isolated and W.shape[0] > 1:
            warnings.warn(
                f"{isolated} of {W.shape[0]} points have no edge of positive weight; their rows of the Laplacian are "
                "zero, so the graph says nothing about them.",
                GraphWarning,
                stacklevel=3,
            )
        return self

    def apply(self, v):
        """L^power v for a vector (n) or a matrix (n x m), by ``power`` sparse products."""
        for _ in range(self.power):
            v = sparse_product(self.laplacian_, v)
        return v

    def _check_laplacian_params(self):
        check_choice("laplacian", self.laplacian, LAPLACIANS)
        check_count("power", self.power)


def check_choice(name, value, choices):
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}.")


def check_count(name, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1; got {value!r}.")
