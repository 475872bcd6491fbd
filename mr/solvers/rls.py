"""Regularised least squares, and with the smoothness of a graph: LapRLS.

A function is K alpha, in coefficients over points (``solve_rls``, ``solve_lap_rls``: n x n), or R w, in weights of
features with K = RR' (``solve_in_features``, ``solve_linear_lap_rls``: d x d). The minimiser is the same; the second is
smaller when features are few, and the only one that can keep a sparse X sparse.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from sklearn.utils.extmath import safe_sparse_dot

from mr.resources import fortran_copy, interruptible, positive_inverse, positive_solution

COLUMN_BYTES = 2**19
"""Of the columns that conjugate gradient works on at once in :func:`penalised_features`."""


def solve_rls(K, targets, ridge):
    """(K + ridge I) beta = targets, for a positive semi-definite K and any number of target columns.

    With ridge = gamma_A l this is regularised least squares, min 1/l sum (y_i - f_i)^2 + gamma_A ||f||^2. A vector
    ridge / w weighs the losses: min sum w_i (y_i - f_i)^2 + ridge ||f||^2.
    """
    return _solve_positive(_with_ridge(K, ridge), targets)


def _with_ridge(K, ridge) -> np.ndarray:
    """K + ridge I in Fortran order."""
    system = fortran_copy(K)
    system.flat[:: len(system) + 1] += ridge
    return system


def inverse_rls(K, ridge) -> np.ndarray:
    """(K + ridge I)^-1, all of it."""
    try:
        return positive_inverse(_with_ridge(K, ridge))
    except linalg.LinAlgError:
        return _solve_positive(_with_ridge(K, ridge), np.eye(len(K)))


def solve_rls_with_intercept(K, targets, ridge):
    """beta and b of min sum (y_i - f_i - b)^2 + ridge ||f||^2, f = K beta, with an unpenalised b.

    (K + ridge I) beta + b 1 = y and 1'beta = 0: with M = (K + ridge I)^-1, b = 1'My / 1'M1 and beta = M (y - b 1).
    """
    solved = solve_rls(K, np.column_stack([targets, np.ones(len(targets))]), ridge)
    sums = solved.sum(axis=0)
    intercepts = sums[:-1] / sums[-1]
    return solved[:, :-1] - solved[:, -1:] * intercepts, intercepts


def solve_lap_rls(K, graph, rows, targets, ridge, smoothness, weights=None):
    """(J'J K + ridge I + smoothness L K) alpha = J' targets: belkin2006, equation 8.

    ridge = gamma_A l and smoothness = gamma_I l / n^2 give min 1/l sum_labelled (y_i - f_i)^2 + gamma_A ||f||^2 +
    gamma_I / n^2 f'Lf. One LU factorisation serves all columns of ``targets``, that is all classes. ``weights`` (l,)
    of the losses stand between J' and J, and before the targets.
    """
    labelled = K[rows]
    if weights is not None:
        labelled, targets = weights[:, None] * labelled, weights[:, None] * targets
    n = K.shape[0]
    # Divided by the smoothness, the system needs no pass over n x n numbers but the product L K itself.
    scale = smoothness if smoothness > 1e-100 else 1.0
    system = graph.apply(K) if smoothness > 1e-100 else np.zeros((n, n))
    system[rows] += labelled / scale
    system.flat[:: n + 1] += ridge / scale
    right = np.zeros((n, targets.shape[1]), order="F")
    right[rows] = targets / scale
    # The transpose of a C-ordered array is a Fortran-ordered view: LAPACK works in place, without a copy.
    lu = interruptible(linalg.lu_factor, system.T, overwrite_a=True, check_finite=False)
    return interruptible(linalg.lu_solve, lu, right, trans=1, overwrite_b=True, check_finite=False)


def solve_in_features(labelled, targets, penalty, ridge=0.0, weight=1.0):
    """w of min weight ||labelled w - y||^2 + ridge ||w||^2 + w' penalty w, for every column y of ``targets``.

    ``labelled`` (l, d) holds the features of the labelled points, ``penalty`` (d, d) what the others add, such as R'LR
    (:func:`smoothness_matrix`); 0 for none.
    """
    system = penalty + weight * safe_sparse_dot(labelled.T, labelled, dense_output=True)
    system.flat[:: system.shape[0] + 1] += ridge
    return _solve_positive(system, weight * safe_sparse_dot(labelled.T, targets, dense_output=True))


def smoothness_matrix(R, graph) -> np.ndarray:
    """R'LR (d, d) with f'Lf = w'R'LRw for f = Rw. A sparse R keeps L R sparse; only the d x d matrix is dense."""
    smooth = safe_sparse_dot(R.T, graph.apply(R), dense_output=True)
    return 0.5 * (smooth + smooth.T)


@dataclass(frozen=True)
class LinearSolution:
    """Linear functions w'x + b, one per column."""

    coefficients: np.ndarray
    """w (d x k)"""
    intercepts: np.ndarray
    residual: float
    """Largest relative residual ||A w - c|| / ||c|| over the columns."""
    n_iter: int
    """Iterations of conjugate gradient; 0 for the direct solution."""


def solve_linear_lap_rls(
    X, graph, rows, targets, ridge, smoothness, fit_intercept=False, method="cholesky", tol=1e-10, max_iter=None,
    smooth=None, weights=None,
) -> LinearSolution:  # fmt: skip
    """(X_l'X_l + ridge I + smoothness X'LX) w = X_l'y for every column y of ``targets``.

    The minimiser over f(x) = w'x (+ b, unpenalised and outside of f'Lf) of sum_labelled (y_i - f_i)^2 + ridge ||w||^2 +
    smoothness f'Lf; with a bias, X_l and y are centred. ``method="cg"`` only multiplies by X, X' and L: X stays sparse.
    ``smooth`` is X'LX if it is known already. ``weights`` (l,) of the losses multiply rows by their roots, and means
    are weighted.
    """
    labelled = X[rows]
    column = 1.0 if weights is None else weights[:, None]
    mean = _mean_row(labelled, weights) if fit_intercept else None
    target_mean = np.average(targets, axis=0, weights=weights) if fit_intercept else 0.0
    right = safe_sparse_dot(labelled.T, column * (targets - target_mean))
    if fit_intercept:
        right -= np.outer(mean, (column * (targets - target_mean)).sum(axis=0))

    def system_times(w):
        fitted = safe_sparse_dot(labelled, w)
        if fit_intercept:
            fitted -= np.average(fitted, axis=0, weights=weights)
        product = safe_sparse_dot(labelled.T, column * fitted)
        product += ridge * w
        if smoothness:
            product += smoothness * safe_sparse_dot(X.T, graph.apply(safe_sparse_dot(X, w)))
        return product

    if method == "cg":
        w, n_iter = _conjugate_gradient(system_times, right, tol, max_iter or 10 * X.shape[1])
    else:
        if smoothness and smooth is None:
            smooth = smoothness_matrix(X, graph)
        centred, right_side = labelled if mean is None else _dense(labelled) - mean, targets - target_mean
        if weights is not None:
            centred, right_side = np.sqrt(column) * _dense(centred), np.sqrt(column) * right_side
        penalty = smoothness * smooth if smoothness else 0.0
        w, n_iter = solve_in_features(centred, right_side, penalty, ridge), 0
    scale = np.maximum(np.linalg.norm(right, axis=0), np.finfo(float).tiny)
    residual = float((np.linalg.norm(system_times(w) - right, axis=0) / scale).max())
    intercepts = target_mean - mean @ w if fit_intercept else np.zeros(targets.shape[1])
    return LinearSolution(w, intercepts, residual, n_iter)


def _mean_row(X, weights):
    """Mean of the rows of X, dense or sparse."""
    if weights is None:
        return np.asarray(X.mean(axis=0)).ravel()
    return safe_sparse_dot(weights[None, :], X, dense_output=True).ravel() / weights.sum()


def penalised_features(X, graph, rows, smoothness, method="cholesky", tol=1e-3, max_iter=200, smooth=None):
    """Phi (l, r) with Phi Phi' = X_l (I + smoothness X'LX)^-1 X_l': what the penalty of a linear machine leaves of X_l.

    Ridge regression in Phi is the machine, so leave-one-out values come from it (:mod:`mr.solvers.feature_ridge`).
    ``method="cg"`` solves for the rows of X_l, a few at a time so that little is dense: to ``tol``, which is enough for
    a choice. ``smooth`` is X'LX if it is known already.
    """
    labelled = X[rows]
    if method == "cholesky":
        system = smoothness * (smoothness_matrix(X, graph) if smooth is None else smooth)
        system.flat[:: system.shape[0] + 1] += 1.0
        lower = linalg.cholesky(system, lower=True, overwrite_a=True, check_finite=False)
        return linalg.solve_triangular(lower, _dense(labelled).T, lower=True, check_finite=False).T

    def system_times(w):
        return w + smoothness * safe_sparse_dot(X.T, graph.apply(safe_sparse_dot(X, w)))

    gram, width = np.empty((len(rows), len(rows))), max(1, COLUMN_BYTES // (8 * X.shape[1]))
    for start in range(0, len(rows), width):
        at = slice(start, start + width)
        solved, _ = _conjugate_gradient(system_times, np.ascontiguousarray(_dense(labelled[at]).T), tol, max_iter)
        gram[:, at] = safe_sparse_dot(labelled, solved)
    values, vectors = linalg.eigh(0.5 * (gram + gram.T), check_finite=False)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def _solve_positive(system, right):
    """By Cholesky. A ridge below the rounding of the rest still leaves the minimum-norm solution well defined."""
    try:
        return positive_solution(system, right)
    except linalg.LinAlgError:
        return linalg.lstsq(system, right)[0]


def _dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def _conjugate_gradient(system_times, right, tol, max_iter):
    """Conjugate gradient on all columns at once, until every residual is below ``tol`` relative to its right side."""
    w = np.zeros_like(right)
    residual = right.copy()
    direction = residual.copy()
    norm2 = (residual**2).sum(axis=0)
    goal = tol**2 * norm2
    for iteration in range(1, max_iter + 1):
        if (norm2 <= goal).all():
            return w, iteration - 1
        product = system_times(direction)
        curvature = (direction * product).sum(axis=0)
        # A finished column has a zero direction and must not divide by zero.
        step = np.divide(norm2, curvature, out=np.zeros_like(norm2), where=curvature > 0)
        if not step.any():  # the curvature is beyond double precision: no column would move any more
            return w, iteration
        w += step * direction
        residual -= step * product
        new = (residual**2).sum(axis=0)
        direction *= np.divide(new, norm2, out=np.zeros_like(norm2), where=norm2 > 0)
        direction += residual
        norm2 = new
    return w, max_iter
