"""Sums over the rows of a dask array, computed where its chunks are: only small results travel.

Functions are sent to the chunks, not chunks to the functions, and results are added in a tree. Every task is a pure
function of a chunk, so the scheduler repeats those of a worker that is lost, and the chunks that it held if the array
says how they are made. Without a cluster the same graph of tasks runs on dask's local scheduler.
"""

import numpy as np

from mr.extras import require

FAN_IN = 8
"""Results that are added by one task."""


def is_dask_array(source) -> bool:
    """Whether this is an array of dask itself, whose chunks tasks can be sent to."""
    return hasattr(source, "to_delayed") and hasattr(source, "rechunk") and hasattr(source, "numblocks")


def chunk_tasks(source) -> list:
    """One task for each block of rows."""
    if len(source.numblocks) > 1 and source.numblocks[1] != 1:
        source = source.rechunk({1: -1})
    return list(source.to_delayed().ravel())


def map_chunks(source, function) -> list:
    """Tasks ``function(chunk)``; the function is sent once, however many chunks there are."""
    delayed = _dask().delayed
    function = delayed(function, pure=False, traverse=False)
    return [delayed(_call, pure=False)(function, chunk) for chunk in chunk_tasks(source)]


def compute_sum(tasks, add):
    """``add`` (a function of a list) over the results of the tasks, in a tree of FAN_IN branches."""
    delayed = _dask().delayed
    while len(tasks) > 1:
        tasks = [delayed(add, pure=False)(tasks[i : i + FAN_IN]) for i in range(0, len(tasks), FAN_IN)]
    return tasks[0].compute()


def compute_all(tasks) -> list:
    return list(_dask().compute(*tasks))


def row_tasks(source, rows) -> list:
    """Tasks for the rows with these ascending numbers, one for each chunk that holds some of them."""
    delayed, tasks = _dask().delayed, []
    for chunk, start, stop in placed_chunks(source):
        first, last = np.searchsorted(rows, [start, stop])
        if last > first:
            tasks.append(delayed(_take, pure=False)(chunk, rows[first:last] - start))
    return tasks


def beside_tasks(source, function, values) -> list:
    """Tasks ``function(chunk, values[rows of the chunk])``."""
    delayed = _dask().delayed
    function = delayed(function, pure=False, traverse=False)
    return [
        delayed(_call, pure=False)(function, chunk, values[start:stop]) for chunk, start, stop in placed_chunks(source)
    ]


def placed_chunks(source):
    """Task, first row and end of every chunk."""
    start = 0
    for chunk, size in zip(chunk_tasks(source), source.chunks[0], strict=True):
        if not np.isfinite(size):
            raise ValueError("A dask array must know the sizes of its chunks; call compute_chunk_sizes() on it first.")
        yield chunk, start, start + size
        start += size


def touched_tasks(source, function, join, parts) -> list:
    """Tasks ``function(X[rows], *arguments)`` for every part (rows, *arguments)."""
    delayed = _dask().delayed
    function = delayed(function, pure=False, traverse=False)
    return [
        delayed(_call, pure=False)(function, delayed(join, pure=False)(row_tasks(source, rows)), *arguments)
        for rows, *arguments in parts
    ]


def _call(function, *arguments):
    return function(*arguments)


def _take(chunk, rows):
    return chunk[rows]


def _dask():
    return require("dask", extra="dask", purpose="A dask array")
