"""Sequential minimal optimisation for epsilon-insensitive regression, in n signed variables.

    min_a D(a) = 1/2 a'Qa + epsilon ||a||_1 - y'a      subject to      1'a = 0,    |a| <= C

is the dual of chen2012's LapESVR (equation 18 with a = beta* - beta) and of every support vector regression with a
bias. LIBSVM splits a into 2n non-negative variables; here the kink of |a| stays in the problem, a step may cross it,
and an iteration costs two passes over n numbers (:mod:`mr.pair_descent`).
"""

from dataclasses import dataclass

import numpy as np

from mr.pair_descent import descend


@dataclass(frozen=True)
class EpsilonSolution:
    """Minimiser of the problem above, with its certificate."""

    coefficients: np.ndarray
    """a"""
    products: np.ndarray
    """Q a"""
    bias: float
    """Multiplier of 1'a = 0; y - Qa - bias is within epsilon wherever a = 0."""
    violation: float
    """Largest violation of the optimality conditions, in units of y (LIBSVM's stopping value)."""
    gap: float
    """Primal minus dual objective, relative to the primal one."""
    n_iter: int
    converged: bool

    @property
    def n_support(self) -> int:
        return int(np.count_nonzero(self.coefficients))


def solve_epsilon_svr(Q, y, C, epsilon=0.1, tol=1e-3, start=None, max_iter=None) -> EpsilonSolution:
    """Solve for a matrix Q held in memory (C-ordered double). ``start``: any a with 1'a = 0; it is clipped to the box.

    Warm starts along an ascending sequence of C need no care: a solution for a smaller box is feasible in a larger one.
    """
    a = feasible(start, len(y), C)
    gradient = Q @ a - y if a.any() else -np.asarray(y, dtype=float)
    diagonal = np.ascontiguousarray(np.diagonal(Q))
    if max_iter is None:
        max_iter = max(10_000_000, 100 * len(y))
    n_iter, violation = descend_in_box(Q, diagonal, a, gradient, C, epsilon, tol, max_iter)
    gradient = Q @ a - y  # without the rounding errors of many updates
    return certify(a, gradient, y, C, epsilon, n_iter, violation, violation <= tol)


def feasible(start, n, C) -> np.ndarray:
    """``start`` scaled into the box (1'a = 0 is kept); zeros without one."""
    if start is None:
        return np.zeros(n)
    a = np.array(start, dtype=float)
    largest = np.abs(a).max(initial=0.0)
    return a * (C / largest) if largest > C else a


def certify(a, gradient, y, C, epsilon, n_iter, violation, converged) -> EpsilonSolution:
    """Bias and gap: P = 1/2 a'Qa + C sum max(0, |y - Qa - b| - epsilon), D = y'a - epsilon ||a||_1 - 1/2 a'Qa."""
    products = gradient + y
    bias = bias_of(a, gradient, C, epsilon)
    norm = float(a @ products)
    loss = C * float(np.maximum(np.abs(gradient + bias) - epsilon, 0.0).sum())
    primal = 0.5 * norm + loss
    dual = float(y @ a) - epsilon * float(np.abs(a).sum()) - 0.5 * norm
    gap = (primal - dual) / max(abs(primal), abs(dual), np.finfo(float).tiny)
    return EpsilonSolution(a, products, bias, float(violation), gap, n_iter, bool(converged))


def bias_of(a, gradient, C, epsilon) -> float:
    """b from the free coefficients (their mean), or the middle of its interval without any: LIBSVM's rule."""
    free = (a != 0) & (np.abs(a) < C)
    if free.any():
        return float(-(gradient[free] + epsilon * np.sign(a[free])).mean())
    rising = np.where(a < C, gradient + np.where(a >= 0, epsilon, -epsilon), np.inf)
    falling = np.where(a > -C, gradient + np.where(a > 0, epsilon, -epsilon), -np.inf)
    return float(-0.5 * (rising.min() + falling.max()))


def descend_in_box(Q, diagonal, a, gradient, C, epsilon, tol, max_iter):
    """Pair steps in place (:func:`mr.pair_descent.descend`); ``gradient`` is Qa - y. Returns n_iter and violation."""
    n = len(a)
    lower, upper, zeros = np.full(n, -float(C)), np.full(n, float(C)), np.zeros(n)
    return descend(Q, diagonal, 1.0, a, gradient, zeros, float(epsilon), lower, upper, float(tol), int(max_iter))
