"""Epsilon-insensitive regression when Q does not fit: working sets of hundreds of rows, computed together by BLAS.

The problem is that of :mod:`mr.solvers.epsilon_smo`. One row at a time would read all data once for every two
coefficients; here the worst violators of both kinds form a working set (Joachims 1999), their rows are one matrix
product, the subproblem is solved by compiled second-order SMO with Newton steps, and the gradient takes one pass over
the rows that changed. Half of a working set stays for the next round, as in ThunderSVM (Wen et al. 2018).
"""

import numpy as np
from numba import njit

from mr.solvers.epsilon_newton import reduce_violation
from mr.solvers.epsilon_smo import EpsilonSolution, certify, feasible


def solve_epsilon_svr_rows(
    cache, y, C, epsilon=0.1, tol=1e-3, start=None, working_set=512, max_rounds=10_000
) -> EpsilonSolution:
    """Solve with the rows of a :class:`mr.solvers.row_cache.RowCache`; several problems on one Q may share it."""
    n = len(y)
    size = min(working_set, n)
    a = feasible(start, n, C)
    gradient = _gradient(cache, a, y, size)
    working, n_iter, violation = np.array([], dtype=int), 0, np.inf
    fresh = True
    for _ in range(max_rounds):
        violation, rise, fall = _violation(a, gradient, C, epsilon)
        if violation <= tol:
            if fresh:
                break
            gradient, fresh = _gradient(cache, a, y, size), True  # stop only on a gradient without drift
            continue
        working = _choose(rise, fall, working, size)
        n_iter += _improve(cache, working, a, gradient, C, epsilon, max(0.1 * violation, 0.5 * tol))
        fresh = False
    return certify(a, gradient, y, C, epsilon, n_iter, violation, violation <= tol)


def _violation(a, gradient, C, epsilon):
    """How far the conditions are from holding, and the slopes of rises and falls."""
    rise = gradient + np.where(a >= 0, epsilon, -epsilon)
    fall = gradient + np.where(a > 0, epsilon, -epsilon)
    rise[a >= C] = np.inf
    fall[a <= -C] = -np.inf
    return float(fall.max() - rise.min()), rise, fall


def _choose(rise, fall, previous, size):
    """Worst rises and falls, and the later half of the previous working set."""
    kept = previous[-(size // 2) :] if len(previous) else previous
    room = size - len(kept)
    candidates = np.setdiff1d(
        np.concatenate([_smallest(rise, size), _smallest(-fall, size)]), kept, assume_unique=False
    )
    # A candidate's score is the larger of its two violations against the best partner.
    score = np.maximum(fall.max() - rise[candidates], fall[candidates] - rise.min())
    return np.concatenate([kept, candidates[np.argsort(-score, kind="stable")[:room]]])


def _smallest(values, k):
    return np.argpartition(values, k - 1)[:k] if k < len(values) else np.arange(len(values))


def _improve(cache, working, a, gradient, C, epsilon, tol):
    """Solve the subproblem of the working set, the others fixed; a and gradient change in place."""
    storage, slots = cache.fetch(working)
    Q = storage[np.ix_(slots, working)].astype(float)
    Q = np.ascontiguousarray(0.5 * (Q + Q.T))  # single precision rows are symmetric only up to rounding
    inner, slope = a[working], gradient[working]
    n_iter, _ = reduce_violation(Q, inner, slope, C, epsilon, tol, max_iter=200 * len(working))
    change = inner - a[working]
    changed = np.flatnonzero(change)
    _add_rows(gradient, storage, slots[changed], change[changed])
    a[working] = inner
    return n_iter


def _gradient(cache, a, y, size):
    """Qa - y from the rows of the support, in double precision."""
    gradient = -np.asarray(y, dtype=float)
    support = np.flatnonzero(a)
    for first in range(0, len(support), size):
        rows = support[first : first + size]
        storage, slots = cache.fetch(rows)
        _add_rows(gradient, storage, slots, a[rows])
    return gradient


@njit(cache=True, nogil=True)
def _add_rows(gradient, storage, slots, weights):
    """gradient += sum_k weights_k storage[slots_k], accumulated in double precision by blocks that stay in cache."""
    n, block = gradient.shape[0], 2048
    for first in range(0, n, block):
        last = min(first + block, n)
        for k in range(slots.shape[0]):
            row, weight = storage[slots[k]], weights[k]
            for t in range(first, last):
                gradient[t] += weight * row[t]
