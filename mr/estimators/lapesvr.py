"""Laplacian embedded support vector regression (chen2012, section III)."""

import warnings
from collections.abc import Callable
from numbers import Real

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import CLASS_WEIGHT_CONSTRAINTS, WeightedClassifier, WeightedRegressor
from mr.estimators._embedded import (
    ATTRIBUTES,
    GRAPH_PARAMETERS,
    REFERENCES,
    VERBOSE_PARAMETER,
    WEIGHT_PARAMETERS,
    EmbeddedMachine,
)
from mr.estimators.rls import CLASS_WEIGHT_PARAMETER
from mr.kernels import choose_basis, reduced_factor
from mr.solvers.epsilon_svr import solve_epsilon_svr, solve_linear_svr
from mr.solvers.row_cache import EmbeddedMatrix, KernelRows, RowCache

IN_MEMORY = 4000
"""Up to this many points Q~ is formed; beyond, its rows are computed on demand."""
EXACT_POINTS = 100_000
"""solver="auto" takes landmarks beyond this many points."""


PROBLEM = """\
    min 1/2 ||f||^2 + C sum_i max(0, |g_i - f(x_i)| - epsilon) + lambda/2 sum_labelled (g_i - y_i)^2 + mu/2 g'L^p g

    over f in the RKHS plus a bias and g in the span of the smoothest eigenvectors of the Laplacian (chen2012, 23). Its
    dual is a support vector regression on Q~ = K + Phi~ Phi~' and virtual labels y~ at all n points,

        min_a 1/2 a'Q~a + epsilon ||a||_1 - y~'a,   1'a = 0,   |a| <= C,      f(x) = sum_i a_i k(x_i, x) + b.

    The expansion is sparse and predicts new points. mu = 0 is SVR on the labelled points with K + I / lambda.
"""
TUBE_PARAMETER = """\
    epsilon : "auto" or float >= 0, default="auto"
        Half width of the tube without loss. "auto" is 0.1; a regression takes it, and C, in units of the labels'
        standard deviation.
"""
SOLVER_PARAMETERS = """\
    solver : {"auto", "smo", "nystroem"}, default="auto"
        "smo" is exact up to ``tol``: Q~ in memory for small n, else rows on demand in a cache. "nystroem" expands over
        ``n_landmarks`` rows, O(n m) memory and constant prediction time; it changes f, and pays only when the support
        is larger than the landmarks (10,000 MNIST digits, 100 labels: "smo" 1.4 s with 524 support vectors; 200
        landmarks 1.2 s, 5.5 % of the decisions differ; 1000 landmarks 8.6 s, 2.9 %). "auto": "smo" up to 100,000
        points.
    n_landmarks : int, default=1000
        Rows drawn as landmarks.
    tol : float > 0 or None, default=None
        Violation of the optimality conditions at which a solver stops, in units of the target (as in LIBSVM). None is
        1e-3, LIBSVM's, but 1e-8 where Q~ is in memory: the Newton steps there make exactness cheap.
    cache_size : float, default=1000
        Megabytes for rows of Q~.
    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph and its eigenvectors across fits.
    random_state : int, RandomState or None, default=None
        Draws landmarks.
"""
SOLVER_ATTRIBUTES = """\
    epsilon_ : float or array
        The tube used; of a regression with "auto" one for each target, as ``C_``.
    n_support_ : int
        Number of points with a coefficient (of landmarks, for "nystroem").
    dual_gap_ : float
        Relative duality gap reached, the largest over the targets.
    n_iter_ : int
        Iterations over all targets.
"""


