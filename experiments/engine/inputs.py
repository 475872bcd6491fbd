"""What tasks read: data sets, graphs and spectra, each with a content hash that is part of a result's identity.

The hashes live in ``data/inputs/{datasets,graphs,spectra}.json``. They are committed, so that a fresh clone without
data knows which inputs the committed rows belong to. The graphs and eigenvectors themselves are in the one cache,
``cache/graphs`` and ``cache/spectra``; a file there is named by what determines it, code included, and one that cannot
be read is made again.
"""

import hashlib
import json
import sys
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

from experiments.engine import paths
from experiments.engine.errors import UsageError
from experiments.engine.files import canonical, digest, replacing, write_text
from experiments.engine.provenance import fingerprint
from mr import datasets, spectrum
from mr.graph import KNNGraph, PrecomputedGraph

ROWS_AT_ONCE = 4096
DAMAGED = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)
KINDS = ("datasets", "graphs", "spectra")


class Inputs:
    """Inputs by content: loads or makes them once per process, and knows their hashes.

    Parameters
    ----------
    trust : bool, default=True
        Take hashes from ``data/inputs`` where they are there. False looks at the contents themselves (recheck).
    cache : Path, default=None
        Folder of graphs and spectra; None is the workspace's cache.
    """

    def __init__(self, trust: bool = True, cache: Path | None = None):
        self.trust = trust
        self.cache = cache or paths.cache_dir()
        self.known = {kind: _read(kind) for kind in KINDS}
        self.found: dict = {kind: {} for kind in KINDS}
        self.used: set[Path] = set()
        self._loaded: dict = {}

    def __getstate__(self):
        return self.__dict__ | {"_loaded": {}}

    def dataset(self, name: str, options: dict):
        """The data set; raises ``DataUnavailable`` like :func:`mr.datasets.load`."""
        return self._once(_name(name, options), lambda: datasets.load(name, **options))

    def graph(self, name: str, options: dict, settings: dict) -> PrecomputedGraph:
        """The fitted nearest-neighbour graph of a data set."""
        of = digest(self.look("datasets", name, options), settings, _code("graph"))
        file = self.cache / "graphs" / f"{of[:32]}.npz"

        def load():
            graph = KNNGraph(**settings)
            W = self._cached(file, lambda: graph.fit(self.dataset(name, options).X).affinity_, sparse.save_npz,
                             sparse.load_npz)  # fmt: skip
            return PrecomputedGraph(W, laplacian=graph.laplacian, power=graph.power).fit()

        return self._once(file, load)

    def spectrum(self, name: str, options: dict, settings: dict, size: int):
        """The smallest eigenpairs of that graph's Laplacian."""
        of = digest(self.look("graphs", name, options, settings), size, _code("graph"), _code("spectrum"))
        file = self.cache / "spectra" / f"{of[:32]}.npz"

        def save(path, pairs):
            np.savez(path, values=pairs.values, vectors=pairs.vectors, residual=pairs.residual)

        def load(path):
            with np.load(path, allow_pickle=False) as arrays:
                return spectrum.Eigenpairs(*(arrays[key][()] for key in ("values", "vectors", "residual")))

        def make():
            return spectrum.smallest_eigenpairs(self.graph(name, options, settings), size)

        return self._once(file, lambda: self._cached(file, make, save, load))

    def look(self, kind: str, name: str, options: dict, *more) -> str:
        """Content hash of a data set, of its graph with the settings ``more[0]``, or of that graph's spectrum."""
        text = " ".join([_name(name, options), *(canonical(item) for item in more)])
        entry = self.found[kind].get(text) or (self.known[kind].get(text) if self.trust else None)
        self.found[kind][text] = entry or getattr(self, f"_describe_{kind}")(name, options, *more)
        return self.found[kind][text]["sha256"]

    def _describe_datasets(self, name, options) -> dict:
        return describe(self.dataset(name, options))

    def _describe_graphs(self, name, options, settings) -> dict:
        W = self.graph(name, options, settings).affinity_
        return {"sha256": hash_arrays(W.indptr, W.indices, W.data), "edges": int(W.nnz // 2)}

    def _describe_spectra(self, name, options, settings, size) -> dict:
        # of the eigenvalues only: vectors of a multiple eigenvalue may differ between equal machines
        values = self.spectrum(name, options, settings, size).values
        return {"sha256": digest(self.look("graphs", name, options, settings), hash_arrays(values)), "size": size}

    def write(self, kind: str, entries: dict) -> Path:
        """Commit the hashes of one kind to ``data/inputs``."""
        path = paths.data_file(f"inputs/{kind}.json")
        write_text(path, json.dumps(entries, indent=1, sort_keys=True) + "\n")
        return path

    def _once(self, slot, make):
        if slot not in self._loaded:
            self._loaded[slot] = make()
        return self._loaded[slot]

    def _cached(self, file: Path, make, save, load):
        """Load a file of the cache, or make it; a damaged one is replaced with a word."""
        self.used.add(file)
        if file.exists():
            try:
                return load(file)
            except DAMAGED as error:
                print(f"{paths.shown(file)} is damaged ({type(error).__name__}); making it again", file=sys.stderr)
        with replacing(file) as temporary:
            save(temporary, make())
        return load(file)


def describe(dataset) -> dict:
    """Hash, shape and class counts of a data set: the same text on every machine that has the data."""
    classes, counts = np.unique(dataset.y, return_counts=True)
    entry = {"sha256": content_hash(dataset), "shape": list(dataset.X.shape), "sparse": sparse.issparse(dataset.X)}
    if len(classes) <= 100:
        entry["class_counts"] = {str(c): int(k) for c, k in zip(classes.tolist(), counts.tolist(), strict=True)}
    return entry


def content_hash(dataset) -> str:
    """sha256 of X, y and the splits: changes when a parser changes what it returns, not only when a file does."""
    total = hashlib.sha256()
    if sparse.issparse(dataset.X):
        X = dataset.X.tocsr()
        _update(total, X.indptr, X.indices, X.data)
    else:
        for start in range(0, dataset.X.shape[0], ROWS_AT_ONCE):  # X may be lazy: never all of it at once
            _update(total, dataset.X[start : start + ROWS_AT_ONCE])
    _update(total, dataset.y)
    for name, rows in sorted(dict(dataset.splits or {}).items()):
        total.update(name.encode())
        _update(total, rows)
    return total.hexdigest()


def hash_arrays(*arrays) -> str:
    total = hashlib.sha256()
    _update(total, *arrays)
    return total.hexdigest()


def _update(total, *arrays) -> None:
    """Values are rounded first: exponentials, and sums in another order, differ in the last bits between processors."""
    for values in map(np.asarray, arrays):
        if np.issubdtype(values.dtype, np.floating):
            values = np.round(values.astype(np.float64), 6) + 0.0  # + 0.0 turns -0.0 into 0.0
        elif values.dtype.kind in "iu" and values.itemsize > 2:
            values = values.astype(np.int64)  # index arrays are 32 or 64 bits wide depending on the machine
        elif values.dtype.kind == "O":
            values = np.array([hashlib.sha256(str(text).encode()).hexdigest() for text in values.ravel()])
        total.update(repr(values.shape).encode())
        total.update(np.ascontiguousarray(values).tobytes())


def _name(name: str, options: dict) -> str:
    return f"{name} {canonical(options)}" if options else name


def _read(kind: str) -> dict:
    path = paths.data_file(f"inputs/{kind}.json")
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except ValueError as error:
        raise UsageError(f"{paths.shown(path)} is damaged ({error}); restore it with git") from error


def _code(room: str) -> str:
    return fingerprint(paths.ROOT / "mr" / room)
