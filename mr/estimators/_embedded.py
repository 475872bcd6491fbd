"""Laplacian embedded regression (chen2012): the common part of LapESVR and LapERLS.

An intermediate variable g, smooth on the graph and close to the labels, stands between labels and function: f only has
to be close to g on all n points. That decouples the kernel from the graph, Q~ = K + Phi~ Phi~' with virtual labels y~.
"""

from abc import abstractmethod
from numbers import Integral, Real

import numpy as np
from scipy import linalg
from sklearn.base import is_classifier

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import (
    GRAPH_CONSTRAINTS,
    KERNEL_CONSTRAINTS,
    GraphMixin,
    KernelMachine,
    warn_unlabelled_components,
)
from mr.estimators._manifold import basis_rows
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.graph import PrecomputedGraph
from mr.graph.blocks import RowBlocks, part_of, rows_of
from mr.graph.remember import remembered
from mr.kernels.features import features_of
from mr.solvers.embedded_weight import LABELS, Weights, choose_weights, of_labels
from mr.solvers.embedding import Embedding, check_label_weight, embed, feature_inverse
from mr.spectrum import smallest_eigenpairs

HELD_BYTES = 2**29
"""Of features over landmarks that are held; larger ones are made by blocks of rows when they are needed."""
EXACT_CHOICE = 5000
"""Points up to which weights are chosen with the Gram matrix itself; beyond, with an expansion over 1000 of them."""

WEIGHT_PARAMETERS = """\
    C : "auto" or float > 0, default="auto"
        Weight of the misfit between f and g. "auto" chooses it together with ``mu``: 1 or 10 over mean k(x, x), in a
        regression up to 1e6 over it.
    mu : "auto" or float >= 0, default="auto"
        Weight of g'L^p g, chen2012's; p is the graph's ``power``. "auto" takes the one of five weights that predicts
        left-out labels best, among them 0, which leaves the graph out (:mod:`mr.solvers.embedded_weight`).
    label_weight : "auto" or float > 0, default="auto"
        lambda, weight of the misfit between g and the labels; "auto" is 1000 C.
"""
GRAPH_PARAMETERS = """\
    n_eigenvectors : int, default=50
        Dimension of g (at most n).
    components : {"labelled", "all"}, default="labelled"
        Connected components of the graph that take part. Without a label a component's constant vector is in the null
        space of S. "labelled" leaves such components out of the fit, with a warning, and predicts their points by f
        like new points. "all" keeps them, and g is free in these directions (S gets the eigenvalue 1e-6 there, or
        mu times ``shift`` where there is one).
    shift : float >= 0, default=0
        Multiple of the identity added to L^p, so that g has a small norm in every direction. The code that chen2012's
        authors released has 1e-4.
    kernel : {"rbf", "linear", "poly", "cosine", "precomputed"} or function, default="rbf"
        A function k(A, B) returns the Gram block of the rows of two matrices. With "precomputed", X is the n x n Gram
        matrix (at ``predict``: kernel values with all training points), and neighbours are those in feature space.
    gamma : float, "scale" or "mean", default="mean"
        Kernel coefficient; "mean" is chen2012's n^2 / sum_ij ||x_i - x_j||^2.
    degree, coef0 : float, default=3 and 0
        Of the polynomial kernel.
    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix, default=None
        None is ``KNNGraph()``.
"""
ATTRIBUTES = """\
    C_, mu_, label_weight_ : float
        The weights used.
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    transduction_ : predictions for the training rows
    graph_ : the fitted graph
    eigenvalues_ : array
        The smallest eigenvalues of its Laplacian; only where ``mu`` is not given as 0.
    n_members_ : int
        Points that f is fitted at: those in the components that take part, or the labelled ones where ``mu_`` is 0.
"""
VERBOSE_PARAMETER = """\
    verbose : int, default=0
        1 prints a line for each stage of a fit: graph, eigenvectors, solution.
"""
REFERENCES = """\
    L. Chen, I. W. Tsang, D. Xu (2012). Laplacian embedded regression for scalable manifold regularization. IEEE
    Transactions on Neural Networks and Learning Systems 23 (6).
"""


