"""Manifold-regularised semi-supervised learning: exact solvers behind scikit-learn estimators.

>>> import mr
>>> from sklearn.datasets import make_moons
>>> X, y = make_moons(200, noise=0.05, random_state=0)
>>> few = y.copy()
>>> few[8:] = -1  # -1 marks an unlabelled point
>>> model = mr.LapRLS(gamma_A=1e-3, gamma_I=100.0).fit(X, few)
>>> model.predict(X).shape
(200,)

Names are imported when they are first used, so ``import mr`` itself loads neither numpy nor numba.
"""

import importlib
from typing import TYPE_CHECKING

__version__ = "0.2.0.dev0"

# Type checkers and editors read these imports; Python reads `__getattr__` below. A test compares the two.
if TYPE_CHECKING:
    from mr import baselines, datasets, graph, kernels, labels, metrics, model_selection, paths, spectrum
    from mr.estimators import (
        AGMR,
        LGC,
        PVM,
        RLS,
        SVM,
        TSVM,
        AnchorGraph,
        HarmonicFunction,
        LapERLS,
        LapERLSRegressor,
        LapESVR,
        LapESVRRegressor,
        LapRLS,
        LapRLSRegressor,
        LapSVM,
        LapSVR,
        LapSVRRegressor,
        LinearLapRLS,
        PrimalLapSVM,
        RegularizedEigenmap,
        RegularizedSpectralClustering,
        RLSRegressor,
        SLapCVM,
        SLapCVR,
    )
    from mr.graph import KNNGraph, PrecomputedGraph, SparseRepresentationGraph
    from mr.model_selection import PVMCV, LapERLSCV, LapESVRCV, LapRLSCV, LapRLSRegressorCV, LapSVMCV

__all__ = [
    "AGMR",
    "AnchorGraph",
    "HarmonicFunction",
    "KNNGraph",
    "LGC",
    "LapERLS",
    "LapERLSCV",
    "LapERLSRegressor",
    "LapESVR",
    "LapESVRCV",
    "LapESVRRegressor",
    "LapRLS",
    "LapRLSCV",
    "LapRLSRegressor",
    "LapRLSRegressorCV",
    "LapSVM",
    "LapSVMCV",
    "LapSVR",
    "LapSVRRegressor",
    "LinearLapRLS",
    "PVM",
    "PVMCV",
    "PrecomputedGraph",
    "PrimalLapSVM",
    "RLS",
    "RLSRegressor",
    "RegularizedEigenmap",
    "RegularizedSpectralClustering",
    "SLapCVM",
    "SLapCVR",
    "SVM",
    "SparseRepresentationGraph",
    "TSVM",
    "baselines",
    "datasets",
    "graph",
    "kernels",
    "labels",
    "metrics",
    "model_selection",
    "paths",
    "spectrum",
]

_ROOMS = frozenset(
    {"baselines", "datasets", "graph", "kernels", "labels", "metrics", "model_selection", "paths", "spectrum"}
)
_GRAPHS = frozenset({"KNNGraph", "PrecomputedGraph", "SparseRepresentationGraph"})
_SEARCHES = frozenset({"LapERLSCV", "LapESVRCV", "LapRLSCV", "LapRLSRegressorCV", "LapSVMCV", "PVMCV"})


if not TYPE_CHECKING:  # with this function in sight, a type checker would accept every name

    def __getattr__(name):
        """Import a room, a graph or an estimator when it is first asked for, and keep it."""
        if name not in __all__:
            raise AttributeError(f"module 'mr' has no attribute {name!r}")
        if name in _ROOMS:
            return importlib.import_module(f"mr.{name}")
        room = "graph" if name in _GRAPHS else "model_selection" if name in _SEARCHES else "estimators"
        value = getattr(importlib.import_module(f"mr.{room}"), name)
        globals()[name] = value
        return value


def __dir__():
    return [*__all__, "__version__"]
