"""Exact neighbours of dense points by blocked matrix products.

Two steps. *Candidates*: with c = centred (or, for cosine, unit) points in single precision, the key |c_j|^2 - 2 c_i.c_j
orders the neighbours of i. The matrix of inner products is symmetric, so each off-diagonal block is computed once and
offered to its rows and to its columns; every point keeps the k + EXTRA smallest keys. *Proof*: candidates are ranked
again by double precision differences. A point j that is no candidate has key >= cutoff_i, hence true key >= cutoff_i -
E_i with the rounding bound E_i below; if the k-th candidate is nearer than that, the list is proved exact. The few
points where the proof fails (ties, tight clusters) are searched once more in double precision, where everything within
the bound is ranked.
"""

from dataclasses import dataclass

import numpy as np

from mr.graph import selection
from mr.graph.threads import team

BLOCK = 2048
EXTRA = 12
PAIRS = 1 << 22
"""Pairs ranked at once when a row has to be searched again."""


@dataclass(frozen=True)
class Points:
    """Rows of X as the search sees them: c = (x - shift) * scale, with a scale for each row."""

    X: np.ndarray
    metric: str
    shift: np.ndarray
    scale: np.ndarray
    norms: np.ndarray
    """|c|, in double precision."""

    def rows(self, which) -> np.ndarray:
        return (self.X[which].astype(np.float64) - self.shift) * self.scale[which, None]

    def squares(self) -> np.ndarray:
        """The |c_j|^2 of the key; for cosine the key is the inner product alone."""
        return self.norms**2 if self.metric == "euclidean" else np.zeros_like(self.norms)

    def distances(self, rows, columns, share) -> np.ndarray:
        """Exact distance of each pair: Euclidean, or 1 - cosine similarity."""
        out = np.empty(len(rows))
        kernel = selection.squared_distances if self.metric == "euclidean" else selection.inner_products
        share(lambda lo, hi: kernel(self.X, rows[lo:hi], columns[lo:hi], out[lo:hi]), len(rows))
        if self.metric == "euclidean":
            return np.sqrt(out)
        return np.clip(1.0 - out * self.scale[rows] * self.scale[columns], 0.0, 2.0)

    def key_of(self, rows, distance) -> np.ndarray:
        """The key that a point at this distance has."""
        if self.metric == "euclidean":
            return (distance * self.scale[rows]) ** 2 - self.norms[rows] ** 2
        return 2.0 * distance - 2.0

    def error_bound(self, precision) -> np.ndarray:
        """E_i: largest error of a computed key of row i against any column.

        Rounding c to u-precision, the inner product in any order of summation (Higham, gamma_d), |c_j|^2 and the final
        subtraction together cost at most 2 gamma_{d+8} |c_i| R + 4 u R (R + |c_i|) with R = max |c|.
        """
        u = np.finfo(precision).eps / 2
        largest = self.norms.max()
        gamma = (self.X.shape[1] + 8) * u
        gamma = gamma / (1 - gamma) if gamma < 0.5 else np.inf
        # subnormal entries are rounded absolutely, not relatively; the last term covers them
        return 2 * gamma * self.norms * largest + 4 * u * largest * (largest + self.norms) + 1e-30


def as_points(X, metric) -> Points:
    n, d = X.shape
    shift = np.zeros(d)
    if metric == "euclidean":
        shift = X.mean(axis=0, dtype=np.float64)
        norms = _norms(X, shift)
        largest = norms.max()
        # a power of two keeps the scaling exact, and single precision away from overflow
        unit = 2.0 ** -np.ceil(np.log2(largest)) if largest > 0 else 1.0
        scale = np.full(n, unit)
        return Points(X, metric, shift, scale, norms * unit)
    norms = _norms(X, shift)
    scale = 1.0 / np.where(norms > 0, norms, 1.0)
    return Points(X, metric, shift, scale, (norms > 0).astype(float))


