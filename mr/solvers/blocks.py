"""Rows of a data set, a block at a time: what is computed by sums over rows never needs them all in memory."""

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from mr.graph.scale import check_peak, peak

BLOCK_BYTES = 2**25  # of an intermediate of one block: large enough for BLAS, small against the data


class RowBlocks:
    """A matrix as a sequence of row blocks that can be read again and again.

    Parameters
    ----------
    source : one of
        - an array or CSR matrix;
        - a dask array (anything with ``numblocks``, ``blocks`` and ``compute``), chunked by rows;
        - a list, or any other object that can be iterated several times, of blocks;
        - a function without arguments that returns a fresh iterator over blocks (a generator function, say).
    width : int
        Columns of what will be computed for every row. Blocks are cut so that rows x width numbers stay small.
    """

    def __init__(self, source, width=200):
        if hasattr(source, "__next__"):
            raise TypeError(
                "The rows are read several times, but an iterator can be read once; pass a list of blocks, or the "
                "function that makes the iterator."
            )
        self.source = source
        self.rows_at_once = max(64, BLOCK_BYTES // (8 * max(int(width), 1)))

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

    def take(self, rows):
        """The rows with these ascending numbers, as one matrix."""
        if is_matrix(self.source):
            return self.source[rows]
        parts, start = [], 0
        for block in self:
            inside = rows[(rows >= start) & (rows < start + block.shape[0])] - start
            if len(inside):
                parts.append(block[inside])
            start += block.shape[0]
        return sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)

    def moments(self):
        """n, number of columns, sum of the rows, sum of the squared entries: one pass."""
        n, total, squares, largest = 0, 0.0, 0.0, 0.0
        for block in self:
            n += block.shape[0]
            size = peak(block)
            check_peak(size, smallest=False)
            largest = max(largest, size)
            total = total + np.asarray(block.sum(axis=0), dtype=float).ravel()
            squares += float((block.multiply(block) if sparse.issparse(block) else np.square(block)).sum())
        if n == 0:
            raise ValueError("Expected blocks with at least one row in all; got none.")
        check_peak(largest)
        return n, len(total), total, squares


def is_matrix(source) -> bool:
    return isinstance(source, np.ndarray) or sparse.issparse(source)


def is_plain(block) -> bool:
    """Already a checked matrix of doubles (the estimators' ``fit`` has seen to it)."""
    return is_matrix(block) and block.dtype == np.float64 and not isinstance(block, np.matrix)


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
