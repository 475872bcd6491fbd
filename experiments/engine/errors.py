"""Failures a user can cause or repair; the command line shows them without a traceback."""

import difflib
from collections.abc import Iterable


class UsageError(Exception):
    """Wrong name, missing step, damaged file or inconsistent declaration; the message says what to do."""


class TasksFailed(Exception):
    """Some tasks of a run raised; the rows of all others are kept."""


def nearest(name: str, known: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` for the nearest known name, else the list of what exists."""
    known = sorted(known)
    folded = {k.casefold(): k for k in known}
    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    if close:
        return f" (did you mean {folded[close[0]]!r}?)"
    return f" (known: {', '.join(known)})" if known else " (none exist yet)"


def one_of(specs: dict, key: str, what: str):
    """``specs[key]``, or an error that suggests the nearest key."""
    if key not in specs:
        raise UsageError(f"unknown {what} {key!r}{nearest(key, specs)}")
    return specs[key]
