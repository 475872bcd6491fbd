"""Exact neighbours of sparse points, never densified.

The inner products of a point with all others come from the columns of its non-zeros (one row of X X' at a time, kept in
one vector of length n), in double precision. Euclidean candidates within rounding error of the k-th are ranked again by
differences of the two sparse rows, which do not cancel.
"""

import numpy as np
from numba import njit
from scipy import sparse

from mr.graph.scale import sound_points
from mr.graph.selection import replace_worst
from mr.graph.threads import team

PARTS = 16
"""Parts a thread: rows differ in cost, so there are more parts than threads."""


@njit(nogil=True, cache=True)
def _squared_difference(X, a, b):
    indptr, indices, data = X
    p, p_end, q, q_end = indptr[a], indptr[a + 1], indptr[b], indptr[b + 1]
    total = 0.0
    while p < p_end or q < q_end:
        if q == q_end or (p < p_end and indices[p] < indices[q]):
            difference = data[p]
            p += 1
        elif p == p_end or indices[q] < indices[p]:
            difference = data[q]
            q += 1
        else:
            difference = data[p] - data[q]
            p += 1
            q += 1
        total += difference * difference
    return total


@njit(nogil=True, cache=True)
def _inner(X, a, b):
    indptr, indices, data = X
    p, p_end, q, q_end = indptr[a], indptr[a + 1], indptr[b], indptr[b + 1]
    total = 0.0
    while p < p_end and q < q_end:
        if indices[p] < indices[q]:
            p += 1
        elif indices[q] < indices[p]:
            q += 1
        else:
            total += data[p] * data[q]
            p += 1
            q += 1
    return total


@njit(nogil=True, cache=True)
def _inner_with_all(X, T, row, products):
    indptr, indices, data = X
    t_indptr, t_indices, t_data = T
    products[:] = 0.0
    for p in range(indptr[row], indptr[row + 1]):
        for q in range(t_indptr[indices[p]], t_indptr[indices[p] + 1]):
            products[t_indices[q]] += data[p] * t_data[q]


@njit(nogil=True, cache=True)
def _cosine_rows(X, T, inverse_norms, rows, distances, indices):
    products = np.empty(inverse_norms.shape[0])
    for at in range(rows.shape[0]):
        row = rows[at]
        _inner_with_all(X, T, row, products)
        for j in range(products.shape[0]):
            d = min(max(1.0 - products[j] * inverse_norms[row] * inverse_norms[j], 0.0), 2.0)
            if d < distances[at, 0] and j != row:
                replace_worst(distances[at], indices[at], d, j)


@njit(nogil=True, cache=True)
def _euclidean_rows(X, T, squares, bound, rows, distances, indices):
    n, k = squares.shape[0], distances.shape[1]
    products = np.empty(n)
    keys, ids = np.empty(k), np.empty(k, np.int32)
    for at in range(rows.shape[0]):
        row = rows[at]
        _inner_with_all(X, T, row, products)
        keys[:] = np.inf
        for j in range(n):
            key = squares[j] - 2.0 * products[j]
            if key < keys[0] and j != row:
                replace_worst(keys, ids, key, j)
        # any true neighbour has a key within twice the rounding bound of the k-th computed one
        limit = keys[0] + 2.0 * bound[row]
        for j in range(n):
            if squares[j] - 2.0 * products[j] <= limit and j != row:
                d = np.sqrt(_squared_difference(X, row, j))
                if d < distances[at, 0]:
                    replace_worst(distances[at], indices[at], d, j)


@njit(nogil=True, cache=True)
def _pair_inner(X, rows, columns, out):
    for p in range(rows.shape[0]):
        out[p] = _inner(X, rows[p], columns[p])


@njit(nogil=True, cache=True)
def _pair_squared(X, rows, columns, out):
    for p in range(rows.shape[0]):
        out[p] = _squared_difference(X, rows[p], columns[p])


class SparsePoints:
    """Sparse rows with what the search needs of them."""

    def __init__(self, X, metric):
        X = sparse.csr_array(sound_points(X), dtype=np.float64)
        self.X, self.metric = _arrays(X), metric
        self.T = _arrays(X.T.tocsr())
        self.squares = np.asarray((X * X).sum(axis=1), dtype=float).ravel()
        norms = np.sqrt(self.squares)
        self.inverse_norms = 1.0 / np.where(norms > 0, norms, 1.0)
        longest = int(np.diff(X.indptr).max(initial=0))
        largest = norms.max()
        self.bound = 4 * (longest + 8) * np.finfo(float).eps * largest * (largest + norms)

    def search(self, rows, k, share):
        """Distances and indices (len(rows), k) of the nearest other points."""
        distances, indices = np.full((len(rows), k), np.inf), np.full((len(rows), k), -1, np.int32)

        def work(lo, hi):
            outputs = rows[lo:hi], distances[lo:hi], indices[lo:hi]
            if self.metric == "cosine":
                _cosine_rows(self.X, self.T, self.inverse_norms, *outputs)
            else:
                _euclidean_rows(self.X, self.T, self.squares, self.bound, *outputs)

        if k:
            share(work, len(rows), PARTS)
        order = np.lexsort((indices, distances), axis=1)
        return np.take_along_axis(distances, order, 1), np.take_along_axis(indices, order, 1)

    def distances(self, rows, columns, share):
        """Exact distance of each pair: Euclidean, or 1 - cosine similarity."""
        out = np.empty(len(rows))
        kernel = _pair_squared if self.metric == "euclidean" else _pair_inner
        share(lambda lo, hi: kernel(self.X, rows[lo:hi], columns[lo:hi], out[lo:hi]), len(rows))
        if self.metric == "euclidean":
            return np.sqrt(out)
        return np.clip(1.0 - out * self.inverse_norms[rows] * self.inverse_norms[columns], 0.0, 2.0)


def _arrays(X):
    return X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data


def sparse_neighbors(X, k, metric, n_jobs=None):
    """Distances and indices (n, k) of the k nearest other points, ascending, ties by index."""
    with team(n_jobs) as share:
        return SparsePoints(X, metric).search(np.arange(X.shape[0]), k, share)
