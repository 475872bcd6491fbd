"""Every point as a combination of others: one small quadratic problem per row, solved by exact pair steps.

For row i, over weights w that sum to 1 (w_i = 0, and w >= 0 when ``nonnegative``):

    min_w  scale / 2 w'Qw + b'w + l1 ||w||_1.

A step moves weight from one candidate to another (:mod:`mr.pair_descent`: the problem has the shape of a support vector
machine's). So the objective never rises, whatever the number of steps, and a step costs O(m) for m candidates.
"""

import numpy as np
from numba import njit

from mr.pair_descent import descend


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


def code_shared(Q, scale, B, l1, W, tol, max_steps):
    """All rows against one n x n matrix Q, weights of either sign; candidate i is banned in row i. In place.

    Non-negative weights have a faster exact way, :mod:`mr.graph.simplex_rows`.
    """
    n, worst = len(W), 0.0
    diagonal, zeros = np.ascontiguousarray(np.diagonal(Q)), np.zeros(n)
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    scale, l1, tol = float(scale), float(l1), float(tol)
    for i in range(n):  # a row costs far more than a call: only small rows need a compiled loop around them
        lower[i] = upper[i] = 0.0
        products = _start(Q, scale, B[i], W[i], i)
        left = descend(Q, diagonal, scale, W[i], products, zeros, l1, lower, upper, tol, max_steps)[1]
        worst = max(worst, left)
        lower[i], upper[i] = -np.inf, np.inf
    return worst


@njit(nogil=True, cache=True)
def code_local(Q, scale, B, l1, W, nonnegative, tol, max_steps):
    """Row i against its own k x k matrix Q[i] over its own candidates. W (n x k) is improved in place."""
    n, k, worst = W.shape[0], W.shape[1], 0.0
    lower, upper, zeros = np.full(k, 0.0 if nonnegative else -np.inf), np.full(k, np.inf), np.zeros(k)
    for i in range(n):
        products = _start(Q[i], scale, B[i], W[i], -1)
        diagonal = np.diag(Q[i]).copy()
        left = descend(Q[i], diagonal, scale, W[i], products, zeros, l1, lower, upper, tol, max_steps)[1]
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
