"""Data: registry, sources, parsers and generators behind one call, ``load(name) -> Dataset``."""

from mr.datasets.dataset import Dataset
from mr.datasets.errors import ChecksumMismatch, DataError, DataUnavailable, MissingPackage, UnknownDataset
from mr.datasets.loading import available, load, names, options_of
from mr.datasets.shifted import ShiftedImages

__all__ = [
    "ChecksumMismatch",
    "DataError",
    "DataUnavailable",
    "Dataset",
    "MissingPackage",
    "ShiftedImages",
    "UnknownDataset",
    "available",
    "load",
    "names",
    "options_of",
]
