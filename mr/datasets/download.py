"""Fetch one original file from its public address into the user's cache folder."""

import time
from pathlib import Path
from urllib.parse import urlsplit

from mr.datasets import folders
from mr.datasets.errors import require
from mr.datasets.registry import Entry

CONNECT_TIMEOUT, READ_TIMEOUT = 5, 30  # seconds: without a network a run should find out quickly
RETRIES = 2
UNREACHABLE_FOR = 60  # seconds during which a dead server is not asked again, so thirty sets fail as fast as one

_unreachable: dict[str, float] = {}


class DownloadFailed(Exception):
    """One file could not be downloaded; the message is the reason."""


def download(entry: Entry) -> Path:
    """Fetch one file and return its place in the cache.

    pooch writes to a temporary file and renames it only once its sha256 is right (or, where none is registered, once
    the transfer is complete), so an interrupted download leaves nothing that could be mistaken for the data.
    """
    purpose = f"The data set {entry.dataset!r} is not on this machine, and downloading it"
    pooch, exceptions = require("pooch", purpose), require("requests.exceptions", purpose)
    server = urlsplit(entry.url).netloc
    if time.monotonic() - _unreachable.get(server, -float("inf")) < UNREACHABLE_FOR:
        raise DownloadFailed(f"download of {entry.file}: {server} was unreachable a moment ago")
    fetcher = pooch.create(
        path=folders.cache_dir(),
        base_url="",
        registry={entry.file: f"sha256:{entry.sha256}" if entry.sha256 else None},
        urls={entry.file: entry.url},
        retry_if_failed=RETRIES,
    )
    try:
        downloader = pooch.HTTPDownloader(timeout=(CONNECT_TIMEOUT, READ_TIMEOUT))
        return Path(fetcher.fetch(entry.file, downloader=downloader))
    except (exceptions.RequestException, ValueError, OSError) as error:
        if isinstance(error, (exceptions.ConnectionError, exceptions.Timeout)):
            _unreachable[server] = time.monotonic()
        raise DownloadFailed(f"download from {entry.url}: {type(error).__name__}: {error}") from error
