"""Features R (n x r) of functions expanded over r basis points, held or made anew a block of rows at a time.

Machines on K = R R' never need more of R than its labelled rows, products R w, and R'L^pR, which is r x r. Both classes
offer just that. The second one needs O(block r + r^2) memory, whatever n is.

**R'LR by blocks.** A block B of rows of L touches the rows of R at its neighbours too, so their features have to be
made again with every block that touches them. Two things keep that small. Rows are taken in the order of Cuthill and
McKee, reversed, in which neighbours are near each other. And L = U + U' with U its upper triangle in that order (half
of each diagonal block), so that R'LR = S + S' with S = R'UR, and a block touches later rows only. For 200,000
points of two moons in random order (6 neighbours, blocks of 8,192 rows) 7.0 rows are made for each row; U alone brings
that to 4.0, the order alone to 1.31, both to 1.14.
"""

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from mr.graph.base import FittedGraph
from mr.graph.blocks import RowBlocks
from mr.graph.product import sparse_product
from mr.kernels.kernel import PRECOMPUTED
from mr.kernels.products import multiply
from mr.kernels.reduced import basis_map

TOUCHED = 2
"""Rows that a block may touch, as a multiple of the rows of a block; one that touches more is cut in two."""


class HeldFeatures:
    """R in memory."""

    def __init__(self, factor):
        self.factor, self.shape = factor, factor.shape

    def rows(self, rows) -> np.ndarray:
        """R[rows]."""
        return self.factor[rows]

    def values(self, weights) -> np.ndarray:
        """R w at all points."""
        return multiply(self.factor, weights)

    def transposed(self, values) -> np.ndarray:
        """R'v of values at all points."""
        return multiply(self.factor.T, values)

    def gram(self) -> np.ndarray:
        """R'R."""
        return multiply(self.factor.T, self.factor)

    def smoothness(self, graph) -> np.ndarray:
        """R'L^pR, symmetric up to rounding."""
        return multiply(self.factor.T, graph.apply(self.factor))


class StreamedFeatures:
    """R = k(X, points) T, made when it is needed.

    Parameters
    ----------
    kernel : Kernel
    blocks : mr.graph.blocks.RowBlocks
        The n rows of X.
    points : array or sparse matrix (m, d)
    transform : array (m, r)
        T.
    """

    factor = None

    def __init__(self, kernel, blocks, points, transform):
        self.kernel, self.blocks, self.points, self.transform = kernel, blocks, points, transform
        self.shape = blocks.shape[0], transform.shape[1]
        self._known = None, None

    def __getstate__(self):
        # what goes to the workers of a cluster, inside functions of a block: not the rows, nor what is known of them
        return {**self.__dict__, "blocks": None, "_known": (None, None)}

    def knows(self, graph) -> bool:
        """Whether ``smoothness`` of this graph has been computed."""
        return self._known[0] is graph

    def of(self, X) -> np.ndarray:
        """Features of these points."""
        return multiply(self.kernel(X, self.points), self.transform)

    def rows(self, rows):
        return self.of(self.blocks.take(rows))

    def values(self, weights):
        kernel, points, coefficients = self.kernel, self.points, multiply(self.transform, weights)
        return self.blocks.collect(lambda block: multiply(kernel(block, points), coefficients))

    def transposed(self, values):
        kernel, points = self.kernel, self.points
        total = self.blocks.sum_beside(lambda block, part: multiply(kernel(block, points).T, part), values)
        return multiply(self.transform.T, total)

    def gram(self):
        (total,) = self.blocks.sum(self._gram_of)
        return 0.5 * (total + total.T)

    def _gram_of(self, block):
        F = self.of(block)
        return (multiply(F.T, F),)

    def smoothness(self, graph):
        # asked for by the choice of weights and again by the solution
        if not self.knows(graph):
            self._known = graph, self.blocks.sum_touched(self._terms, graph_parts(graph, self.blocks.rows_at_once))
        return self._known[1]

    def _terms(self, X, left, right):
        F = self.of(X)
        return multiply(sparse_product(left, F).T, sparse_product(right, F))


def features_of(kernel, X, points, held_bytes):
    """Features of X (a matrix or RowBlocks) over basis points, held where they are small, and their map T."""
    transform = basis_map(kernel, points)
    if not isinstance(X, RowBlocks) and (8 * X.shape[0] * points.shape[0] <= held_bytes or kernel.name == PRECOMPUTED):
        return HeldFeatures(multiply(kernel(X, points), transform)), transform
    return StreamedFeatures(kernel, RowBlocks(X, points.shape[0]), points, transform), transform


def can_be_streamed(graph) -> bool:
    """Whether the graph's operator is a power of a sparse matrix, not just a function."""
    return isinstance(graph, FittedGraph)


def graph_parts(graph, rows_at_once):
    """Triples (touched, left, right) with R'L^pR = sum (left R_touched)'(right R_touched), made symmetric.

    ``touched`` are ascending row numbers, ``left`` and ``right`` sparse with a column for each of them: rows of L^q and
    of L^(p - q), q = p // 2. For p = 1 they are the identity and U of the module's docstring.
    """
    L, n = graph.laplacian_, graph.laplacian_.shape[0]
    order = np.asarray(csgraph.reverse_cuthill_mckee(L, symmetric_mode=True), dtype=np.int64)
    position = np.empty(n, dtype=np.int64)
    position[order] = np.arange(n)
    pending = [(start, min(start + rows_at_once, n)) for start in range(0, n, rows_at_once)][::-1]
    while pending:
        start, stop = pending.pop()
        rows = order[start:stop]
        if graph.power == 1:
            left, right = _power(L, rows, 0), _upper(L[rows], position, start, stop)
        else:
            left = _power(L, rows, graph.power // 2)
            right = left @ L if graph.power % 2 else left
        touched = np.unique(np.concatenate([left.indices, right.indices]))
        if len(touched) > TOUCHED * rows_at_once and stop - start > 1:
            middle = (start + stop) // 2
            pending += [(middle, stop), (start, middle)]
            continue
        yield touched, _columns(left, touched), _columns(right, touched)


def _power(L, rows, q):
    """The rows of L^q."""
    result = sparse.csr_array((np.ones(len(rows)), rows, np.arange(len(rows) + 1)), shape=(len(rows), L.shape[0]))
    for _ in range(q):
        result = (result @ L).tocsr()
    return result


def _upper(rows, position, start, stop):
    """Rows start..stop of 2 U, in the order of ``position``: what is before them dropped, what is after them doubled.

    Summed and made symmetric, that is L.
    """
    place = position[rows.indices]
    kept = place >= start
    starts = np.concatenate([[0], np.cumsum(kept)])[rows.indptr]
    weights = np.where(place < stop, rows.data, 2.0 * rows.data)[kept]
    return sparse.csr_array((weights, rows.indices[kept], starts), shape=rows.shape)


def _columns(matrix, touched):
    """The matrix with only these of its columns, which hold all its entries."""
    return sparse.csr_array(
        (matrix.data, np.searchsorted(touched, matrix.indices), matrix.indptr), shape=(matrix.shape[0], len(touched))
    )
