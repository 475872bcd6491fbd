"""One module an artifact id (``chen2012_table2.py``), and the machinery that runs it.

An artifact exists when ``params.yaml`` has a block of its id and ``mr/experiments/ID.py`` defines

``datasets(params)``
    list of names for :func:`mr.datasets.load`, of ``(name, options)``, or a dict ``key -> name | (name, options)``;
``graphs(params)`` (optional)
    dict ``key -> (dataset key, parameters of mr.graph.KNNGraph)``;
``spectra(params)`` (optional)
    dict ``key -> (graph key, number of eigenpairs)``;
``tasks(params)``
    list of JSON-able dicts, the units of work; the key ``dataset`` names the data set a task needs;
``run_task(task, params, store)``
    list of dicts, the raw rows of one task (the runner puts the task's own entries and ``data_source`` before them);
``summarise(rows, params)``
    tidy data frame (columns of :data:`experiments.scoreboard.COLUMNS`) from the raw rows;
``NAMES`` (optional)
    dict ``dataset key -> name of the data set in data/reported.csv`` (identity where missing).
"""

import importlib

from experiments.engine import params as _params
from experiments.engine.errors import UsageError, nearest

REQUIRED = ("datasets", "tasks", "run_task", "summarise")


def ids() -> list[str]:
    """Ids of all artifacts, in the order of ``params.yaml``."""
    return list(_params.load())


def load(artifact: str):
    """The module of one artifact; an unknown id suggests the nearest known one."""
    if artifact not in ids():
        raise UsageError(f"unknown artifact {artifact!r}{nearest(artifact, ids())}")
    module = importlib.import_module(f"experiments.engine.{artifact}")
    missing = [name for name in REQUIRED if not hasattr(module, name)]
    if missing:
        raise UsageError(f"mr/experiments/{artifact}.py does not define {', '.join(missing)}")
    return module


def dataset_specs(module, params: dict) -> dict[str, tuple[str, dict]]:
    """``datasets(params)`` of a module in one form: key -> (name, options)."""
    declared = module.datasets(params)
    pairs = declared.items() if isinstance(declared, dict) else ((_key(spec), spec) for spec in declared)
    specs: dict[str, tuple[str, dict]] = {}
    for key, spec in pairs:
        if key in specs:
            raise UsageError(f"{module.__name__}: data set key {key!r} twice; return a dict with a key for each")
        specs[key] = (spec, {}) if isinstance(spec, str) else (spec[0], dict(spec[1]))
    return specs


def reported_name(module, key: str) -> str:
    """Name under which ``data/reported.csv`` knows the data set of this key."""
    return getattr(module, "NAMES", {}).get(key, key)


def _key(spec) -> str:
    return spec if isinstance(spec, str) else spec[0]
