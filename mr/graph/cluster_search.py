"""Approximate neighbours by clusters with overlap: every point joins its nearest few clusters, search inside is exact.

A pair of neighbours is found if both points have joined a common cluster. With clusters of a fixed size the work grows
as n, not as n^2, but for the n^2 / size products that find the nearest centres, which are cheap. No part of it needs
all points at once: they are read through :class:`mr.graph.blocks.RowBlocks`, and the chunks of a dask array are
searched where they are.
"""

from functools import partial
from threading import Lock

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

from mr.graph import selection
from mr.graph.blocks import RowBlocks
from mr.graph.dense_search import BLOCK, dense_neighbors, search_rows
from mr.graph.threads import n_threads, team

SIZE = 2000
"""Points of a cluster, on average."""
OVERLAP = 4
"""Clusters that a point joins."""
SAMPLE = 20
"""Rows for each centre in the sample that the centres are found from."""
SPARE = 4
"""Centres beyond OVERLAP that are candidates of a row."""
ROWS = 512
"""Rows whose products with centres are made at once."""
RECALL_ROWS = 200
"""Rows whose neighbours are searched among all points, to estimate the recall."""


def cluster_neighbors(X, k, metric, n_jobs=None, random_state=0):
    """Distances and indices (n, k), ascending, ties by index; distances are exact, some neighbours may be missed.

    X is a dense matrix, or rows that come in blocks.
    """
    blocks = RowBlocks(X)
    n = blocks.shape[0]
    joined = join_clusters(blocks, find_centres(blocks, metric, random_state), metric, k, n_jobs)
    distances, indices = np.full((n, k), np.inf), np.full((n, k), -1, np.int32)
    order = np.argsort(joined.ravel(), kind="stable")
    edges = np.searchsorted(joined.ravel()[order], np.arange(joined.max() + 2))
    clusters = [order[first:last] // joined.shape[1] for first, last in zip(edges[:-1], edges[1:], strict=True)]

    def keep(members, found):
        distances[members], indices[members] = merge(
            (distances[members], found[0]), (indices[members], members[found[1]].astype(np.int32)), k
        )

    if blocks.is_distributed:
        search = partial(dense_neighbors, k=k, metric=metric, n_jobs=n_jobs)
        for members, found in zip(clusters, blocks.each_touched(search, [(part,) for part in clusters]), strict=True):
            keep(members, found)
    else:
        _search_in_threads(blocks, clusters, partial(dense_neighbors, k=k, metric=metric, n_jobs=1), keep, n_jobs)
    return distances, indices


def _search_in_threads(blocks, clusters, search, keep, n_jobs):
    """Every thread searches clusters of its own: they are too small to be shared. The result knows no order."""
    one_at_a_time = Lock()

    def work(lo, hi):
        for members in clusters[lo:hi]:
            found = search(blocks.take(members))
            with one_at_a_time:
                keep(members, found)

    with team(n_jobs) as share:
        share(work, len(clusters), parts=min(len(clusters), 4 * n_threads(n_jobs)))


def find_centres(blocks, metric, random_state):
    """Centres of n OVERLAP / SIZE clusters, by k-means on a sample of rows."""
    n, rng = blocks.shape[0], check_random_state(random_state)
    count = max(1, round(n * OVERLAP / SIZE))
    sample = _points(blocks.take(np.sort(rng.choice(n, min(n, SAMPLE * count), replace=False))), metric)
    seed = rng.randint(np.iinfo(np.int32).max)
    return KMeans(count, init="random", n_init=1, max_iter=5, random_state=seed).fit(sample).cluster_centers_


def join_clusters(blocks, centres, metric, k, n_jobs=None) -> np.ndarray:
    """Numbers (n, OVERLAP) of the clusters of each row; every cluster has more than k members.

    Centres that fewer points join are given up, so that each point finds k neighbours inside its clusters.
    """
    while True:
        joined = blocks.collect(partial(nearest_centres, centres=centres, metric=metric, n_jobs=n_jobs))
        enough = np.bincount(joined.ravel(), minlength=len(centres)) > k
        if enough.all() or len(centres) == 1:
            return joined
        centres = centres[enough] if enough.any() else centres[: len(centres) // 2]


def nearest_centres(X, centres, metric, n_jobs=None) -> np.ndarray:
    """Numbers (n, OVERLAP) of the nearest centres of each row, nearest first, ties by number.

    Candidates come from products in single precision, the order among them from differences in double precision. The
    n^2 OVERLAP / SIZE keys are thus as cheap as they can be, and no row depends on the block it comes with.
    """
    m = min(OVERLAP + SPARE, len(centres))
    shift = centres.mean(axis=0)
    moved = centres - shift
    unit = np.sqrt(np.einsum("ij,ij->i", moved, moved).max()) or 1.0
    C = (moved / unit).astype(np.float32)
    squares = np.einsum("ij,ij->i", C, C)
    result = np.empty((X.shape[0], min(OVERLAP, len(centres))), np.int32)

    def work(lo, hi):
        for start in range(lo, hi, ROWS):
            points = _points(X[start : min(start + ROWS, hi)], metric)
            A = ((points - shift) / unit).astype(np.float32)
            values, found = np.full((len(A), m), np.inf, np.float32), np.zeros((len(A), m), np.int32)
            for first in range(0, len(C), BLOCK):
                selection.nearest_columns(A @ C[first : first + BLOCK].T, squares, first, 0, len(A), values, found)
            exact = np.empty((len(A), m))
            selection.squared_distances_to(points, centres, found, exact)
            order = np.lexsort((found, exact), axis=1)[:, : result.shape[1]]
            result[start : start + len(A)] = np.take_along_axis(found, order, 1)

    with team(n_jobs) as share:
        share(work, len(result))
    return result


def merge(distances, indices, k):
    """The k nearest of two lists of neighbours per row, those that are in both once."""
    distances, indices = np.hstack(distances), np.hstack(indices)
    order = np.lexsort((indices, distances), axis=1)
    distances, indices = np.take_along_axis(distances, order, 1), np.take_along_axis(indices, order, 1)
    again = np.zeros(indices.shape, bool)
    again[:, 1:] = (indices[:, 1:] == indices[:, :-1]) & np.isfinite(distances[:, 1:])
    distances[again] = np.inf
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, 1), np.take_along_axis(indices, order, 1)


def sampled_recall(points, distances, indices, n_jobs=None, random_state=0) -> float:
    """Share of true neighbours among those found, on RECALL_ROWS rows; equally near points count as found."""
    n = len(indices)
    rows = np.sort(check_random_state(random_state).choice(n, min(RECALL_ROWS, n), replace=False))
    with team(n_jobs) as share:
        if hasattr(points, "search"):  # sparse points
            true = points.search(rows, indices.shape[1], share)[0]
        else:
            # what is nearer than the last neighbour found is all that has to be looked at
            better, others = distances.copy(), indices.copy()
            search_rows(points, rows, better, others, share)
            true = better[rows]
    return float((distances[rows] <= true[:, -1:] * (1 + 1e-12)).mean())


def recall_in_blocks(blocks, distances, metric, random_state=0) -> float:
    """As :func:`sampled_recall` for rows that come in blocks: one pass over them."""
    n, k = distances.shape
    rows = np.sort(check_random_state(random_state).choice(n, min(RECALL_ROWS, n), replace=False))
    (parts,) = blocks.sum(partial(_nearest_in_block, blocks.take(rows), k + 1, metric))
    true = np.sort(np.hstack(parts), axis=1)[:, k]  # the nearest is the point itself
    return float((distances[rows] <= true[:, None] * (1 + 1e-9) + 1e-15).mean())


def _nearest_in_block(points, k, metric, block):
    """The k smallest distances of points to the rows of a block, in a list of one."""
    if metric == "cosine":
        found = np.clip(1.0 - _points(points, metric) @ _points(block, metric).T, 0.0, 2.0)
    else:
        found = cdist(points, block)
    return ([np.partition(found, k - 1, axis=1)[:, :k] if found.shape[1] > k else found],)


def _points(X, metric):
    return normalize(X) if metric == "cosine" else X
