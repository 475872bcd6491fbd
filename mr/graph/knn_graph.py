"""The k-nearest-neighbour graph."""

import numbers
import warnings

import numpy as np
from sklearn.base import BaseEstimator

from mr._sklearn import validate_data
from mr.graph.base import FittedGraph, GraphWarning, check_choice, check_count, check_number
from mr.graph.blocks import RowBlocks, in_blocks
from mr.graph.neighbors import METHODS, METRICS, cosine_similarities, nearest_neighbors, neighbor_recall
from mr.graph.union import union

WEIGHTS = ("heat", "binary", "cosine", "distance")


class KNNGraph(FittedGraph, BaseEstimator):
    """Graph that joins i and j when either is among the other's k nearest neighbours (union).

    Parameters
    ----------
    n_neighbors : int, default=6
        Neighbours of a point, itself excluded (by index: a duplicate of a point is its neighbour). Clipped to n - 1
        with a warning.
    metric : "euclidean", "cosine" or "precomputed", default="euclidean"
        Distance d: Euclidean, or 1 - cosine similarity (neighbours by largest similarity; a zero row has similarity 0
        to every point), or X itself, as an n x n matrix of distances. Ties go to the smaller index.
    weights : "heat", "binary", "cosine" or "distance", default="heat"
        w_ij = exp(-d_ij^2 / (2 sigma^2)), 1, cosine similarity (negative ones become 0), or d_ij. An edge of weight 0
        is no edge.
    sigma : "mean" or float, default="mean"
        Heat width. "mean" (chen2012) is the mean of d over the directed n x k neighbour pairs, before symmetrisation.
        If that is 0 (every neighbour a duplicate), weights are 1, with a warning.
    laplacian : "normalized" or "unnormalized", default="normalized"
        I - D^-1/2 W D^-1/2, or D - W. A point without edges has a zero row in both.
    power : int, default=1
        ``apply(v)`` is L^power v; ``laplacian_`` stays the first power.
    method : "auto", "exact", "approximate" or "clusters", default="auto"
        Neighbour search, see ``mr.graph.neighbors``. "clusters" searches exactly inside overlapping clusters of dense
        points.
    n_jobs : int or None, default=None
        Threads of the search; None or -1 takes all cores. Results do not depend on it.
    random_state : int or RandomState, default=0
        Seed of the approximate searches; the exact one has no randomness.

    Attributes
    ----------
    affinity_, laplacian_ : CSR (n, n)
    degrees_, component_labels_ : arrays (n,)
    n_components_ : int
    sigma_ : float, the heat width used (None for other weights)
    method_ : "exact", "approximate" or "clusters", the search used
    recall_ : float
        Share of the true neighbours among those found: 1 for the exact search, otherwise estimated from 200 rows.

    See Also
    --------
    PrecomputedGraph : a graph that is given by its affinity matrix.
    SparseRepresentationGraph : edges from sparse representations in place of distances.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.

    Examples
    --------
    >>> import mr
    >>> mr.KNNGraph(n_neighbors=1, weights="binary").fit([[0.0], [1.0], [3.0]]).degrees_
    array([1., 2., 1.])
    """

    def __init__(
        self,
        n_neighbors=6,
        metric="euclidean",
        weights="heat",
        sigma: float | str = "mean",
        laplacian="normalized",
        power=1,
        method="auto",
        n_jobs=None,
        random_state=0,
    ):
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weights = weights
        self.sigma = sigma
        self.laplacian = laplacian
        self.power = power
        self.method = method
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y=None):
        """Build the graph on the rows of X (dense, or sparse and kept so), or on rows in blocks (a dask array, say).

        With ``method="clusters"`` blocks are searched one after the other, those of a dask array where they are. Other
        methods put them together first.
        """
        self._check_params()
        X = self._checked_points(X)
        k = self._clipped_neighbors(X.shape[0])
        distances, indices, self.method_ = nearest_neighbors(
            X, k, metric=self.metric, method=self.method, n_jobs=self.n_jobs, random_state=self.random_state
        )
        self._estimate_recall(X, distances, indices)
        values = self._edge_weights(X, distances, indices)
        return self._set_affinity(union(indices, values))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _checked_points(self, X):
        if in_blocks(X) and self.method == "clusters":
            if self.weights == "cosine" and self.metric != "cosine":
                raise ValueError(
                    "weights='cosine' of rows in blocks needs metric='cosine', or all points at once; got "
                    f"metric={self.metric!r}."
                )
            X = RowBlocks(X)
            self.n_features_in_ = X.shape[1]
            return X
        return validate_data(self, RowBlocks(X).whole() if in_blocks(X) else X, accept_sparse="csr", dtype="numeric")

    def _check_params(self):
        check_count("n_neighbors", self.n_neighbors)
        check_choice("metric", self.metric, METRICS)
        check_choice("weights", self.weights, WEIGHTS)
        check_choice("method", self.method, METHODS)
        self._check_laplacian_params()
        if isinstance(self.sigma, str):
            check_choice("sigma", self.sigma, ("mean",))
        else:
            check_number("sigma", self.sigma, above=0.0, also="'mean' or ")
        if self.n_jobs is not None and not isinstance(self.n_jobs, numbers.Integral):
            raise ValueError(f"n_jobs must be an integer or None; got {self.n_jobs!r}.")

    def _clipped_neighbors(self, n):
        if self.n_neighbors < n:
            return self.n_neighbors
        warnings.warn(
            f"n_neighbors={self.n_neighbors} needs at least {self.n_neighbors + 1} points, got {n}; "
            f"using {n - 1} neighbours.",
            GraphWarning,
            stacklevel=3,
        )
        return n - 1

    def _estimate_recall(self, X, distances, indices):
        self.recall_ = 1.0
        if self.method_ != "exact":
            self.recall_ = neighbor_recall(X, distances, indices, self.metric, self.n_jobs, self.random_state)

    def _edge_weights(self, X, distances, indices):
        self.sigma_ = None
        if self.weights == "binary":
            return np.ones_like(distances)
        if self.weights == "distance":
            return distances
        if self.weights == "cosine":
            if self.metric == "precomputed":
                raise ValueError(
                    "weights='cosine' needs the points themselves; metric='precomputed' has distances only."
                )
            similar = 1.0 - distances if self.metric == "cosine" else cosine_similarities(X, indices, self.n_jobs)
            return np.maximum(similar, 0.0)
        return self._heat(distances)

    def _heat(self, distances):
        if self.sigma != "mean":
            self.sigma_ = float(self.sigma)
        else:
            self.sigma_ = float(distances.mean()) if distances.size else 0.0
        if self.sigma_ == 0:
            if distances.size:
                warnings.warn(
                    "Every neighbour is a duplicate of its point, so the mean neighbour distance is 0; "
                    "heat weights are set to 1.",
                    GraphWarning,
                    stacklevel=4,
                )
            return np.ones_like(distances)
        with np.errstate(over="ignore", under="ignore"):
            values = np.exp(-0.5 * np.square(distances / self.sigma_))
        lost = int((values == 0).sum())
        if lost:
            warnings.warn(
                f"{lost} of {values.size} heat weights underflow to 0 at sigma={self.sigma_:g} "
                f"(largest neighbour distance {distances.max():g}); those edges are dropped.",
                GraphWarning,
                stacklevel=4,
            )
        return values
