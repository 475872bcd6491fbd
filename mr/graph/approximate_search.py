"""Approximate neighbours by nearest neighbour descent (Dong, Moses and Li 2011), through pynndescent."""

import warnings
from functools import cache

import numba
import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from mr.extras import require
from mr.graph.base import GraphWarning
from mr.graph.dense_search import BLOCK, as_points, search_rows
from mr.graph.sparse_search import SparsePoints
from mr.graph.threads import n_threads, team
from mr.graph.union import check_indices

EXTRA = 5
"""Neighbours more than asked for that the descent keeps; they raise the recall of those that are."""


def approximate_neighbors(X, k, metric, n_jobs=None, random_state=0):
    """Distances and indices (n, k), ascending, ties by index; distances are exact, some neighbours may be missed."""
    n = X.shape[0]
    is_sparse = sparse.issparse(X)
    points = SparsePoints(X, metric) if is_sparse else as_points(X, metric)
    found = _descent(X if is_sparse else _single(points), min(k + 1 + EXTRA, n), metric, n_jobs, random_state)
    check_indices(found, lowest=-1)
    with team(n_jobs) as share:
        rows = np.repeat(np.arange(n, dtype=np.int32), found.shape[1])
        distances = points.distances(rows, np.maximum(found.ravel(), 0), share).reshape(found.shape)
        # not the point itself; -1 is a place that the descent could not fill
        distances[(found == np.arange(n)[:, None]) | (found < 0)] = np.inf
        order = np.lexsort((found, distances), axis=1)[:, :k]
        distances, indices = np.take_along_axis(distances, order, 1), np.take_along_axis(found, order, 1)
        short = np.flatnonzero(np.isinf(distances).any(axis=1))
        if is_sparse:
            distances[short], indices[short] = points.search(short, k, share)
        else:
            search_rows(points, short, distances, indices, share)
    return distances, indices


def _single(points):
    out = np.empty(points.X.shape, np.float32)
    for start in range(0, len(out), BLOCK):
        out[start : start + BLOCK] = points.rows(slice(start, start + BLOCK))
    return out


@cache
def _announce_compilation():
    """Say, once per process, why nothing happens for so long."""
    warnings.warn(
        "Approximate neighbours: pynndescent compiles itself now, once in every process, which takes 30 to 100 seconds "
        "before the search begins. method='exact' needs none of it.",
        GraphWarning,
        stacklevel=7,
    )


def _descent(data, size, metric, n_jobs, random_state):
    # imported here: it costs seconds and most graphs do not need it
    pynndescent = require("pynndescent", extra="neighbors", purpose='method="approximate"')
    _announce_compilation()
    # pynndescent takes the legacy sparse matrix only
    data = sparse.csr_matrix(data, dtype=np.float32) if sparse.issparse(data) else data
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    threads = min(n_threads(n_jobs), numba.config.NUMBA_NUM_THREADS)
    index = pynndescent.NNDescent(data, metric=metric, n_neighbors=size, random_state=seed, n_jobs=threads)
    return index.neighbor_graph[0].astype(np.int32)
