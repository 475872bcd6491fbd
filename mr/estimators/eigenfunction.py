"""Semi-supervised learning with eigenfunctions (Fergus, Weiss, Torralba 2009)."""

from numbers import Integral, Real

import numpy as np
from scipy import linalg, sparse
from sklearn.base import BaseEstimator

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import SemiSupervisedClassifier, check_new_points
from mr.solvers.eigenfunction import coordinate_functions, solve_in_span


class Eigenfunction(SemiSupervisedClassifier, BaseEstimator):
    """Smooth functions of single principal coordinates stand in for the smooth eigenvectors of a graph; O(n) in the
    points.

    Along each principal coordinate a histogram gives a density and the density its eigenfunctions; the smoothest of all
    coordinates, interpolated at the points and scaled to unit length, are the columns of U, and f = U alpha with
    (Sigma + U'Lambda U) alpha = U'Lambda y.

    Parameters
    ----------
    n_bins : int
        Bins of each histogram.
    n_eigenfunctions : int or None
        Number of functions over all coordinates; None is twice the number of coordinates (chen2012).
    label_weight : float > 0
        lambda, the entries of Lambda on labelled rows.
    bandwidth : "auto" or float
        Of the affinity between bin centres, exp(-(s - t)^2 / (2 bandwidth^2)); "auto" is a tenth of the standard
        deviation of the first coordinate.
    n_components : int or None
        Principal coordinates kept; None keeps all.
    clip : float
        Percentage of points at each end of a coordinate that the histogram leaves out.
    smoothing : float
        Added to the histogram, which sums to 1.
    intercept : bool
        Add the constant function, whose eigenvalue is 0.

    Attributes
    ----------
    functions_ : tabulated eigenfunctions
    eigenvalues_ : array, ascending
    coef_ : alpha (k, number of targets)
    transduction_ : predictions for the training rows
    """

    _parameter_constraints = {
        "n_bins": [Interval(Integral, 3, None, closed="left")],
        "n_eigenfunctions": [Interval(Integral, 1, None, closed="left"), None],
        "label_weight": [Interval(Real, 0.0, None, closed="neither")],
        "bandwidth": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="neither")],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "clip": [Interval(Real, 0.0, 50.0, closed="left")],
        "smoothing": [Interval(Real, 0.0, None, closed="neither")],
        "intercept": ["boolean"],
    }

    def __init__(
        self,
        n_bins=100,
        n_eigenfunctions=None,
        label_weight=100.0,
        bandwidth="auto",
        n_components=None,
        clip=2.5,
        smoothing=0.01,
        intercept=True,
    ):
        self.n_bins = n_bins
        self.n_eigenfunctions = n_eigenfunctions
        self.label_weight = label_weight
        self.bandwidth = bandwidth
        self.n_components = n_components
        self.clip = clip
        self.smoothing = smoothing
        self.intercept = intercept

    def _fit_functions(self, X, rows, targets):
        self.mean_, self.components_ = principal_axes(X, self.n_components)
        scores = self._project(X)
        d = scores.shape[1]
        bandwidth = 0.1 * scores[:, 0].std() if self.bandwidth == "auto" else self.bandwidth
        self.functions_ = coordinate_functions(
            scores, self.n_eigenfunctions or 2 * d, self.n_bins, bandwidth or 1.0, self.clip, self.smoothing
        )
        U = self.functions_(scores)
        self._lengths = np.maximum(np.linalg.norm(U, axis=0), np.finfo(float).tiny)
        self._n = len(U)
        self.eigenvalues_ = np.append(self.functions_.values, 0.0) if self.intercept else self.functions_.values
        U = self._scaled(U)
        self.coef_ = solve_in_span(U, self.eigenvalues_, rows, targets, self.label_weight)
        return U @ self.coef_

    def _scaled(self, U):
        """Columns of unit length on the training rows, and the constant if there is one."""
        U = U / self._lengths
        return np.column_stack([U, np.full(len(U), self._n**-0.5)]) if self.intercept else U

    def _project(self, X):
        return X @ self.components_ - self.mean_ @ self.components_

    def _evaluate(self, X):
        X = check_new_points(self, X)
        return self._scaled(self.functions_(self._project(X))) @ self.coef_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def principal_axes(X, n_components=None):
    """Mean (d,) and axes (d, r) by decreasing variance; through the smaller of the two Gram matrices."""
    n, d = X.shape
    mean = np.asarray(X.mean(axis=0)).ravel()
    if d <= n:
        gram = X.T @ X
        gram = (gram.toarray() if sparse.issparse(gram) else gram) - n * np.outer(mean, mean)
        variances, axes = linalg.eigh(gram)
    else:
        product = X @ mean
        gram = X @ X.T
        gram = (gram.toarray() if sparse.issparse(gram) else gram) - product[:, None] - product + mean @ mean
        variances, left = linalg.eigh(gram)
        axes = X.T @ left - np.outer(mean, left.sum(axis=0))
    order = np.argsort(variances)[::-1]
    kept = order[variances[order] > 1e-10 * max(variances.max(), np.finfo(float).tiny)]
    kept = kept[:n_components] if len(kept) else order[:1]
    axes = axes[:, kept]
    axes = axes / np.maximum(np.linalg.norm(axes, axis=0), np.finfo(float).tiny)
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    return mean, axes * np.where(largest < 0, -1.0, 1.0)
