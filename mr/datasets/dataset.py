"""The one shape in which data leaves this room."""

import hashlib
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse


class Parsed(NamedTuple):
    """What a parser or generator returns: the data without its provenance.

    A parser of several forms of one set also fills ``content_sha256``: one digest of everything that the files say,
    the same whichever form they have and whichever options were chosen.
    """

    X: Any
    y: np.ndarray
    class_names: tuple
    splits: dict
    notes: str = ""
    content_sha256: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Points, classes, official splits, and where they came from.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n, d), CSR matrix, `ShiftedImages`, or ndarray of shape (n,) that holds texts (str objects)
        Read-only.
    y : ndarray of shape (n,)
        Integer class codes 0..c-1, never -1 (that marks "unlabelled", which is a protocol's decision, not the data's).
    class_names : tuple of str
        What code k was called in the original file.
    splits : dict of str to ndarray
        Row numbers; 2-D when the split has repetitions (one per row).
    source : str
        The source actually used: "local", "download", "bundled (scikit-learn)" or "generated".
    sha256 : str
        One digest over the digests of the files used. For a set that exists in several forms, the digest of its
        contents, the same for all of them; for bundled and generated data, the digest of the arrays.
    citation : str
        Whom to cite.
    notes : str

    See Also
    --------
    mr.datasets.load : gives one.

    Examples
    --------
    >>> import mr
    >>> data = mr.datasets.load("two_moons", n=50, seed=0)
    >>> data.X.shape, sorted(set(data.y.tolist())), data.source
    ((50, 2), [0, 1], 'generated')
    """

    name: str
    X: Any
    y: np.ndarray
    class_names: tuple
    splits: dict = field(default_factory=dict)
    source: str = ""
    sha256: str = ""
    citation: str = ""
    notes: str = ""

    def __post_init__(self):
        if self.X.shape[0] != len(self.y):
            raise ValueError(f"{self.name}: X has {self.X.shape[0]} rows but y has {len(self.y)} entries")
        for array in (self.X, self.y, *self.splits.values()):
            make_read_only(array)

    @property
    def n_classes(self) -> int:
        return len(self.class_names)

    def __repr__(self):
        size = " x ".join(map(str, self.X.shape)) if len(self.X.shape) > 1 else f"{len(self.X)} texts"
        splits = ", ".join(self.splits) or "none"
        return f"<Dataset {self.name}: {size}, {self.n_classes} classes, splits: {splits}; source: {self.source}>"


def make_read_only(array) -> None:
    """Shared data must not change under another reader's feet."""
    if sparse.issparse(array):
        array.sort_indices()
        parts = (array.data, array.indices, array.indptr)
    else:
        parts = (array,) if isinstance(array, np.ndarray) else ()
    for part in parts:
        part.setflags(write=False)


def encode(labels, names=None) -> tuple[np.ndarray, tuple]:
    """Class codes 0..c-1 in sorted order of the labels, and the labels as strings (``names`` replaces those)."""
    values, codes = np.unique(np.asarray(labels).ravel(), return_inverse=True)
    if names is not None and len(names) != len(values):
        raise ValueError(f"expected {len(names)} classes {tuple(names)}, got the labels {values.tolist()}")
    return codes.astype(np.int64), tuple(names) if names else tuple(str(value) for value in values.tolist())


def stack(parts: dict, names=None) -> Parsed:
    """Stack named parts, each (X, labels), into one set with a split of row numbers per part."""
    for name, (X, labels) in parts.items():
        if len(X) != len(np.ravel(labels)):
            raise ValueError(f"part {name!r} has {len(X)} rows but {len(np.ravel(labels))} labels")
    X = np.concatenate([X for X, _ in parts.values()])
    y, class_names = encode(np.concatenate([np.ravel(labels) for _, labels in parts.values()]), names)
    return Parsed(X, y, class_names, consecutive({name: len(X) for name, (X, _) in parts.items()}))


def consecutive(sizes: dict) -> dict:
    """Splits of rows that lie one part after the other."""
    ends = np.cumsum(list(sizes.values()))
    return {name: np.arange(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}


def combined_digest(digests) -> str:
    """One digest over several, in the order given."""
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def array_digest(*arrays) -> str:
    """Digest of the contents of dense arrays, for data that has no file."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array))
    return digest.hexdigest()


def with_content_digest(parsed: Parsed) -> Parsed:
    """Add the digest of the contents: X and the class codes (as bytes) of one part (train, test) after the other."""
    parts = [(parsed.X[rows], parsed.y[rows].astype(np.uint8)) for rows in parsed.splits.values()]
    return parsed._replace(content_sha256=array_digest(*(array for part in parts for array in part)))
