"""What can go wrong between a name and its data, said so that the reader knows what to do next."""

import importlib
from pathlib import Path

EXTRA = 'pip install "manifold-regularization[data]"'


class DataError(Exception):
    """Base class of the errors of :mod:`mr.datasets`.

    See Also
    --------
    mr.datasets.load : raises its subclasses.

    Examples
    --------
    >>> import mr
    >>> try:
    ...     mr.datasets.load("no such set")
    ... except mr.datasets.DataError as error:
    ...     print(type(error).__name__)
    UnknownDataset
    """


class UnknownDataset(DataError, ValueError):
    """No data set has this name.

    See Also
    --------
    mr.datasets.names : the names that are known.

    Examples
    --------
    >>> import mr
    >>> issubclass(mr.datasets.UnknownDataset, mr.datasets.DataError)
    True
    """


class DataUnavailable(DataError):
    """The name is known, but no source has the data. A pipeline marks such cells "no data" and goes on.

    See Also
    --------
    mr.datasets.load : raises it.
    mr.datasets.available : asks before loading.

    Examples
    --------
    >>> import mr
    >>> issubclass(mr.datasets.DataUnavailable, mr.datasets.DataError)
    True
    """


class ChecksumMismatch(DataError, ValueError):
    """A file does not hold the registered data. Never skipped silently: results would not be comparable.

    See Also
    --------
    mr.datasets.load : raises it.

    Examples
    --------
    >>> import mr
    >>> issubclass(mr.datasets.ChecksumMismatch, mr.datasets.DataError)
    True
    """


class MissingPackage(DataError, ImportError):
    """Reading or downloading this set needs a package of the extra ``data`` that is not installed.

    See Also
    --------
    mr.datasets.load : raises it.

    Examples
    --------
    >>> import mr
    >>> issubclass(mr.datasets.MissingPackage, mr.datasets.DataError)
    True
    """


class Unreadable(ValueError):
    """A parser could not read a file; `mr.datasets.load` turns this into `ChecksumMismatch`."""

    def __init__(self, path: Path, reason: str):
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


def require(module: str, purpose: str):
    """Import a module of the extra ``data``, or say which extra is missing and what for."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingPackage(f"{purpose} needs the package {package}, which is not installed: {EXTRA}") from error


def unavailable(name: str, attempts, choices=(), hint: str = "") -> DataUnavailable:
    """Compose the message: what was tried and why it failed, where the files are, where to put them, how to retry.

    Parameters
    ----------
    name : str
    attempts : list of str
        One sentence per source that failed.
    choices : list of lists of (str, Path)
        Groups of files, any one of which makes up the set. A file is its address ("" when there is none) and the
        place where it should lie.
    hint : str
    """
    lines = [f"The data set {name!r} is not available.", "Tried:"]
    lines += [f"  - {attempt}" for attempt in attempts]
    if choices:
        lines.append("To provide it yourself, put these files there (or set MR_DATA_DIR to a folder that has them):")
        groups = [
            "\n".join(f"  {url or '(no public address for this one)'}\n    -> {path}" for url, path in group)
            for group in choices
        ]
        lines.append("\nor\n".join(groups))
    if hint:
        lines.append(hint)
    lines.append(f"Then retry: {retry(name)}")
    return DataUnavailable("\n".join(lines))


def mismatch(name: str, path: Path, expected: str, got: str, expected_bytes: int, got_bytes: int) -> ChecksumMismatch:
    """A file whose sha256 is not the registered one."""
    size = ""
    if got_bytes != expected_bytes:
        kind = "truncated" if got_bytes < expected_bytes else "too long"
        size = f"\n  size: expected {expected_bytes} bytes, got {got_bytes} ({kind})"
    return ChecksumMismatch(
        f"A file of the data set {name!r} is not the registered one.\n  file: {path}\n"
        f"  sha256: expected {expected}\n          got      {got}{size}\n{advice(name)}"
    )


def wrong_contents(name: str, paths, expected: str, got: str, what: str, deleted: bool) -> ChecksumMismatch:
    """Files that could be read, but hold other data than the registered, or could not be read at all.

    ``expected`` is the registered digest of the contents and ``what`` their description; ``got`` says what was found.
    ``deleted`` tells that the files came from a download just now and were not kept.
    """
    files = "\n".join(f"  file: {path}" for path in paths)
    return ChecksumMismatch(
        f"The files of the data set {name!r} do not hold the registered data.\n{files}\n"
        f"  expected: {what}\n            contents with sha256 {expected}\n  got:      {got}\n{advice(name, deleted)}"
    )


def advice(name: str, deleted: bool = False) -> str:
    """What to do about files that are not what they should be."""
    what_to_do = "The download was not kept." if deleted else "Delete or replace what is damaged."
    return f"{what_to_do} Then retry: {retry(name)}"


def retry(name: str) -> str:
    return f"mr.datasets.load({name!r})"
