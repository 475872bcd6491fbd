"""Sparse matrix times a large dense one: the n x n product L K of every exact fit."""

import numpy as np
from numba import njit

from mr.graph.threads import blas_threads, team

LARGE = 1_000_000
"""Entries of the dense matrix below which scipy's product is as fast."""


def sparse_product(matrix, dense):
    """matrix @ dense, where large dense matrices go by blocks of columns, on as many threads as BLAS uses.

    Every entry is summed in the order of the sparse row, so the result does not depend on the number of threads.
    """
    if (
        not isinstance(dense, np.ndarray)
        or dense.ndim != 2
        or dense.size < LARGE
        or dense.dtype != np.float64
        or matrix.dtype != np.float64
        or not dense.flags.c_contiguous
    ):
        return matrix @ dense
    result = np.empty((matrix.shape[0], dense.shape[1]))

    def work(low, high):
        _columns(matrix.indptr, matrix.indices, matrix.data, dense, result, low, high)

    with team(blas_threads()) as share:
        share(work, dense.shape[1])
    return result


@njit(cache=True, nogil=True)
def _columns(indptr, indices, data, dense, result, low, high):
    """Columns low..high of the product, 1024 at a time."""
    for start in range(low, high, 1024):
        stop = min(start + 1024, high)
        for i in range(indptr.shape[0] - 1):
            row = result[i, start:stop]
            row[:] = 0.0
            for p in range(indptr[i], indptr[i + 1]):
                weight = data[p]
                source = dense[indices[p], start:stop]
                for t in range(stop - start):
                    row[t] += weight * source[t]
