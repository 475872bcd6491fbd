"""Images: USPS (HDF5), MNIST (npz, or the original idx files), MIT CBCL faces (npz)."""

import gzip

import h5py
import numpy as np

from mr.datasets.dataset import Parsed, stack

IDX_FILES = {
    "train": ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"),
    "test": ("t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"),
}
IDX_UNSIGNED_BYTE = 0x08


def usps(files) -> Parsed:
    """USPS digits, 7291 + 2007. The file stores (x + 1) / 2 in float32; the originals have three decimals in [-1, 1],
    so rounding restores them exactly."""
    with h5py.File(files["usps.h5"], "r") as archive:
        parts = {
            part: (np.round(2.0 * archive[f"{part}/data"][:].astype(np.float64) - 1.0, 3), archive[f"{part}/target"][:])
            for part in ("train", "test")
        }
    return stack(parts)._replace(notes="16 x 16 pixels in [-1, 1], background -1")


def mnist(files) -> Parsed:
    """MNIST digits, 60000 + 10000, pixels as the original unsigned bytes."""
    if "mnist.npz" in files:
        parts = npz_parts(files["mnist.npz"])
    else:
        parts = {part: (read_idx(files[X]), read_idx(files[y])) for part, (X, y) in IDX_FILES.items()}
        parts = {part: (X.reshape(len(X), -1), y) for part, (X, y) in parts.items()}
    return stack(parts)._replace(notes="28 x 28 pixels, uint8")


def facemit(files) -> Parsed:
    """MIT CBCL faces, 6977 + 24045 grey images of 19 x 19; about 2 in 100 test images are faces."""
    parts = npz_parts(files["cbcl_faces.npz"])
    notes = "19 x 19 pixels, uint8; 20 training rows repeat another"
    return stack(parts, ("non-face", "face"))._replace(notes=notes)


def npz_parts(path) -> dict:
    with np.load(path, allow_pickle=False) as archive:
        return {part: (archive[f"X_{part}"], archive[f"y_{part}"]) for part in ("train", "test")}


def read_idx(path) -> np.ndarray:
    """The idx format: two zero bytes, type, number of dimensions, big-endian sizes, then the values."""
    with gzip.open(path, "rb") as stream:
        raw = stream.read()
    zeros, kind, dimensions = raw[:2], raw[2], raw[3]
    if zeros != b"\0\0" or kind != IDX_UNSIGNED_BYTE:
        raise ValueError(f"{path.name} is not an idx file of unsigned bytes: it begins with {raw[:4]!r}")
    shape = tuple(np.frombuffer(raw, dtype=">i4", count=dimensions, offset=4).tolist())
    values = np.frombuffer(raw, dtype=np.uint8, offset=4 + 4 * dimensions)
    if values.size != np.prod(shape):
        raise ValueError(f"{path.name} announces {shape} values but holds {values.size}")
    return values.reshape(shape)