class _LapESVRMachine(EmbeddedMachine):
    """The machine behind classifier and regressor."""

    _parameter_constraints = {
        **EmbeddedMachine._parameter_constraints,
        "epsilon": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="left")],
        "solver": [StrOptions({"auto", "smo", "nystroem"})],
        "tol": [Interval(Real, 0.0, None, closed="neither"), None],
        "cache_size": [Interval(Real, 0.0, None, closed="neither")],
    }

    def __init__(
        self,
        C: float | str = "auto",
        mu: float | str = "auto",
        label_weight: float | str = "auto",
        epsilon: float | str = "auto",
        n_eigenvectors=50,
        components="labelled",
        shift=0.0,
        kernel: str | Callable = "rbf",
        gamma: float | str = "mean",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        solver="auto",
        n_landmarks=1000,
        tol=None,
        cache_size=1000.0,
        memory=None,
        random_state=None,
        verbose=0,
    ):
        self.C = C
        self.mu = mu
        self.label_weight = label_weight
        self.epsilon = epsilon
        self.n_eigenvectors = n_eigenvectors
        self.components = components
        self.shift = shift
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.tol = tol
        self.cache_size = cache_size
        self.memory = memory
        self.random_state = random_state
        self.verbose = verbose

    def _fit_functions(self, X, rows, targets, weights=None):
        self._units = target_units(targets, is_classifier(self))
        return super()._fit_functions(X, rows, targets, weights)

    def _solve(self, kernel, X, embedding):
        self.epsilon_ = _plain(tube(self.epsilon, self._units))
        self.C_ = _plain(self.C_ * self._units if self.C == "auto" else self.C_)
        exact = self.solver == "smo" or (self.solver == "auto" and X.shape[0] <= EXACT_POINTS)
        return (self._solve_dual if exact else self._solve_landmarks)(kernel, X, embedding)

    def _problems(self, targets, tol):
        """y, C, epsilon and tol of every column."""
        k = targets.shape[1]
        tols = tol * self._units if self.tol is None else np.full(k, self.tol)
        C, epsilon = np.broadcast_to(self.C_, k), np.broadcast_to(self.epsilon_, k)
        return list(zip(np.ascontiguousarray(targets.T), C, epsilon, tols, strict=True))

    def _solve_dual(self, kernel, X, embedding):
        n = X.shape[0]
        if n <= IN_MEMORY:
            Q, tol = kernel(X), 1e-8
            Q += embedding.features @ embedding.features.T
        else:
            rows = RowCache(KernelRows(kernel, X), self.cache_size * 2**20, at_least=1024)
            Q, tol = EmbeddedMatrix(rows, embedding.features), 1e-3
        solutions = [solve_epsilon_svr(Q, *problem) for problem in self._problems(embedding.targets, tol)]
        self._keep_certificate(solutions)
        if not all(solution.converged for solution in solutions):
            warnings.warn(
                f"{type(self).__name__} stopped at a violation of {max(s.violation for s in solutions):.1e} of the "
                f"optimality conditions (relative duality gap {self.dual_gap_:.1e}). Raise tol, or lower C.",
                ConvergenceWarning,
                stacklevel=6,
            )
        a = np.column_stack([solution.coefficients for solution in solutions])
        support = np.flatnonzero(a.any(axis=1))
        support = support if len(support) else np.array([0])  # a constant function still needs a point to expand over
        self._keep_expansion(kernel, X[support], a[support], [solution.bias for solution in solutions])
        self.n_support_ = int(a.any(axis=1).sum())
        # f = Qa - Ga + b on the training rows costs no kernel evaluation
        products = np.column_stack([solution.products for solution in solutions])
        return products - embedding.features @ (embedding.features.T @ a) + self.intercept_

    def _solve_landmarks(self, kernel, X, embedding):
        landmarks = choose_basis(X, min(self.n_landmarks, X.shape[0]), self.random_state)
        factor, transform = reduced_factor(kernel, X, landmarks)
        features = np.hstack([factor, embedding.features])
        solutions = [solve_linear_svr(features, *problem) for problem in self._problems(embedding.targets, 1e-3)]
        self._keep_certificate(solutions)
        weights = np.column_stack([solution.weights[: factor.shape[1]] for solution in solutions])
        self._keep_expansion(kernel, landmarks, transform @ weights, [solution.bias for solution in solutions])
        self.n_support_ = landmarks.shape[0]
        return factor @ weights + self.intercept_

    def _keep_certificate(self, solutions):
        self.dual_gap_ = max(solution.gap for solution in solutions)
        self.n_iter_ = max(1, sum(solution.n_iter for solution in solutions))


