"""k nearest neighbours of every point among the others.

Which search ``method="auto"`` takes was measured on 2 cores (``benchmarks/knn_search.py``):

- up to TREE_FEATURES features a k-d tree, exact at any size: 20,000 Gaussian points in 8 dimensions take 0.6 s against
  1.1 s by blocked products, in 10 dimensions 1.5 s against 1.1 s; a million points in the plane take 2 s;
- otherwise exact while the work stays below a limit of about a minute: n^2 (d + 256) for dense points (256 stands for
  selecting candidates, which costs the same in any dimension), n^2 + sum over features of (non-zeros)^2 for sparse
  ones;
- beyond that approximate. pynndescent takes about 30 s to compile in every process, then 10 s for 60,000 x 784 where
  exact search takes 17 s, with a recall of 0.998: below the limit it does not pay. On sparse text its recall is lower.
"""

from functools import partial

import numpy as np
from scipy import sparse

from mr.graph.approximate_search import approximate_neighbors
from mr.graph.blocks import RowBlocks, in_blocks
from mr.graph.cluster_search import cluster_neighbors, recall_in_blocks, sampled_recall
from mr.graph.dense_search import as_points, dense_neighbors
from mr.graph.duplicates import copies, neighbors_of_copies
from mr.graph.scale import sound_points
from mr.graph.sparse_search import SparsePoints, sparse_neighbors
from mr.graph.threads import team
from mr.graph.tree_search import tree_neighbors
from mr.graph.union import check_indices

METRICS = ("euclidean", "cosine", "precomputed")
METHODS = ("auto", "exact", "approximate", "clusters")

TREE_FEATURES = 8
DENSE_WORK = 1e13
SPARSE_WORK = 5e10


def nearest_neighbors(X, k, metric="euclidean", method="auto", n_jobs=None, random_state=0):
    """The k nearest neighbours of every point among the others.

    The point itself is left out by its index, so duplicates are neighbours at distance 0. Distances ascend, ties go to
    the smaller index: of a point with more than k copies, every copy has the first k others as its neighbours. Such
    points are searched for once, so the time depends on the number of distinct points (dense points, Euclidean).

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d), or rows in blocks
        With ``metric="precomputed"`` the n x n matrix of distances itself. Rows in blocks (a dask array, a list of
        matrices) are put together first, except with ``method="clusters"``.
    k : int
    metric : {"euclidean", "cosine", "precomputed"}, default="euclidean"
    method : {"auto", "exact", "approximate", "clusters"}, default="auto"
        "approximate" needs pynndescent; "auto" is exact while that takes about a minute at most.
    n_jobs : int, default=None
        Threads; None is what joblib's context says.
    random_state : int, default=0
        Of the approximate search.

    Returns
    -------
    distances, indices : ndarray of shape (n, k)
    method : {"exact", "approximate", "clusters"}
        The one that was used.

    See Also
    --------
    mr.KNNGraph : The graph of these neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.graph import nearest_neighbors
    >>> distances, indices, method = nearest_neighbors(np.array([[0.0], [1.0], [3.0]]), 1)
    >>> print(distances.ravel(), indices.ravel(), method)
    [1. 1. 2.] [1 0 1] exact
    """
    k = int(k)
    if in_blocks(X):
        return _in_blocks(RowBlocks(X), k, metric, method, n_jobs, random_state)
    if metric == "precomputed":
        return *_given_neighbors(X, k), "exact"
    X = sound_points(_as_float(X))
    n = X.shape[0]
    if k == 0:
        return np.empty((n, 0)), np.empty((n, 0), np.int32), "exact"
    tree = metric == "euclidean" and X.shape[1] <= TREE_FEATURES and not sparse.issparse(X)
    if method == "auto":
        method = "exact" if tree or _affordable(X) else "approximate"
    if method == "approximate":
        found = approximate_neighbors(X, k, metric, n_jobs, random_state)
    elif method == "clusters":
        if sparse.issparse(X):
            raise ValueError("method='clusters' takes dense points; got a sparse matrix. Take method='approximate'.")
        found = cluster_neighbors(X, k, metric, n_jobs, random_state)
    elif sparse.issparse(X):
        found = sparse_neighbors(X, k, metric, n_jobs)
    else:
        search = (
            partial(tree_neighbors, n_jobs=n_jobs) if tree else partial(dense_neighbors, metric=metric, n_jobs=n_jobs)
        )
        # cosine knows no exact 0: there even a row and its copy are apart by rounding
        groups = copies(X, k + 1) if metric == "euclidean" else None
        found = search(X, k) if groups is None else neighbors_of_copies(X, k, groups, search)
    check_indices(found[1])
    return *found, method


def _in_blocks(blocks, k, metric, method, n_jobs, random_state):
    if method == "clusters" and metric != "precomputed" and k > 0:
        return *cluster_neighbors(blocks, k, metric, n_jobs, random_state), method
    return nearest_neighbors(blocks.whole(), k, metric, method, n_jobs, random_state)


def neighbor_recall(X, distances, indices, metric="euclidean", n_jobs=None, random_state=0) -> float:
    """Share of the true neighbours among those found, estimated from a sample of rows."""
    if isinstance(X, RowBlocks):
        return recall_in_blocks(X, distances, metric, random_state)
    X = sound_points(_as_float(X))
    points = (SparsePoints if sparse.issparse(X) else as_points)(X, metric)
    return sampled_recall(points, distances, indices, n_jobs, random_state)


def _given_neighbors(D, k):
    """Neighbours by a matrix of distances."""
    if sparse.issparse(D) or D.shape[0] != D.shape[1]:
        raise ValueError(
            "metric='precomputed' takes X as the dense n x n matrix of distances between the points; "
            f"got {'a sparse matrix of ' if sparse.issparse(D) else ''}shape {D.shape}."
        )
    D = np.array(D, dtype=float)
    if D.min() < 0:
        raise ValueError(f"metric='precomputed' takes distances, which are not negative; got {D.min():g}.")
    np.fill_diagonal(D, np.inf)
    indices = np.argsort(D, axis=1, kind="stable")[:, :k].astype(np.int32)
    return np.take_along_axis(D, indices, axis=1), indices


def _affordable(X) -> bool:
    """Whether exact search stays within the limits above."""
    n, d = X.shape
    if sparse.issparse(X):
        return float(n) ** 2 + np.square(np.bincount(X.indices, minlength=d), dtype=float).sum() <= SPARSE_WORK
    return float(n) ** 2 * (d + 256) <= DENSE_WORK


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
