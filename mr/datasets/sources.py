"""Find the original files of a set: folders on this machine first, then the public address.

A set may be had as one of several groups of files (MNIST: one ``.npz``, or the four ``idx`` files). A group counts only
when all of it is there. Files of a set with one form have the registered sha256; sets with several forms are checked by
their contents, after reading (`mr.datasets.loading`).
"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from mr.datasets import folders
from mr.datasets.dataset import combined_digest
from mr.datasets.download import DownloadFailed, download
from mr.datasets.errors import mismatch
from mr.datasets.registry import Entry

_verified: dict[tuple, str] = {}  # (path, size, mtime) -> sha256: a file is hashed once per process


@dataclass(frozen=True)
class Files:
    """The files (or folders) of one group by their names below the folder of the set.

    Attributes
    ----------
    paths : dict of str to Path
    source : str
        "local" or "download".
    sha256 : str
        One digest over the registered digests of all files; "" for a set that is checked by its contents.
    unchecked : tuple of Path
        Files that were downloaded just now and whose own sha256 is not known.
    """

    paths: dict
    source: str
    sha256: str
    unchecked: tuple = ()

    def __getitem__(self, name: str) -> Path:
        return self.paths[name]

    def __contains__(self, name: str) -> bool:
        return name in self.paths


def set_folders(name: str, folder=None) -> list[Path]:
    """Folders that may hold the files of this set: the given one, or one per folder of the search path."""
    return [Path(folder)] if folder is not None else [root / name for root in folders.search_path()]


def locate(entry: Entry, places) -> Path | None:
    """The first place that has this file."""
    return next((place / entry.name for place in places if (place / entry.name).exists()), None)


def missing(group, places) -> list[Entry]:
    return [entry for entry in group if locate(entry, places) is None]


def present(group, places) -> bool:
    """True when every file is there with the registered size (contents are checked on loading)."""
    paths = {entry: locate(entry, places) for entry in group}
    return all(
        path is not None and (entry.content_sha256 or path.stat().st_size == entry.bytes)
        for entry, path in paths.items()
    )


def verify(entry: Entry, path: Path) -> Path:
    """Return the path when its file is the registered one, or raise `ChecksumMismatch`."""
    status = path.stat()
    key = (str(path), status.st_size, status.st_mtime_ns)
    if key not in _verified:
        with open(path, "rb") as stream:
            _verified[key] = hashlib.file_digest(stream, "sha256").hexdigest()
    if _verified[key] != entry.sha256:
        raise mismatch(entry.dataset, path, entry.sha256, _verified[key], entry.bytes, status.st_size)
    return path


def collect(group, places, source: str, unchecked=()) -> Files:
    """The files of a complete group; those of a set without a content digest are verified one by one."""
    found = {entry.name: locate(entry, places) for entry in group}
    if group[0].content_sha256:
        return Files(found, source, "", unchecked)
    for entry in group:
        verify(entry, found[entry.name])
    return Files(found, source, combined_digest(entry.sha256 for entry in group))


def from_local(groups, places, attempts: list) -> Files | None:
    """The first group that is complete on this machine; otherwise note what is missing."""
    for group in groups:
        absent = missing(group, places)
        if not absent:
            return collect(group, places, "local")
        names = ", ".join(entry.name for entry in absent)
        attempts.append(f"local folder {' and '.join(map(str, places))}: no {names}")
    return None


def from_network(groups, places, attempts: list) -> Files | None:
    """Download the first available group into the user's cache; otherwise note why not."""
    if os.environ.get("MR_OFFLINE", "0") not in ("", "0"):
        attempts.append("download: switched off by MR_OFFLINE")
        return None
    for group in groups:
        absent = missing(group, places)
        without_address = [entry.name for entry in absent if not entry.url]
        if without_address:
            attempts.append(f"download of {', '.join(without_address)}: no public address")
            continue
        try:
            fetched = {entry: download(entry) for entry in absent}
            unchecked = tuple(path for entry, path in fetched.items() if not entry.sha256)
            return collect(group, places, "download", unchecked)
        except DownloadFailed as failure:
            attempts.append(str(failure))
    return None
