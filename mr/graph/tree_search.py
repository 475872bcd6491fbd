"""Exact neighbours in low dimension by a k-d tree."""

import numpy as np
from scipy.spatial import cKDTree

from mr.graph.threads import n_threads

ROWS = 1 << 18
"""Rows asked for at once when ties make the tree look further."""


def tree_neighbors(X, k, n_jobs=None):
    """Euclidean distances and indices (n, k) of the k nearest other points, ascending, ties by index.

    The tree is asked for one point more than the k + 1 that include the point itself. When the last two are equally
    far, the tie may reach further than what came back, so those rows ask again for more until it is seen whole.
    """
    n = X.shape[0]
    X = np.ascontiguousarray(X, dtype=np.float64)
    tree = cKDTree(X, leafsize=8, balanced_tree=False)
    distances, indices = np.empty((n, k)), np.empty((n, k), np.int32)
    # asking in the order of the tree's leaves keeps each query in the cache of the one before
    pending, wanted = tree.indices, min(k + 2, n)
    while len(pending):
        again = []
        step = max(1, ROWS * (k + 2) // wanted)
        for start in range(0, len(pending), step):
            rows = pending[start : start + step]
            d, found = tree.query(X[rows], wanted, workers=n_threads(n_jobs))
            distances[rows], indices[rows] = _ranked(rows, d, found, k)
            if wanted < n:
                again.append(rows[distances[rows, -1] >= d[:, -1]])
        pending = np.concatenate(again) if again else pending[:0]
        wanted = min(2 * wanted, n)
    return distances, indices


def _ranked(rows, d, found, k):
    """First k of each row by (distance, index), the point itself left out."""
    d = np.where(found == rows[:, None], np.inf, d)
    if np.any(d[:, 1:] <= d[:, :-1]):
        order = np.lexsort((found, d), axis=1)[:, :k]
        return np.take_along_axis(d, order, 1), np.take_along_axis(found, order, 1)
    return d[:, :k], found[:, :k]
