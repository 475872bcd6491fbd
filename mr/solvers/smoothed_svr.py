"""Linear epsilon-insensitive regression on many rows and few features, in the primal.

    min_{w, b} 1/2 ||w||^2 + C sum_i max(0, |y_i - f_i' w - b| - epsilon)

With features [landmark features of k, Phi~] it is chen2012's LapESVR on a Nystroem kernel, O(n m) memory. The corner of
the loss is rounded by a parabola of width h, Newton's method solves the rounded problem (Chapelle 2007), and h shrinks;
only rows on the parabola enter the Hessian, so the last steps are cheap. Rounding moves the optimal residuals by at
most h: with h = tol it is the accuracy at which SMO stops.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg


@dataclass(frozen=True)
class LinearSolution:
    weights: np.ndarray
    bias: float
    coefficients: np.ndarray
    """a (n,): weights = F'a; zero inside the tube."""
    gap: float
    """Relative gap between the primal objective and the dual one at a."""
    n_iter: int


def solve_linear_svr(F, y, C, epsilon=0.1, tol=1e-3, max_iter=500) -> LinearSolution:
    """Newton's method on the rounded loss, for h from the scale of y down to tol."""
    beta = np.zeros(F.shape[1] + 1)
    n_iter, h = 0, max(float(np.std(y)), tol)
    while True:
        beta, steps = _minimise(F, y, C, epsilon, h, beta, max_iter - n_iter)
        n_iter += steps
        if h <= tol or n_iter >= max_iter:
            return _certified(F, y, C, epsilon, h, beta, n_iter)
        h = max(0.1 * h, tol)


def _minimise(F, y, C, epsilon, h, beta, max_iter):
    """Damped Newton until the gradient is small against its terms."""
    residual = y - F @ beta[:-1] - beta[-1]
    for step in range(1, max_iter + 1):
        a, curved = _loss_slope(residual, C, epsilon, h)
        gradient = np.append(beta[:-1] - F.T @ a, -a.sum())
        if np.abs(gradient).max() <= 1e-9 * (C + np.abs(a).sum() * np.abs(F).max(initial=0.0)):
            return beta, step
        direction = -_solve_hessian(F[curved], C / h, gradient)
        moved = F @ direction[:-1] + direction[-1]
        t = _line_search(beta, direction, residual, moved, float(gradient @ direction), C, epsilon, h)
        if t == 0:
            return beta, step
        beta = beta + t * direction
        residual = residual - t * moved
    return beta, max_iter


def _loss_slope(residual, C, epsilon, h):
    """a_i = slope of the loss in f (sign turned), and the rows on the parabola."""
    excess = np.abs(residual) - epsilon
    a = C * np.sign(residual) * np.clip(excess / h, 0.0, 1.0)
    return a, np.flatnonzero((excess > 0) & (excess < h))


def _objective(beta, residual, C, epsilon, h):
    excess = np.maximum(np.abs(residual) - epsilon, 0.0)
    loss = np.where(excess < h, excess**2 / (2.0 * h), excess - 0.5 * h)
    return 0.5 * float(beta[:-1] @ beta[:-1]) + C * float(loss.sum())


def _solve_hessian(F, weight, gradient):
    """(diag(1, ..., 1, 0) + weight [F 1]'[F 1])^-1 gradient; a small ridge where no row determines b."""
    m = F.shape[1]
    H = np.empty((m + 1, m + 1))
    H[:m, :m] = weight * (F.T @ F)
    H[:m, m] = H[m, :m] = weight * F.sum(axis=0)
    H[m, m] = weight * len(F)
    H.flat[:: m + 2] += np.append(np.ones(m), 1e-8 * (1.0 + weight * len(F)))
    return linalg.solve(H, gradient, assume_a="pos")


def _line_search(beta, direction, residual, moved, slope, C, epsilon, h):
    start = _objective(beta, residual, C, epsilon, h)
    t = 1.0
    while t > 1e-10:
        if _objective(beta + t * direction, residual - t * moved, C, epsilon, h) <= start + 1e-4 * t * slope:
            return t
        t *= 0.5
    return 0.0


def _certified(F, y, C, epsilon, h, beta, n_iter):
    """a from the rounded loss is feasible for the dual up to the Newton tolerance; both objectives without rounding."""
    residual = y - F @ beta[:-1] - beta[-1]
    a, _ = _loss_slope(residual, C, epsilon, h)
    norm = float(np.square(F.T @ a).sum())
    primal = 0.5 * float(beta[:-1] @ beta[:-1]) + C * float(np.maximum(np.abs(residual) - epsilon, 0.0).sum())
    dual = float(y @ a) - epsilon * float(np.abs(a).sum()) - 0.5 * norm
    gap = (primal - dual) / max(abs(primal), abs(dual), np.finfo(float).tiny)
    return LinearSolution(beta[:-1], float(beta[-1]), a, gap, n_iter)
