"""Quadratic programs over a box: the dual of a support vector machine without bias.

    min 1/2 b'Qb - p'b    subject to    0 <= b <= C,        Q positive semi-definite.

Coordinates of largest gain (compiled) find the bounds; a solve on the free coordinates (an active-set step) finishes
where descent would crawl. Both only descend. The certificate is a duality gap: with w'w = b'Qb the primal value is 1/2
b'Qb + C sum max(0, p - Qb).
"""

import warnings
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning


@dataclass(frozen=True)
class BoxSolution:
    b: np.ndarray
    gap: float
    """(primal - dual) / primal: how far from optimal the objective can be at most, relatively."""
    n_iter: int


def box_gap(b, gradient, p, C) -> float:
    """Relative duality gap at a feasible b; ``gradient`` is Qb - p."""
    quadratic = float(b @ (gradient + p))
    loss = float(C * np.maximum(0.0, -gradient).sum())
    primal = 0.5 * quadratic + loss
    return (quadratic + loss - float(p @ b)) / max(primal, np.finfo(float).tiny)


def minimise_in_box(Q, p, C, start=None, tol=1e-8, max_rounds=100) -> BoxSolution:
    """Solve to a relative duality gap below ``tol``, or as far as rounding allows; ``start`` is clipped to the box."""
    b = np.zeros(len(p)) if start is None else np.clip(start, 0.0, C)
    gradient = Q @ b - p
    gap, iterations = box_gap(b, gradient, p, C), 0
    for _ in range(max_rounds):
        if gap <= tol:
            break
        before = b.copy()
        iterations += _descend(Q, b, gradient, C, 5 * len(p) + 50)
        _solve_free(Q, p, C, b)
        gradient = Q @ b - p
        last, gap = gap, box_gap(b, gradient, p, C)
        if gap >= last and np.array_equal(b, before):
            break
    return BoxSolution(b, gap, iterations)


def solve_unbiased_svc(Q, targets, C, tol=1e-8, start=None):
    """beta = b o y for every column y of ``targets``: f = Q beta minimises 1/2 ||f||^2 + C sum hinge(y_i f_i).

    Returns beta (l x k), and the gap of each column. zhang2015, equations 27 to 29.
    """
    Q = np.ascontiguousarray(Q, dtype=float)
    beta, gaps = np.empty_like(targets), np.empty(targets.shape[1])
    for k, y in enumerate(targets.T):
        first = None if start is None else start[:, k] * y
        solution = minimise_in_box(Q * np.outer(y, y), np.ones(len(y)), C, first, tol)
        beta[:, k], gaps[k] = solution.b * y, solution.gap
    return beta, gaps


def warn_gap(gaps, tol):
    if gaps.max() > 10 * tol:
        warnings.warn(
            f"The box QP stopped at a relative duality gap of {gaps.max():.1e}; {tol:.1e} was asked for. "
            "A smaller C1 makes the problem easier.",
            ConvergenceWarning,
            stacklevel=3,
        )


def _solve_free(Q, p, C, b) -> None:
    """Move ``b`` to the minimiser over its free coordinates; one that meets a bound stays there, then again."""
    for _ in range(len(p)):
        free = np.flatnonzero((b > 0) & (b < C))
        if len(free) == 0:
            return
        block = Q[np.ix_(free, free)]
        # Q may have lower rank than the face: a ridge below rounding of its trace keeps the step finite.
        block.flat[:: len(free) + 1] += 1e-14 * np.trace(block)
        try:
            step = linalg.cho_solve(linalg.cho_factor(block, check_finite=False), p[free] - Q[free] @ b)
        except linalg.LinAlgError:
            return
        if not np.isfinite(step).all():
            return
        target = b[free] + step
        if ((target >= 0) & (target <= C)).all():
            b[free] = target
            return
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step > 0, (C - b[free]) / step, np.where(step < 0, -b[free] / step, np.inf))
        length = min(1.0, room.min())
        moved = np.clip(b[free] + length * step, 0.0, C)
        stopped = room <= length
        moved[stopped] = np.where(step[stopped] > 0, C, 0.0)
        b[free] = moved


@njit(cache=True, nogil=True)
def _descend(Q, b, gradient, C, max_iter):
    """Exact steps along the coordinate of largest gain; ``b`` and ``gradient`` change in place."""
    n = b.shape[0]
    for step in range(max_iter):
        best, gain, move = -1, 0.0, 0.0
        for i in range(n):
            curvature = max(Q[i, i], 1e-300)
            length = min(max(b[i] - gradient[i] / curvature, 0.0), C) - b[i]
            decrease = -length * (gradient[i] + 0.5 * curvature * length)
            if decrease > gain:
                best, gain, move = i, decrease, length
        if best < 0:
            return step
        value = b[best] + move
        b[best] = 0.0 if value < 1e-15 * C else (C if value > C * (1.0 - 1e-15) else value)
        for i in range(n):
            gradient[i] += move * Q[best, i]
    return max_iter
