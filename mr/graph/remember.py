"""Results kept by joblib across fits and processes, for as long as the code behind them is the same."""

import hashlib
from functools import cache
from importlib.resources import files

from sklearn.utils.validation import check_memory

CODE = ("graph", "spectrum", "pair_descent.py")
"""Parts of the library that kept results depend on."""


def remembered(memory, function):
    """``function`` through ``memory`` (None, a folder, or a joblib.Memory).

    joblib asks for the same source of the function itself and for equal arguments. What the function calls may have
    changed since, so a fingerprint of that code is one of the arguments. Code of other packages is not looked at.
    joblib reads with pickle: the folder has to be one that only trusted people write to.
    """
    if memory is None:
        return function
    kept = check_memory(memory).cache(_call)
    return lambda *arguments: kept(function, arguments, fingerprint())


def _call(function, arguments, code):
    return function(*arguments)


@cache
def fingerprint() -> str:
    """Hash of the sources named in CODE, taken once per process."""
    return hash_of([files("mr") / part for part in CODE])


def hash_of(parts) -> str:
    """Hash of source files, and of those in folders, with their names."""
    digest = hashlib.sha256()
    for part in parts:
        sources = [part] if part.is_file() else sorted(part.iterdir(), key=lambda file: file.name)
        for source in sources:
            if source.name.endswith(".py"):
                digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()
