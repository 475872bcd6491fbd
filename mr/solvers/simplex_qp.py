"""Quadratic programs over the simplex, warm-started: the inner problem of every core-set step.

    min 1/2 a'Qa - p'a    subject to    a >= 0,  1'a = 1,        Q positive definite.

Pairs of coordinates (:mod:`mr.pair_descent`) find the support; where they become slow, a solve on
the support (an active-set step) finishes to rounding. Both only descend, so a feasible start never gets worse.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from mr.pair_descent import descend


@dataclass(frozen=True)
class SimplexSolution:
    """Minimiser of the problem above."""

    a: np.ndarray
    gradient: np.ndarray
    """Q a - p: at the optimum equal to ``level`` where a > 0, and not below it elsewhere."""
    level: float
    """Multiplier of 1'a = 1: a'(Q a - p)."""
    violation: float
    """Largest gradient on the support minus smallest gradient."""
    n_iter: int


def minimise_on_simplex(Q, p, start=None, tol=1e-10, max_rounds=1000) -> SimplexSolution:
    """Solve to a violation below ``tol`` (in the units of the gradient) or to rounding; ``start`` must be feasible."""
    a = _first_vertex(Q, p) if start is None else np.array(start, dtype=float)
    gradient = Q @ a - p
    diagonal = np.ascontiguousarray(np.diagonal(Q))
    zeros, infinity = np.zeros(len(a)), np.full(len(a), np.inf)
    iterations = 0
    for _ in range(max_rounds):
        limit = 30 + len(a) // 10
        steps, violation = descend(Q, diagonal, 1.0, a, gradient, zeros, 0.0, zeros, infinity, float(tol), limit)
        iterations += steps
        if violation <= tol or not _solve_on_support(Q, p, a):
            break
        gradient = Q @ a - p
        if _violation(a, gradient) <= tol:
            break
    a /= a.sum()
    gradient = Q @ a - p
    return SimplexSolution(a, gradient, float(a @ gradient), _violation(a, gradient), iterations)


def _first_vertex(Q, p):
    a = np.zeros(len(p))
    a[np.argmin(0.5 * np.diag(Q) - p)] = 1.0
    return a


def _violation(a, gradient) -> float:
    return float(gradient[a > 0].max() - gradient.min())


def _solve_on_support(Q, p, a) -> bool:
    """Move ``a`` to the minimiser on the face of its support, dropping coordinates that would turn negative.

    False when the face's system is singular to working precision; ``a`` is then left where it is.
    """
    while True:
        support = np.flatnonzero(a > 0)
        try:
            factor = linalg.cho_factor(Q[np.ix_(support, support)], check_finite=False)
        except linalg.LinAlgError:
            return False
        x, ones = linalg.cho_solve(factor, np.column_stack([p[support], np.ones(len(support))])).T
        target = x + ones * (1.0 - x.sum()) / ones.sum()
        if not np.isfinite(target).all():
            return False
        if (target > 0).all():
            a[support] = target
            return True
        now = a[support]
        falling = target <= 0
        steps = np.full(len(support), np.inf)
        steps[falling] = now[falling] / (now[falling] - target[falling])
        now = now + min(steps.min(), 1.0) * (target - now)
        now[steps <= steps.min()] = 0.0
        a[support] = np.maximum(now, 0.0)