def _norms(X, shift):
    out = np.empty(X.shape[0])
    for start in range(0, len(out), BLOCK):
        rows = X[start : start + BLOCK].astype(np.float64) - shift
        out[start : start + BLOCK] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return out


def dense_neighbors(X, k, metric, n_jobs=None):
    """Distances and indices (n, k) of the k nearest other points, ascending, ties by index."""
    n = X.shape[0]
    points = as_points(X, metric)
    m = min(k + EXTRA, n - 1)
    with team(n_jobs) as share:
        cutoffs, candidates = _candidates(points, m, share)
        rows = np.repeat(np.arange(n, dtype=np.int32), m)
        distances = points.distances(rows, candidates.ravel(), share).reshape(n, m)
        order = np.lexsort((candidates, distances), axis=1)[:, :k]
        distances = np.take_along_axis(distances, order, 1)
        indices = np.take_along_axis(candidates, order, 1)
        if m < n - 1:
            proved = cutoffs - points.error_bound(np.float32) > points.key_of(np.arange(n), distances[:, -1])
            search_rows(points, np.flatnonzero(~proved), distances, indices, share)
    return distances, indices


def _candidates(points, m, share):
    """Largest kept key (n,) and the m candidates (n, m) of every point."""
    n, d = points.X.shape
    C = np.empty((n, d), np.float32)
    for start in range(0, n, BLOCK):
        C[start : start + BLOCK] = points.rows(slice(start, start + BLOCK))
    squares = points.squares().astype(np.float32)
    values = np.full((n, m), np.inf, np.float32)
    indices = np.full((n, m), -1, np.int32)
    buffer = np.empty(min(n, BLOCK) ** 2, np.float32)
    for row0 in range(0, n, BLOCK):
        A = C[row0 : row0 + BLOCK]
        for col0 in range(row0, n, BLOCK):
            B = C[col0 : col0 + BLOCK]
            products = buffer[: len(A) * len(B)].reshape(len(A), len(B))
            share(_row_products(A, B, products), len(A))
            _offer(products, squares, row0, col0, values, indices, share)
    return values[:, 0].astype(np.float64), indices


def _row_products(A, B, products):
    """Work that fills rows of ``products`` = A B'."""
    return lambda lo, hi: np.matmul(A[lo:hi], B.T, out=products[lo:hi])


def _offer(products, squares, row0, col0, values, indices, share):
    """Offer a block to its rows and, off the diagonal, to its columns; heaps are disjoint, so threads need no lock."""
    state = (products, squares, row0, col0)
    height, width = products.shape

    def work(lo, hi):
        selection.offer_columns_to_rows(*state, lo, min(hi, height), values, indices)
        if col0 > row0:
            selection.offer_rows_to_columns(*state, lo, min(hi, width), values, indices)

    share(work, max(height, width))


def search_rows(points, rows, distances, indices, share):
    """Rank, for each of these rows, every point whose double precision key is within the bound of the k-th candidate's.

    Improves ``distances`` and ``indices`` in place; a row whose last distance is infinite is searched whole.
    """
    n, k = indices.shape
    squares, bound = points.squares(), points.error_bound(np.float64)
    step = max(1, PAIRS // n)
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        limit = points.key_of(part, distances[part, -1]) + 2 * bound[part]
        A = points.rows(part)
        found = []
        for col0 in range(0, n, BLOCK):
            B = points.rows(slice(col0, col0 + BLOCK))
            products = np.empty((len(A), len(B)))
            share(_row_products(A, B, products), len(A))
            at, columns = np.nonzero(squares[col0 : col0 + BLOCK] - 2 * products <= limit[:, None])
            found.append((at, columns + col0))
        at, columns = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        other = part[at] != columns
        at, columns = at[other], columns[other]
        d = points.distances(part[at], columns, share)
        order = np.lexsort((columns, d, at))
        first = np.searchsorted(at[order], np.arange(len(part)))
        chosen = order[first[:, None] + np.arange(k)]
        distances[part], indices[part] = d[chosen], columns[chosen]
