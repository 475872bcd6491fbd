"""Semi-supervised learning with eigenfunctions (Fergus, Weiss, Torralba 2009)."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import SemiSupervisedClassifier, check_new_points
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.resources import eigenpairs, require_memory
from mr.solvers.eigenfunction import Coordinates, coordinate_functions, solve_in_span

FEWER_COLUMNS = "Reduce the columns first, for example with sklearn.decomposition.TruncatedSVD, which takes sparse X."


class Eigenfunction(SemiSupervisedClassifier, BaseEstimator):
    """Smooth functions of single principal coordinates stand in for the smooth eigenvectors of a graph.

    A baseline to compare with; we do not recommend it: see :mod:`mr.baselines`.

    Along each principal coordinate a histogram gives a density and the density its eigenfunctions; the smoothest of all
    coordinates, interpolated at the points and scaled to unit length, are the columns of U, and f = U alpha with
    (Sigma + U'Lambda U) alpha = U'Lambda y. Time and memory are O(n) in the points. A sparse X is never centred and
    never dense as a whole; the principal axes come from the smaller of X'X and XX'.

    Parameters
    ----------
    n_bins : int, default=100
        Bins of each histogram.
    n_eigenfunctions : int or None, default=None
        Number of functions over all coordinates; None is twice the number of coordinates (chen2012).
    label_weight : float > 0, default=10.0
        lambda, the entries of Lambda on labelled rows.
    bandwidth : "auto" or float, default="auto"
        Of the affinity between bin centres, exp(-(s - t)^2 / (2 bandwidth^2)); "auto" is a tenth of the standard
        deviation of the first coordinate.
    n_components : int or None, default=None
        Principal coordinates kept; None keeps all.
    clip : float, default=2.5
        Percentage of points at each end of a coordinate beyond which functions are constant.
    smoothing : float, default=0.01
        Added to the histogram, which sums to 1.
    intercept : bool, default=True
        Add the constant function, whose eigenvalue is 0.
    histogram : {"clipped", "whole"}, default="clipped"
        Bins between the percentiles of ``clip``, or over the whole range as in the code that the authors released.
    verbose : int, default=0
        Print the steps.

    Attributes
    ----------
    classes_ : array (n_classes,)
    mean_ : array (d,)
    components_ : array (d, r)
        Principal axes, by decreasing variance.
    functions_ : CoordinateFunctions
        Tabulated eigenfunctions.
    eigenvalues_ : array (k,)
        Ascending, then 0 for the constant.
    coef_ : array (k, number of targets)
        alpha.
    transduction_ : array (n,)
        Predictions for the training rows.

    See Also
    --------
    LapERLS : eigenvectors of the graph itself.
    mr.paths.EigenfunctionPath : many weights, bandwidths, labels and folds on the same coordinates.

    References
    ----------
    Fergus, Weiss, Torralba (2009), Semi-supervised learning in gigantic image collections, NIPS.

    Examples
    --------
    >>> import numpy as np, mr
    >>> rng = np.random.default_rng(0)
    >>> classes = np.arange(300) % 2
    >>> X = rng.normal(size=(300, 2)) + 6.0 * np.column_stack([classes, np.zeros(300)])
    >>> y = np.full(300, -1)
    >>> y[:4] = classes[:4]
    >>> model = mr.baselines.Eigenfunction(n_eigenfunctions=4).fit(X, y)
    >>> float(np.mean(model.transduction_ == classes)) > 0.98
    True
    """

    _parameter_constraints = {
        "n_bins": [Interval(Integral, 3, 2000, closed="both")],
        "n_eigenfunctions": [Interval(Integral, 1, None, closed="left"), None],
        "label_weight": [Interval(Real, 0.0, None, closed="neither")],
        "bandwidth": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="neither")],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "clip": [Interval(Real, 0.0, 50.0, closed="left")],
        "histogram": [StrOptions({"clipped", "whole"})],
        "smoothing": [Interval(Real, 0.0, None, closed="neither")],
        "intercept": ["boolean"],
        **VERBOSE_CONSTRAINTS,
    }

    def __init__(
        self,
        n_bins=100,
        n_eigenfunctions=None,
        label_weight=10.0,
        bandwidth: float | str = "auto",
        n_components=None,
        clip=2.5,
        smoothing=0.01,
        intercept=True,
        histogram="clipped",
        verbose=0,
    ):
        self.n_bins = n_bins
        self.n_eigenfunctions = n_eigenfunctions
        self.label_weight = label_weight
        self.bandwidth = bandwidth
        self.n_components = n_components
        self.clip = clip
        self.smoothing = smoothing
        self.intercept = intercept
        self.histogram = histogram
        self.verbose = verbose

    def _fit_functions(self, X, rows, targets):
        report = reporter(self)
        report(f"principal axes of {X.shape[1]} columns")
        self.mean_, self.components_ = principal_axes(X, self.n_components)
        points = Coordinates(X, self.mean_, self.components_)
        d = points.shape[1]
        report(f"eigenfunctions of {d} coordinates")
        bandwidth = 0.1 * next(points.columns()).std() if self.bandwidth == "auto" else self.bandwidth
        self.functions_ = coordinate_functions(
            points, self.n_eigenfunctions or 2 * d, self.n_bins, bandwidth or 1.0, self.clip, self.smoothing,
            self.histogram,
        )  # fmt: skip
        self.eigenvalues_ = np.append(self.functions_.values, 0.0) if self.intercept else self.functions_.values
        report(f"{len(self.eigenvalues_)} functions at {X.shape[0]} points")
        # Functions at all the points of a sparse X may be much larger than X: they are made twice rather than kept.
        tables = self._tabulated(points)
        tables = tables if sparse.issparse(X) else list(tables)
        squares = sum(np.square(table).sum(axis=0) for table in tables)
        self._lengths, self._n = np.maximum(np.sqrt(squares), np.finfo(float).tiny), X.shape[0]
        labelled = self._scaled(self.functions_(self._project(X[rows])))
        self.coef_ = solve_in_span(labelled, self.eigenvalues_, targets, self.label_weight)
        return self._combined(self._tabulated(points) if sparse.issparse(X) else tables)

    def _tabulated(self, points):
        """Functions at the points, a block of rows at a time."""
        return (self.functions_(block) for block in points.rows(len(self.functions_.values)))

    def _combined(self, tables):
        return np.concatenate([self._scaled(table) @ self.coef_ for table in tables])

    def _scaled(self, U):
        """Columns of unit length on the training rows, and the constant if there is one."""
        U = U / self._lengths
        return np.column_stack([U, np.full(len(U), self._n**-0.5)]) if self.intercept else U

    def _project(self, X):
        return X @ self.components_ - self.mean_ @ self.components_

    def _evaluate(self, X):
        X = check_new_points(self, X)
        return self._combined(self._tabulated(Coordinates(X, self.mean_, self.components_)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def principal_axes(X, n_components=None):
    """Mean (d,) and axes (d, r) by decreasing variance; through the smaller of the two Gram matrices."""
    n, d = X.shape
    smaller = min(n, d)
    require_memory(3 * 8 * smaller**2, f"A {smaller} x {smaller} matrix and its eigenvectors", FEWER_COLUMNS)
    mean = np.asarray(X.mean(axis=0)).ravel()
    if d <= n:
        gram = X.T @ X
        gram = (gram.toarray() if sparse.issparse(gram) else gram) - n * np.outer(mean, mean)
        variances, axes = eigenpairs(gram)
    else:
        product = X @ mean
        gram = X @ X.T
        gram = (gram.toarray() if sparse.issparse(gram) else gram) - product[:, None] - product + mean @ mean
        variances, left = eigenpairs(gram)
        axes = X.T @ left - np.outer(mean, left.sum(axis=0))
    order = np.argsort(variances)[::-1]
    kept = order[variances[order] > 1e-10 * max(variances.max(), np.finfo(float).tiny)]
    kept = kept[:n_components] if len(kept) else order[:1]
    axes = axes[:, kept]
    axes = axes / np.maximum(np.linalg.norm(axes, axis=0), np.finfo(float).tiny)
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    return mean, axes * np.where(largest < 0, -1.0, 1.0)
