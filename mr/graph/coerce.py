"""From whatever the user passed as ``graph`` to a fitted graph."""

import numpy as np
from scipy import sparse
from sklearn.base import clone

from mr.graph.knn_graph import KNNGraph
from mr.graph.precomputed import PrecomputedGraph


def as_graph(graph, X):
    """Fitted graph on the rows of X.

    Parameters
    ----------
    graph : graph, sparse or dense matrix, or None
        A graph object is cloned and fitted: the user's object stays untouched. An affinity matrix has one row for each
        row of X and is wrapped in ``PrecomputedGraph``. None is ``KNNGraph()``.
    X : array-like or sparse matrix of shape (n, d)

    Returns
    -------
    graph
        Fitted to X.

    See Also
    --------
    mr.KNNGraph, mr.PrecomputedGraph

    Examples
    --------
    >>> import numpy as np
    >>> from mr.graph import as_graph
    >>> as_graph(np.array([[0.0, 1.0], [1.0, 0.0]]), [[0.0], [1.0]]).n_components_
    1
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
