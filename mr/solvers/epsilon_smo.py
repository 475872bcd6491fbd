"""Sequential minimal optimisation for epsilon-insensitive regression, in n signed variables.

    min_a D(a) = 1/2 a'Qa + epsilon ||a||_1 - y'a      subject to      1'a = 0,    |a| <= C

is the dual of chen2012's LapESVR (equation 18 with a = beta* - beta) and of every support vector regression with a
bias. LIBSVM splits a into 2n non-negative variables; here the kink of |a| stays in the problem, a step may cross it,
and an iteration costs three vectorised passes over n numbers. Working sets by second-order information (Fan, Chen, Lin
2005).
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

FLAGS = {"nnan", "nsz", "reassoc", "contract", "arcp"}  # no NaN appears; sums and minima may be reordered
BIG = 1e300


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
    n_iter, violation = descend(Q, diagonal, a, gradient, float(C), float(epsilon), float(tol), int(max_iter))
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


@njit(cache=True, nogil=True)
def _offsets(a, C, epsilon):
    """What a rise or fall of a coefficient adds to the slope; BIG where it cannot."""
    up = BIG if a >= C else (epsilon if a >= 0.0 else -epsilon)
    down = -BIG if a <= -C else (epsilon if a > 0.0 else -epsilon)
    return up, down


@njit(cache=True, nogil=True)
def step_length(slope, curvature, a_i, a_j, C, epsilon):
    """Exact minimiser t > 0 of the piecewise quadratic along a_i + t, a_j - t; slope < 0 at t = 0."""
    end = min(C - a_i, a_j + C)
    first = -a_i if a_i < 0.0 else BIG
    second = a_j if a_j > 0.0 else BIG
    if second < first:
        first, second = second, first
    t = -slope / curvature
    if t > first:  # past a kink the slope has jumped by 2 epsilon
        t = max(first, -(slope + 2.0 * epsilon) / curvature)
        if t > second:
            t = max(second, -(slope + 4.0 * epsilon) / curvature)
    return min(t, end)


@njit(cache=True, nogil=True, fastmath=FLAGS)
def _lowest(gradient, up):
    """min(gradient + up), by a loop that vectorises."""
    best = BIG
    for t in range(gradient.shape[0]):
        value = gradient[t] + up[t]
        best = value if value < best else best
    return best


@njit(cache=True, nogil=True, fastmath=FLAGS)
def _gains(gradient, down, diagonal, row, steepest, k_ii, floor, gains):
    """Decrease of the objective for every partner of i; the largest one, and the largest fall."""
    best, highest = 0.0, -BIG
    for t in range(gradient.shape[0]):
        fall = gradient[t] + down[t]
        highest = fall if fall > highest else highest
        difference = fall - steepest
        difference = difference if difference > 0.0 else 0.0
        curvature = k_ii + diagonal[t] - 2.0 * row[t]
        curvature = curvature if curvature > floor else floor
        gain = difference * difference / curvature
        gains[t] = gain
        best = gain if gain > best else best
    return best, highest


@njit(cache=True, nogil=True, fastmath=FLAGS)
def _update(gradient, up, row_i, row_j, length):
    """gradient += length (Q_i - Q_j), and the next min(gradient + up)."""
    best = BIG
    for t in range(gradient.shape[0]):
        value = gradient[t] + length * (row_i[t] - row_j[t])
        gradient[t] = value
        value += up[t]
        best = value if value < best else best
    return best


@njit(cache=True, nogil=True)
def _find(values, offsets, target):
    for t in range(values.shape[0]):
        if values[t] + offsets[t] == target:
            return t
    return -1


@njit(cache=True, nogil=True)
def descend(Q, diagonal, a, gradient, C, epsilon, tol, max_iter):
    """Pairs of coefficients until the violation is at most tol; a and gradient = Qa - y change in place."""
    n = a.shape[0]
    up, down, gains, zeros = np.empty(n), np.empty(n), np.empty(n), np.zeros(n)
    for t in range(n):
        up[t], down[t] = _offsets(a[t], C, epsilon)
    floor = 1e-12 * diagonal.max() + 1e-300
    violation = 0.0
    steepest = _lowest(gradient, up)
    for step in range(max_iter):
        i = _find(gradient, up, steepest)
        if i < 0:  # every coefficient at its upper bound: nothing can rise
            return step, 0.0
        row_i = Q[i]
        best, highest = _gains(gradient, down, diagonal, row_i, steepest, diagonal[i], floor, gains)
        violation = highest - steepest
        if violation <= tol:
            return step, max(violation, 0.0)
        j = _find(gains, zeros, best)
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * row_i[j], floor)
        length = step_length(steepest - gradient[j] - down[j], curvature, a[i], a[j], C, epsilon)
        a[i], a[j] = _moved(a[i], length, C), _moved(a[j], -length, C)
        up[i], down[i] = _offsets(a[i], C, epsilon)
        up[j], down[j] = _offsets(a[j], C, epsilon)
        steepest = _update(gradient, up, row_i, Q[j], length)
    return max_iter, violation


@njit(cache=True, nogil=True)
def _moved(value, length, C):
    """value + length, exactly 0 or +-C when it lands there up to rounding."""
    moved = value + length
    if abs(moved) <= 1e-15 * abs(value):
        return 0.0
    return min(max(moved, -C), C) if C - abs(moved) > 1e-15 * C else (C if moved > 0.0 else -C)
