"""The committed list of original files: which set, where below the data folder, sha256, size, public address."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mr.datasets import folders


@dataclass(frozen=True)
class Entry:
    """One original file of a set.

    Attributes
    ----------
    dataset : str
        Name of the set.
    file : str
        Path below the data folder; it begins with the name of the set.
    sha256 : str
        Digest of the file. Empty for an archive that its server may compress anew: only its contents can be pinned.
    bytes : int
        Size of the file, 0 where the sha256 is empty.
    url : str
        Public address, empty when there is none.
    content_sha256 : str
        For a set that exists in several forms: the digest of what every form must hold (the same for all rows of
        the set). It replaces the comparison of the files themselves. Empty for the other sets.
    what : str
        Description.
    """

    dataset: str
    file: str
    sha256: str = ""
    bytes: int = 0
    url: str = ""
    content_sha256: str = ""
    what: str = ""

    @property
    def name(self) -> str:
        """Path below the folder of the set."""
        return self.file.removeprefix(f"{self.dataset}/")


@cache
def read(path: Path) -> tuple[Entry, ...]:
    """All rows of a registry file."""
    with open(path, newline="", encoding="utf-8") as stream:
        rows = csv.DictReader(stream)
        return tuple(Entry(**{**row, "bytes": int(row["bytes"] or 0)}) for row in rows)


def entries(dataset: str) -> tuple[Entry, ...]:
    """The files of one set, in the registry's order (which fixes the order of the combined digest)."""
    return tuple(entry for entry in read(folders.registry_file()) if entry.dataset == dataset)
