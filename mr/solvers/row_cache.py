"""Rows of a kernel matrix that is never formed: computed by BLAS in blocks, kept in a cache bounded in bytes.

chen2012's Q~ = K + Phi~ Phi~' is such a matrix plus one of low rank. Only rows of K are kept: problems with other
labels, weights or numbers of eigenvectors on the same points share them.
"""

import numpy as np
from numba import njit
from sklearn.utils.extmath import row_norms

from mr.graph.threads import blas_threads, team

COLUMNS = 1024
"""Columns of a block of rows that are worked on at a time."""
LARGE = 1_000_000
"""Entries below which a second thread is not worth starting."""
BLOCK = 8192
"""Entries of a sum of rows that are worked on at a time."""


class KernelRows:
    """Rows of K_ij = k(x_i, x_j) in single precision, from points: O(d n) memory.

    Parameters
    ----------
    kernel : fitted :class:`mr.kernels.Kernel`
    X : array or CSR (n, d)
    """

    def __init__(self, kernel, X):
        self._kernel = kernel
        self.shape = (X.shape[0], X.shape[0])
        self._fast = kernel.name == "rbf" and isinstance(X, np.ndarray)
        if self._fast:
            # Centred: the distances of single precision products lose digits to the norms. Scaled, so that the product
            # of two points less half of each squared norm is the exponent. Constant coordinates are in no distance.
            varied = np.flatnonzero(np.ptp(X, axis=0) > 0)
            points = X if len(varied) == X.shape[1] else X[:, varied]
            self._points = ((points - points.mean(axis=0)) * np.sqrt(2.0 * kernel.gamma_)).astype(np.float32)
            self._norms = 0.5 * row_norms(self._points, squared=True)
        else:
            self._points = X
        self._threads = blas_threads()  # now: whoever asks for rows may have pinned BLAS to one thread

    def block(self, rows, columns) -> np.ndarray:
        """K[rows][:, columns] for an index array of rows and a slice of columns."""
        if not self._fast:
            return self._kernel(self._points[rows], self._points[columns]).astype(np.float32)
        block = self._points[rows] @ self._points[columns].T
        block -= self._norms[columns]
        block -= self._norms[rows, None]
        np.minimum(block, 0.0, out=block)
        return np.exp(block, out=block)

    def write(self, rows, storage, slots):
        """storage[slots] = K[rows], by blocks of columns that stay in the processor's cache from product to copy."""
        n = self.shape[1]

        def work(low, high):
            for first in range(low * COLUMNS, min(high * COLUMNS, n), COLUMNS):
                _place(storage, slots, first, self.block(rows, slice(first, first + COLUMNS)))

        with team(self._threads if len(rows) * n >= LARGE else 1) as share:
            share(work, -(-n // COLUMNS))


@njit(cache=True, nogil=True)
def _place(storage, slots, first, block):
    """storage[slots, first : first + width] = block, one row after the other."""
    for i in range(block.shape[0]):
        storage[slots[i], first : first + block.shape[1]] = block[i]


class RowCache:
    """The most recently used rows of ``source``, in at most ``max_bytes`` (and at least ``at_least`` rows)."""

    def __init__(self, source, max_bytes, at_least):
        n = source.shape[0]
        self._source = source
        self._slots = np.empty((min(n, max(at_least, int(max_bytes // (4 * n)))), n), dtype=np.float32)
        self._slot_of = np.full(n, -1)
        self._row_in = np.full(len(self._slots), -1)
        self._used = np.full(len(self._slots), -1)
        self._clock = 0
        self.n_computed = 0

    @property
    def held(self) -> np.ndarray:
        """Whether each row is in the cache."""
        return self._slot_of >= 0

    def fetch(self, rows) -> tuple[np.ndarray, np.ndarray]:
        """(storage, slots): row ``rows[i]`` of the matrix is ``storage[slots[i]]``. Valid until the next call."""
        self._clock += 1
        self._used[self._slot_of[rows][self._slot_of[rows] >= 0]] = self._clock
        missing = rows[self._slot_of[rows] < 0]
        if len(missing):
            oldest = np.argpartition(self._used, len(missing) - 1)[: len(missing)]
            evicted = self._row_in[oldest]
            self._slot_of[evicted[evicted >= 0]] = -1
            self._source.write(missing, self._slots, oldest)
            self._slot_of[missing], self._row_in[oldest] = oldest, missing
            self._used[oldest] = self._clock
            self.n_computed += len(missing)
        return self._slots, self._slot_of[rows]

    def compute(self, rows) -> tuple[np.ndarray, np.ndarray]:
        """(storage, slots) as :meth:`fetch`, of rows that are wanted once: they are not kept."""
        storage, slots = np.empty((len(rows), self._slots.shape[1]), dtype=np.float32), np.arange(len(rows))
        self._source.write(rows, storage, slots)
        self.n_computed += len(rows)
        return storage, slots


class EmbeddedMatrix:
    """Q = K + F F' for a solver that asks for blocks and for sums of rows.

    Parameters
    ----------
    cache : RowCache
        Rows of K; matrices with other features may share it.
    features : array (n, r), default=None
        F, in double precision: with a small weight on the graph it may be far larger than K.
    """

    def __init__(self, cache, features=None):
        self.cache, self.features = cache, features

    @property
    def held(self) -> np.ndarray:
        """Whether each row of K is in the cache."""
        return self.cache.held

    def square(self, rows) -> np.ndarray:
        """Q[rows][:, rows] in double precision."""
        block = _square(*self.cache.fetch(rows), rows)
        if self.features is not None:
            chosen = self.features[rows]
            block += chosen @ chosen.T
        return block

    def add(self, total, rows, weights, keep=True):
        """total += Q[:, rows] weights; rows of K that are not wanted again are not kept."""
        storage, slots = (self.cache.fetch if keep else self.cache.compute)(rows)
        _add_rows(total, storage, slots, weights)
        if self.features is not None:
            total += self.features @ (weights @ self.features[rows])


@njit(cache=True, nogil=True)
def _square(storage, slots, columns):
    """The block of a working set in double precision.

    One triangle, mirrored: rows in single precision are symmetric only up to rounding.
    """
    n = slots.shape[0]
    block = np.empty((n, n))
    for i in range(n):
        row = storage[slots[i]]
        for j in range(i + 1):
            block[i, j] = row[columns[j]]
    for i in range(n):
        for j in range(i + 1, n):
            block[i, j] = block[j, i]
    return block


@njit(cache=True, nogil=True)
def _add_rows(gradient, storage, slots, weights):
    """gradient += sum_k weights_k storage[slots_k] in double precision, by blocks that stay in the processor's cache.

    Slices (not offsets into whole rows) and four rows at a time: the loop is then as fast as memory is.
    """
    n, m = gradient.shape[0], slots.shape[0]
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        part = gradient[first:last]
        for k in range(0, m - 3, 4):
            r0, r1 = storage[slots[k], first:last], storage[slots[k + 1], first:last]
            r2, r3 = storage[slots[k + 2], first:last], storage[slots[k + 3], first:last]
            w0, w1, w2, w3 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
            for t in range(last - first):
                part[t] += (w0 * r0[t] + w1 * r1[t]) + (w2 * r2[t] + w3 * r3[t])
        for k in range(m - m % 4, m):
            row, weight = storage[slots[k], first:last], weights[k]
            for t in range(last - first):
                part[t] += weight * row[t]
