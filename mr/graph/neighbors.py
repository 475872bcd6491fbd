"""k nearest neighbours of every point among the others."""

import numpy as np
from scipy import sparse

from mr.graph.approximate_search import approximate_neighbors
from mr.graph.dense_search import as_points, dense_neighbors
from mr.graph.sparse_search import SparsePoints, sparse_neighbors
from mr.graph.threads import team
from mr.graph.tree_search import tree_neighbors

METRICS = ("euclidean", "cosine")
METHODS = ("auto", "exact", "approximate")

TREE_FEATURES = 8
APPROXIMATE_SAMPLES = 100_000


def nearest_neighbors(X, k, metric="euclidean", method="auto", n_jobs=None, random_state=0):
    """Distances (n, k), indices (n, k) and the method used, "exact" or "approximate".

    The point itself is left out by its index, so duplicates are neighbours at distance 0. Distances ascend, ties go to the
    smaller index. Exact search uses a k-d tree for Euclidean distance up to TREE_FEATURES features, blocked products
    otherwise.
    """
    X = _as_float(X)
    n = X.shape[0]
    if k == 0:
        return np.empty((n, 0)), np.empty((n, 0), np.int32), "exact"
    tree = metric == "euclidean" and X.shape[1] <= TREE_FEATURES and not sparse.issparse(X)
    if method == "auto":
        method = "approximate" if n > APPROXIMATE_SAMPLES and not tree else "exact"
    if method == "approximate":
        found = approximate_neighbors(X, k, metric, n_jobs, random_state)
    elif tree:
        found = tree_neighbors(X, k, n_jobs)
    elif sparse.issparse(X):
        found = sparse_neighbors(X, k, metric, n_jobs)
    else:
        found = dense_neighbors(X, k, metric, n_jobs)
    return *found, method


def cosine_similarities(X, indices, n_jobs=None):
    """Cosine similarity (n, k) of each point and its neighbours; 0 for a zero row."""
    X = _as_float(X)
    rows = np.repeat(np.arange(indices.shape[0], dtype=np.int32), indices.shape[1])
    points = (SparsePoints if sparse.issparse(X) else as_points)(X, "cosine")
    with team(n_jobs) as share:
        return 1.0 - points.distances(rows, indices.ravel(), share).reshape(indices.shape)


def _as_float(X):
    """X in single or double precision, whichever holds its values; dense rows contiguous."""
    small = X.dtype == np.float32 or (X.dtype.kind in "iub" and X.dtype.itemsize <= 2)
    dtype = np.float32 if small else np.float64
    return X.astype(dtype, copy=False) if sparse.issparse(X) else np.ascontiguousarray(X, dtype)
