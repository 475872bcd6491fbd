"""k nearest neighbours of every point among the others."""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

METRICS = ("euclidean", "cosine")
METHODS = ("auto", "exact", "approximate")


def nearest_neighbors(X, k, metric="euclidean", method="auto", n_jobs=None, random_state=0):
    """Distances (n, k), indices (n, k), method used."""
    n = X.shape[0]
    distances, indices = np.empty((n, k)), np.empty((n, k), np.int32)
    A = sparse.csr_array(X, dtype=float) if sparse.issparse(X) else np.asarray(X, float)
    squares = np.asarray((A * A).sum(axis=1)).ravel()
    norms = np.where(squares > 0, np.sqrt(squares), 1)
    for start in range(0, n, 512):
        block = A[start : start + 512]
        if metric == "cosine":
            d = block @ A.T
            d = 1 - (d.toarray() if sparse.issparse(d) else d) / norms / norms[start : start + 512, None]
        elif sparse.issparse(A):
            d = np.sqrt(np.maximum(squares[start : start + 512, None] + squares - 2 * (block @ A.T).toarray(), 0))
        else:
            d = cdist(block, A)
        d[np.arange(len(d)), np.arange(start, start + len(d))] = np.inf
        order = np.argsort(d, axis=1, kind="stable")[:, :k]
        indices[start : start + 512] = order
        distances[start : start + 512] = np.take_along_axis(d, order, 1)
    return distances, indices, "exact"


def cosine_similarities(X, indices):
    """Cosine similarity of each point and its neighbours."""
    raise NotImplementedError
