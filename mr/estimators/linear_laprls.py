"""Linear Laplacian regularised least squares in the primal, for text."""

import warnings
from itertools import product
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import safe_sparse_dot

from mr._sklearn import Interval, StrOptions
from mr.estimators._balance import BALANCE_CONSTRAINTS, BalancedClassifier
from mr.estimators._base import (
    CLASS_WEIGHT_CONSTRAINTS,
    GRAPH_CONSTRAINTS,
    NORM_CONSTRAINTS,
    GraphMixin,
    WeightedClassifier,
    check_new_points,
    warn_unlabelled_components,
)
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.graph.blocks import RowBlocks
from mr.solvers.choice import choose_cell
from mr.solvers.feature_ridge import FeatureRidge
from mr.solvers.rls import penalised_features, smoothness_matrix, solve_linear_lap_rls
from mr.solvers.scale_free import AUTO, NO_GRAPH, RIDGES, is_auto, mean_degree

LARGEST_DENSE = 4000
"""Features up to which a dense d x d system is cheap."""
CELLS = tuple(product((NO_GRAPH, 1e3), RIDGES[:2]))
"""(strength, ridge) that "auto" tries; see :mod:`mr.solvers.scale_free`. The first is for labels too few to choose."""
CHOOSING_LABELS = 1000
"""Labels that choose the weights where conjugate gradient has to solve for each of them."""


