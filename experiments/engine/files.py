"""Small file helpers: atomic writes and canonical JSON."""

import hashlib
import json
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path):
    """A temporary path in the same folder that takes the place of ``path`` when the block succeeds.

    A reader (or a crash) sees the old file or the new one, never half of one. The suffix is kept because
    ``numpy.savez`` appends its own otherwise.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".tmp-", suffix=path.suffix)
    os.close(handle)
    os.chmod(name, 0o644)  # mkstemp makes private files; results are for everyone
    temporary = Path(name)
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically, with ``\\n`` line ends on every system."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def plain(value):
    """JSON form of numpy scalars and arrays."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not JSON-able: {value!r}")


def canonical(value) -> str:
    """Compact JSON with sorted keys: the same text for equal values, wherever it is written."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=plain)


def digest(*values) -> str:
    """sha256 of the canonical JSON of the values."""
    return hashlib.sha256(canonical(values).encode()).hexdigest()
