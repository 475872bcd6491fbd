"""From whatever the user passed as ``graph`` to a fitted graph."""

import numpy as np
from scipy import sparse
from sklearn.base import clone

from mr.graph.knn_graph import KNNGraph
from mr.graph.precomputed import PrecomputedGraph


def as_graph(graph, X):
    """Fitted graph on the rows of X.

    ``graph`` is a graph object (cloned, then fitted: the user's object stays untouched), a sparse or dense affinity
    matrix with one row for each row of X (wrapped in ``PrecomputedGraph``), or None for ``KNNGraph()``.
    """
    if graph is None:
        graph = KNNGraph()
    elif sparse.issparse(graph) or isinstance(graph, np.ndarray):
        graph = PrecomputedGraph(graph)
    elif isinstance(graph, type) or not (hasattr(graph, "fit") and hasattr(graph, "apply")):
        raise TypeError(
            "graph must be a KNNGraph, a PrecomputedGraph, or a sparse or dense affinity matrix; "
            f"got {graph!r} of type {type(graph).__name__}."
        )
    return clone(graph).fit(X)
