"""Manifold regularisation with an adaptive graph: whole grids on one factor, one initial graph, one set of candidates.

The alternation of AGMR (wang2017, Algorithm 1) runs for every cell. What it starts from is shared: the factor R with
K = R R', the smoothness matrix R'LR of the initial graph, the candidates of every row of W with their Gram matrices,
and the rows of least reconstruction error (:class:`mr.estimators._adaptive.AdaptiveProblem`).
"""

from functools import cached_property

import numpy as np
from scipy import linalg

from mr.estimators._adaptive import AdaptiveProblem
from mr.estimators._words import in_words
from mr.estimators.agmr import AGMR, CELL
from mr.paths.base import Path, PathFit, per_fold


class AGMRPath(Path):
    """Manifold regularisation with an adaptive graph (wang2017) over its weights, labels and folds.

    A cell names gamma_1 and gamma_2, and eta for ``penalty="entropy"`` or eta_1 and eta_2 for ``penalty="sparse"``.
    Weights that are "auto" are chosen as the estimator does, anew for every labelled set. ``basis`` must not depend on
    the labels: None, an array of points, or at least the number of points.

    ``info`` of a fit holds ``n_iter``, ``converged``, ``objective`` (after every half step) and, for the entropy
    penalty, ``information``: the mean over the rows of W of their Kullback-Leibler divergence from the uniform row
    (0 means that the graph says nothing).

    See Also
    --------
    mr.AGMR : the estimator, its problem and its parameters.

    References
    ----------
    .. [1] Y. Wang, Y. Meng, Y. Li, S. Chen, Z. Fu, H. Xue (2017). Semi-supervised manifold regularization with adaptive
       graph construction. Pattern Recognition Letters, section 3.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=100, seed=0)
    >>> y = np.full(100, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:3]] = c
    >>> path = mr.paths.AGMRPath(mr.AGMR("entropy", gamma_1=10.0, gamma_2=0.1), data.X)
    >>> for cell, fit in path.grid(y, eta=[0.1, 1.0]):
    ...     print(cell, fit.values.shape, "information" in fit.info)
    {'eta': 0.1} (100, 1) True
    {'eta': 1.0} (100, 1) True
    """

    estimator_class = AGMR

    def __init__(self, estimator, X, X_new=None):
        super().__init__(estimator, X, X_new)
        self.parameters = CELL[self.estimator.penalty]
        self._last = (None, None)

    @cached_property
    def problem(self) -> AdaptiveProblem:
        """What all fits share."""
        return AdaptiveProblem(self.estimator, self.X)

    def held_out(self, y, folds=None, fixed_graph=False, **cell) -> np.ndarray:
        """Decision values at every labelled point of the machine that did not see its label.

        Parameters
        ----------
        y : array (n,)
        folds : array (l,), default=None
            Number of the fold of each labelled point, in the order of the rows. None leaves out one at a time.
        fixed_graph : bool, default=False
            False refits everything without the labels of a fold. True keeps the graph that was adapted to *all* labels
            and leaves the labels out of the f-step only: one fit for all folds, in closed form. Such values are
            optimistic by an unknown amount, since the graph has seen the labels.
        **cell
            Parameters of the machine, by name.

        Returns
        -------
        array (l, k)
        """
        rows, targets = self._encode(y)
        hold = self._held_out_on_fixed_graph if fixed_graph else self._held_out
        with in_words(self):
            return self._sound(hold(rows, targets, self._folds(folds, len(rows)), self._complete(cell)))

    def held_out_grid(self, y, folds=None, fixed_graph=False, **lists):
        """``held_out`` for every combination of the listed values: yields (cell, values)."""
        for cell in self._ordered(self._cells(lists)):
            yield cell, self.held_out(y, folds, fixed_graph, **cell)

    def _complete(self, cell):
        for name, value in cell.items():
            if value is None:
                raise TypeError(f"{type(self).__name__} needs a number or 'auto' for {name}; got None.")
        return super()._complete(cell)

    def _fit(self, rows, targets, cell):
        fit = self._solve(rows, targets, cell)
        solution = fit.solution
        info = {"n_iter": solution.n_iter, "converged": solution.converged, "objective": solution.objective}
        if "eta" in fit.used:
            # the penalty of the solver is eta times the divergence from uniform, summed over rows
            info["information"] = fit.weights.penalty / (fit.used["eta"] * self.X.shape[0])
        return PathFit(solution.values, None if self.X_new is None else fit(self.X_new), info)

    def _solve(self, rows, targets, cell):
        """The alternation; the last one is kept, since its held-out values on the fixed graph are often wanted too."""
        key = rows.tobytes(), targets.tobytes(), tuple(cell.items())
        if self._last[0] != key:
            self._last = key, self.problem.solve(rows, targets, **cell)
        return self._last[1]

    def _held_out_on_fixed_graph(self, rows, targets, folds, cell):
        """With the hat matrix H of the f-step on the final graph, y_F - f_F = (I - H_FF)^-1 (y - H y)_F, exactly."""
        fit = self._solve(rows, targets, cell)
        factor, gamma_1 = fit.functions.factor, fit.used["gamma_1"]
        labelled = factor[rows]
        system = fit.weights.quadratic(factor) + gamma_1 * labelled.T @ labelled
        system.flat[:: len(system) + 1] += fit.used["gamma_2"]
        lower = linalg.cholesky(system, lower=True, check_finite=False)
        half = linalg.solve_triangular(lower, labelled.T, lower=True, check_finite=False)
        unseen = np.eye(len(rows)) - gamma_1 * (half.T @ half)
        return targets - per_fold(unseen, targets - fit.solution.values[rows], folds)
