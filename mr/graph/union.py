"""From directed neighbour lists to a symmetric matrix."""

import numpy as np
from scipy import sparse


def union(indices, values) -> sparse.csr_array:
    """Symmetric CSR matrix with w_ij = max of the directed weights i -> j and j -> i."""
    n, k = indices.shape
    W = sparse.csr_array((values.ravel(), indices.ravel(), np.arange(0, n * k + 1, k) if k else np.zeros(n + 1, int)), shape=(n, n))
    return W.maximum(W.T).tocsr()
