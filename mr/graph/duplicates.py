"""Exact neighbours where points occur many times: the search is among distinct points, their copies are counted after.

A search that has to rank all copies of a point for each of its copies is quadratic in their number. Ties go to the
smaller index, so the neighbours of a point are known from those of its first copy: let distinct points be numbered by
their first copy. A point among the k + 1 nearest rows (itself at distance 0 included) is a copy of one of the k + 1
nearest distinct points, ties again to the smaller number, because every distinct point before its own has a copy, the
first one, before it.
"""

import numpy as np

PAIRS = 1 << 22
"""Pairs of a distinct point and a neighbouring row that are ranked at once."""


def copies(X, most):
    """For every row the number of its distinct point, in the order of first rows; None if none has > ``most`` copies.

    Costs one pass over X and a sort of n numbers, unless there are such points.
    """
    n, d = X.shape
    if n <= most:
        return None
    # Equal rows have equal sums, computed column by column: the order of the operations is the same in every row.
    marks = np.zeros(n)
    for column, weight in zip(X.T, np.random.default_rng(0).uniform(0.5, 1.5, d), strict=True):
        marks += weight * column
    if _largest_group(np.sort(marks)) <= most:
        return None
    order = np.lexsort(X.T[::-1])
    starts = np.r_[True, (X[order[1:]] != X[order[:-1]]).any(axis=1)]
    groups = np.empty(n, np.intp)
    groups[order] = np.cumsum(starts) - 1
    # lexsort is stable, so the first of each run is the smallest index
    renumbered = np.empty(starts.sum(), np.intp)
    renumbered[np.argsort(order[starts])] = np.arange(len(renumbered))
    groups = renumbered[groups]
    return groups if np.bincount(groups).max() > most else None


def _largest_group(ascending) -> int:
    edges = np.flatnonzero(np.r_[True, ascending[1:] != ascending[:-1], True])
    return int(np.diff(edges).max())


def neighbors_of_copies(X, k, groups, search):
    """Euclidean distances and indices (n, k) of the k nearest other rows, ascending, ties by index.

    Parameters
    ----------
    X : array (n, d)
    k : int
    groups : array (n,)
        What :func:`copies` says.
    search : function (points, k) -> distances, indices
        The exact search among distinct points.
    """
    n = len(groups)
    by_group = np.argsort(groups, kind="stable")
    counts = np.bincount(groups)
    first = np.cumsum(counts) - counts
    distances, near = _near_points(X[by_group[first]], k, search)
    ranked = np.empty((len(counts), k + 1)), np.empty((len(counts), k + 1), np.int32)
    step = max(1, PAIRS // ((k + 1) * near.shape[1]))
    for start in range(0, len(counts), step):
        part = slice(start, start + step)
        near_rows = _nearest_rows(distances[part], near[part], first, counts, by_group, k + 1)
        ranked[0][part], ranked[1][part] = near_rows
    distances, indices = (found[groups] for found in ranked)
    # the row itself is left out, or the last one where more copies than k come before it
    itself = indices == np.arange(n)[:, None]
    left_out = np.where(itself.any(axis=1), itself.argmax(axis=1), k)
    kept = np.arange(k + 1) != left_out[:, None]
    return distances[kept].reshape(n, k), indices[kept].reshape(n, k)


def _near_points(points, k, search):
    """Distances and numbers of the k + 1 nearest distinct points of each, itself first."""
    m = len(points)
    distances, near = np.zeros((m, 1)), np.arange(m)[:, None]
    if m == 1:
        return distances, near
    further, others = search(points, min(k, m - 1))
    return np.hstack([distances, further]), np.hstack([near, others])


def _nearest_rows(distances, near, first, counts, by_group, wanted):
    """The ``wanted`` nearest rows of each point, by (distance, index), from its nearest distinct points."""
    m, width = near.shape
    taken = np.minimum(counts[near], wanted)
    before = np.cumsum(taken, axis=1) - taken
    # of a tie all points take part: the smaller index decides
    opens = np.hstack([np.ones((m, 1), bool), distances[:, 1:] != distances[:, :-1]])
    run = np.maximum.accumulate(np.where(opens, np.arange(width), 0), axis=1)
    taken[np.take_along_axis(before, run, axis=1) >= wanted] = 0
    sizes = taken.ravel()
    offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    at = np.repeat(np.arange(m), taken.sum(axis=1))
    rows = by_group[np.repeat(first[near].ravel(), sizes) + offsets]
    d = np.repeat(distances.ravel(), sizes)
    order = np.lexsort((rows, d, at))
    chosen = order[np.searchsorted(at, np.arange(m))[:, None] + np.arange(wanted)]
    return d[chosen], rows[chosen]
