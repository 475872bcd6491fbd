"""What can go wrong between a name and its data, said so that the reader knows what to do next."""

from pathlib import Path


class DataError(Exception):
    """Base of every error of this room."""


class UnknownDataset(DataError, ValueError):
    """No data set has this name."""


class DataUnavailable(DataError):
    """The name is known, but no source has the data. A pipeline marks such cells "no data" and goes on."""


class ChecksumMismatch(DataError, ValueError):
    """A local file is not the file the registry names. Never skipped silently: results would not be comparable."""


def unavailable(name: str, attempts, places=(), hint: str = "") -> DataUnavailable:
    """Compose the message: what was tried and why it failed, where the files are, where to put them, how to retry.

    ``places`` holds (url, path) pairs: the address of a file ("" when there is none) and where it should lie.
    """
    lines = [f"The data set {name!r} is not available.", "Tried:"]
    lines += [f"  - {attempt}" for attempt in attempts]
    if places:
        lines.append("To provide it yourself, put these files there (or set MR_DATA_DIR to a folder that has them):")
        lines += [f"  {url or '(no public address for this file)'}\n    -> {path}" for url, path in places]
    if hint:
        lines.append(hint)
    lines.append(f"Then retry: python -m mr data {name}")
    return DataUnavailable("\n".join(lines))


def mismatch(name: str, path: Path, expected: str, got: str, expected_bytes: int, got_bytes: int) -> ChecksumMismatch:
    size = ""
    if got_bytes != expected_bytes:
        kind = "truncated" if got_bytes < expected_bytes else "too long"
        size = f"\n  size: expected {expected_bytes} bytes, got {got_bytes} ({kind})"
    return ChecksumMismatch(
        f"A file of the data set {name!r} is not the registered one.\n  file: {path}\n"
        f"  sha256: expected {expected}\n          got      {got}{size}\n"
        f"Delete or replace it, then retry: python -m mr data {name}"
    )
