"""What a task reads: data sets, graphs and spectra of one artifact, by key; and the stages that make them.

Graphs and spectra live in ``cache/graphs/ID/KEY.npz`` and ``cache/spectra/ID/KEY.npz``. The files are links into
``cache/pool``, where a file is named by all that determines it (data, parameters, code): artifacts that ask for one
graph share its computation, and an edited experiment that asks for the same graphs gets them at once.
"""

import hashlib
import os
import shutil
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy import sparse

from mr import datasets, spectrum
from experiments.engine import paths
from experiments.engine import dataset_specs
from experiments.engine.cards import read_card
from experiments.engine.closure import closure, fingerprint, imported
from experiments.engine.errors import UsageError, nearest
from experiments.engine.files import canonical, digest, replacing
from mr.graph import KNNGraph, PrecomputedGraph


class Store:
    """Read access to the inputs of one artifact; pickles small (a worker process loads what it uses, once)."""

    def __init__(self, artifact: str, module, params: dict):
        self.artifact = artifact
        self.params = params
        self.specs = dataset_specs(module, params)
        self.graph_specs = module.graphs(params) if hasattr(module, "graphs") else {}
        self.spectrum_specs = module.spectra(params) if hasattr(module, "spectra") else {}
        self._loaded: dict = {}

    def __getstate__(self):
        return self.__dict__ | {"_loaded": {}, "card": self.card}

    @cached_property
    def card(self) -> dict:
        return read_card(self.artifact)

    def dataset(self, key: str):
        """The :class:`mr.datasets.Dataset` of this key; raises ``DataUnavailable`` like :func:`mr.datasets.load`."""
        name, options = _known(self.specs, key, "data set")
        return self._once(("dataset", key), lambda: datasets.load(name, **options))

    def graph(self, key: str) -> PrecomputedGraph:
        """The fitted graph of this key, from the cache."""
        _known(self.graph_specs, key, "graph")
        return self._once(("graph", key), lambda: load_graph(graph_file(self.artifact, key)))

    def spectrum(self, key: str):
        """The smallest eigenpairs of this key, from the cache."""
        _known(self.spectrum_specs, key, "spectrum")
        return self._once(("spectrum", key), lambda: load_spectrum(spectrum_file(self.artifact, key)))

    def seed_sequence(self, task: dict, *keys: str) -> np.random.SeedSequence:
        """Child of ``SeedSequence(params["seed"])`` that belongs to this task.

        With ``keys``, only those entries of the task count: methods compared on the same draw share
        ``store.seed_sequence(task, "dataset", "split")``. Seeds do not depend on the order or number of tasks.
        """
        part = {key: task[key] for key in keys} if keys else task
        words = hashlib.sha256(canonical(part).encode()).digest()
        return np.random.SeedSequence(self.params.get("seed", 0), spawn_key=tuple(np.frombuffer(words[:16], "<u4")))

    def random_state(self, task: dict, *keys: str) -> int:
        """An integer seed for scikit-learn's ``random_state``, from :meth:`seed_sequence`."""
        return int(self.seed_sequence(task, *keys).generate_state(1)[0])

    def _once(self, slot, make):
        if slot not in self._loaded:
            self._loaded[slot] = make()
        return self._loaded[slot]


def graph_code() -> set[Path]:
    """Source files that determine a graph; other graphs in the room do not count."""
    return closure(imported("from mr.graph import KNNGraph"))


def spectrum_code() -> set[Path]:
    """Source files that determine the eigenpairs of a given graph."""
    return closure(imported("from mr.spectrum import smallest_eigenpairs"))


def build_graphs(store: Store) -> list[str]:
    """Stage ``graph``: make (or link) every graph of the artifact; keys left out for want of data are returned."""
    folder = _emptied(paths.cache_dir() / "graphs" / store.artifact)
    code = fingerprint(graph_code())
    skipped = []
    for key, (dataset, graph_params) in store.graph_specs.items():
        if not store.card[dataset]["available"]:
            skipped.append(key)
            continue
        pooled = _pool_file(digest("graph", store.card[dataset]["sha256"], graph_params, code))
        if not pooled.exists():
            save_graph(pooled, KNNGraph(**graph_params).fit(store.dataset(dataset).X))
        _link(pooled, folder / f"{key}.npz")
    return skipped


def build_spectra(store: Store) -> list[str]:
    """Stage ``spectrum``: the smallest eigenpairs of every declared graph; keys left out are returned."""
    folder = _emptied(paths.cache_dir() / "spectra" / store.artifact)
    code = fingerprint(spectrum_code())
    skipped = []
    for key, (graph, n_eigenvectors) in store.spectrum_specs.items():
        _known(store.graph_specs, graph, "graph")
        source = graph_file(store.artifact, graph)
        if not source.exists():
            skipped.append(key)
            continue
        content = hashlib.sha256(source.read_bytes()).hexdigest()
        pooled = _pool_file(digest("spectrum", content, n_eigenvectors, code))
        if not pooled.exists():
            save_spectrum(pooled, spectrum.smallest_eigenpairs(store.graph(graph), n_eigenvectors))
        _link(pooled, folder / f"{key}.npz")
    return skipped


def graph_file(artifact: str, key: str) -> Path:
    return paths.cache_dir() / "graphs" / artifact / f"{key}.npz"


def spectrum_file(artifact: str, key: str) -> Path:
    return paths.cache_dir() / "spectra" / artifact / f"{key}.npz"


def save_graph(path: Path, graph) -> None:
    W = sparse.csr_array(graph.affinity_)
    with replacing(path) as temporary:
        np.savez(
            temporary,
            data=W.data,
            indices=W.indices,
            indptr=W.indptr,
            shape=W.shape,
            laplacian=np.str_(graph.laplacian),
            power=graph.power,
        )


def load_graph(path: Path) -> PrecomputedGraph:
    if not path.exists():
        raise UsageError(f"no graph at {path.relative_to(paths.workspace())}; run the graph stage first")
    with np.load(path, allow_pickle=False) as file:
        W = sparse.csr_array((file["data"], file["indices"], file["indptr"]), shape=tuple(file["shape"]))
        return PrecomputedGraph(W, laplacian=str(file["laplacian"]), power=int(file["power"])).fit()


def save_spectrum(path: Path, pairs) -> None:
    with replacing(path) as temporary:
        np.savez(temporary, values=pairs.values, vectors=pairs.vectors, residual=pairs.residual)


def load_spectrum(path: Path):
    if not path.exists():
        raise UsageError(f"no spectrum at {path.relative_to(paths.workspace())}; run the spectrum stage first")
    with np.load(path, allow_pickle=False) as file:
        residual = file["residual"]
        return spectrum.Eigenpairs(file["values"], file["vectors"], float(residual) if residual.ndim == 0 else residual)


def _pool_file(name: str) -> Path:
    return paths.cache_dir() / "pool" / f"{name}.npz"


def _link(source: Path, target: Path) -> None:
    """Hard link where the file system can, else a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _emptied(folder: Path) -> Path:
    """The folder, without the files of keys that may be gone by now."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _known(specs: dict, key: str, what: str):
    if key not in specs:
        raise UsageError(f"unknown {what} {key!r}{nearest(key, specs)}")
    return specs[key]
