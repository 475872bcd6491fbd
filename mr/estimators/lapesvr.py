"""Laplacian embedded support vector regression (chen2012, section III)."""

from numbers import Real

import numpy as np

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import SemiSupervisedClassifier, SemiSupervisedRegressor
from mr.estimators._embedded import EmbeddedMachine
from mr.kernels import choose_basis, reduced_factor
from mr.solvers.epsilon_svr import solve_epsilon_svr, solve_linear_svr
from mr.solvers.row_cache import EmbeddedRows, RowCache

IN_MEMORY = 4000
"""Up to this many points Q~ is formed; beyond, its rows are computed on demand."""
EXACT_POINTS = 100_000
"""solver="auto" takes landmarks beyond this many points."""


class _LapESVRMachine(EmbeddedMachine):
    """min 1/2 ||f||^2 + C sum_i max(0, |g_i - f(x_i)| - epsilon) + lambda/2 sum_labelled (g_i - y_i)^2 + mu/2 g'L^p g

    over f in the RKHS plus a bias and g in the span of the n_ev smoothest eigenvectors of the Laplacian (chen2012, 23).
    Its dual is a support vector regression on Q~ = K + Phi~ Phi~' and virtual labels y~ at all n points,

        min_a 1/2 a'Q~a + epsilon ||a||_1 - y~'a,   1'a = 0,   |a| <= C,      f(x) = sum_i a_i k(x_i, x) + b.

    The expansion is sparse and predicts new points. mu = 0 is SVR on the labelled points with K + I / lambda.

    Parameters
    ----------
    C : float > 0
        Weight of the misfit between f and g.
    mu : float >= 0
        Weight of g'L^p g; p is the graph's ``power``.
    label_weight : float > 0
        lambda, weight of the misfit between g and the labels.
    epsilon : float >= 0
        Half width of the tube without loss.
    n_eigenvectors : int
        Dimension of g (at most n).
    components : {"labelled", "all"}, default="labelled"
        Connected components of the graph that take part. Without a label a component's constant vector is in the null
        space of S. "labelled" leaves such components out of the fit, with a warning, and predicts their points by f
        like new points. "all" keeps them, and g is free in these directions (S gets the eigenvalue 1e-6 there).
    kernel : {"rbf", "linear", "poly", "cosine"}
    gamma : float, "scale" or "mean"
        Kernel coefficient; "mean" is chen2012's n^2 / sum_ij ||x_i - x_j||^2.
    degree, coef0 : float
        Of the polynomial kernel.
    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix; None for ``KNNGraph()``
    solver : {"auto", "smo", "nystroem"}
        "smo" is exact up to ``tol``: Q~ in memory for small n, else rows on demand in a cache. "nystroem" expands over
        ``n_landmarks`` rows, O(n m) memory and constant prediction time; it changes f, and pays only when the support
        is larger than the landmarks (10,000 MNIST digits, 100 labels: "smo" 1.4 s with 524 support vectors; 200
        landmarks 1.2 s, 5.5 % of the decisions differ; 1000 landmarks 8.6 s, 2.9 %). "auto": "smo" up to 100,000
        points.
    n_landmarks : int
    tol : float or None
        Violation of the optimality conditions at which a solver stops, in units of the target (as in LIBSVM). None is
        1e-3, LIBSVM's, but 1e-8 where Q~ is in memory: the Newton steps there make exactness cheap.
    cache_size : float
        Megabytes for rows of Q~.
    memory : None, str or joblib.Memory
        Caches the fitted graph and its eigenvectors across fits.
    random_state : int, RandomState or None
        Draws landmarks.

    Attributes
    ----------
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    n_support_ : number of points with a coefficient (of landmarks, for "nystroem")
    dual_gap_ : relative duality gap reached, the largest over the targets
    n_iter_ : iterations over all targets
    transduction_ : predictions for the training rows
    graph_ : the fitted graph
    n_members_ : points used: those in the components that take part
    """

    _parameter_constraints = {
        **EmbeddedMachine._parameter_constraints,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "solver": [StrOptions({"auto", "smo", "nystroem"})],
        "tol": [Interval(Real, 0.0, None, closed="neither"), None],
        "cache_size": [Interval(Real, 0.0, None, closed="neither")],
    }

    def __init__(
        self,
        C=10.0,
        mu=100.0,
        label_weight=1e4,
        epsilon=0.1,
        n_eigenvectors=100,
        components="labelled",
        kernel="rbf",
        gamma="mean",
        degree=3,
        coef0=0.0,
        graph=None,
        solver="auto",
        n_landmarks=1000,
        tol=None,
        cache_size=1000.0,
        memory=None,
        random_state=None,
    ):
        self.C = C
        self.mu = mu
        self.label_weight = label_weight
        self.epsilon = epsilon
        self.n_eigenvectors = n_eigenvectors
        self.components = components
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

    def _solve(self, kernel, X, embedding):
        exact = self.solver == "smo" or (self.solver == "auto" and X.shape[0] <= EXACT_POINTS)
        return (self._solve_dual if exact else self._solve_landmarks)(kernel, X, embedding)

    def _solve_dual(self, kernel, X, embedding):
        n = X.shape[0]
        if n <= IN_MEMORY:
            Q, tol = kernel(X), self.tol or 1e-8
            Q += embedding.features @ embedding.features.T
        else:
            source = EmbeddedRows(kernel, X, embedding.features)
            Q, tol = RowCache(source, self.cache_size * 2**20, at_least=1024), self.tol or 1e-3
        columns = np.ascontiguousarray(embedding.targets.T)
        solutions = [solve_epsilon_svr(Q, y, self.C, self.epsilon, tol) for y in columns]
        self._keep_certificate(solutions)
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
        solutions = [solve_linear_svr(features, y, self.C, self.epsilon, self.tol or 1e-3) for y in embedding.targets.T]
        self._keep_certificate(solutions)
        weights = np.column_stack([solution.weights[: factor.shape[1]] for solution in solutions])
        self._keep_expansion(kernel, landmarks, transform @ weights, [solution.bias for solution in solutions])
        self.n_support_ = landmarks.shape[0]
        return factor @ weights + self.intercept_

    def _keep_certificate(self, solutions):
        self.dual_gap_ = max(solution.gap for solution in solutions)
        self.n_iter_ = max(1, sum(solution.n_iter for solution in solutions))


class LapESVR(SemiSupervisedClassifier, _LapESVRMachine):
    __doc__ = "Laplacian embedded support vector regression as a classifier.\n\n    " + _LapESVRMachine.__doc__


class LapESVRRegressor(SemiSupervisedRegressor, _LapESVRMachine):
    __doc__ = "Laplacian embedded support vector regression.\n\n    " + _LapESVRMachine.__doc__
