"""Images extended by shifts, without storing the shifted copies.

Extended USPS has 341,462 rows of 676 pixels: 0.9 GB in float32, 1.8 GB in float64. Every row is a window into one of
2822 padded images, so this array keeps the padded images (15 MB) and cuts rows out when asked.
"""

from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

BLOCK_ROWS = 8192
WIDE_BYTES = 2**30  # a copy in a wider type than the images have may take this much


class LazyImages:
    """A read-only n x d array whose rows are made on demand: ``_cut`` makes those that entries of ``rows`` describe."""

    ndim = 2
    image_shape: tuple[int, int]
    rows: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), self.image_shape[0] * self.image_shape[1]

    @property
    def size(self) -> int:
        return self.shape[0] * self.shape[1]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self):
        return (
            f"<{type(self).__name__} {self.shape[0]} x {self.shape[1]} {self.dtype}, {self.nbytes / 1e6:.0f} MB held>"
        )

    def __getitem__(self, key):
        if isinstance(key, tuple):
            if len(key) != 2:
                raise IndexError(f"a two-dimensional array takes one or two indices, got {len(key)}")
            return self[key[0]][..., key[1]]
        chosen = self.rows[key]
        if chosen.shape[-1:] != self.rows.shape[1:] or chosen.ndim > 2:
            raise IndexError("rows are chosen by an integer, a slice, an integer array or a boolean mask")
        return self._cut(np.atleast_2d(chosen)).reshape(chosen.shape[:-1] + (self.shape[1],))

    def blocks(self, block_rows: int = BLOCK_ROWS):
        """Yield (slice, dense block) from first row to last."""
        for start in range(0, len(self), block_rows):
            part = slice(start, min(start + block_rows, len(self)))
            yield part, self[part]

    def materialise(self, dtype=np.float32, out=None) -> np.ndarray:
        """The dense array, filled block by block (into ``out`` if given)."""
        out = np.empty(self.shape, dtype=dtype) if out is None else out
        for part, block in self.blocks():
            out[part] = block
        return out

    def memmap(self, path, dtype=np.float32) -> np.ndarray:
        """Write the dense array to a ``.npy`` file (complete or not at all) and return it mapped read-only."""
        path = Path(path)
        partial = path.with_name(path.name + ".partial")
        target = np.lib.format.open_memmap(partial, mode="w+", dtype=np.dtype(dtype), shape=self.shape)
        try:
            self.materialise(out=target)
            target.flush()
            del target
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        return np.load(path, mmap_mode="r", allow_pickle=False)

    def __array__(self, dtype=None, copy=None):
        """Let NumPy and scikit-learn take the rows, but no gigabytes of them in a wider type than the images have."""
        dtype = np.dtype(dtype or self.dtype)
        size = self.shape[0] * self.shape[1] * dtype.itemsize
        if dtype.itemsize > max(self.dtype.itemsize, 4) and size > WIDE_BYTES:
            raise TypeError(
                f"refusing a {dtype} copy of {self.shape} {self.dtype} rows ({size / 2**30:.1f} GiB, at most "
                f"{WIDE_BYTES / 2**30:.1f}); convert the blocks you need"
            )
        if copy is False:
            raise ValueError(f"{type(self).__name__} are cut on demand: an array without a copy is not possible")
        return self.materialise(dtype)


class ShiftedImages(LazyImages):
    """A read-only n x d array whose rows are shifted (and mirrored) images on a canvas.

    ``X[rows]`` with an integer, a slice, an integer array or a boolean mask gives a dense array of the images' dtype.

    Parameters
    ----------
    images : array-like of shape (m, h, w)
        The images, not yet padded.
    rows : array-like of int, shape (n, 4)
        Per row: which image, shift down, shift right, mirrored left-right (0 or 1).
    border : int
        Pixels between the unshifted image and the edge of the canvas of h + 2 border by w + 2 border pixels.
    fill : float or "edge", default=0
        Value of the background, or "edge" to repeat the outermost pixels of the image.

    Attributes
    ----------
    shape : tuple of int
        (n, number of pixels of the canvas).
    image_shape : tuple of int
        Height and width of the canvas.
    rows : ndarray of shape (n, 4)
        As given; read-only.

    See Also
    --------
    mr.datasets.Dataset : may hold it as X.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.datasets import ShiftedImages
    >>> X = ShiftedImages(np.array([[[1, 2]]]), rows=[[0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], border=1)
    >>> X[1].reshape(X.image_shape)
    array([[0, 0, 0, 0],
           [0, 0, 1, 2],
           [0, 0, 0, 0]])
    """

    def __init__(self, images, rows, border: int, fill=0):
        images = np.asarray(images)
        rows = np.array(rows)
        self._reach = int(np.abs(rows[:, 1:3]).max(initial=0))
        margin = border + self._reach
        padding = ((0, 0), (margin, margin), (margin, margin))
        both = np.stack([images, images[:, :, ::-1]]) if rows[:, 3].any() else images[None]
        options = {"mode": "edge"} if isinstance(fill, str) and fill == "edge" else {"constant_values": fill}
        self._padded = np.stack([np.pad(side, padding, **options) for side in both])
        self._padded.setflags(write=False)
        self.image_shape = (images.shape[1] + 2 * border, images.shape[2] + 2 * border)
        self.rows = rows
        self.rows.setflags(write=False)

    @property
    def dtype(self):
        return self._padded.dtype

    @property
    def nbytes(self) -> int:
        """Memory held, not the size of the array it stands for."""
        return self._padded.nbytes + self.rows.nbytes

    def _cut(self, rows) -> np.ndarray:
        """A shift down by s is a window that starts s pixels higher."""
        windows = sliding_window_view(self._padded, self.image_shape, axis=(2, 3))
        image, down, right, mirrored = rows.T
        return windows[mirrored, image, self._reach - down, self._reach - right]


def all_shifts(images, reach: int, mirror: bool = False) -> np.ndarray:
    """Row table of every shift up to ``reach`` pixels of the numbered images, image by image; within an image
    unmirrored before mirrored, then by shift down, then by shift right, each from -reach to reach."""
    steps = np.arange(-reach, reach + 1)
    sides = np.arange(2 if mirror else 1)
    table = np.stack(np.meshgrid(images, sides, steps, steps, indexing="ij"), axis=-1).reshape(-1, 4)
    return np.ascontiguousarray(table[:, [0, 2, 3, 1]]).astype(np.int32)
