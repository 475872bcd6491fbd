"""Every point as a convex combination of others, exactly: one active set per row, warm from the row as it is.

For row i, over weights w >= 0 that sum to 1 with w_i = 0,

    min_w  scale / 2 w'Qw - scale Q_i w + sum_j w_j ||F_i - F_j||^2,

where Q holds the inner products of the points: up to a constant, scale / 2 times the squared error of reconstruction,
plus the smoothness of the functions F (the sparse W-step of AGMR, wang2017, equation 12; no functions: the combination
of least error).

On a support S the minimiser of the equality-constrained problem is one Cholesky factorisation away. A step goes there,
or as far as the first weight that would become negative, which then leaves S. Where all weights are positive, the
slopes of *all* n candidates are computed: those below the level of S enter, and if there is none the row is optimal.
So the objective never rises, a row ends with its optimality verified over every candidate, and a row that is nearly
optimal already (the next weight of a grid, the next half step of an alternation) costs one factorisation.
"""

import numpy as np
from numba import njit

RIDGE = 1e-11
"""On the diagonal, relative to its mean: candidates that repeat each other divide by no 0."""
ENTERING = 0.25
"""Share of the size of the support that may enter it at once, at least one candidate."""


def simplex_rows(Q, scale, F, W, tol, max_steps):
    """All rows against one n x n matrix Q; candidate i is banned in row i. W is improved in place.

    Parameters
    ----------
    Q : array (n, n)
        Inner products of the points.
    scale : float
    F : array (n, c)
        Values of the functions; c = 0 for none.
    W : array (n, n)
        A feasible start; a row of zeros starts at its best single candidate.
    tol : float
        Largest violation that may stay: the level of the support less the smallest slope of a candidate.
    max_steps : int
        Factorisations per row.

    Returns
    -------
    float
        The largest violation left in any row.
    """
    Q, F = np.ascontiguousarray(Q, dtype=float), np.ascontiguousarray(F, dtype=float)
    return _all_rows(Q, float(scale), F, W, float(tol), int(max_steps))


@njit(nogil=True, cache=True)
def _all_rows(Q, scale, F, W, tol, max_steps):
    n, c = F.shape
    diagonal, b = np.empty(n), np.empty(n)
    for j in range(n):
        diagonal[j] = Q[j, j]
    worst = 0.0
    for i in range(n):
        for j in range(n):
            b[j] = -scale * Q[i, j]
        for k in range(c):
            for j in range(n):
                b[j] += (F[i, k] - F[j, k]) ** 2
        worst = max(worst, _row(Q, diagonal, scale, b, W[i], i, tol, max_steps))
    return worst


@njit(nogil=True, cache=True)
def _row(Q, diagonal, scale, b, w, banned, tol, max_steps):
    n = w.shape[0]
    support = np.empty(n, np.int64)
    size = 0
    for j in range(n):
        if w[j] > 0.0:
            support[size] = j
            size += 1
    if size == 0:
        best, at = np.inf, -1
        for j in range(n):
            value = 0.5 * scale * diagonal[j] + b[j]
            if j != banned and value < best:
                best = value
                at = j
        if at < 0:
            return 0.0
        w[at], support[0], size = 1.0, at, 1
    violation = np.inf
    slopes = np.empty(n)
    for _ in range(max_steps):
        target = _on_support(Q, diagonal, scale, b, support[:size])
        share, blocking = 1.0, -1
        for t in range(size):
            if target[t] < 0.0:
                now = w[support[t]]
                reach = now / (now - target[t])
                if reach < share:
                    share, blocking = reach, t
        for t in range(size):
            j = support[t]
            w[j] += share * (target[t] - w[j])
        if blocking >= 0:
            size = _leave(support, size, w, blocking)
            continue
        violation = 0.0
        for k in range(n):
            slopes[k] = b[k]
        for t in range(size):
            j = support[t]
            factor, row = scale * w[j], Q[j]
            for k in range(n):
                slopes[k] += factor * row[k]
        level = 0.0
        for t in range(size):
            level += w[support[t]] * slopes[support[t]]
        inside = size
        size = _enter(slopes, w, banned, level, tol, support, size)
        for t in range(inside, size):
            violation = max(violation, level - slopes[support[t]])
        if size == inside:
            break
    total = 0.0
    for t in range(size):
        total += w[support[t]]
    for t in range(size):
        w[support[t]] /= total
    return max(violation, 0.0)


@njit(nogil=True, cache=True)
def _on_support(Q, diagonal, scale, b, support):
    """Minimiser over weights on the support that sum to 1, of either sign."""
    s = support.shape[0]
    H, v, u = np.empty((s, s)), np.empty(s), np.ones(s)
    shift = 0.0
    for t in range(s):
        shift += diagonal[support[t]]
    shift = scale * shift / s
    for t in range(s):
        row = Q[support[t]]
        for r in range(t + 1):
            H[t, r] = scale * row[support[r]] + shift  # a multiple of 11' is constant where weights sum to 1
        H[t, t] += RIDGE * shift + 1e-300
        v[t] = -b[support[t]]
    _cholesky_solve(H, v, u)
    level = (1.0 - v.sum()) / u.sum()
    return v + level * u


@njit(nogil=True, cache=True)
def _cholesky_solve(H, v, u):
    """v and u become H^-1 v and H^-1 u; the lower triangle of H becomes its factor."""
    s = v.shape[0]
    for t in range(s):
        row = H[t]
        for r in range(t):
            other = H[r]
            total = row[r]
            for k in range(r):
                total -= row[k] * other[k]
            row[r] = total / other[r]
        total = row[t]
        for k in range(t):
            total -= row[k] * row[k]
        row[t] = np.sqrt(max(total, 1e-300))
        first, second = v[t], u[t]
        for k in range(t):
            first -= row[k] * v[k]
            second -= row[k] * u[k]
        v[t], u[t] = first / row[t], second / row[t]
    for t in range(s - 1, -1, -1):
        v[t] /= H[t, t]
        u[t] /= H[t, t]
        for k in range(t):
            v[k] -= H[t, k] * v[t]
            u[k] -= H[t, k] * u[t]


@njit(nogil=True, cache=True)
def _leave(support, size, w, blocking):
    """Drop the blocking candidate; the others keep their order."""
    w[support[blocking]] = 0.0
    for t in range(blocking, size - 1):
        support[t] = support[t + 1]
    return size - 1


@njit(nogil=True, cache=True)
def _enter(slopes, w, banned, level, tol, support, size):
    """Append the candidates with the smallest slopes below ``level - tol``: at most a share of the support."""
    most = max(1, int(ENTERING * size))
    inside = size
    for j in range(slopes.shape[0]):
        if w[j] > 0.0 or j == banned or slopes[j] >= level - tol:
            continue
        known = False
        if size < inside + most:
            support[size] = j
            size += 1
            known = True
        else:
            last = size - 1
            if slopes[j] < slopes[support[last]]:
                support[last] = j
                known = True
        if known:  # keep those that entered in order of their slopes
            t = size - 1
            while t > inside and slopes[support[t]] < slopes[support[t - 1]]:
                support[t], support[t - 1] = support[t - 1], support[t]
                t -= 1
    return size
