"""``python -m mr data``: which data sets exist, and fetching them."""

import sys

from mr import datasets


def show_all() -> int:
    """One line a data set."""
    for name in datasets.names():
        print(f"{name:22} {'at hand' if datasets.available(name) else 'python -m mr data ' + name}")
    return 0


def fetch(names: list[str]) -> int:
    """Load each set once, which downloads and checks it; 1 when one is unavailable."""
    failed = 0
    for name in names:
        try:
            print(datasets.load(name))
        except datasets.DataUnavailable as error:
            print(f"error: {error}", file=sys.stderr)
            failed = 1
    return failed
