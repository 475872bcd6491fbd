"""One pair of coordinates at a time: the compiled loop behind every quadratic problem here with a fixed sum.

    min_a  scale/2 a'Qa + linear'a + l1 ||a||_1     subject to     1'a fixed,    lower <= a <= upper,

with Q positive semi-definite and 0 inside every interval. Mass moves from one coordinate to another; the pair is the
one of largest decrease that second-order information promises (Fan, Chen, Lin 2005), the step is the exact minimiser
along that line. So the objective never rises, and an iteration costs two passes over n numbers and two rows of Q. Four
problems are this one:

=========================================  =========  =====================  ============================
problem                                    l1         bounds                 caller
=========================================  =========  =====================  ============================
SVC and transductive SVM, signed a         0          0 and C y, in order    :mod:`mr.solvers.svm`
epsilon-insensitive regression             epsilon    -C, C                  :mod:`mr.solvers.epsilon_svr`
enclosing ball, on the simplex             0          0, infinity            :mod:`mr.solvers.core_set`
a point as a combination of others         any        0 or -infinity,        :mod:`mr.graph.sparse_coding`
                                                      infinity
=========================================  =========  =====================  ============================

The kink of |a| stays in the problem and a step may cross it: no coordinate is doubled. What the callers keep apart is
what differs: starts, stopping values and certificates, and what follows when pairs become slow (Newton steps on the
support).
"""

import numpy as np
from numba import njit

BIG = 1e300
"""Slope of a move that a bound forbids."""


@njit(cache=True, nogil=True)
def descend(Q, diagonal, scale, a, products, linear, l1, lower, upper, tol, max_iter):
    """Pair steps until the violation is at most ``tol``; ``a`` and ``products`` change in place.

    Parameters
    ----------
    Q, diagonal : array (n, n), and its diagonal
    a : array (n,)
        A feasible start. Its sum stays what it is.
    products, linear : arrays (n,)
        ``products + linear`` is the gradient of the smooth part at ``a``. Only ``products`` follow the steps, so a
        caller may keep the whole gradient there, beside a ``linear`` of zeros.
    lower, upper : arrays (n,)
        Bounds; a coordinate with both at 0 takes no part.

    Returns
    -------
    n_iter, violation : the largest slope of a fall less the smallest slope of a rise; 0 at the optimum.
    """
    n = a.shape[0]
    up, down = np.empty(n), np.empty(n)
    for t in range(n):
        up[t], down[t] = _slopes(a[t], linear[t], l1, lower[t], upper[t])
    violation = 0.0
    i, lowest = _move(products, up, products, products, 0.0)
    for step in range(max_iter):
        if i < 0:  # every coordinate at its upper bound: nothing can rise
            return step, 0.0
        row_i = Q[i]
        j, highest = _partner(products, down, diagonal, row_i, diagonal[i], lowest)
        violation = highest - lowest
        if violation <= tol:
            return step, max(violation, 0.0)
        slope = lowest - (products[j] + down[j])
        curvature = max(scale * _curvature(diagonal[i] + diagonal[j], row_i[j]), 1e-300)
        length = step_length(slope, curvature, a[i], a[j], upper[i], lower[j], l1)
        # Exactly on the bound when it ends the step, so that bounds can be told from interior points.
        a[i] = upper[i] if length == upper[i] - a[i] else _moved(a[i], length, lower[i], upper[i])
        a[j] = lower[j] if length == a[j] - lower[j] else _moved(a[j], -length, lower[j], upper[j])
        up[i], down[i] = _slopes(a[i], linear[i], l1, lower[i], upper[i])
        up[j], down[j] = _slopes(a[j], linear[j], l1, lower[j], upper[j])
        i, lowest = _move(products, up, row_i, Q[j], scale * length)
    return max_iter, violation


@njit(cache=True, nogil=True)
def step_length(slope, curvature, a_i, a_j, upper_i, lower_j, l1):
    """Exact minimiser t > 0 of the piecewise quadratic along a_i + t, a_j - t; slope < 0 at t = 0."""
    end = min(upper_i - a_i, a_j - lower_j)
    first = -a_i if a_i < 0.0 else BIG
    second = a_j if a_j > 0.0 else BIG
    if second < first:
        first, second = second, first
    t = -slope / curvature
    if t > first:  # past a kink the slope has jumped by 2 l1
        t = max(first, -(slope + 2.0 * l1) / curvature)
        if t > second:
            t = max(second, -(slope + 4.0 * l1) / curvature)
    return min(t, end)


@njit(cache=True, nogil=True)
def _slopes(a, linear, l1, lower, upper):
    """What a rise or fall of a coordinate adds to ``products``; BIG where it cannot."""
    up = BIG if a >= upper else linear + (l1 if a >= 0.0 else -l1)
    down = -BIG if a <= lower else linear + (l1 if a > 0.0 else -l1)
    return up, down


@njit(cache=True, nogil=True)
def _moved(value, length, lower, upper):
    """value + length, exactly 0 or a bound when it lands there up to rounding."""
    moved = value + length
    if abs(moved) <= 1e-15 * abs(value):
        return 0.0
    rounding = 1e-15 * abs(moved)
    if upper - moved <= rounding:
        return upper
    return lower if moved - lower <= rounding else moved


@njit(cache=True, nogil=True)
def _curvature(both, q_ij):
    """q_ii + q_jj - 2 q_ij, where ``both`` is q_ii + q_jj; not below rounding, so that equal points divide by no 0."""
    return max(both - 2.0 * q_ij, 1e-12 * both + 1e-300)


@njit(cache=True, nogil=True)
def _partner(products, down, diagonal, row_i, q_ii, lowest):
    """The coordinate whose fall, paired with the rise of i, gains most; and the largest slope of a fall."""
    j, best, highest = -1, 0.0, -BIG
    for t in range(products.shape[0]):
        fall = products[t] + down[t]
        if fall > lowest:  # few falls are: the branch saves the division of the others
            highest = max(highest, fall)
            difference = fall - lowest
            gain = difference * difference / _curvature(q_ii + diagonal[t], row_i[t])
            if gain > best:
                j, best = t, gain
    return j, highest


@njit(cache=True, nogil=True)
def _move(products, up, row_i, row_j, length):
    """products += length (Q_i - Q_j); then the coordinate with the smallest slope of a rise (-1: none can), and it."""
    i, lowest = -1, BIG
    for t in range(products.shape[0]):
        value = products[t] + length * (row_i[t] - row_j[t])
        products[t] = value
        slope = value + up[t]
        if slope < lowest:
            i, lowest = t, slope
    return i, lowest
