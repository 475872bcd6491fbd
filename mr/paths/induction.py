"""Non-parametric function induction: one subset, its smoothness and the induction once for all weights and labels."""

from functools import cached_property

import numpy as np

from mr.estimators import NFI
from mr.estimators.nystrom_lgc import sample_rows
from mr.graph.blocks import RowBlocks
from mr.paths.base import Path, PathFit
from mr.solvers.feature_ridge import FeatureRidge
from mr.solvers.propagation import InducedGraph, induced_graph, solve_nfi
from mr.solvers.prototypes import inverse_root
from mr.solvers.scale_free import is_auto


class NFIPath(Path):
    """Non-parametric function induction (Delalleau, Bengio, Le Roux 2005) over C1, labels and folds.

    The subset, the smoothness M and the induction P see no label. A cell is one m x m system; held-out values of all
    folds and C1 come from one singular value decomposition of the labelled rows of P M^-1/2.

    Parameters
    ----------
    estimator : NFI
        Template with a width that does not depend on labels (no ``gamma="auto"``). A cell may name ``C1``; "auto" is
        chosen as the estimator does, anew for every labelled set.
    X : array or sparse matrix (n, d)
    X_new : array or sparse matrix (n_new, d), default=None

    Attributes
    ----------
    subset : array or sparse matrix (m, d)
    graph : InducedGraph
        Smoothness between the subset and all points.
    induction : array (n, m)
        P: every point as a mean over the subset.

    See Also
    --------
    mr.baselines.NFI : the estimator.

    References
    ----------
    O. Delalleau, Y. Bengio, N. Le Roux (2005). Efficient non-parametric function induction in semi-supervised learning.
    AISTATS.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=200, seed=0)
    >>> y = np.full(200, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:5]] = c
    >>> path = mr.paths.NFIPath(mr.baselines.NFI(20, gamma=4.0, random_state=0), data.X)
    >>> path.fit(y, C1=10.0).values.shape
    (200, 1)
    """

    estimator_class = NFI
    parameters = ("C1",)

    def __init__(self, estimator, X, X_new=None):
        super().__init__(estimator, X, X_new)
        if is_auto(self.estimator.gamma):
            raise ValueError(
                "NFIPath takes one kernel width, and gamma='auto' chooses it anew for other labels; "
                "expected a number, 'scale', 'mean' or 'local'."
            )
        self._ridge = (None, None)

    @cached_property
    def subset(self):
        return self.X[sample_rows(self.X.shape[0], self.estimator.n_subset, self.estimator.random_state)]

    @cached_property
    def graph(self) -> InducedGraph:
        blocks = RowBlocks(self.X, self.estimator.n_subset)
        (kernel,) = self.estimator._kernels(blocks, self.subset)
        return induced_graph(blocks, kernel, self.subset)

    @cached_property
    def induction(self) -> np.ndarray:
        return self._induced(self.X)

    @cached_property
    def new_induction(self) -> np.ndarray:
        """P (n_new, m) of the new points."""
        return self._induced(self.X_new)

    def _induced(self, X):
        return np.concatenate([self.graph.induction(block) for block in RowBlocks(X, self.estimator.n_subset)])

    @cached_property
    def _root(self) -> np.ndarray:
        return inverse_root(self.graph.smoothness)[0]

    def _fit(self, rows, targets, cell):
        P = self.induction[rows]
        *_, C1 = self.estimator._choose([self.graph], [P], targets, self.X.shape[0], cell["C1"])
        on_subset = solve_nfi(self.graph.smoothness, P, targets, C1)
        new = None if self.X_new is None else self.new_induction @ on_subset
        return PathFit(self.induction @ on_subset, new)

    def _held_out(self, rows, targets, folds, cell):
        if is_auto(cell["C1"]):
            return super()._held_out(rows, targets, folds, cell)
        key = rows.tobytes()
        if self._ridge[0] != key:
            self._ridge = key, FeatureRidge(self.induction[rows] @ self._root)
        return self._ridge[1].held_out(targets, folds, cell["C1"])