class EmbeddedMachine(GraphMixin, KernelMachine):
    """A regression of f on virtual labels at all points of the components that take part."""

    _parameter_constraints = {
        "C": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="neither")],
        "mu": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="left")],
        "label_weight": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="neither")],
        "n_eigenvectors": [Interval(Integral, 1, None, closed="left")],
        "n_landmarks": [Interval(Integral, 1, None, closed="left")],
        "components": [StrOptions({"labelled", "all"})],
        "shift": [Interval(Real, 0.0, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "random_state": ["random_state"],
        **KERNEL_CONSTRAINTS,
        **GRAPH_CONSTRAINTS,
        **VERBOSE_CONSTRAINTS,
    }

    @abstractmethod
    def _solve(self, kernel, X, embedding):
        """Fit f to the virtual labels at the rows of X; keep the expansion, return its values on X."""

    def _fit_functions(self, X, rows, targets, weights=None):
        kernel, X = self._kernel_and_points(X)
        report = reporter(self)
        graph = self._fit_graph(X, kernel)
        warn_unlabelled_components(graph, rows)
        members, embedding = self._members_and_embedding(kernel, X, graph, rows, targets, weights)
        self.n_members_ = len(members)
        report(f"C {self.C_:.3g}, mu {self.mu_:.3g}: solving for {targets.shape[1]} functions at {len(members)} points")
        if len(members) == X.shape[0]:
            return self._solve(kernel, X, embedding)
        values = np.empty((X.shape[0], targets.shape[1]))
        values[members] = self._solve(kernel, part_of(X, members), embedding)
        others = np.setdiff1d(np.arange(X.shape[0]), members)
        values[others] = self._expand(part_of(X, others))
        return values

    def _members_and_embedding(self, kernel, X, graph, rows, targets, label_weights):
        """Points that f is fitted at, and the embedding of the chosen weights over them."""
        # as doubles: numpy knows no roots of integers beyond 64 bits
        given = Weights(*(None if value == "auto" else float(value) for value in (self.C, self.mu, self.label_weight)))
        if given.mu == 0 and given.complete:
            members, pairs, weights = rows, None, given
        else:
            members, graph = self._taking_part(graph, rows)
            pairs = self._eigenpairs(graph)
            at = np.searchsorted(members, rows)
            points = part_of(X, members) if len(members) < X.shape[0] else X
            weights = self._choose(kernel, points, at, targets, pairs, given, label_weights)
        self.C_, self.mu_, self.label_weight_ = weights.C, weights.mu, weights.label_weight
        label_weight = of_labels(self.label_weight_, label_weights)
        if self.mu_ == 0:
            return rows, _labels_alone(targets, label_weight)
        return members, embed(*pairs, at, targets, label_weight, self.mu_, self.components == "all")

    def _taking_part(self, graph, rows):
        """Points that g is defined on, and their graph."""
        if self.components == "all":
            return np.arange(len(graph.component_labels_)), graph
        return labelled_components(graph, rows)

    def _eigenpairs(self, graph):
        """Smallest eigenvalues of L^p + shift I, and their vectors."""
        reporter(self)(f"{self.n_eigenvectors} eigenvectors, then the choice of weights")
        find = remembered(self.memory, smallest_eigenpairs)
        pairs = find(graph, min(self.n_eigenvectors, graph.affinity_.shape[0]))
        self.eigenvalues_ = pairs.values
        return pairs.values**graph.power + self.shift, pairs.vectors

    def _choose(self, kernel, X, rows, targets, pairs, given, label_weights) -> Weights:
        if given.mu is not None and given.C is not None:
            return Weights(given.C, given.mu, LABELS * given.C if given.label_weight is None else given.label_weight)
        diagonal = X.collect(kernel.diagonal) if isinstance(X, RowBlocks) else kernel.diagonal(X)
        unit_C = 1.0 / max(float(diagonal.mean()), np.finfo(float).tiny)
        block = kernel(rows_of(X, rows))
        inverse = _inverse(kernel, X, rows)
        classify = is_classifier(self)
        constant = getattr(self, "fit_intercept", False)
        return choose_weights(inverse, *pairs, rows, targets, block, given, unit_C, classify, label_weights, constant)


def _inverse(kernel, X, rows):
    """(C, V) -> (K + I/C)^-1 V, for many points with K expanded over a sample of them that holds the labelled ones."""
    n = X.shape[0]
    if n > EXACT_CHOICE or isinstance(X, RowBlocks):
        return feature_inverse(features_of(kernel, X, rows_of(X, basis_rows(n, rows)), HELD_BYTES)[0])
    K = kernel(X)

    def exact(C, V):
        system = K.copy()
        system.flat[:: len(K) + 1] += 1.0 / C
        return linalg.cho_solve(linalg.cho_factor(system, overwrite_a=True, check_finite=False), V, check_finite=False)

    return exact


def _labels_alone(targets, label_weight) -> Embedding:
    """mu = 0: unlabelled points drop out, G is I / lambda on the labelled ones (chen2012, proposition 2)."""
    check_label_weight(label_weight)
    features = np.eye(len(targets)) / np.sqrt(np.ravel(label_weight))
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
