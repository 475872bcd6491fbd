"""Digits: USPS (HDF5), MNIST (npz, or the original idx files, gzipped or plain)."""

from pathlib import Path

import numpy as np

from mr.datasets.dataset import Parsed, stack, with_content_digest
from mr.datasets.errors import Unreadable, require
from mr.datasets.parsers.reading import common, npz_parts, plain_bytes, reading

MNIST_NPZ = "mnist.npz"
IDX_FILES = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}
PLAIN_IDX = tuple(name for names in IDX_FILES.values() for name in names)
GZIPPED_IDX = tuple(f"{name}.gz" for name in PLAIN_IDX)
IDX_UNSIGNED_BYTE = 0x08


def usps(files) -> Parsed:
    """USPS digits, 7291 + 2007. The file stores (x + 1) / 2 in float32; the originals have three decimals in [-1, 1],
    so rounding restores them exactly."""
    h5py = require("h5py", "Reading the data set 'usps' (an HDF5 file)")
    with h5py.File(files["usps.h5"], "r") as archive:
        parts = {
            part: (np.round(2.0 * archive[f"{part}/data"][:].astype(np.float64) - 1.0, 3), archive[f"{part}/target"][:])
            for part in ("train", "test")
        }
    return stack(parts)._replace(notes="16 x 16 pixels in [-1, 1], background -1")


def mnist(files) -> Parsed:
    """MNIST digits, 60000 + 10000, pixels as the original unsigned bytes."""
    if MNIST_NPZ in files:
        parts = npz_parts(files[MNIST_NPZ])
    else:
        ending = ".gz" if GZIPPED_IDX[0] in files else ""
        parts = {part: tuple(read_idx(files[name + ending]) for name in names) for part, names in IDX_FILES.items()}
        parts = {part: (X.reshape(len(X), -1), y) for part, (X, y) in parts.items()}
    with reading(common(files)):
        return with_content_digest(stack(parts)._replace(notes="28 x 28 pixels, uint8"))


def read_idx(path: Path) -> np.ndarray:
    """The idx format: two zero bytes, type, number of dimensions, big-endian sizes, then the values."""
    raw = plain_bytes(path)
    if len(raw) < 4 or raw[:2] != b"\0\0" or raw[2] != IDX_UNSIGNED_BYTE:
        raise Unreadable(path, f"not an idx file of unsigned bytes: it begins with {raw[:4]!r}")
    start = 4 + 4 * raw[3]
    shape = tuple(np.frombuffer(raw[4:start], dtype=">i4").tolist()) if len(raw) >= start else ()
    values = np.frombuffer(raw[start:], dtype=np.uint8)
    if len(shape) != raw[3] or values.size != np.prod(shape):
        raise Unreadable(path, f"announces {shape} values but holds {values.size}")
    return values.reshape(shape)
