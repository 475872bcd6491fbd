"""Manifold-regularised semi-supervised learning: exact solvers, and the five papers that they reproduce."""

from mr.common import metrics
from mr.estimators import *  # noqa: F403
from mr.estimators import __all__ as _estimators
from mr.graph import KNNGraph, PrecomputedGraph, SparseRepresentationGraph

__version__ = "0.1.0"
__all__ = ["KNNGraph", "PrecomputedGraph", "SparseRepresentationGraph", "metrics", *_estimators]
