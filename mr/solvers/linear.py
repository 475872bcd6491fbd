"""Linear LapRLS in the primal: d x d instead of n x n, or conjugate gradient when X is sparse."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from sklearn.utils.extmath import safe_sparse_dot


@dataclass(frozen=True)
class LinearSolution:
    coefficients: np.ndarray
    """w (d x k)"""
    intercepts: np.ndarray
    residual: float
    """Largest relative residual ||A w - c|| / ||c|| over the columns."""
    n_iter: int
    """Iterations of conjugate gradient; 0 for the direct solution."""


def solve_linear_lap_rls(
    X, graph, rows, targets, ridge, smoothness, fit_intercept=False, method="cholesky", tol=1e-10, max_iter=None,
    smooth=None,
) -> LinearSolution:  # fmt: skip
    """(X_l'X_l + ridge I + smoothness X'LX) w = X_l'y for every column y of ``targets``.

    The minimiser over f(x) = w'x (+ b, unpenalised and outside of f'Lf) of sum_labelled (y_i - f_i)^2 + ridge ||w||^2 +
    smoothness f'Lf; with a bias, X_l and y are centred. ``method="cg"`` only multiplies by X, X' and L: X stays sparse.
    ``smooth`` is X'LX if it is known already.
    """
    labelled = X[rows]
    mean = np.asarray(labelled.mean(axis=0)).ravel() if fit_intercept else None
    target_mean = targets.mean(axis=0) if fit_intercept else 0.0
    right = safe_sparse_dot(labelled.T, targets - target_mean)
    if fit_intercept:
        right -= np.outer(mean, (targets - target_mean).sum(axis=0))

    def multiply(w):
        fitted = safe_sparse_dot(labelled, w)
        product = safe_sparse_dot(labelled.T, fitted - fitted.mean(axis=0) if fit_intercept else fitted)
        product += ridge * w
        if smoothness:
            product += smoothness * safe_sparse_dot(X.T, graph.apply(safe_sparse_dot(X, w)))
        return product

    if method == "cg":
        w, n_iter = _conjugate_gradient(multiply, right, tol, max_iter or 10 * X.shape[1])
    else:
        w, n_iter = _direct(X, labelled, mean, graph, right, ridge, smoothness, smooth), 0
    scale = np.maximum(np.linalg.norm(right, axis=0), np.finfo(float).tiny)
    residual = float((np.linalg.norm(multiply(w) - right, axis=0) / scale).max())
    intercepts = target_mean - mean @ w if fit_intercept else np.zeros(targets.shape[1])
    return LinearSolution(w, intercepts, residual, n_iter)


def smoothness_matrix(X, graph) -> np.ndarray:
    """X'LX (d, d). Sparse X keeps L X sparse; only the d x d matrix is dense."""
    smooth = safe_sparse_dot(X.T, graph.apply(X), dense_output=True)
    return 0.5 * (smooth + smooth.T)


def _direct(X, labelled, mean, graph, right, ridge, smoothness, smooth):
    if mean is not None:
        labelled = (labelled.toarray() if sparse.issparse(labelled) else labelled) - mean
    system = safe_sparse_dot(labelled.T, labelled, dense_output=True)
    if smoothness:
        system = system + smoothness * (smoothness_matrix(X, graph) if smooth is None else smooth)
    system.flat[:: system.shape[0] + 1] += ridge
    try:
        return linalg.cho_solve(linalg.cho_factor(system, overwrite_a=False, check_finite=False), right)
    except linalg.LinAlgError:
        return linalg.lstsq(system, right)[0]


def _conjugate_gradient(multiply, right, tol, max_iter):
    """Conjugate gradient on all columns at once, until every residual is below ``tol`` relative to its right side."""
    w = np.zeros_like(right)
    residual = right.copy()
    direction = residual.copy()
    norm2 = (residual**2).sum(axis=0)
    goal = tol**2 * norm2
    for iteration in range(1, max_iter + 1):
        if (norm2 <= goal).all():
            return w, iteration - 1
        product = multiply(direction)
        curvature = (direction * product).sum(axis=0)
        # A finished column has a zero direction and must not divide by zero.
        step = np.divide(norm2, curvature, out=np.zeros_like(norm2), where=curvature > 0)
        w += step * direction
        residual -= step * product
        new = (residual**2).sum(axis=0)
        direction *= np.divide(new, norm2, out=np.zeros_like(norm2), where=norm2 > 0)
        direction += residual
        norm2 = new
    return w, max_iter
