"""From directed neighbour lists to a symmetric matrix."""

import numpy as np
from scipy import sparse


def union(indices, values) -> sparse.csr_array:
    """Symmetric CSR matrix with w_ij = max of the directed weights i -> j and j -> i."""
    n, k = indices.shape
    starts = np.arange(n + 1, dtype=np.int32 if n * k < 2**31 else np.int64) * k
    W = sparse.csr_array((values.ravel(), indices.ravel(), starts), shape=(n, n))
    return W.maximum(W.T).tocsr()
