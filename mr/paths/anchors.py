"""Anchor graphs over graph weights, labels and folds: anchors, weights and Z'LZ are computed once."""

from functools import cached_property

import numpy as np
from scipy import linalg
from sklearn.base import clone

from mr.estimators import AnchorGraph
from mr.paths.base import Path, PathFit
from mr.solvers.anchor_graph import anchor_smoothness, anchor_system, regularise


class AnchorGraphPath(Path):
    """Anchor graph regularisation (Liu, He, Chang 2010) over graph weights, labels and folds.

    The k-means centres, the weights Z of the points and the smoothness Z'LZ see no label. What is left for a cell is
    one m x m system. Held-out values come from the same system: with H = Z_l (Z_l'Z_l + graph_weight Z'LZ)^-1 Z_l' the
    machine that did not see a fold F has y_F - f_F = (I - H_FF)^-1 (y - H y)_F.

    Parameters
    ----------
    estimator : AnchorGraph
        Template. A cell may name ``graph_weight`` and ``normalize``.
    X : array or sparse matrix (n, d)
    X_new : array or sparse matrix (n_new, d), default=None

    Attributes
    ----------
    anchors : array (m, d)
    weights : sparse array (n, m)
        Z: every point as a convex combination of anchors.
    smoothness : array (m, m)
        Z'LZ.

    See Also
    --------
    mr.AnchorGraph : the estimator.

    References
    ----------
    Liu, He, Chang (2010), Large graph construction for scalable semi-supervised learning, ICML.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=200, seed=0)
    >>> y = np.full(200, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:3]] = c
    >>> path = mr.paths.AnchorGraphPath(mr.AnchorGraph(n_anchors=20), data.X)
    >>> [cell["graph_weight"] for cell, fit in path.grid(y, graph_weight=[0.01, 1.0])]
    [0.01, 1.0]
    >>> path.held_out(y, graph_weight=0.01).shape
    (6, 1)
    """

    estimator_class = AnchorGraph
    parameters = ("graph_weight", "normalize")

    @cached_property
    def _weigher(self) -> AnchorGraph:
        """The template with its anchors chosen."""
        machine = clone(self.estimator)
        machine.anchors_ = machine._choose_anchors(self.X)
        return machine

    @property
    def anchors(self) -> np.ndarray:
        return self._weigher.anchors_

    @cached_property
    def weights(self):
        return self._weigher._weigh(self.X, fitting=True)

    @cached_property
    def new_weights(self):
        """Weights (n_new, m) of the new points."""
        self.weights  # noqa: B018  Gaussian weights take their width from the points, not from the new ones
        return self._weigher._weigh(self.X_new)

    @cached_property
    def smoothness(self) -> np.ndarray:
        return anchor_smoothness(self.weights)

    @cached_property
    def _mean_weights(self) -> np.ndarray:
        return np.asarray(self.weights.mean(axis=0)).ravel()

    def _fit(self, rows, targets, cell):
        A, residual = regularise(self.weights, rows, targets, cell["graph_weight"], self.smoothness)
        new = None if self.X_new is None else self._compared(self.new_weights @ A, A, cell)
        return PathFit(self._compared(self.weights @ A, A, cell), new, {"residual": residual})

    def _compared(self, values, A, cell):
        """Decision values: with ``normalize``, memberships over their mean on the points (equation 11)."""
        if not cell["normalize"]:
            return values
        mass = np.maximum(_memberships(self._mean_weights @ A), 0.5 / self.X.shape[0])
        shares = _memberships(values) / mass
        return shares[:, 1:] - shares[:, :1] if values.shape[1] == 1 else shares

    def _held_out(self, rows, targets, folds, cell):
        labelled = self.weights[rows].toarray()
        inner = linalg.solve(anchor_system(labelled, self.smoothness, cell["graph_weight"]), labelled.T, assume_a="sym")
        fitted, leverage = labelled @ (inner @ targets), labelled @ inner
        values = np.empty_like(targets)
        for number in np.unique(folds):
            held = np.flatnonzero(folds == number)
            missing = np.eye(len(held)) - leverage[np.ix_(held, held)]
            left_out = targets[held] - linalg.solve(missing, (targets - fitted)[held])
            # The machine without the fold is the one whose targets there are what it predicts itself.
            own = targets.copy()
            own[held] = left_out
            values[held] = self._compared(left_out, inner @ own, cell)
        return values


def _memberships(values):
    """(1 + f) / 2 in every class, also for a single column of two classes."""
    if values.shape[-1] == 1:
        values = np.concatenate([-values, values], axis=-1)
    return (1.0 + values) / 2.0
