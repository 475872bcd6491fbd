"""Squared-hinge machines in the primal (Melacci and Belkin 2011): Newton, and preconditioned conjugate gradient.

With ridge = gamma_A l and smoothness = gamma_I l / n^2 both minimise l/2 times belkin2006's objective with squared
hinge,

    1/2 [ sum_i max(0, 1 - y_i (f_i + b))^2 + ridge alpha'K alpha + smoothness f'Lf ],      f = K alpha.

The bias b is optional and stays out of f'Lf. (For L = D - W that makes no difference; for a normalised Laplacian the
authors' own code refuses a bias.)
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg


@dataclass(frozen=True)
class PrimalSolution:
    """Solutions of several machines, one a column."""

    coefficients: np.ndarray
    intercepts: np.ndarray
    n_iter: np.ndarray
    gradient_norms: np.ndarray
    """RKHS norm of the final gradient (and bias derivative), relative to that at zero."""
    stop_reasons: list
    """"optimal" (no error vector changed), "gradient", "stability" or "max_iter", for each column."""


def exact_step(f, direction, y, slope, curvature) -> float:
    """argmin over t >= 0 of slope t + 1/2 curvature t^2 + 1/2 sum max(0, 1 - y_i (f_i + t direction_i))^2.

    The derivative is piecewise linear and increasing; its pieces change where a point enters or leaves the loss.
    """
    residual = f - y
    margin, change = 1.0 - y * f, -y * direction
    active = (margin > 0) | ((margin == 0) & (change > 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = -margin / change
    crosses = np.flatnonzero((change != 0) & (crossing > 0) & np.isfinite(crossing))
    order = crosses[np.argsort(crossing[crosses], kind="stable")]
    toggles = np.where(change[order] > 0, 1.0, -1.0)
    at_zero = slope + residual[active] @ direction[active]
    growth = curvature + direction[active] @ direction[active]
    level = at_zero + np.concatenate([[0.0], np.cumsum(toggles * residual[order] * direction[order])])
    steepness = growth + np.concatenate([[0.0], np.cumsum(toggles * direction[order] ** 2)])
    # Derivative at the right end of each piece; the minimum is on the first piece where it is not negative.
    ends = level[:-1] + steepness[:-1] * crossing[order]
    piece = int(np.argmax(ends >= 0)) if (ends >= 0).any() else len(order)
    if steepness[piece] <= 0:
        return 0.0
    return max(0.0, -level[piece] / steepness[piece])


def solve_newton(K, targets, ridge, fit_intercept=False, max_iter=100) -> PrimalSolution:
    """Newton's method on a (deformed) labelled Gram matrix K, l x l.

    On the labelled block of K~ = K (I + r L K)^-1 this is Melacci and Belkin's Newton method for the whole problem: by
    the representer theorem its iterates have alpha = (I + r L K)^-1 J'beta, so that the n x n system is factorised once
    and a step is a system in the points with loss only. A step that lands on another set of such points is shortened by
    exact line search; one that lands on its own set is the optimum.
    """
    columns = [_newton(K, y, ridge, fit_intercept, max_iter) for y in targets.T]
    beta, intercepts, n_iter, norms, reasons = zip(*columns, strict=True)
    return PrimalSolution(np.column_stack(beta), np.array(intercepts), np.array(n_iter), np.array(norms), list(reasons))


def _newton(K, y, ridge, fit_intercept, max_iter):
    beta, b = np.zeros(len(y)), 0.0
    f = np.zeros(len(y))
    # At f = 0 every labelled point has loss.
    active = np.ones(len(y), dtype=bool)
    reason, iteration = "max_iter", 0
    while iteration < max_iter:
        iteration += 1
        target, target_b = _ridge_solution(K, y, ridge, active, fit_intercept)
        target_f = K @ target
        reached = y * (target_f + target_b) < 1
        if (reached == active).all():
            beta, b, f, reason = target, target_b, target_f, "optimal"
            break
        step, step_b, step_f = target - beta, target_b - b, target_f - f
        t = exact_step(f + b, step_f + step_b, y, ridge * (beta @ step_f), ridge * (step @ step_f))
        beta, b, f = beta + t * step, b + t * step_b, f + t * step_f
        new = y * (f + b) < 1
        if t == 0 or not new.any():
            break
        active = new
    return beta, b, iteration, _newton_gradient(K, y, ridge, beta, f, b, fit_intercept), reason


def _ridge_solution(K, y, ridge, active, fit_intercept):
    rows = np.flatnonzero(active)
    system = K[np.ix_(rows, rows)].astype(float, copy=True)
    system.flat[:: len(rows) + 1] += ridge
    right = np.column_stack([y[rows], np.ones(len(rows))]) if fit_intercept else y[rows][:, None]
    try:
        solved = linalg.solve(system, right, assume_a="pos", overwrite_a=False, check_finite=False)
    except linalg.LinAlgError:
        solved = linalg.lstsq(system, right)[0]
    # 1'beta = 0 is the optimality condition of the bias.
    b = float(solved[:, 0].sum() / solved[:, 1].sum()) if fit_intercept else 0.0
    beta = np.zeros(len(y))
    beta[rows] = solved[:, 0] - b * solved[:, 1] if fit_intercept else solved[:, 0]
    return beta, b


def _newton_gradient(K, y, ridge, beta, f, b, fit_intercept):
    loss = np.where(y * (f + b) < 1, f + b - y, 0.0)
    gradient = ridge * beta + loss
    bias = loss.sum() if fit_intercept else 0.0
    start = np.sqrt(y @ K @ y + (y.sum() ** 2 if fit_intercept else 0.0))
    return float(np.sqrt(max(gradient @ K @ gradient, 0.0) + bias**2) / max(start, np.finfo(float).tiny))
