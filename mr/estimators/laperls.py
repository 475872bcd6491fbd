"""Laplacian embedded regularised least squares (chen2012, section III-D)."""

import numpy as np
from sklearn.utils import check_random_state

from mr._sklearn import StrOptions
from mr.estimators._base import SemiSupervisedClassifier, SemiSupervisedRegressor
from mr.estimators._embedded import EmbeddedMachine
from mr.kernels import choose_basis, reduced_factor
from mr.solvers.embedding import solve_cg, solve_exact, solve_low_rank

EXACT_POINTS = 5000
CG_POINTS = 20_000


class _LapERLSMachine(EmbeddedMachine):
    """min 1/2 ||f||^2 + C/2 sum_i (g_i - f(x_i))^2 + lambda/2 sum_labelled (g_i - y_i)^2 + mu/2 g'L^p g

    over f in the RKHS, without bias, and g in the span of the n_ev smoothest eigenvectors of the Laplacian (chen2012,
    31): (K + Phi~ Phi~' + I/C) a = y~ with virtual labels y~ at all n points, f(x) = sum_i a_i k(x_i, x). All targets
    share one factorisation. mu = 0 is regularised least squares on the labelled points.

    Parameters
    ----------
    C : float > 0
        Weight of the misfit between f and g.
    mu : float >= 0
        Weight of g'L^p g; p is the graph's ``power``.
    label_weight : float > 0
        lambda, weight of the misfit between g and the labels.
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
    solver : {"auto", "exact", "cg", "nystroem"}
        One Cholesky factorisation, O(n^3); conjugate gradient on the n x n matrix, preconditioned by landmarks; or the
        kernel replaced by its landmark approximation, O(n m^2). "auto" goes from one to the next at 5,000 and 20,000
        points.
    n_landmarks : int
    tol : float
        Relative residual at which the conjugate gradient stops.
    memory : None, str or joblib.Memory
        Caches the fitted graph and its eigenvectors across fits.
    random_state : int, RandomState or None
        Draws landmarks.

    Attributes
    ----------
    dual_coef_, points_ : expansion of the fitted functions
    residual_ : relative residual of the n x n system, the largest over the targets (for "nystroem" on 1000 of its rows)
    transduction_ : predictions for the training rows
    graph_ : the fitted graph
    n_members_ : points used: those in the components that take part
    """

    _parameter_constraints = {
        **EmbeddedMachine._parameter_constraints,
        "solver": [StrOptions({"auto", "exact", "cg", "nystroem"})],
    }

    def __init__(
        self,
        C=10.0,
        mu=100.0,
        label_weight=1e4,
        n_eigenvectors=100,
        components="labelled",
        kernel="rbf",
        gamma="mean",
        degree=3,
        coef0=0.0,
        graph=None,
        solver="auto",
        n_landmarks=1000,
        tol=1e-8,
        memory=None,
        random_state=None,
    ):
        self.C = C
        self.mu = mu
        self.label_weight = label_weight
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
        self.memory = memory
        self.random_state = random_state

    def _solve(self, kernel, X, embedding):
        n = X.shape[0]
        auto = "exact" if n <= EXACT_POINTS else "cg" if n <= CG_POINTS else "nystroem"
        solver = auto if self.solver == "auto" else self.solver
        if solver == "nystroem":
            return self._solve_landmarks(kernel, X, embedding)
        K = kernel(X)
        if solver == "exact":
            solution = solve_exact(K, embedding.features, embedding.targets, self.C)
        else:
            factor, _ = self._landmark_factor(kernel, X)[1:]
            solution = solve_cg(K, embedding.features, embedding.targets, self.C, factor, self.tol)
        self.residual_ = solution.residual
        self._keep_expansion(kernel, X, solution.coefficients, 0.0)
        return K @ solution.coefficients

    def _landmark_factor(self, kernel, X):
        landmarks = choose_basis(X, min(self.n_landmarks, X.shape[0]), self.random_state)
        return landmarks, *reduced_factor(kernel, X, landmarks)

    def _solve_landmarks(self, kernel, X, embedding):
        landmarks, factor, transform = self._landmark_factor(kernel, X)
        a = solve_low_rank(np.hstack([factor, embedding.features]), embedding.targets, self.C)
        weights = factor.T @ a
        self.residual_ = self._sampled_residual(kernel, X, embedding, a)
        self._keep_expansion(kernel, landmarks, transform @ weights, 0.0)
        return factor @ weights

    def _sampled_residual(self, kernel, X, embedding, a):
        """What the landmarks cost: the residual with the kernel itself, on a sample of rows."""
        rows = check_random_state(self.random_state).permutation(X.shape[0])[:1000]
        products = kernel.expand(X[rows], X, a) + embedding.features[rows] @ (embedding.features.T @ a)
        rest = products + a[rows] / self.C - embedding.targets[rows]
        norms = np.linalg.norm(embedding.targets[rows], axis=0)
        return float((np.linalg.norm(rest, axis=0) / np.where(norms > 0, norms, 1.0)).max())


class LapERLS(SemiSupervisedClassifier, _LapERLSMachine):
    __doc__ = "Laplacian embedded regularised least squares classifier.\n\n    " + _LapERLSMachine.__doc__


class LapERLSRegressor(SemiSupervisedRegressor, _LapERLSMachine):
    __doc__ = "Laplacian embedded regularised least squares regression.\n\n    " + _LapERLSMachine.__doc__
