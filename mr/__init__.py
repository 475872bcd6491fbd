"""Manifold-regularised semi-supervised learning: exact solvers, and the five papers that they reproduce.

Names are imported when they are first used: ``python -m mr`` starts a process for every stage of the pipeline, and most
stages need no estimator.
"""

import importlib

__version__ = "0.1.0"

_ROOMS = {
    "mr.graph": ("KNNGraph", "PrecomputedGraph", "SparseRepresentationGraph"),
    "mr": ("metrics",),
}


def _estimators():
    return importlib.import_module("mr.estimators").__all__


def __getattr__(name):
    if name in ("datasets", "graph", "kernels", "spectrum"):
        return importlib.import_module(f"mr.{name}")
    for room, names in _ROOMS.items():
        if name in names:
            module = importlib.import_module(room)
            return getattr(module, name) if hasattr(module, name) else importlib.import_module(f"{room}.{name}")
    if not name.startswith("_") and name in _estimators():
        return getattr(importlib.import_module("mr.estimators"), name)
    raise AttributeError(f"module 'mr' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *(name for names in _ROOMS.values() for name in names), *_estimators()])
