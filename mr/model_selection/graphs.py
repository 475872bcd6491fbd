"""Graphs that differ in neighbours and power, from one neighbour search."""

from copy import copy

import numpy as np
from scipy import sparse
from sklearn.base import clone

from mr.graph import KNNGraph, PrecomputedGraph, as_graph
from mr.graph.neighbors import nearest_neighbors
from mr.graph.union import union


class KnownGraph:
    """Stands for a graph that is fitted already: an estimator that is given it as ``graph`` does not build it again."""

    def __init__(self, graph):
        self.graph = graph

    def fit(self, X, y=None):
        return self.graph

    def apply(self, v):
        return self.graph.apply(v)

    def __sklearn_clone__(self):
        return self


def graph_template(graph, **changes):
    """The user's graph as an unfitted object with some parameters changed."""
    if graph is None:
        graph = KNNGraph()
    elif sparse.issparse(graph) or isinstance(graph, np.ndarray):
        graph = PrecomputedGraph(graph)
    for name in changes:
        if not hasattr(graph, name):
            raise ValueError(f"{type(graph).__name__} has no {name} to choose; leave {name}=None.")
    return clone(graph).set_params(**changes) if changes else graph


def fitted_graphs(graph, X, n_neighbors=None, power=None) -> list[tuple[dict, object]]:
    """Pairs of the parameters that were varied and the fitted graph.

    All numbers of neighbours come from one search for the largest: the nearest k of a point are the first k of its
    nearest k + 1. All powers share one Laplacian.

    Parameters
    ----------
    graph : graph object, affinity matrix or None
        As the estimators take it.
    X : array or sparse matrix (n, d)
    n_neighbors, power : list of int or None
        Values to build; None leaves the graph's own.
    """
    if n_neighbors is None:
        graphs = [({}, as_graph(graph_template(graph), X))]
    else:
        graphs = _by_neighbors(graph, X, n_neighbors)
    if power is None:
        return graphs
    return [({**made, "power": p}, _with_power(graph, fitted, p)) for made, fitted in graphs for p in power]


def _by_neighbors(graph, X, n_neighbors):
    templates = [graph_template(graph, n_neighbors=k) for k in n_neighbors]
    if not isinstance(templates[0], KNNGraph):
        raise ValueError(f"n_neighbors can be chosen for a KNNGraph only; got {type(templates[0]).__name__}.")
    most = max(templates, key=lambda template: template.n_neighbors)
    found = nearest_neighbors(
        X, min(most.n_neighbors, X.shape[0] - 1), most.metric, most.method, most.n_jobs, most.random_state
    )
    return [({"n_neighbors": g.n_neighbors}, _from_neighbors(g, X, *found)) for g in templates]


def _from_neighbors(graph, X, distances, indices, method):
    """What ``graph.fit(X)`` gives, from a search that is done."""
    graph._check_params()
    k = graph._clipped_neighbors(X.shape[0])
    distances, indices = distances[:, :k], indices[:, :k]
    graph.n_features_in_, graph.method_ = X.shape[1], method
    graph._estimate_recall(X, distances, indices)
    return graph._set_affinity(union(indices, graph._edge_weights(X, distances, indices)))


def _with_power(graph, fitted, power):
    graph_template(graph, power=power)
    other = copy(fitted)
    other.power = power
    other._check_laplacian_params()
    return other