def target_units(targets, classify) -> np.ndarray:
    """Unit of each target: 1 for signs of classes, the standard deviation of numbers (1 where they are all equal)."""
    if classify:
        return np.ones(targets.shape[1])
    spread = targets.std(axis=0)
    return np.where(spread > 1e-12 * np.abs(targets).max(axis=0), spread, 1.0)


def tube(epsilon, units):
    """epsilon, or 0.1 units for "auto"."""
    return 0.1 * units if epsilon == "auto" else epsilon


def _plain(values):
    """A number where all values are equal."""
    return float(np.ravel(values)[0]) if np.ptp(values) == 0 else np.asarray(values, dtype=float)


class LapESVR(WeightedClassifier, _LapESVRMachine):
    __doc__ = f"""Laplacian embedded support vector regression as a classifier.

{PROBLEM}
    Parameters
    ----------
{WEIGHT_PARAMETERS}{TUBE_PARAMETER}{GRAPH_PARAMETERS}{SOLVER_PARAMETERS}{CLASS_WEIGHT_PARAMETER}{VERBOSE_PARAMETER}
    Attributes
    ----------
{ATTRIBUTES}{SOLVER_ATTRIBUTES}
    See Also
    --------
    LapERLS : the same with the squared loss, which chooses this machine's weights where they are "auto".
    LapSVR : support vector regression with the graph in the norm instead.
    mr.paths.LapESVRPath : whole grids of weights, labels and folds.

    References
    ----------
{REFERENCES}
    Examples
    --------
    >>> import mr
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(200, noise=0.05, random_state=0)
    >>> y = truth.copy()
    >>> y[10:] = -1  # ten labels
    >>> model = mr.LapESVR().fit(X, y)
    >>> model.score(X, truth) > 0.95
    True
    >>> model.n_support_ < 150, model.dual_gap_ < 1e-6
    (True, True)
    """

    _parameter_constraints = {**_LapESVRMachine._parameter_constraints, **CLASS_WEIGHT_CONSTRAINTS}

    def __init__(
        self,
        C: float | str = "auto",
        mu: float | str = "auto",
        label_weight: float | str = "auto",
        epsilon: float | str = "auto",
        n_eigenvectors=50,
        components="labelled",
        shift=0.0,
        kernel: str | Callable = "rbf",
        gamma: float | str = "mean",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        solver="auto",
        n_landmarks=1000,
        tol=None,
        cache_size=1000.0,
        memory=None,
        random_state=None,
        class_weight=None,
        verbose=0,
    ):
        super().__init__(
            C, mu, label_weight, epsilon, n_eigenvectors, components, shift, kernel, gamma, degree, coef0, graph,
            solver, n_landmarks, tol, cache_size, memory, random_state, verbose,
        )  # fmt: skip
        self.class_weight = class_weight


class LapESVRRegressor(WeightedRegressor, _LapESVRMachine):
    __doc__ = f"""Laplacian embedded support vector regression.

{PROBLEM}
    Parameters
    ----------
{WEIGHT_PARAMETERS}{TUBE_PARAMETER}{GRAPH_PARAMETERS}{SOLVER_PARAMETERS}{VERBOSE_PARAMETER}
    Attributes
    ----------
{ATTRIBUTES}{SOLVER_ATTRIBUTES}
    See Also
    --------
    LapERLSRegressor : the same with the squared loss, which chooses this machine's weights where they are "auto".
    LapSVRRegressor : support vector regression with the graph in the norm instead.

    References
    ----------
{REFERENCES}
    Examples
    --------
    >>> import numpy as np, mr
    >>> t = np.linspace(0, 1, 100)
    >>> X = np.column_stack([(1 + t) * np.cos(9 * t), (1 + t) * np.sin(9 * t)])  # a spiral
    >>> y = np.where(np.arange(100) % 11 == 0, t, np.nan)  # NaN marks an unlabelled point
    >>> bool(np.abs(mr.LapESVRRegressor().fit(X, y).predict(X) - t).mean() < 0.05)
    True
    """