class LinearLapRLS(BalancedClassifier, WeightedClassifier, GraphMixin, BaseEstimator):
    """Linear Laplacian regularised least squares classifier.

        min 1/l sum_i (y_i - w'x_i - b)^2 + gamma_A ||w||^2 + gamma_I / n^2 f'Lf,        f = X w,

    the same function as ``LapRLS(kernel="linear")`` (without bias), from (X_l'X_l + gamma_A l I + (gamma_I l / n^2)
    X'LX) w = X_l'y, a d x d system. Sparse X is never made dense.

    Numbers given for gamma_A and gamma_I mean what they mean in belkin2006 (equation 6): gamma_I weighs a sum over
    pairs divided by n^2, so its meaning depends on n, and gamma_A's on the scale of the features. By default neither
    needs to be given: "auto" tries a few values relative to both (gamma_A = ridge times the mean squared length of the
    centred rows, gamma_I = ridge strength n), nearly without a graph first, and takes those of least leave-one-out
    error with all points in the graph.

    Parameters
    ----------
    gamma_A : float > 0 or "auto", default="auto"
        Weight of the ambient norm ||w||^2. In the unscaled convention of some papers, a = gamma_A l.
    gamma_I : float >= 0 or "auto", default="auto"
        Weight of the intrinsic norm f'Lf / n^2; b = gamma_I l / n^2 in the unscaled convention.
    fit_intercept : bool, default=True
        Whether to fit an unpenalised bias; it does not enter f'Lf. belkin2006 has none.
    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix, default=None
        None is ``KNNGraph()``.
    balance : None or "class-mass", default=None
        Rescale decision values to the labelled class proportions; the rule is in ``mr.estimators._balance``.
    solver : {"auto", "cholesky", "cg"}, default="auto"
        "cholesky" forms the d x d system, "cg" only multiplies by X and L. "auto" is "cg" for sparse X or more than
        4000 features.
    tol : float > 0, default=1e-10
        Relative residual at which "cg" stops.
    max_iter : int, default=10000
        Of "cg".
    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph across fits.
    class_weight : None, dict or "balanced", default=None
        Weights of the classes in the loss, as in scikit-learn.
    verbose : int, default=0
        1 tells what is done, a line per step.

    Attributes
    ----------
    gamma_A_ : float
        Weight of the ambient norm that was used.
    gamma_I_ : float
        Weight of the intrinsic norm that was used.
    coef_ : array (1, d) for two classes, (n_classes, d) otherwise
        Weights of the features.
    intercept_ : array (1,) or (n_classes,)
        Biases.
    residual_ : float
        Relative residual of the linear system.
    n_iter_ : int
        Iterations of "cg"; 1 for "cholesky".
    transduction_ : array (n,)
        Predictions for the training rows.
    graph_ : fitted graph
        The graph.
    classes_ : array
        The labels that occur.

    See Also
    --------
    mr.LapRLS : the same with any kernel.
    mr.paths.LinearLapRLSPath : grids of weights, labels and folds.

    References
    ----------
    .. [1] M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from
       labeled and unlabeled examples. Journal of Machine Learning Research 7.

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, truth = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> y = np.where(np.arange(len(truth)) % 14 == 0, truth, -1)
    >>> model = mr.LinearLapRLS().fit(X, y)
    >>> model.coef_.shape, bool((model.transduction_ == truth).mean() > 0.9)
    ((1, 30), True)
    """

    _parameter_constraints = {
        "gamma_A": [StrOptions({AUTO}), *NORM_CONSTRAINTS["gamma_A"]],
        "gamma_I": [StrOptions({AUTO}), *NORM_CONSTRAINTS["gamma_I"]],
        **GRAPH_CONSTRAINTS,
        **BALANCE_CONSTRAINTS,
        **CLASS_WEIGHT_CONSTRAINTS,
        **VERBOSE_CONSTRAINTS,
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"auto", "cholesky", "cg"})],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        gamma_A: float | str = "auto",
        gamma_I="auto",
        fit_intercept=True,
        graph=None,
        balance=None,
        solver="auto",
        tol=1e-10,
        max_iter=10_000,
        memory=None,
        class_weight=None,
        verbose=0,
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
        self.class_weight = class_weight
        self.verbose = verbose

    def _fit_functions(self, X, rows, targets, weights=None):
        graph = self._fit_graph(X)
        warn_unlabelled_components(graph, rows)
        n, l = X.shape[0], len(rows)
        method, report = self._method(X), reporter(self)
        smooth = smoothness_matrix(X, graph) if method == "cholesky" and self.gamma_I != 0 else None
        self.gamma_A_, self.gamma_I_ = self._choose(
            X, graph, rows, targets, self.gamma_A, self.gamma_I, smooth, weights
        )
        report(f"gamma_A {self.gamma_A_:.3g}, gamma_I {self.gamma_I_:.3g}: solving by {method}")
        solution = solve_linear_lap_rls(
            X,
            graph,
            rows,
            targets,
            ridge=self.gamma_A_ * l,
            smoothness=self.gamma_I_ * l / n**2,
            fit_intercept=self.fit_intercept,
            method=method,
            tol=self.tol,
            max_iter=self.max_iter,
            smooth=smooth,
            weights=weights,
        )
        self.coef_, self.intercept_ = np.ascontiguousarray(solution.coefficients.T), np.atleast_1d(solution.intercepts)
        self.residual_ = solution.residual
        report(f"{solution.n_iter} iterations, relative residual {solution.residual:.1e}")
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

    def _choose(self, X, graph, rows, targets, gamma_A, gamma_I, smooth=None, weights=None):
        """gamma_A and gamma_I of least leave-one-out error; what is given stays."""
        cells = self._cells(X, graph, gamma_A, gamma_I)
        if len(cells) == 1:
            return cells[0]
        reporter(self)(f"choosing among {len(cells)} pairs of weights by leave-one-out")
        method, n = self._method(X), X.shape[0]
        if method == "cg" and len(rows) > CHOOSING_LABELS:
            # The weights do not depend on the number of labels; evenly from all classes.
            order = np.argsort(targets.argmax(axis=1) if targets.shape[1] > 1 else targets[:, 0], kind="stable")
            some = np.sort(order[np.linspace(0, len(rows) - 1, CHOOSING_LABELS).astype(int)])
            rows, targets = rows[some], targets[some]
            weights = None if weights is None else weights[some]
        ridges, held_out = {}, []
        for ambient, intrinsic in cells:
            ratio = float(f"{intrinsic / ambient:.12g}")  # equal up to rounding: one decomposition
            if ratio not in ridges:
                features = penalised_features(X, graph, rows, ratio / n**2, method, smooth=smooth)
                ridges[ratio] = FeatureRidge(features, self.fit_intercept, weights)
            held_out.append(ridges[ratio].held_out(targets, None, 1.0 / (ambient * len(rows))))
        return cells[choose_cell(held_out, targets, 0, weights=weights)]

    def _cells(self, X, graph, gamma_A, gamma_I):
        """Pairs of weights to choose from, weakest graph first."""
        if not (is_auto(gamma_A) or is_auto(gamma_I)):
            return [(gamma_A, gamma_I)]
        n, d, total, squares = RowBlocks(X).moments()
        scale = squares / n - (float(total @ total) / n**2 if self.fit_intercept else 0.0)
        scale = scale if scale > 1e-12 * squares / n else 1.0
        per_strength = n / (mean_degree(graph) * scale)
        cells = []
        for strength, ridge in CELLS:
            ambient = ridge * scale if is_auto(gamma_A) else gamma_A
            cells.append((ambient, ambient * strength * per_strength if is_auto(gamma_I) else gamma_I))
        return list(dict.fromkeys(cells))

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
