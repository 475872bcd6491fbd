"""Anchor graph regularisation (Liu, He, Chang 2010)."""

from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from mr._sklearn import Interval, StrOptions, check_array
from mr.estimators._balance import BalancedClassifier
from mr.estimators._base import BlockwiseMixin, check_new_points
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.graph.blocks import RowBlocks
from mr.solvers.anchor_graph import WEIGHTS, anchor_weights, mean_reach, regularise
from mr.solvers.prototypes import kmeans


class AnchorGraph(BlockwiseMixin, BalancedClassifier, BaseEstimator):
    """AnchorGraphReg: labels of a few anchors, every point a convex combination of its nearest ones.

    With weights Z (n x m, s non-zeros per row, rows summing to 1) the graph W = Z Lambda^-1 Z', Lambda = diag(Z'1), is
    never formed: min ||Z_l A - Y_l||^2 + graph_weight tr(A'Z'LZA) is an m x m system (equations 9 and 10), of cost
    O(n s^2 + m^3). A new point has weights of its own, so it is predicted in O(m d) (as in "Hashing with graphs",
    2011). The graph is normalised: L = I - W. A sparse X stays sparse; the anchors are dense.

    X may come in blocks (a dask array, a list of row blocks, a function that returns an iterator over them). Then Z,
    with s weights per row, is all that is held in memory.

    Parameters
    ----------
    n_anchors : int, default=500
        k-means centres, at most a quarter of the rows: labels do not spread if every point is an anchor.
    n_nearest : int, default=3
        Anchors s of a point.
    weights : {"lae", "nadaraya-watson"}, default="lae"
        Local anchor embedding: the nearest point of the anchors' convex hull; or Gaussian weights.
    graph_weight : float > 0, default=0.01
        Weight of the graph's smoothness (gamma in the paper).
    bandwidth : "auto" or float, default="auto"
        Of the Gaussian weights exp(-d^2 / bandwidth^2); "auto" is the mean distance to the s-th nearest anchor.
    normalize : bool, default=True
        Divide the memberships of a class by their sum over the training points before comparing (equation 11).
    anchors : "kmeans" or array (m, d), default="kmeans"
        k-means centres, or the points given.
    kmeans_iter : int, default=10
        Lloyd iterations.
    random_state : int, RandomState or None, default=0
        First centres of k-means.
    verbose : int, default=0
        Print the iterations of k-means and the steps after it.

    Attributes
    ----------
    classes_ : array (n_classes,)
    anchors_ : array (m, d)
    anchor_labels_ : array (m, k)
        Decision values of the anchors; one column for two classes.
    bandwidth_ : float
        Width of the Gaussian weights; with ``weights="nadaraya-watson"`` only.
    residual_ : float
        Relative residual of the linear system.
    transduction_ : array (n,)
        Predictions for the training rows.

    See Also
    --------
    PVM : a graph of kernel weights through k-means centres.
    LGC, HarmonicFunction : a neighbour graph of all points.
    mr.paths.AnchorGraphPath : many graph weights, labels and folds from one set of anchors.

    References
    ----------
    Liu, He, Chang (2010), Large graph construction for scalable semi-supervised learning, ICML.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=400, seed=0)
    >>> y = np.full(400, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:3]] = c
    >>> model = mr.AnchorGraph(n_anchors=80).fit(data.X, y)
    >>> float(np.mean(model.transduction_ == data.y)) > 0.95
    True
    >>> model.anchors_.shape
    (80, 2)
    """

    _parameter_constraints = {
        "n_anchors": [Interval(Integral, 1, None, closed="left")],
        "n_nearest": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions(set(WEIGHTS))],
        "graph_weight": [Interval(Real, 0.0, None, closed="neither")],
        "bandwidth": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="neither")],
        "normalize": ["boolean"],
        "anchors": [StrOptions({"kmeans"}), "array-like"],
        "kmeans_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        **VERBOSE_CONSTRAINTS,
    }

    def __init__(
        self,
        n_anchors=500,
        n_nearest=3,
        weights="lae",
        graph_weight=0.01,
        bandwidth: float | str = "auto",
        normalize=True,
        anchors: ArrayLike | str = "kmeans",
        kmeans_iter=10,
        random_state=0,
        verbose=0,
    ):
        self.n_anchors = n_anchors
        self.n_nearest = n_nearest
        self.weights = weights
        self.graph_weight = graph_weight
        self.bandwidth = bandwidth
        self.normalize = normalize
        self.anchors = anchors
        self.kmeans_iter = kmeans_iter
        self.random_state = random_state
        self.verbose = verbose

    def _fit_functions(self, X, rows, targets):
        report = reporter(self)
        self.anchors_ = self._choose_anchors(X)
        report(f"weights of {X.shape[0]} points on {len(self.anchors_)} anchors")
        Z = self._weigh(X, fitting=True)
        report(f"system of {len(self.anchors_)} anchors")
        self.anchor_labels_, self.residual_ = regularise(Z, rows, targets, self.graph_weight)
        return Z @ self.anchor_labels_

    def _choose_anchors(self, X):
        if isinstance(self.anchors, str):
            blocks, m = RowBlocks(X, self.n_anchors), min(self.n_anchors, max(1, X.shape[0] // 4))
            rng = check_random_state(self.random_state)
            return kmeans(blocks, m, X.shape[0], rng, self.kmeans_iter, reporter(self))
        anchors = check_array(self.anchors, dtype=np.float64)
        if anchors.shape[1] != X.shape[1]:
            raise ValueError(f"anchors must have the {X.shape[1]} columns of X, got shape {anchors.shape}.")
        return anchors

    def _weigh(self, X, fitting=False):
        """Z: rows of X as convex combinations of anchors."""
        blocks, s = RowBlocks(X, len(self.anchors_)), min(self.n_nearest, len(self.anchors_))
        if self.weights == "lae":
            return anchor_weights(blocks, self.anchors_, s, self.weights)
        if fitting:
            width = mean_reach(blocks, self.anchors_, s) if self.bandwidth == "auto" else self.bandwidth
            self.bandwidth_ = float(width) or 1.0
        return anchor_weights(blocks, self.anchors_, s, self.weights, self.bandwidth_)

    def _evaluate(self, X):
        X = check_new_points(self, X)
        return self._weigh(X) @ self.anchor_labels_

    def _expansion_size(self):
        return len(self.anchors_)

    def _calibrate(self, values, labels):
        self.class_factors_ = None
        if self.normalize:
            mass = self._memberships(values).mean(axis=0)
            self.class_factors_ = 1.0 / np.maximum(mass, 0.5 / len(values))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
