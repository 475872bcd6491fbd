"""Linear Laplacian regularised least squares over weights, labels and folds: X'LX is computed once."""

from functools import cached_property

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot

from mr.estimators import LinearLapRLS
from mr.graph import KNNGraph, as_graph
from mr.paths.base import Path, PathFit
from mr.paths.deformed import UNSCALED, unscaled
from mr.solvers.rls import smoothness_matrix, solve_linear_lap_rls
from mr.solvers.scale_free import is_auto


class LinearLapRLSPath(Path):
    """Linear Laplacian regularised least squares over weights, labels and folds.

    The d x d system (X_l'X_l + ridge I + smoothness X'LX) w = X_l'y costs one pass over all points, for X'LX, which
    every cell and every labelled set shares; a cell is then one Cholesky factorisation. Held-out values come from that
    factorisation: with H the matrix that takes targets to fitted values, y_F - f_F = (I - H_FF)^-1 (y - H y)_F. With
    ``solver="cg"`` (the choice of "auto" for sparse X) nothing but the graph is shared, and held-out values are refits.
    Weights that are "auto" are chosen as the estimator does, anew for every labelled set.

    Parameters
    ----------
    estimator : LinearLapRLS
        Template. A cell may name ``gamma_A`` and ``gamma_I``, or, unscaled, ``ridge`` = gamma_A l and ``smoothness`` =
        gamma_I l / n^2.
    X : array or sparse matrix (n, d)
    X_new : array or sparse matrix (n_new, d), default=None

    See Also
    --------
    mr.LinearLapRLS : the estimator.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.

    Examples
    --------
    >>> import numpy as np, mr
    >>> X = np.array([[-2.0, 0.1], [-1.9, 0.0], [1.9, 0.1], [2.0, -0.1]])
    >>> path = mr.paths.LinearLapRLSPath(mr.LinearLapRLS(graph=mr.KNNGraph(n_neighbors=1)), X)
    >>> for cell, fit in path.grid([0, -1, -1, 1], gamma_A=[0.01, 0.1], gamma_I=[1.0]):
    ...     print(cell["gamma_A"], (fit.values[:, 0] > 0).astype(int))
    0.01 [0 0 1 1]
    0.1 [0 0 1 1]
    """

    estimator_class = LinearLapRLS
    parameters = ("gamma_A", "gamma_I", *UNSCALED)
    fixed = {"balance": None}

    @cached_property
    def graph(self):
        """The fitted graph."""
        return as_graph(KNNGraph() if self.estimator.graph is None else self.estimator.graph, self.X)

    @cached_property
    def smoothness(self) -> np.ndarray:
        """X'LX (d, d)."""
        return smoothness_matrix(self.X, self.graph)

    @property
    def _solver(self) -> str:
        return self.estimator._method(self.X)

    def _fit(self, rows, targets, cell):
        template, direct = self.estimator, self._solver == "cholesky"
        ridge, smoothness = unscaled(self._chosen(rows, targets, cell), len(rows), self.X.shape[0])
        solution = solve_linear_lap_rls(
            self.X, self.graph, rows, targets, ridge, smoothness, fit_intercept=template.fit_intercept,
            method=self._solver, tol=template.tol, max_iter=template.max_iter,
            smooth=self.smoothness if direct and smoothness else None,
        )  # fmt: skip

        def expand(X):
            return safe_sparse_dot(X, solution.coefficients, dense_output=True) + solution.intercepts

        info = {"residual": solution.residual, "n_iter": solution.n_iter}
        return PathFit(expand(self.X), None if self.X_new is None else expand(self.X_new), info)

    def _chosen(self, rows, targets, cell):
        """The cell with numbers in place of "auto", as the estimator chooses them."""
        if not _is_open(cell):
            return cell
        smooth = self.smoothness if self._solver == "cholesky" else None
        weights = self.estimator._choose(self.X, self.graph, rows, targets, cell["gamma_A"], cell["gamma_I"], smooth)
        return dict(zip(("gamma_A", "gamma_I"), weights, strict=True))

    def _held_out(self, rows, targets, folds, cell):
        if self._solver == "cg" or _is_open(cell):
            return super()._held_out(rows, targets, folds, cell)
        values, hats = np.empty_like(targets), {}
        for number in np.unique(folds):
            held = np.flatnonzero(folds == number)
            # In gamma_A's scale the penalty depends on the number of labels that stay.
            weights = unscaled(cell, len(rows) - len(held), self.X.shape[0])
            if weights not in hats:
                hats[weights] = self._hat(rows, *weights)
            hat = hats[weights]
            missing = np.eye(len(held)) - hat[np.ix_(held, held)]
            values[held] = targets[held] - np.linalg.solve(missing, targets[held] - hat[held] @ targets)
        return values

    def _hat(self, rows, ridge, smoothness):
        """H (l, l) with f = H y on the labelled points; an unpenalised bias adds the mean of the targets."""
        labelled = self.X[rows]
        labelled = labelled.toarray() if sparse.issparse(labelled) else labelled
        hat = np.zeros((len(rows), len(rows)))
        if self.estimator.fit_intercept:
            labelled = labelled - labelled.mean(axis=0)
            hat += 1.0 / len(rows)
        system = labelled.T @ labelled
        if smoothness:
            system += smoothness * self.smoothness
        system.flat[:: len(system) + 1] += ridge
        return hat + labelled @ np.linalg.solve(system, labelled.T)


def _is_open(cell) -> bool:
    """Whether weights are still to be chosen."""
    return not any(name in cell for name in UNSCALED) and any(is_auto(cell[name]) for name in ("gamma_A", "gamma_I"))
