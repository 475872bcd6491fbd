"""Rows of a kernel matrix that is never formed: computed by BLAS in blocks, kept in a cache bounded in bytes."""

import numpy as np
from numba import njit
from sklearn.utils.extmath import row_norms

from mr.graph.threads import blas_threads, team

COLUMNS = 1024
"""Columns of a block of rows that are worked on at a time."""
LARGE = 1_000_000
"""Entries below which a second thread is not worth starting."""


class EmbeddedRows:
    """Rows of Q_ij = k(x_i, x_j) + e_i . e_j in single precision, from points and embedding: O((d + n_ev) n) memory.

    Parameters
    ----------
    kernel : fitted :class:`mr.kernels.Kernel`
    X : array or CSR (n, d)
    embedding : array (n, n_ev) or None
    """

    def __init__(self, kernel, X, embedding=None):
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
        self._embedding = None if embedding is None else np.ascontiguousarray(embedding, dtype=np.float32)

    def block(self, rows, columns) -> np.ndarray:
        """Q[rows][:, columns] for an index array of rows and a slice of columns."""
        if not self._fast:
            block = self._kernel(self._points[rows], self._points[columns]).astype(np.float32)
        else:
            block = self._points[rows] @ self._points[columns].T
            block -= self._norms[columns]
            block -= self._norms[rows, None]
            np.minimum(block, 0.0, out=block)
            np.exp(block, out=block)
        if self._embedding is not None:
            block += self._embedding[rows] @ self._embedding[columns].T
        return block

    def write(self, rows, storage, slots):
        """storage[slots] = Q[rows], by blocks of columns that stay in the processor's cache from product to copy."""
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
