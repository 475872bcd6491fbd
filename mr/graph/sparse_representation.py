"""The sparse-representation graph: neighbours are the points that reconstruct a point."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import safe_sparse_dot

from mr._sklearn import validate_data
from mr.graph.base import FittedGraph, check_count, check_number
from mr.graph.neighbors import nearest_neighbors
from mr.graph.simplex_rows import simplex_rows
from mr.graph.sparse_coding import code_local, code_shared, local_grams
from mr.graph.union import neighbor_matrix


class SparseRepresentationGraph(FittedGraph, BaseEstimator):
    """Graph whose edges are the coefficients of each point in the others (MR_SP of wang2017, equation 14).

    Row i minimises the reconstruction error plus an l1 penalty over coefficients that sum to 1:

        min_w  1/2 ||x_i - sum_j w_j x_j||^2 + alpha s ||w||_1,    sum_j w_j = 1,  w_i = 0,

    with s the mean of 1/2 ||x_i - x_j||^2 over all pairs, so that ``alpha`` has no unit. The affinity is
    (|w_ij| + |w_ji|) / 2.

    wang2017 prints min ||w||_1 subject to ||x_i - Xw|| < epsilon and 1'w = 1, with epsilon the mean distance of all
    pairs. Where any convex combination of other points is that near, the minimum is 1 and *every* near enough convex
    combination attains it: the printed problem does not determine w. ``alpha=None`` takes the convex combination of
    least error, which is also the limit of the penalised problem for large alpha, and is sparse without any penalty.

    Parameters
    ----------
    alpha : None or float >= 0, default=None
        Weight of the l1 norm; None restricts to convex combinations.
    n_candidates : None or int, default=None
        Reconstruct from this many nearest neighbours instead of all n - 1 points: O(n k^2) memory instead of O(n^2).
    laplacian, power : default="unnormalized" and 1
        As in :class:`mr.KNNGraph`.
    tol : float, default=1e-6
        Largest violation of optimality, relative to s.
    max_steps : int, default=10_000
        Pair steps per row; for convex combinations of all points, factorisations per row.

    Attributes
    ----------
    affinity_, laplacian_, degrees_, n_components_, component_labels_ : as every graph
    coefficients_ : CSR (n, n), the signed w_ij
    violation_ : float, the largest violation left, relative to s

    See Also
    --------
    KNNGraph : edges from distances.
    AGMR : learns the graph together with the classifier.

    References
    ----------
    Y. Wang, Y. Meng, Y. Li, S. Chen, Z. Fu, H. Xue (2017). Semi-supervised manifold regularization with adaptive graph
    construction. Pattern Recognition Letters, equation 14.

    Examples
    --------
    A point between two others is their mean, so it is joined to both with equal weights.

    >>> import mr
    >>> graph = mr.SparseRepresentationGraph().fit([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [5.0, 9.0]])
    >>> graph.coefficients_.toarray()[1].round(3)
    array([0.5, 0. , 0.5, 0. ])
    """

    def __init__(self, alpha=None, n_candidates=None, laplacian="unnormalized", power=1, tol=1e-6, max_steps=10_000):
        self.alpha = alpha
        self.n_candidates = n_candidates
        self.laplacian = laplacian
        self.power = power
        self.tol = tol
        self.max_steps = max_steps

    def fit(self, X, y=None):
        """Reconstruct every row of X from the others."""
        self._check_params()
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        n = X.shape[0]
        if n < 3:
            self.coefficients_ = sparse.csr_array(np.ones((n, n)) - np.eye(n))
            self.violation_ = 0.0
        elif self.n_candidates is None or self.n_candidates >= n - 1:
            self._fit_all(X)
        else:
            self._fit_candidates(X)
        magnitude = abs(self.coefficients_)
        return self._set_affinity(sparse.csr_array((magnitude + magnitude.T) / 2))

    def _fit_all(self, X):
        G = safe_sparse_dot(X, X.T, dense_output=True)
        scale = _mean_half_distance(X)
        W = np.zeros_like(G)
        l1, tol = self._weights(scale)
        if self.alpha is None:
            left = simplex_rows(G, 1.0, np.empty((len(G), 0)), W, tol, self.max_steps)
        else:
            left = code_shared(G, 1.0, -G, l1, W, tol, self.max_steps)
        self.violation_ = left / scale
        self.coefficients_ = sparse.csr_array(W)

    def _fit_candidates(self, X):
        _, candidates, _ = nearest_neighbors(X, self.n_candidates)
        scale = _mean_half_distance(X)
        W = np.zeros(candidates.shape)
        l1, tol = self._weights(scale)
        left = code_local(
            local_grams(X, candidates), 1.0, np.zeros_like(W), l1, W, self.alpha is None, tol, self.max_steps
        )
        self.violation_ = left / scale
        self.coefficients_ = neighbor_matrix(candidates, W)
        self.coefficients_.eliminate_zeros()

    def _weights(self, scale):
        return (0.0 if self.alpha is None else self.alpha * scale), self.tol * scale

    def _check_params(self):
        self._check_laplacian_params()
        check_count("max_steps", self.max_steps)
        if self.n_candidates is not None:
            check_count("n_candidates", self.n_candidates)
        check_number("tol", self.tol, at_least=0.0)
        if self.alpha is not None:
            check_number("alpha", self.alpha, at_least=0.0, also="None or ")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _mean_half_distance(X) -> float:
    """Mean of 1/2 ||x_i - x_j||^2 over all pairs (i, j), in O(nd); 1 when all points are equal."""
    squares = X.multiply(X).sum() if sparse.issparse(X) else np.square(X).sum()
    mean = np.asarray(X.mean(axis=0)).ravel()
    spread = squares / X.shape[0] - mean @ mean
    return spread if spread > 0 else 1.0
