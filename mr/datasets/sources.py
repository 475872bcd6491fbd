"""Find the original files of a set: the local folder first, then the public address.

A set may be had as one of several groups of files (MNIST: one ``.npz``, or the four ``idx`` files). A group counts only
when every file of it is there and has the registered sha256.
"""

import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pooch
import requests.exceptions

from mr.datasets import folders
from mr.datasets.dataset import combined_digest
from mr.datasets.errors import mismatch
from mr.datasets.registry import Entry

CONNECT_TIMEOUT, READ_TIMEOUT = 5, 30  # seconds: without a network a run should find out quickly
RETRIES = 2
UNREACHABLE_FOR = 60  # seconds during which a dead server is not asked again, so thirty sets fail as fast as one

_verified: dict[tuple, str] = {}  # (path, size, mtime) -> sha256: a file is hashed once a process
_unreachable: dict[str, float] = {}


@dataclass(frozen=True)
class Files:
    """The files of one group by their base name, the source they came from, and one digest over all."""

    paths: dict
    source: str
    sha256: str

    def __getitem__(self, name: str) -> Path:
        return self.paths[name]

    def __contains__(self, name: str) -> bool:
        return name in self.paths


def location(entry: Entry) -> Path:
    return folders.raw_data_dir() / entry.file


def missing(group) -> list[Entry]:
    return [entry for entry in group if not location(entry).is_file()]


def present(group) -> bool:
    """True when every file lies in the local folder with the registered size (contents are checked on loading)."""
    return all(location(entry).is_file() and location(entry).stat().st_size == entry.bytes for entry in group)


def verify(entry: Entry) -> Path:
    """Return the local file of an entry, or raise `ChecksumMismatch`."""
    path = location(entry)
    status = path.stat()
    key = (str(path), status.st_size, status.st_mtime_ns)
    if key not in _verified:
        with open(path, "rb") as stream:
            _verified[key] = hashlib.file_digest(stream, "sha256").hexdigest()
    if _verified[key] != entry.sha256:
        raise mismatch(entry.dataset, path, entry.sha256, _verified[key], entry.bytes, status.st_size)
    return path


def collect(group, source: str) -> Files:
    """Verify a complete group."""
    found = {Path(entry.file).name: verify(entry) for entry in group}
    return Files(found, source, combined_digest(entry.sha256 for entry in group))


def from_local(groups, attempts: list) -> Files | None:
    """The first group that is complete in the local folder; otherwise note what is missing."""
    for group in groups:
        absent = missing(group)
        if not absent:
            return collect(group, "local")
        names = ", ".join(entry.file for entry in absent)
        attempts.append(f"local folder {folders.raw_data_dir()}: no {names}")
    return None


def from_network(groups, attempts: list) -> Files | None:
    """Download the first group that can be had into the local folder; otherwise note why not."""
    if os.environ.get("MR_OFFLINE", "0") not in ("", "0"):
        attempts.append("download: switched off by MR_OFFLINE")
        return None
    for group in groups:
        try:
            for entry in missing(group):
                download(entry)
            return collect(group, "download")
        except DownloadFailed as failure:
            attempts.append(str(failure))
    return None


class DownloadFailed(Exception):
    """One file could not be downloaded; the message is the reason."""


def download(entry: Entry) -> None:
    """Fetch one file. pooch writes to a temporary file and renames it only once its sha256 is right, so an
    interrupted download leaves nothing that could be mistaken for the data."""
    if not entry.url:
        raise DownloadFailed(f"download of {entry.file}: it has no public address")
    server = urlsplit(entry.url).netloc
    if time.monotonic() - _unreachable.get(server, -float("inf")) < UNREACHABLE_FOR:
        raise DownloadFailed(f"download of {entry.file}: {server} was unreachable a moment ago")
    fetcher = pooch.create(
        path=folders.raw_data_dir(),
        base_url="",
        registry={entry.file: f"sha256:{entry.sha256}"},
        urls={entry.file: entry.url},
        retry_if_failed=RETRIES,
    )
    try:
        fetcher.fetch(entry.file, downloader=pooch.HTTPDownloader(timeout=(CONNECT_TIMEOUT, READ_TIMEOUT)))
    except (requests.exceptions.RequestException, ValueError, OSError) as error:
        if isinstance(error, (requests.exceptions.ConnectionError, requests.exceptions.Timeout)):
            _unreachable[server] = time.monotonic()
        raise DownloadFailed(f"download from {entry.url}: {type(error).__name__}: {error}") from error
