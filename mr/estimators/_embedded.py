"""Laplacian embedded regression (chen2012): the common part of LapESVR and LapERLS.

An intermediate variable g, smooth on the graph and close to the labels, stands between labels and function: f only has
to be close to g on all n points. That decouples the kernel from the graph, Q~ = K + Phi~ Phi~' with virtual labels y~.
"""

from abc import abstractmethod
from numbers import Integral, Real

import numpy as np
from sklearn.utils.validation import check_memory

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import (
    GRAPH_CONSTRAINTS,
    KERNEL_CONSTRAINTS,
    GraphMixin,
    KernelMachine,
    warn_unlabelled_components,
)
from mr.graph import PrecomputedGraph
from mr.solvers.embedding import Embedding, embed
from mr.spectrum import smallest_eigenpairs


class EmbeddedMachine(GraphMixin, KernelMachine):
    """A regression of f on virtual labels at all points of the components that take part."""

    _parameter_constraints = {
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "mu": [Interval(Real, 0.0, None, closed="left")],
        "label_weight": [Interval(Real, 0.0, None, closed="neither")],
        "n_eigenvectors": [Interval(Integral, 1, None, closed="left")],
        "n_landmarks": [Interval(Integral, 1, None, closed="left")],
        "components": [StrOptions({"labelled", "all"})],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "random_state": ["random_state"],
        **KERNEL_CONSTRAINTS,
        **GRAPH_CONSTRAINTS,
    }

    @abstractmethod
    def _solve(self, kernel, X, embedding):
        """Fit f to the virtual labels at the rows of X; keep the expansion, return its values on X."""

    def _fit_functions(self, X, rows, targets):
        graph = self._fit_graph(X)
        warn_unlabelled_components(graph, rows)
        kernel = self._make_kernel(X)
        if self.mu == 0:
            members, embedding = rows, _labels_alone(targets, self.label_weight)
        else:
            members, graph = self._taking_part(graph, rows)
            embedding = self._embed(graph, np.searchsorted(members, rows), targets)
        self.n_members_ = len(members)
        if len(members) == X.shape[0]:
            return self._solve(kernel, X, embedding)
        values = np.empty((X.shape[0], targets.shape[1]))
        values[members] = self._solve(kernel, X[members], embedding)
        others = np.setdiff1d(np.arange(X.shape[0]), members)
        values[others] = self._expand(X[others])
        return values

    def _taking_part(self, graph, rows):
        """Points that g is defined on, and their graph."""
        if self.components == "all":
            return np.arange(len(graph.component_labels_)), graph
        return labelled_components(graph, rows)

    def _embed(self, graph, rows, targets) -> Embedding:
        find = check_memory(self.memory).cache(smallest_eigenpairs)
        pairs = find(graph, min(self.n_eigenvectors, graph.affinity_.shape[0]))
        self.eigenvalues_ = pairs.values
        free = self.components == "all"
        return embed(pairs.values, pairs.vectors, rows, targets, self.label_weight, self.mu, graph.power, free)


def _labels_alone(targets, label_weight) -> Embedding:
    """mu = 0: unlabelled points drop out, G is I / lambda on the labelled ones (chen2012, proposition 2)."""
    features = np.eye(len(targets)) / np.sqrt(label_weight)
    return Embedding(features, np.asarray(targets, dtype=float), 0)


def labelled_components(graph, rows):
    """Points in components that hold a label, and their graph: without a label S would be singular."""
    labels = graph.component_labels_
    inside = np.isin(labels, labels[rows])
    if inside.all():
        return np.arange(len(labels)), graph
    members = np.flatnonzero(inside)
    affinity = graph.affinity_[members][:, members]
    return members, PrecomputedGraph(affinity, laplacian=graph.laplacian, power=graph.power).fit()
