"""Linear Laplacian regularised least squares in the primal, for text."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import safe_sparse_dot

from mr._sklearn import Interval, StrOptions
from mr.estimators._balance import BALANCE_CONSTRAINTS, BalancedClassifier
from mr.estimators._base import (
    GRAPH_CONSTRAINTS,
    NORM_CONSTRAINTS,
    GraphMixin,
    check_new_points,
    warn_unlabelled_components,
)
from mr.solvers.rls import solve_linear_lap_rls

LARGEST_DENSE = 4000
"""Features up to which a dense d x d system is cheap."""


class LinearLapRLS(BalancedClassifier, GraphMixin, BaseEstimator):
    """Linear Laplacian regularised least squares classifier.

    min 1/l sum_i (y_i - w'x_i - b)^2 + gamma_A ||w||^2 + gamma_I / n^2 f'Lf, f = X w: the same function as
    ``LapRLS(kernel="linear")`` (without bias), from (X_l'X_l + gamma_A l I + (gamma_I l / n^2) X'LX) w = X_l'y, a d x d
    system. Sparse X is never made dense.

    Parameters
    ----------
    gamma_A : float > 0
        Weight of the ambient norm ||w||^2. In the unscaled convention of some papers, a = gamma_A l.
    gamma_I : float >= 0
        Weight of the intrinsic norm f'Lf / n^2; b = gamma_I l / n^2 in the unscaled convention.
    fit_intercept : bool
        Whether to fit an unpenalised bias; it does not enter f'Lf.
    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix; None for ``KNNGraph()``
    balance : None or "class-mass"
        Rescale decision values to the labelled class proportions; the rule is in ``mr.estimators._balance``.
    solver : {"auto", "cholesky", "cg"}
        "cholesky" forms the d x d system, "cg" only multiplies by X and L. "auto" is "cg" for sparse X or many
        features.
    tol : float
        Relative residual at which "cg" stops.
    max_iter : int
        Of "cg".
    memory : None, str or joblib.Memory
        Caches the fitted graph across fits.

    Attributes
    ----------
    coef_ : (1, d) for two classes, (n_classes, d) otherwise
    intercept_ : (1,) or (n_classes,)
    residual_ : relative residual of the linear system
    transduction_ : predictions for the training rows
    graph_ : the fitted graph
    """

    _parameter_constraints = {
        **NORM_CONSTRAINTS,
        **GRAPH_CONSTRAINTS,
        **BALANCE_CONSTRAINTS,
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"auto", "cholesky", "cg"})],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        gamma_A=1e-2,
        gamma_I=1.0,
        fit_intercept=False,
        graph=None,
        balance=None,
        solver="auto",
        tol=1e-10,
        max_iter=10_000,
        memory=None,
    ):
        self.gamma_A = gamma_A
        self.gamma_I = gamma_I
        self.fit_intercept = fit_intercept
        self.graph = graph
        self.balance = balance
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory

    def _fit_functions(self, X, rows, targets):
        graph = self._fit_graph(X)
        warn_unlabelled_components(graph, rows)
        n, l = X.shape[0], len(rows)
        method = self._method(X)
        solution = solve_linear_lap_rls(
            X,
            graph,
            rows,
            targets,
            ridge=self.gamma_A * l,
            smoothness=self.gamma_I * l / n**2,
            fit_intercept=self.fit_intercept,
            method=method,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self.coef_, self.intercept_ = np.ascontiguousarray(solution.coefficients.T), np.atleast_1d(solution.intercepts)
        self.residual_ = solution.residual
        if method == "cg" and solution.residual > 100 * self.tol:
            warnings.warn(
                f"Conjugate gradient stopped after {solution.n_iter} iterations at a relative residual of "
                f"{solution.residual:.1e}; {self.tol:.1e} was asked for.",
                ConvergenceWarning,
                stacklevel=4,
            )
        # At least one, also for the direct solver: scikit-learn's convention where there is a max_iter.
        self.n_iter_ = max(1, solution.n_iter)
        return self._expand(X)

    def _method(self, X) -> str:
        """The solver that this X gets."""
        if self.solver != "auto":
            return self.solver
        return "cg" if sparse.issparse(X) or X.shape[1] > LARGEST_DENSE else "cholesky"

    def _expand(self, X):
        return safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_

    def _evaluate(self, X):
        return self._expand(check_new_points(self, X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
