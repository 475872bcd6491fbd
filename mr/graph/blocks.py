"""Rows of a data set, a block at a time: what is computed by sums over rows never needs them all in memory."""

from functools import partial

import numpy as np
from scipy import sparse

from mr._sklearn import check_array
from mr.graph.dask_blocks import (
    beside_tasks,
    compute_all,
    compute_sum,
    is_dask_array,
    map_chunks,
    row_tasks,
    touched_tasks,
)
from mr.graph.scale import check_peak, peak

PARTS_AT_ONCE = 64  # results that are on their way from a cluster together
BLOCK_BYTES = 2**25  # of an intermediate of one block: large enough for BLAS, small against the data


class RowBlocks:
    """A matrix as a sequence of row blocks that can be read again and again.

    What is computed from all rows goes through ``sum`` or ``collect``: a function of one block, whose results are added
    or joined. So the same code serves data in memory and data that is somewhere else.

    Parameters
    ----------
    source : one of
        - an array, memory map or CSR matrix;
        - a dask array (anything with ``numblocks``, ``blocks`` and ``compute``), chunked by rows;
        - a list, or any other object that can be iterated several times, of blocks;
        - a function without arguments that returns a fresh iterator over blocks (a generator function, say);
        - other RowBlocks.
    width : int
        Columns of what will be computed for every row. Blocks are cut so that rows x width numbers stay small.
    """

    def __init__(self, source, width=200):
        if hasattr(source, "__next__"):
            raise TypeError(
                "The rows are read several times, but an iterator can be read once; pass a list of blocks, or the "
                "function that makes the iterator."
            )
        if isinstance(source, RowBlocks):
            self.__dict__.update(source.__dict__)  # what is known of the rows already stays known
        else:
            self.source = source
        self.rows_at_once = max(64, BLOCK_BYTES // (8 * max(int(width), 1)))

    @property
    def is_distributed(self) -> bool:
        """Whether functions go to the rows, as chunks of a dask array, and not rows to the functions."""
        return is_dask_array(self.source)

    def __iter__(self):
        n_features = None
        for whole in self._wholes():
            for start in range(0, whole.shape[0], self.rows_at_once):
                block = whole[start : start + self.rows_at_once]
                if not is_plain(whole):
                    block = check_array(block, accept_sparse="csr", dtype=np.float64)
                if n_features not in (None, block.shape[1]):
                    raise ValueError(f"A block has {block.shape[1]} columns, an earlier one {n_features}.")
                n_features = block.shape[1]
                yield block

    def _wholes(self):
        source = self.source
        if is_matrix(source):
            yield source
        elif is_dask(source):
            for i in range(source.numblocks[0]):
                yield source.blocks[i].compute()
        else:
            yield from source() if callable(source) else source

    def sum(self, function):
        """Sum over the blocks of ``function(block)``, a tuple of numbers and arrays."""
        if is_dask_array(self.source):
            return compute_sum(map_chunks(self.source, partial(_sum_of, function, self.rows_at_once)), total)
        return total(function(block) for block in self)

    def collect(self, function) -> np.ndarray:
        """``function(block)``, an array with one row for each row of the block, joined over the blocks."""
        if is_dask_array(self.source):
            return join(compute_all(map_chunks(self.source, partial(_collect_of, function, self.rows_at_once))))
        return np.concatenate([function(block) for block in self])

    def sum_touched(self, function, parts) -> np.ndarray:
        """Sum over ``parts`` (rows, *arguments) of ``function(X[rows], *arguments)``, a square matrix; symmetric."""
        if is_dask_array(self.source):
            result = compute_sum(touched_tasks(self.source, function, join_doubles, parts), sum)
            return 0.5 * (result + result.T)
        result = 0.0
        for rows, *arguments in parts:
            result = result + function(self.take(rows), *arguments)
        return 0.5 * (result + result.T)

    def sum_beside(self, function, values) -> np.ndarray:
        """Sum over the blocks of ``function(block, values of its rows)``, an array; ``values`` has one row per row."""
        if is_dask_array(self.source):
            return compute_sum(beside_tasks(self.source, partial(_beside_of, function, self.rows_at_once), values), sum)
        result, start = 0.0, 0
        for block in self:
            result = result + function(block, values[start : start + block.shape[0]])
            start += block.shape[0]
        return result

    def part(self, rows) -> "RowBlocks":
        """The rows with these ascending numbers, in blocks again."""
        if is_matrix(self.source) or is_dask_array(self.source):
            return RowBlocks(self.source[rows])

        def blocks():
            start = 0
            for block in self:
                first, last = np.searchsorted(rows, [start, start + block.shape[0]])
                if last > first:
                    yield block[rows[first:last] - start]
                start += block.shape[0]

        return RowBlocks(blocks)

    def each_touched(self, function, parts):
        """Results of ``function(X[rows], *arguments)`` for ``parts`` (rows, *arguments), one after the other."""
        if not is_dask_array(self.source):
            yield from (function(self.take(rows), *arguments) for rows, *arguments in parts)
            return
        for i in range(0, len(parts), PARTS_AT_ONCE):
            yield from compute_all(touched_tasks(self.source, function, join_doubles, parts[i : i + PARTS_AT_ONCE]))

    def take(self, rows):
        """The rows with these ascending numbers, as one matrix."""
        if is_matrix(self.source):
            return _as_doubles(self.source[rows])
        if is_dask_array(self.source):
            return join_doubles(compute_all(row_tasks(self.source, rows)))
        # blocks of a list can be opened anywhere; others are read from the first to the last
        blocks = self.source if isinstance(self.source, list | tuple) else self
        parts, start = [], 0
        for block in blocks:
            first, last = np.searchsorted(rows, [start, start + block.shape[0]])
            if last > first:
                parts.append(_as_doubles(block[rows[first:last] - start]))
            start += block.shape[0]
        return join(parts)

    def whole(self):
        """All rows as one matrix: for what cannot be done by blocks, such as a search for neighbours."""
        return _as_doubles(self.source) if is_matrix(self.source) else join(list(self))

    @property
    def shape(self) -> tuple[int, int]:
        return self.moments()[:2]

    def moments(self):
        """n, number of columns, sum of the rows, sum of the squared entries: one pass, the first time."""
        if not hasattr(self, "_moments"):
            n, sums, squares, sizes = self.sum(_block_moments) or (0, [], 0.0, [])
            if n == 0:
                raise ValueError("Expected blocks with at least one row in all; got none.")
            check_peak(max(sizes))
            self._moments = n, len(sums), sums, squares
        return self._moments


def _of_size(chunk, rows_at_once):
    blocks = RowBlocks(chunk)
    blocks.rows_at_once = rows_at_once
    return blocks


def _sum_of(function, rows_at_once, chunk):
    """What a worker does with a chunk: the same, block by block."""
    return _of_size(chunk, rows_at_once).sum(function)


def _collect_of(function, rows_at_once, chunk):
    return _of_size(chunk, rows_at_once).collect(function)


def _beside_of(function, rows_at_once, chunk, values):
    return _of_size(chunk, rows_at_once).sum_beside(function, values)


def _block_moments(block):
    size = peak(block)
    check_peak(size, smallest=False)
    sums = np.asarray(block.sum(axis=0), dtype=float).ravel()
    squares = float((block.multiply(block) if sparse.issparse(block) else np.square(block)).sum())
    return block.shape[0], sums, squares, [size]


def total(parts):
    """Entry by entry sum of tuples; None of none."""
    result = None
    for part in parts:
        result = part if result is None else tuple(a + b for a, b in zip(result, part, strict=True))
    return result


def join(parts):
    """Blocks below each other."""
    return sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)


