"""The committed list of original files: which set, where below the data folder, sha256, size, public address."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mr.datasets import folders


@dataclass(frozen=True)
class Entry:
    """One original file. ``file`` is relative to the data folder; ``url`` is empty when there is no public address."""

    dataset: str
    file: str
    sha256: str
    bytes: int
    url: str
    what: str


def registry_path() -> Path:
    """The copy inside an installed package, or the one in the repository."""
    packaged = Path(__file__).with_name("registry.csv")
    return packaged if packaged.exists() else folders.registry_file()


@cache
def read(path: Path) -> tuple[Entry, ...]:
    with open(path, newline="", encoding="utf-8") as stream:
        rows = csv.DictReader(stream)
        return tuple(Entry(**{**row, "bytes": int(row["bytes"])}) for row in rows)


def entries(dataset: str) -> tuple[Entry, ...]:
    """The files of one set, in the registry's order (which fixes the order of the combined digest)."""
    return tuple(entry for entry in read(registry_path()) if entry.dataset == dataset)
