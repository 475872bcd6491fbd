"""Points to fit to: a short description that is drawn and printed, and the matrix that it stands for."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

LAYOUTS = ("blobs", "ties", "constant column", "duplicates", "equal rows", "zeros", "unequal columns", "mostly zero")
SCALES = (
    1e-320, 1e-200, 1e-160, 1e-149, 1e-100, 1e-40, 1e-10, 1e-3, 1e3, 1e10, 1e40, 1e100, 1e149, 1e160, 1e200, 1e307,
)  # fmt: skip
OFFSETS = (1.0, 1e4, 1e8, 1e16, -1e100)
CELLS = (1e8, 1e30, 1e100, 1e149, -1e155, 1e200, -1e308, 5e-324, np.nan, np.inf, -np.inf)


def _strided(X):
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]))
    wide[::2, ::3] = X
    return wide[::2, ::3]


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def _integers(X, dtype):
    limits = np.iinfo(dtype)
    return np.clip(np.nan_to_num(8 * X), max(limits.min, -(2.0**62)), min(limits.max, 2.0**62)).astype(dtype)


def _unsorted(X):
    """CSR with the columns of every row in descending order."""
    X = sparse.csr_matrix(X)
    order = np.concatenate([np.arange(X.indptr[i], X.indptr[i + 1])[::-1] for i in range(X.shape[0])]).astype(int)
    return sparse.csr_matrix((X.data[order], X.indices[order], X.indptr), shape=X.shape)


def _repeated(X):
    """CSR whose entries are halves, each stored twice."""
    X = sparse.csr_matrix(X)
    return sparse.csr_matrix((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)


def _stored_zeros(X):
    n, d = X.shape
    return sparse.csr_matrix((X.ravel(), np.tile(np.arange(d), n), np.arange(0, n * d + 1, d)), shape=(n, d))


def _long_indices(X):
    X = sparse.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def _locked(X):
    X = sparse.csr_matrix(X)
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


def _frame(X):
    pandas = _pandas()
    return pandas.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]) if pandas else Frame(X)


def _pandas():
    try:
        import pandas
    except ImportError:  # it is no dependency of the library
        return None
    return pandas


class Frame:
    """What a table of another library offers."""

    def __init__(self, X):
        self.values, self.shape = X, X.shape

    def __len__(self):
        return len(self.values)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)


def _cast(dtype):
    def cast(X):
        with np.errstate(all="ignore"):
            return X.astype(dtype)

    return cast


PROPER = {
    "dense": np.array,
    "fortran": np.asfortranarray,
    "read-only": _read_only,
    "strided": _strided,
    "reversed": lambda X: np.array(X[::-1])[::-1],
    "big-endian": _cast(">f8"),
    "float32": _cast(np.float32),
    "float16": _cast(np.float16),
    "longdouble": _cast(np.longdouble),
    "int64": lambda X: _integers(X, np.int64),
    "int8": lambda X: _integers(X, np.int8),
    "uint8": lambda X: _integers(X, np.uint8),
    "bool": lambda X: X > 0,
    "object": _cast(object),
    "list": lambda X: X.tolist(),
    "frame": _frame,
    "csr": sparse.csr_matrix,
    "csr_array": sparse.csr_array,
    "csr unsorted": _unsorted,
    "csr repeated": _repeated,
    "csr stored zeros": _stored_zeros,
    "csr long indices": _long_indices,
    "csr read-only": _locked,
    "csr float32": lambda X: sparse.csr_matrix(_cast(np.float32)(X)),
    "csr integers": lambda X: sparse.csr_matrix(_integers(X, np.int64)),
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_array,
}
"""Forms that an estimator takes."""
IMPROPER = {
    "strings": lambda X: np.array([["a"] * X.shape[1]] * X.shape[0]),
    "complex": _cast(complex),
    "one-dimensional": lambda X: X[:, 0],
    "three-dimensional": lambda X: X[:, :, None],
    "no rows": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
    "ragged": lambda X: [[0.0], *X.tolist(), [1.0] * (X.shape[1] + 1)],
    "None": lambda X: None,
    "scalar": lambda X: 3.0,
}
EXACT = {"dense", "fortran", "read-only", "strided", "reversed", "big-endian", "list", "frame", "csr", "csr_array"}


def form(name, X):
    """The matrix in the form of this name."""
    return (PROPER | IMPROPER)[name](X)


@dataclass(frozen=True)
class Points:
    """n points in d dimensions; ``offset`` counts in units of ``scale``."""

    n: int
    d: int
    seed: int = 0
    layout: str = "blobs"
    scale: float = 1.0
    offset: float = 0.0
    cell: float | None = None
    form: str = "dense"

    def dense(self) -> np.ndarray:
        rng = np.random.default_rng(self.seed)
        X = rng.normal(size=(self.n, self.d)) + 3 * rng.integers(0, 2, (self.n, 1))
        if self.layout == "ties":
            X = np.round(X)
        elif self.layout == "constant column":
            X[:, 0] = 1.0
        elif self.layout == "duplicates":
            X = X[rng.integers(0, max(1, self.n // 4), self.n)]
        elif self.layout == "equal rows":
            X[:] = X[0]
        elif self.layout == "zeros":
            X[:] = 0.0
        elif self.layout == "unequal columns":
            X *= 10.0 ** rng.integers(-9, 10, self.d)
        elif self.layout == "mostly zero":
            X[rng.random(X.shape) < 0.8] = 0.0
        with np.errstate(over="ignore", under="ignore"):
            X = (X + self.offset) * self.scale
        if self.cell is not None:
            X[rng.integers(self.n), rng.integers(self.d)] = self.cell
        return X

    def new(self, factor) -> np.ndarray:
        """New points: a training row, the origin, the mean, and a row far away (``factor``)."""
        X = self.dense()
        with np.errstate(all="ignore"):
            return np.nan_to_num(np.stack([X[0], 0 * X[0], X.mean(axis=0), factor * X[0]]), posinf=0.0, neginf=0.0)

    @property
    def hopeless(self) -> bool:
        """Whether no estimator can be fitted to this, so that one has to say so."""
        return self.form in IMPROPER or (self.form in EXACT and not np.isfinite(self.dense()).all())

    @property
    def ordinary(self) -> bool:
        """Whether every estimator has to be fitted to this."""
        return (
            self.n >= 12
            and self.form in EXACT
            and self.layout in ("blobs", "constant column")
            and 1e-3 <= self.scale <= 1e3
            and abs(self.offset) <= 1
            and self.cell is None
        )


def mostly(rng, usual, *others):
    """The usual value in two of three draws, which leaves room for faults elsewhere."""
    return usual if rng.random() < 2 / 3 else rng.choice(others)


def draw_points(rng, wild) -> Points:
    """Points of all layouts; the wild ones also of all scales and forms."""
    common = {"d": rng.randint(1, 12), "seed": rng.randrange(100), "layout": mostly(rng, *LAYOUTS)}
    if not wild:
        return Points(n=rng.randint(12, 60), form=rng.choice(sorted(EXACT)), **common)
    return Points(
        n=rng.randint(12, 60) if rng.random() < 2 / 3 else rng.randint(1, 11),
        scale=mostly(rng, 1.0, *SCALES),
        offset=mostly(rng, 0.0, *OFFSETS),
        cell=rng.choice(CELLS) if rng.random() < 0.2 else None,
        form=rng.choice(sorted(PROPER if rng.random() < 0.8 else IMPROPER)),
        **common,
    )
