"""Neighbour search, neighbour graphs, user-supplied graphs and their Laplacians."""

from mr.graph.base import GraphWarning
from mr.graph.coerce import as_graph
from mr.graph.kernel_graph import KernelGraph
from mr.graph.knn_graph import KNNGraph
from mr.graph.laplacians import laplacian
from mr.graph.neighbors import nearest_neighbors
from mr.graph.precomputed import PrecomputedGraph
from mr.graph.sparse_representation import SparseRepresentationGraph

__all__ = [
    "GraphWarning",
    "KNNGraph",
    "KernelGraph",
    "PrecomputedGraph",
    "SparseRepresentationGraph",
    "as_graph",
    "laplacian",
    "nearest_neighbors",
]
