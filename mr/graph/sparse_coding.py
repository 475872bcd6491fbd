"""Every point as a combination of others: one small quadratic problem a row, solved by exact pair steps.

For row i, over weights w that sum to 1 (w_i = 0, and w >= 0 when ``nonnegative``):

    min_w  scale / 2 w'Qw + b'w + l1 ||w||_1.

A step moves weight from one candidate to another, by the exact minimiser of the problem along that line; the pair is
the one of largest guaranteed decrease (second-order selection, as SMO does for support vector machines: the problem
has the same shape). So the objective never rises, whatever the number of steps, and a row of few non-zero weights costs
O(m) a step for m candidates.
"""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def _pair_steps(Q, scale, b, l1, w, gradient, banned, nonnegative, tol, max_steps):
    """Descend on one row in place; returns the largest violation of optimality that is left."""
    m = w.shape[0]
    violation = 0.0
    for _ in range(max_steps):
        up, lowest = -1, np.inf
        for j in range(m):
            if j != banned:
                slope = gradient[j] + (l1 if w[j] >= 0 else -l1)
                if slope < lowest:
                    lowest = slope
                    up = j
        down, best, violation, gap = -1, 0.0, 0.0, 0.0
        for k in range(m):
            if k == banned or k == up or (nonnegative and w[k] <= 0):
                continue
            v = gradient[k] + (l1 if w[k] > 0 else -l1) - lowest
            if v > 0:
                violation = max(violation, v)
                curvature = max(scale * (Q[up, up] + Q[k, k] - 2.0 * Q[up, k]), 1e-300)
                if v * v / curvature > best:
                    best = v * v / curvature
                    down = k
                    gap = v
        if down < 0 or violation <= tol:
            break
        step = gap / max(scale * (Q[up, up] + Q[down, down] - 2.0 * Q[up, down]), 1e-300)
        # The l1 norm bends at zero (and w >= 0 ends there): a step stops at the first zero it meets.
        if w[up] < 0:
            step = min(step, -w[up])
        if w[down] > 0:
            step = min(step, w[down])
        w[up] = 0.0 if step == -w[up] else w[up] + step
        w[down] = 0.0 if step == w[down] else w[down] - step
        for j in range(m):
            gradient[j] += scale * step * (Q[up, j] - Q[down, j])
    return violation


@njit(nogil=True, cache=True)
def _start(Q, scale, b, w, banned):
    """Gradient at w; a row of zeros starts at the best single candidate."""
    m = w.shape[0]
    if not w.any():
        best, at = np.inf, -1
        for j in range(m):
            value = 0.5 * scale * Q[j, j] + b[j]
            if j != banned and value < best:
                best = value
                at = j
        if at >= 0:
            w[at] = 1.0
    gradient = b.copy()
    for j in range(m):
        if w[j] != 0:
            for k in range(m):
                gradient[k] += scale * w[j] * Q[j, k]
    return gradient


@njit(nogil=True, cache=True)
def code_shared(Q, scale, B, l1, W, nonnegative, tol, max_steps):
    """All rows against one n x n matrix Q; candidate i is banned in row i. W is improved in place."""
    worst = 0.0
    for i in range(W.shape[0]):
        gradient = _start(Q, scale, B[i], W[i], i)
        left = _pair_steps(Q, scale, B[i], l1, W[i], gradient, i, nonnegative, tol, max_steps)
        worst = max(worst, left)
    return worst


@njit(nogil=True, cache=True)
def code_local(Q, scale, B, l1, W, nonnegative, tol, max_steps):
    """Row i against its own k x k matrix Q[i] over its own candidates. W (n x k) is improved in place."""
    worst = 0.0
    for i in range(W.shape[0]):
        gradient = _start(Q[i], scale, B[i], W[i], -1)
        left = _pair_steps(Q[i], scale, B[i], l1, W[i], gradient, -1, nonnegative, tol, max_steps)
        worst = max(worst, left)
    return worst


def local_grams(X, candidates, block_bytes=2**26):
    """G[i, a, b] = <x_i - x_a, x_i - x_b> over the candidates of each row: n x k x k.

    For weights that sum to 1, ||x_i - sum_a w_a x_a||^2 = w'G[i]w (the Gram matrix of locally linear embedding).
    """
    n, k = candidates.shape
    grams = np.empty((n, k, k))
    rows = max(1, block_bytes // (8 * k * max(X.shape[1], k)))
    for start in range(0, n, rows):
        at = slice(start, start + rows)
        differences = _rows(X, candidates[at].ravel()).reshape(-1, k, X.shape[1]) - _rows(X, at)[:, None, :]
        np.matmul(differences, differences.transpose(0, 2, 1), out=grams[at])
    return grams


def _rows(X, at):
    """Rows of X, dense: a block of a sparse matrix is small."""
    block = X[at]
    return block.toarray() if hasattr(block, "toarray") else block
