"""Sequential minimal optimisation in double precision, with warm starts.

The duals of SVC, SVR and the transductive SVM are one problem in signed coefficients:

    min 1/2 v'Qv + p'v    subject to    1'v = 0,    lower <= v <= upper,        Q_st = K[index_s, index_t].

Working sets are chosen by second-order information (Fan, Chen, Lin 2005). LIBSVM caches kernel rows in single precision
and cannot start from a given point; certificates below 1e-6 need the first, label switching needs the second.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit


@dataclass(frozen=True)
class BoxSolution:
    """Minimiser of the problem above."""

    coefficients: np.ndarray
    """v"""
    products: np.ndarray
    """(K b)_i with b_i the sum of the v of point i: the function's values without bias."""
    bias: float
    """Multiplier of 1'v = 0: mean of -(Qv + p) over variables off their bounds, or the middle of its interval."""
    violation: float
    """Largest violation of the optimality conditions, in units of the decision value."""
    n_iter: int


def minimise(K, linear, lower, upper, start=None, index=None, tol=1e-6, max_iter=None) -> BoxSolution:
    """Solve the box problem to a violation below ``tol``; ``start`` must be feasible (default: zero)."""
    m = len(linear)
    index = np.arange(m) if index is None else index
    v = np.zeros(m) if start is None else np.array(start, dtype=float)
    products = K @ np.bincount(index, v, minlength=len(K)) if v.any() else np.zeros(len(K))
    if max_iter is None:
        max_iter = max(1_000_000, 100 * m)
    violation, n_iter = _descend(K, linear, lower, upper, index, v, products, tol, max_iter)
    if v.any():
        products = K @ np.bincount(index, v, minlength=len(K))
    return BoxSolution(v, products, _bias(products[index] + linear, v, lower, upper), violation, n_iter)


def _bias(gradient, v, lower, upper):
    free = (v > lower) & (v < upper)
    if free.any():
        return float(-gradient[free].mean())
    rising, falling = -gradient[v < upper], -gradient[v > lower]
    if len(rising) == 0 or len(falling) == 0:
        return float(rising.max() if len(rising) else falling.min())
    return float((rising.max() + falling.min()) / 2)


@njit(cache=True, nogil=True)
def _descend(K, linear, lower, upper, index, v, products, tol, max_iter):
    """Coordinate pairs until the violation is below tol; v and products = K v change in place."""
    m = v.shape[0]
    violation = np.inf
    for step in range(max_iter):
        # i can rise: the steepest of those below their upper bound.
        i, steepest = -1, -np.inf
        for s in range(m):
            if v[s] < upper[s]:
                slope = -(products[index[s]] + linear[s])
                if slope > steepest:
                    i, steepest = s, slope
        if i < 0:
            return 0.0, step
        # j can fall: the one with the largest decrease of the objective when paired with i.
        row_i = K[index[i]]
        k_ii = row_i[index[i]]
        j, best, lowest = -1, 0.0, np.inf
        for s in range(m):
            if v[s] > lower[s]:
                slope = -(products[index[s]] + linear[s])
                lowest = min(lowest, slope)
                difference = steepest - slope
                if difference > 0:
                    k_jj = K[index[s], index[s]]
                    curvature = max(k_ii + k_jj - 2.0 * row_i[index[s]], 1e-12 * (k_ii + k_jj) + 1e-300)
                    gain = difference * difference / curvature
                    if gain > best:
                        j, best = s, gain
        violation = steepest - lowest
        if j < 0 or violation <= tol:
            return max(violation, 0.0), step
        row_j = K[index[j]]
        k_jj = row_j[index[j]]
        curvature = max(k_ii + k_jj - 2.0 * row_i[index[j]], 1e-12 * (k_ii + k_jj) + 1e-300)
        length = (steepest + products[index[j]] + linear[j]) / curvature
        room_i, room_j = upper[i] - v[i], v[j] - lower[j]
        length = min(length, min(room_i, room_j))
        # Exactly on the bound when clipped, so that bounds can be told from interior points.
        v[i] = upper[i] if length == room_i else v[i] + length
        v[j] = lower[j] if length == room_j else v[j] - length
        for t in range(products.shape[0]):
            products[t] += length * (row_i[t] - row_j[t])
    return violation, max_iter
