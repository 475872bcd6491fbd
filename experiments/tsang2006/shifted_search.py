"""Exact nearest neighbours among shifted copies of few images, without a product of all pairs of rows.

A row of extended USPS is an image a moved by s on a canvas that cuts nothing off. Its distance from image b moved by t
depends on the offset t - s alone:

    ||a_s - b_t||^2 = |a|^2 + |b|^2 - 2 sum_q a(q) b(q - (t - s)),

so 2199 x 2199 images and 21 x 21 offsets hold all distances between 266,079 rows. Single precision finds, for each
image, every pair (offset, b) below a threshold; double precision ranks them; a row then takes the first k of these
whose shift is one of the rows. Where fewer than k are below the threshold, it is raised: the lists are exact.
"""

from itertools import product

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import sparse

BLOCK_BYTES = 2**29
SPARE = 4
"""The first threshold of an image lets so many times the neighbours through that are wanted."""


class ShiftedSearch:
    """Images on their canvas, at every offset.

    Parameters
    ----------
    X : mr.datasets.ShiftedImages
        Not mirrored. Each image is also there unshifted.
    part : range
        Rows of X among which neighbours are ever wanted.
    """

    def __init__(self, X, part):
        numbers = np.array(part)
        table = np.asarray(X.rows)[numbers]
        if table[:, 3].any():
            raise ValueError("the search takes shifted images, got mirrored ones too")
        self.first, self.shifts = part[0], table[:, 1:3]
        at_rest = np.flatnonzero(~self.shifts.any(axis=1))
        names, first = np.unique(table[at_rest, 0], return_index=True)
        if len(names) < len(np.unique(table[:, 0])):
            raise ValueError("the search needs every image unshifted as well; some are there with shifts only")
        self.image_of = np.searchsorted(names, table[:, 0])
        self.reach = int(np.abs(self.shifts).max(initial=0))
        canvas = np.asarray(X[numbers[at_rest[first]]], np.float64).reshape(-1, *X.image_shape)
        self.images = _content(canvas, self.reach)
        self.squares = np.square(self.images).sum(axis=(1, 2))
        self.widest = 2 * self.reach  # offset
        self._near: dict[int, tuple] = {}
        self.offsets = np.array(list(product(range(-self.widest, self.widest + 1), repeat=2)))
        sides = [side + 2 * self.widest for side in self.images.shape[1:]]
        padded = np.pad(self.images, ((0, 0),) + 2 * ((2 * self.widest,) * 2,))
        self.windows = sliding_window_view(padded, sides, axis=(1, 2))

    def neighbors(self, rows, k):
        """Distances and indices (n, k) of the k nearest others among ``rows`` (ascending numbers in the part), as
        positions in ``rows``; distances ascend, ties go to the image and then the shift that comes first."""
        rows = np.asarray(rows) - self.first
        if len(rows) <= k or (np.diff(rows) <= 0).any():
            raise ValueError(f"rows must be more than k={k} ascending numbers without repetition; got {len(rows)}")
        place = self._places(rows)
        order, counts = np.argsort(self.image_of[rows], kind="stable"), np.bincount(self.image_of[rows])
        held = np.split(order, np.cumsum(counts)[:-1])
        distances, indices = np.full((len(rows), k), np.inf), np.full((len(rows), k), -1, np.int32)
        many = min(SPARE * k * len(self.image_of) // len(rows), len(self.images) - 1)
        todo = np.flatnonzero(counts)
        while len(todo):
            failed = []
            self._look(todo, many)
            for a in todo:
                mine = held[a]
                d, at = _first(self._near[a][1:], self.shifts[rows[mine]], place, k)
                distances[mine], indices[mine] = d, at
                if (at < 0).any():
                    failed.append(a)
            todo, many = np.array(failed, dtype=int), 4 * many + 1
        return distances, indices

    def _places(self, rows):
        """Position in ``rows`` of (image, shift + 3 reach), -1 where there is none: no offset leads out of it."""
        place = np.full((len(self.images),) + (6 * self.reach + 1,) * 2, -1, np.int32)
        down, right = (self.shifts[rows] + 3 * self.reach).T
        place[self.image_of[rows], down, right] = np.arange(len(rows))
        return place

    def _look(self, images, many):
        """Keep for each image a the pairs (image b, offset) that are no further than the ``many`` nearest without an
        offset, as (many, distances, images b, offsets) sorted by distance, b and offset. All pairs where there are not
        so many. What an earlier search kept is long enough for a later one that wants fewer."""
        images = np.array([a for a in images if a not in self._near or self._near[a][0] < many], dtype=int)
        pixels = self.images[0].size
        step = max(1, BLOCK_BYTES // (4 * len(self.offsets) * len(self.images)))
        for start in range(0, len(images), step):
            part = images[start : start + step]
            keys = self._keys(part)
            for row, a in zip(keys, part, strict=True):
                unmoved = row[len(self.offsets) // 2]
                limit = np.inf if many >= len(unmoved) else np.partition(unmoved, many)[many]
                # a bound on the rounding of a key (Higham, gamma_d): 2 gamma |a| |b| and the last sums
                error = (pixels + 8) * np.finfo(np.float32).eps * (self.squares[a] + self.squares.max())
                o, b = np.nonzero(row <= limit + 2 * error)
                itself = (b == a) & ~self.offsets[o].any(axis=1)
                o, b = o[~itself], b[~itself]
                d = self._distances(a, b, self.offsets[o])
                keep = d**2 <= limit + error  # beyond that the list is not complete
                order = np.lexsort((o[keep], b[keep], d[keep]))
                self._near[a] = many, d[keep][order], b[keep][order], self.offsets[o[keep][order]]

    def _keys(self, part):
        """Squared distances (images of the part, offsets, images) in single precision."""
        small = self.images.astype(np.float32)
        out = np.empty((len(part), len(self.offsets), len(small)), np.float32)
        for number, offset in enumerate(self.offsets):
            mine, theirs = _overlap(small.shape[1:], offset)
            left = small[part][(slice(None), *mine)].reshape(len(part), -1)
            right = small[(slice(None), *theirs)].reshape(len(small), -1)
            np.matmul(left, right.T, out=out[:, number])
        out *= -2.0
        out += self.squares.astype(np.float32)
        out += self.squares[part].astype(np.float32)[:, None, None]
        return out

    def _distances(self, a, b, offsets):
        """Distances of image a from images b at these offsets, in double precision."""
        down, right = (self.widest - offsets).T
        moved = self.windows[b, down, right]
        return np.sqrt(np.square(self.windows[a, self.widest, self.widest] - moved).sum(axis=(1, 2)))


def _content(canvas, reach):
    """The box that holds whatever differs from the background, with the background taken off; images in it can move by
    ``reach`` without a loss."""
    background = canvas[0, 0, 0]
    images = canvas - background
    down, right = (np.flatnonzero(images.any(axis=(0, axis))) for axis in (2, 1))
    box = [(int(line[0]), int(line[-1]) + 1) if len(line) else (reach, reach + 1) for line in (down, right)]
    for (first, last), side in zip(box, canvas.shape[1:], strict=True):
        if first < reach or last + reach > side:
            raise ValueError(
                f"images must stay whole at every shift; pixels {first} to {last} of {side} cannot move by {reach}"
            )
    return np.ascontiguousarray(images[:, slice(*box[0]), slice(*box[1])])


def _overlap(sides, offset):
    """Slices of a resting image and of one moved by ``offset`` where both have pixels."""
    mine = tuple(slice(max(o, 0), side + min(o, 0)) for o, side in zip(offset, sides, strict=True))
    theirs = tuple(slice(max(-o, 0), side + min(-o, 0)) for o, side in zip(offset, sides, strict=True))
    return mine, theirs


def _first(found, shifts, place, k):
    """The first k of the sorted pairs that are rows, for each of these shifts of one image: distances and places (-1
    where there are fewer)."""
    d, b, offsets = found
    middle = (place.shape[1] - 1) // 2
    moved = shifts[:, None] + offsets + middle
    at = place[b, moved[..., 0], moved[..., 1]]
    there = at >= 0
    rank = np.cumsum(there, axis=1) - 1
    row, column = np.nonzero(there & (rank < k))
    distances, places = np.full((len(shifts), k), np.inf), np.full((len(shifts), k), -1, np.int32)
    distances[row, rank[row, column]], places[row, rank[row, column]] = d[column], at[row, column]
    return distances, places


def heat_union(distances, indices):
    """The affinity that :class:`mr.KNNGraph` makes of such lists: heat weights as wide as the mean distance, union."""
    n, k = indices.shape
    weights = np.exp(-0.5 * np.square(distances / distances.mean()))
    W = sparse.csr_array((weights.ravel(), indices.ravel(), np.arange(n + 1) * k), shape=(n, n))
    return W.maximum(W.T).tocsr()
