"""Data cards: what data an artifact was computed from, the same text on every machine.

A card holds hashes, shapes and class counts, but no path and no source: those differ between machines that hold the
same data, and the card is what later stages depend on. A set that no source has is recorded as unavailable; the
pipeline then leaves its cells "no data" and goes on.
"""

import hashlib
import json
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse

from mr import datasets
from experiments.engine import paths
from experiments.engine import dataset_specs
from experiments.engine.files import write_text

ROWS_AT_ONCE = 4096


def card_file(artifact: str) -> Path:
    return paths.cache_dir() / "cards" / f"{artifact}.json"


def write_card(artifact: str, module, params: dict) -> dict:
    """Load every data set of the artifact, and write its card."""
    card = {}
    for key, (name, options) in dataset_specs(module, params).items():
        try:
            card[key] = describe(datasets.load(name, **options)) | ({"options": options} if options else {})
        except datasets.DataUnavailable as error:
            warnings.warn(f"{artifact}: {error}", stacklevel=2)
            card[key] = {"name": name, "available": False}
    write_text(card_file(artifact), json.dumps(card, indent=1, sort_keys=True) + "\n")
    return card


def read_card(artifact: str) -> dict:
    return json.loads(card_file(artifact).read_text(encoding="utf-8"))


def unavailable(card: dict) -> list[str]:
    """Keys of the data sets that could not be had."""
    return [key for key, entry in card.items() if not entry["available"]]


def forget_unavailable(folder: Path | None = None) -> list[str]:
    """Delete the cards that miss data, so that the next run looks for it again; ids of those deleted."""
    folder = folder or paths.cache_dir() / "cards"
    gone = []
    for file in sorted(folder.glob("*.json")):
        if unavailable(json.loads(file.read_text(encoding="utf-8"))):
            file.unlink()
            gone.append(file.stem)
    return gone


def describe(dataset) -> dict:
    """One entry of a card."""
    classes, counts = np.unique(dataset.y, return_counts=True)
    return {
        "name": dataset.name,
        "available": True,
        "sha256": content_hash(dataset),
        "shape": list(dataset.X.shape),
        "sparse": bool(sparse.issparse(dataset.X)),
        "class_counts": {str(c): int(k) for c, k in zip(classes.tolist(), counts.tolist(), strict=True)}
        if len(classes) <= 100
        else {},
        "splits": {name: list(np.shape(rows)) for name, rows in sorted(dict(dataset.splits or {}).items())},
    }


def content_hash(dataset) -> str:
    """sha256 of X, y and the splits: changes when a parser changes what it returns, not only when a file does.

    (The digests of the original files are the loader's business: it compares them with ``data/registry.csv``.)
    Values are rounded first: sines and exponentials of generated data differ in the last bits between processors.
    """
    total = hashlib.sha256()
    if sparse.issparse(dataset.X):
        X = dataset.X.tocsr()
        for part in (X.indptr, X.indices, X.data):
            _update(total, part)
    else:
        for start in range(0, dataset.X.shape[0], ROWS_AT_ONCE):  # X may be lazy: never all of it at once
            _update(total, dataset.X[start : start + ROWS_AT_ONCE])
    _update(total, dataset.y)
    for name, rows in sorted(dict(dataset.splits or {}).items()):
        total.update(name.encode())
        _update(total, rows)
    return total.hexdigest()


def _update(total, values) -> None:
    values = np.asarray(values)
    if np.issubdtype(values.dtype, np.floating):
        values = np.round(values.astype(np.float64), 6) + 0.0  # + 0.0 turns -0.0 into 0.0
    elif values.dtype.kind in "iu" and values.itemsize > 2:
        values = values.astype(np.int64)  # index arrays are 32 or 64 bits wide depending on the machine
    total.update(repr(values.shape).encode())
    total.update(np.ascontiguousarray(values).tobytes())
