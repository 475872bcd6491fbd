"""Compiled kernels of the exact search: selecting candidates from blocks of inner products, and exact pair distances.

All kernels release the GIL and touch only the rows (or columns) they are given, so plain threads can share the work:
numba's own thread pool may not be entered from several threads at once, which users of joblib's threads would do.
"""

import numpy as np
from numba import njit

LANES = 128
"""Entries of a block tested at once: the test is branch-free and vectorised, and nearly always says no."""

_FAST = {"reassoc", "contract", "nsz"}


@njit(nogil=True, cache=True)
def _after(value, index, other, other_index):
    return value > other or (value == other and index > other_index)


@njit(nogil=True, cache=True)
def replace_worst(values, indices, value, index):
    """Replace the root of a max-heap, ordered by value and then index, by (value, index)."""
    size = values.shape[0]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and _after(values[child + 1], indices[child + 1], values[child], indices[child]):
            child += 1
        if not _after(values[child], indices[child], value, index):
            break
        values[at] = values[child]
        indices[at] = indices[child]
        at = child
    values[at] = value
    indices[at] = index


@njit(nogil=True, cache=True)
def _below(products, squares, cutoff):
    hits = 0
    for j in range(products.shape[0]):
        if squares[j] - np.float32(2.0) * products[j] < cutoff:
            hits += 1
    return hits


@njit(nogil=True, cache=True)
def offer_columns_to_rows(products, squares, row0, col0, lo, hi, values, indices):
    """Offer keys |x_j|^2 - 2 x_i.x_j of a block (i from row0, j from col0) to the heaps of rows lo..hi of the block."""
    width = products.shape[1]
    for i in range(lo, hi):
        row = row0 + i
        heap, ids = values[row], indices[row]
        for start in range(0, width, LANES):
            stop = min(start + LANES, width)
            if not _below(products[i, start:stop], squares[col0 + start : col0 + stop], heap[0]):
                continue
            for j in range(start, stop):
                key = squares[col0 + j] - np.float32(2.0) * products[i, j]
                if key < heap[0] and col0 + j != row:
                    replace_worst(heap, ids, key, col0 + j)


@njit(nogil=True, cache=True)
def _each_below(products, square, cutoffs):
    hits = 0
    for j in range(products.shape[0]):
        if square - np.float32(2.0) * products[j] < cutoffs[j]:
            hits += 1
    return hits


@njit(nogil=True, cache=True)
def offer_rows_to_columns(products, squares, row0, col0, lo, hi, values, indices):
    """The same block seen from its columns lo..hi: offer keys |x_i|^2 - 2 x_i.x_j to the heaps of the columns."""
    cutoffs = values[col0 : col0 + products.shape[1], 0].copy()
    for i in range(products.shape[0]):
        square = squares[row0 + i]
        for start in range(lo, hi, LANES):
            stop = min(start + LANES, hi)
            if not _each_below(products[i, start:stop], square, cutoffs[start:stop]):
                continue
            for j in range(start, stop):
                key = square - np.float32(2.0) * products[i, j]
                if key < cutoffs[j]:
                    replace_worst(values[col0 + j], indices[col0 + j], key, row0 + i)
                    cutoffs[j] = values[col0 + j, 0]


@njit(nogil=True, cache=True, fastmath=_FAST)
def _squared_difference(a, b):
    total = 0.0
    for t in range(a.shape[0]):
        difference = np.float64(a[t]) - np.float64(b[t])
        total += difference * difference
    return total


@njit(nogil=True, cache=True, fastmath=_FAST)
def _inner(a, b):
    total = 0.0
    for t in range(a.shape[0]):
        total += np.float64(a[t]) * np.float64(b[t])
    return total


@njit(nogil=True, cache=True)
def squared_distances(X, rows, columns, out):
    """out[p] = |x_i - x_j|^2 in float64 by differences, exact where the expanded form cancels."""
    for p in range(rows.shape[0]):
        out[p] = _squared_difference(X[rows[p]], X[columns[p]])


@njit(nogil=True, cache=True)
def inner_products(X, rows, columns, out):
    """out[p] = x_i . x_j in float64."""
    for p in range(rows.shape[0]):
        out[p] = _inner(X[rows[p]], X[columns[p]])


@njit(nogil=True, cache=True)
def nearest_columns(products, squares, first, lo, hi, values, indices):
    """Offer keys |c_j|^2 - 2 x_i.c_j of a block of points and centres (numbered from ``first``) to heaps lo..hi."""
    width = products.shape[1]
    for i in range(lo, hi):
        heap, ids = values[i], indices[i]
        for start in range(0, width, LANES):
            stop = min(start + LANES, width)
            if not _below(products[i, start:stop], squares[first + start : first + stop], heap[0]):
                continue
            for j in range(start, stop):
                key = squares[first + j] - np.float32(2.0) * products[i, j]
                if key < heap[0]:
                    replace_worst(heap, ids, key, first + j)


@njit(nogil=True, cache=True)
def squared_distances_to(X, centres, columns, out):
    """|x_i - c_j|^2 of each row i and the centres j of its ``columns`` (n, m), by differences."""
    for i in range(columns.shape[0]):
        for place in range(columns.shape[1]):
            out[i, place] = _squared_difference(X[i], centres[columns[i, place]])
