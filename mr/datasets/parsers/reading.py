"""Reading files that were not compared with a registered sha256: every error message names the file."""

import gzip
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from mr.datasets.errors import Unreadable

DAMAGE = (OSError, EOFError, ValueError, LookupError, zlib.error, tarfile.TarError, zipfile.BadZipFile)
GZIP_MAGIC = b"\x1f\x8b"


@contextmanager
def reading(path: Path):
    """Whatever a damaged file makes its reader raise becomes `Unreadable`, which names the file."""
    try:
        yield
    except Unreadable:
        raise
    except DAMAGE as error:
        raise Unreadable(path, f"{type(error).__name__}: {error}") from error


def common(files) -> Path:
    """The one file of a group, or the folder that has them all."""
    return Path(os.path.commonpath(files.paths.values()))


def npz_parts(path: Path) -> dict:
    """Points and labels of the parts "train" and "test" of an npz file that holds X_train, y_train, X_test, y_test."""
    with reading(path), np.load(path, allow_pickle=False) as archive:
        return {part: (archive[f"X_{part}"], archive[f"y_{part}"]) for part in ("train", "test")}


def plain_bytes(path: Path) -> bytes:
    """The contents of a file, unpacked when it is gzipped (which its first bytes tell, not its name)."""
    with reading(path):
        raw = path.read_bytes()
        return gzip.decompress(raw) if raw.startswith(GZIP_MAGIC) else raw


def tar_members(path: Path, pattern: re.Pattern) -> Iterator[tuple[re.Match, bytes]]:
    """The regular files of a tar.gz archive whose whole path matches: the match, and the contents.

    Read as a stream, from first to last: nothing is unpacked to disk, and no path of the archive is ever used as one.
    """
    with reading(path), tarfile.open(path, "r|gz") as archive:
        for member in archive:
            match = pattern.fullmatch(member.name)
            if match and member.isfile():
                yield match, archive.extractfile(member).read()