def join_doubles(parts):
    return _as_doubles(join(parts))


def _as_doubles(block):
    """A block as ``__iter__`` would give it."""
    return block if is_plain(block) else check_array(block, accept_sparse="csr", dtype=np.float64)


def is_matrix(source) -> bool:
    return isinstance(source, np.ndarray) or sparse.issparse(source)


def is_plain(block) -> bool:
    """Already a checked matrix of doubles (the estimators' ``fit`` has seen to it)."""
    return is_matrix(block) and block.dtype == np.float64 and not isinstance(block, np.matrix)


def rows_of(X, rows):
    """Some rows, with ascending numbers, of a matrix or of RowBlocks, as a matrix."""
    return X.take(rows) if isinstance(X, RowBlocks) else X[rows]


def part_of(X, rows):
    """Some rows, with ascending numbers, as what X is: a matrix or RowBlocks."""
    return X.part(rows) if isinstance(X, RowBlocks) else X[rows]


def in_blocks(X) -> bool:
    """Whether X comes in blocks: a dask array, a function, or a list of matrices (which is no matrix itself)."""
    listed = isinstance(X, list | tuple) and len(X) > 0 and np.ndim(X[0]) == 2
    return isinstance(X, RowBlocks) or is_dask(X) or callable(X) or listed


def is_dask(source) -> bool:
    return all(hasattr(source, name) for name in ("numblocks", "blocks", "compute"))


def resolve_gamma(gamma, moments):
    """The rules "scale" and "mean" of :class:`mr.kernels.Kernel` from the moments of the data."""
    n, d, total, squares = moments
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "scale":
        variance = squares / (n * d) - (total.sum() / (n * d)) ** 2
        return 1.0 / (d * variance) if variance > 1e-14 * squares / (n * d) else 1.0
    if gamma == "mean":
        spread = 2.0 * n * squares - 2.0 * float(total @ total)
        return n**2 / spread if spread > 1e-12 * max(n * squares, 1e-300) else 1.0
    raise ValueError(f"Unknown gamma {gamma!r}; expected a number, 'scale' or 'mean'.")
