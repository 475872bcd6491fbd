"""Class-wise intrinsic regularisation (belkin2006, section 6.2)."""

import numpy as np
from scipy import sparse
from sklearn.base import clone

from mr.estimators._words import as_numbers
from mr.graph import PrecomputedGraph, as_graph
from mr.graph.blocks import RowBlocks

CLASSWISE_CONSTRAINTS = {"class_gamma_I": [None, "array-like"]}


class ClasswiseGraph:
    """The operator blockdiag(gamma_c L_c): one graph per class, on that class's labelled points.

    f is smooth along each class, nothing joins the classes, and unlabelled points carry no smoothness. For two classes
    this is belkin2006's blockdiag(gI+ L+, gI- L-); for several, every one-versus-rest function uses the blocks of all
    classes, so that one factorisation still serves all.
    """

    def __init__(self, graph, X, rows, codes, weights):
        members = [rows[codes == c] for c in range(len(weights))]
        # A single point has no neighbour: its block is zero.
        self.blocks = [
            (points, weight, as_graph(_restrict(graph, points), X[points]))
            for points, weight in zip(members, weights, strict=True)
            if weight > 0 and len(points) > 1
        ]

    def apply(self, v):
        """blockdiag(gamma_c L_c^power) v for a vector or a matrix of columns."""
        result = np.zeros_like(v)
        for points, weight, graph in self.blocks:
            result[points] = weight * graph.apply(v[points])
        return result


class ClasswiseMixin:
    """The parameter ``class_gamma_I``: None, or one intrinsic weight per class in place of ``gamma_I``."""

    @property
    def _paper_weight(self):
        # Class-wise weights are inside the operator.
        return self.gamma_I if self.class_gamma_I is None else 1.0

    def _intrinsic(self, kernel, X, rows, targets):
        if self.class_gamma_I is None:
            return super()._intrinsic(kernel, X, rows, targets)
        weights = as_numbers("class_gamma_I", self.class_gamma_I)
        if weights.shape != (len(self.classes_),) or not (np.isfinite(weights) & (weights >= 0)).all():
            raise ValueError(
                f"class_gamma_I must hold one weight >= 0 for each of the {len(self.classes_)} classes, "
                f"in the order of classes_; got {self.class_gamma_I!r}."
            )
        codes = (targets[:, 0] > 0).astype(int) if targets.shape[1] == 1 else targets.argmax(axis=1)
        X = X.whole() if isinstance(X, RowBlocks) else X
        self.graph_ = ClasswiseGraph(self.graph, X, rows, codes, weights)
        return self.graph_


def _restrict(graph, points):
    if isinstance(graph, PrecomputedGraph):
        return clone(graph).set_params(affinity=_restrict(graph.affinity, points))
    if sparse.issparse(graph):
        return sparse.csr_array(graph)[points][:, points]
    return graph[np.ix_(points, points)] if isinstance(graph, np.ndarray) else graph
