"""Unlabelled data replaced by its k-means centres: zhang2015's CB-LapRLS and CB-LapSVMp (section V-C)."""

from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import check_random_state

from mr._sklearn import HasMethods, Interval, StrOptions, check_array, fit_context
from mr.estimators._base import SemiSupervisedClassifier, check_new_points, check_points_and_labels
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.estimators.laprls import LapRLS
from mr.graph.blocks import RowBlocks
from mr.labels import UNLABELED, UNLABELED_STRINGS, encode_labels, unlabeled_mask
from mr.solvers.prototypes import kmeans


class CentroidReduced(MetaEstimatorMixin, SemiSupervisedClassifier, BaseEstimator):
    """Fits an estimator to the labelled rows and the k-means centres of all rows, which stand for the unlabelled ones.

    A baseline to compare with; we do not recommend it: see :mod:`mr.baselines`.

    ``CentroidReduced(LapRLS(...))`` is CB-LapRLS, ``CentroidReduced(PrimalLapSVM(...))`` is CB-LapSVMp of zhang2015
    (section V-C).

    Parameters
    ----------
    estimator : semi-supervised classifier, default=None
        None is ``LapRLS()``. It must build its own graph (an affinity matrix of all rows does not fit the reduced set).
    n_centroids : int, default=200
        Number of centres, at most the number of rows (five Lloyd iterations from random rows, as for :class:`mr.PVM`).
    random_state : int, RandomState or None, default=None
        First centres.
    centroids : "kmeans" or array (m, d), default="kmeans"
        Centres given here are taken as they are.
    verbose : int, default=0
        1 tells what is done, a line per step; the inner estimator has a ``verbose`` of its own.

    Attributes
    ----------
    estimator_ : estimator
        The one fitted to the reduced set.
    centroids_ : array (n_centroids, d)
        The centres.
    transduction_ : array (n,)
        Predictions for the training rows.
    classes_ : array
        The labels that occur.

    See Also
    --------
    mr.paths.CentroidReducedPath : grids of the inner estimator's weights, labels and folds.

    References
    ----------
    .. [1] K. Zhang, L. Lan, J. T. Kwok, S. Vucetic, B. Parvin (2015). Scaling up graph-based semisupervised learning
       via prototype vector machines. IEEE Transactions on Neural Networks and Learning Systems 26(3).

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import load_digits
    >>> X, truth = load_digits(return_X_y=True)
    >>> y = np.where(np.arange(len(truth)) < 50, truth, -1)
    >>> model = mr.baselines.CentroidReduced(mr.LapRLS(), n_centroids=300, random_state=0).fit(X, y)
    >>> model.centroids_.shape, bool((model.transduction_ == truth).mean() > 0.8)
    ((300, 64), True)
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_centroids": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "verbose": VERBOSE_CONSTRAINTS["verbose"],
        "centroids": [StrOptions({"kmeans"}), "array-like"],
    }

    def __init__(
        self, estimator=None, n_centroids=200, random_state=None, centroids: ArrayLike | str = "kmeans", verbose=0
    ):
        self.estimator = estimator
        self.n_centroids = n_centroids
        self.random_state = random_state
        self.centroids = centroids
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Fit to the labelled rows of X and the centres of all its rows; ``y`` is -1 on unlabelled ones."""
        X, y = check_points_and_labels(self, X, y)
        if self.estimator is not None and not is_classifier(self.estimator):
            raise TypeError(f"estimator must be a classifier or None; got {self.estimator!r}.")
        self.classes_ = encode_labels(y).classes
        self.centroids_ = choose_centroids(self, X)
        labelled = ~unlabeled_mask(y)
        points, targets = reduced_set(X[labelled], y[labelled], self.centroids_)
        reporter(self)(f"fit to {len(targets)} points")
        self.estimator_ = clone(LapRLS() if self.estimator is None else self.estimator).fit(points, targets)
        self.transduction_ = self.estimator_.predict(X)
        return self

    def predict(self, X):
        """Class of each row of X."""
        X = check_new_points(self, X)
        return self.estimator_.predict(X)

    def decision_function(self, X):
        """Decision values of the fitted estimator."""
        X = check_new_points(self, X)
        return self.estimator_.decision_function(X)

    def predict_proba(self, X):
        """Scores in [0, 1] of the fitted estimator."""
        X = check_new_points(self, X)
        return self.estimator_.predict_proba(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def choose_centroids(template, X) -> np.ndarray:
    """Centres of the rows of X as the parameters of a :class:`CentroidReduced` say."""
    if isinstance(template.centroids, str):
        n, m = X.shape[0], template.n_centroids
        return kmeans(
            RowBlocks(X, m), min(m, n), n, check_random_state(template.random_state), report=reporter(template)
        )
    centroids = check_array(template.centroids, dtype=np.float64)
    if centroids.shape[1] != X.shape[1]:
        raise ValueError(f"centroids must have the {X.shape[1]} columns of X, got shape {centroids.shape}.")
    return centroids


def reduced_set(X_labelled, y_labelled, centroids):
    """Labelled rows first, then the centres, marked as unlabelled."""
    strings = y_labelled.dtype.kind in "OUS"
    marker = UNLABELED_STRINGS[0] if strings else UNLABELED
    y = np.concatenate([y_labelled.astype(object) if strings else y_labelled, [marker] * len(centroids)])
    if sparse.issparse(X_labelled):
        return sparse.vstack([X_labelled, sparse.csr_array(centroids)], format="csr"), y
    return np.concatenate([X_labelled, centroids]), y
