"""What every fitted graph offers."""

import numbers
import sys
import warnings

from scipy.sparse import csgraph

from mr.graph.laplacians import degree, laplacian
from mr.graph.product import sparse_product

LAPLACIANS = ("normalized", "unnormalized")
MOST_POWER = 100
"""Eigenvalues of L lie in [0, 2] or wider: a higher power says nothing more, and costs a product each."""


class GraphWarning(UserWarning):
    """A graph was built, but not quite the one that was asked for, or it has points without edges.

    See Also
    --------
    mr.KNNGraph : gives this warning.

    Examples
    --------
    >>> import warnings, mr
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", mr.graph.GraphWarning)  # a graph with a defect becomes an error
    ...     graph = mr.KNNGraph().fit(mr.datasets.load("two_moons", n=50, seed=0).X)
    """


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
        if self.power > MOST_POWER:
            raise ValueError(f"power must be at most {MOST_POWER}; got {self.power!r}.")


def check_choice(name, value, choices):
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}.")


def check_number(name, value, at_least=None, above=None, also=""):
    """Refuse what is no finite number at this bound or beyond it; ``also`` names what else would have been right."""
    wrong = isinstance(value, bool) or not isinstance(value, numbers.Real) or not abs(value) <= sys.float_info.max
    if wrong or (value < at_least if above is None else value <= above):
        bound = f"of at least {at_least:g}" if above is None else f"above {above:g}"
        raise ValueError(f"{name} must be {also}a finite number {bound}; got {value!r}.")


def check_count(name, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not 1 <= value < 2**63:
        raise ValueError(f"{name} must be an integer of at least 1; got {value!r}.")
