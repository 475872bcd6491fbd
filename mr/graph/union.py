"""From directed neighbour lists to sparse matrices."""

import numpy as np
from scipy import sparse


def check_indices(indices, lowest=0):
    """Refuse neighbours (n, k) that are no points: compiled code would read whatever lies there."""
    n = len(indices)
    if indices.size and (indices.min() < lowest or indices.max() >= n):
        raise ValueError(
            f"Neighbour indices must be between {lowest} and {n - 1}; got values from {indices.min()} to "
            f"{indices.max()}."
        )


def neighbor_matrix(indices, values) -> sparse.csr_array:
    """CSR matrix (n, n) with ``values`` (n, k) in row i at the columns ``indices`` (n, k).

    Indices are checked: scipy would read memory that is not its own, or end the process.
    """
    n, k = indices.shape
    check_indices(indices)
    starts = np.arange(n + 1, dtype=np.int32 if n * k < 2**31 else np.int64) * k
    return sparse.csr_array((values.ravel(), indices.ravel(), starts), shape=(n, n))


def union(indices, values) -> sparse.csr_array:
    """Symmetric CSR matrix with w_ij = max of the directed weights i -> j and j -> i."""
    W = neighbor_matrix(indices, values)
    return W.maximum(W.T).tocsr()
