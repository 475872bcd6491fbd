"""Rows of a kernel matrix that is never formed: computed by BLAS in blocks, kept in a cache bounded in bytes."""

import numpy as np
from sklearn.utils.extmath import row_norms

COLUMNS = 1024
"""Columns of a block of rows that are worked on at a time."""


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
            # of two points less half of each squared norm is the exponent.
            self._points = ((X - X.mean(axis=0)) * np.sqrt(2.0 * kernel.gamma_)).astype(np.float32)
            self._norms = 0.5 * row_norms(self._points, squared=True)
        else:
            self._points = X
        self._embedding = None if embedding is None else np.ascontiguousarray(embedding, dtype=np.float32)
        self.diagonal = kernel.diagonal(X)
        if embedding is not None:
            self.diagonal = self.diagonal + np.einsum("ij,ij->i", embedding, embedding)

    def __call__(self, rows) -> np.ndarray:
        """Block Q[rows] (len(rows), n)."""
        if self._fast:
            return self._gaussian(rows)
        block = self._kernel(self._points[rows], self._points).astype(np.float32)
        if self._embedding is not None:
            block += self._embedding[rows] @ self._embedding.T
        return block

    def _gaussian(self, rows):
        """By blocks of columns that stay in the processor's cache from the product to the sum."""
        block = np.empty((len(rows), self.shape[1]), dtype=np.float32)
        points, norms = self._points[rows], self._norms[rows, None]
        for first in range(0, self.shape[1], COLUMNS):
            part = slice(first, first + COLUMNS)
            exponent = points @ self._points[part].T
            exponent -= self._norms[part]
            exponent -= norms
            np.minimum(exponent, 0.0, out=exponent)
            np.exp(exponent, out=block[:, part])
            if self._embedding is not None:
                block[:, part] += self._embedding[rows] @ self._embedding[part].T
        return block


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

    def fetch(self, rows) -> tuple[np.ndarray, np.ndarray]:
        """(storage, slots): row ``rows[i]`` of the matrix is ``storage[slots[i]]``. Valid until the next call."""
        self._clock += 1
        self._used[self._slot_of[rows][self._slot_of[rows] >= 0]] = self._clock
        missing = rows[self._slot_of[rows] < 0]
        if len(missing):
            oldest = np.argpartition(self._used, len(missing) - 1)[: len(missing)]
            evicted = self._row_in[oldest]
            self._slot_of[evicted[evicted >= 0]] = -1
            self._slots[oldest] = self._source(missing)
            self._slot_of[missing], self._row_in[oldest] = oldest, missing
            self._used[oldest] = self._clock
            self.n_computed += len(missing)
        return self._slots, self._slot_of[rows]
