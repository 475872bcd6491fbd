"""What every estimator shares: labels in, kernel expansions, scikit-learn's manners.

A *machine* fits several functions at once, one a column of its targets. Classifiers feed it one-versus-rest targets in
{-1, +1}, regressors feed it numbers; the machine does not know which.
"""

import warnings
from abc import abstractmethod
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, check_memory, validate_data

from mr._sklearn import HasMethods, Interval, StrOptions, fit_context
from mr.graph import KNNGraph, as_graph
from mr.graph.scale import check_scale
from mr.kernels import KERNELS, Kernel
from mr.labels import encode_labels, encode_targets

KERNEL_CONSTRAINTS = {
    "kernel": [StrOptions(set(KERNELS))],
    "gamma": [StrOptions({"scale", "mean"}), Interval(Real, 0.0, None, closed="neither")],
    "degree": [Interval(Real, 0, None, closed="neither")],
    "coef0": [Interval(Real, None, None, closed="neither")],
}
GRAPH_CONSTRAINTS = {
    "graph": [HasMethods(["fit", "apply"]), "array-like", "sparse matrix", None],
    "memory": [None, str, HasMethods(["cache"])],
}
NORM_CONSTRAINTS = {
    "gamma_A": [Interval(Real, 0.0, None, closed="neither")],
    "gamma_I": [Interval(Real, 0.0, None, closed="left")],
}


class UnlabelledComponentWarning(UserWarning):
    """A connected component of the graph holds no labelled point: only the ambient kernel decides there."""


def warn_unlabelled_components(graph, rows):
    """Name the components that no label reaches; their points are decided by the ambient kernel alone."""
    labels = graph.component_labels_
    sizes = np.bincount(labels)
    missing = np.setdiff1d(np.arange(len(sizes)), labels[rows])
    if len(missing):
        largest = np.sort(sizes[missing])[::-1][:5].tolist()
        warnings.warn(
            f"{len(missing)} of the graph's {len(sizes)} connected components hold no labelled point "
            f"({int(sizes[missing].sum())} points; largest: {largest}). The graph says nothing about them: they are "
            "predicted through the ambient kernel only. More neighbours, or a label in each component, would help.",
            UnlabelledComponentWarning,
            stacklevel=4,
        )


def check_points(estimator, X, **checks):
    """X to fit to, as every machine takes it: dense or CSR, double precision, of a scale that distances survive."""
    X = validate_data(estimator, X, accept_sparse="csr", dtype=np.float64, **checks)
    check_scale(X)
    return X


def check_points_and_labels(estimator, X, y):
    """As :func:`check_points`, with one label per row."""
    X, y = validate_data(estimator, X, y, accept_sparse="csr", dtype=np.float64)
    check_scale(X)
    return X, y


def check_new_points(estimator, X):
    """X to predict at, with the features of the X that the estimator was fitted to."""
    check_is_fitted(estimator)
    X = validate_data(estimator, X, reset=False, accept_sparse="csr", dtype=np.float64)
    check_scale(X, smallest=False)
    return X


def check_values(estimator, values):
    """The values, if all are finite: NaN would be predicted as the first class, without a word."""
    if not np.isfinite(values).all():
        wrong = int(np.count_nonzero(~np.isfinite(values).all(axis=1)))
        raise ValueError(
            f"{type(estimator).__name__} expected finite function values, got NaN or infinity at {wrong} of "
            f"{len(values)} points: its parameters, or the scale of X, are beyond double precision. "
            "Rescale X, for example with sklearn.preprocessing.StandardScaler, or take more moderate parameters."
        )
    return values


class KernelMachine(BaseEstimator):
    """f(x) = sum_j dual_coef_j k(points_j, x) + intercept, one function a column."""

    def _make_kernel(self, X) -> Kernel:
        return Kernel(self.kernel, self.gamma, self.degree, self.coef0).fit(X)

    @abstractmethod
    def _fit_functions(self, X, rows, targets):
        """Fit one function a column of ``targets`` (given on ``rows``); return their values on X."""

    def _keep_expansion(self, kernel, points, coefficients, intercept):
        self.kernel_ = kernel
        self.points_ = points
        self.dual_coef_ = coefficients
        self.intercept_ = np.asarray(intercept, dtype=float)

    def _evaluate(self, X):
        """Values of all functions at new points, by blocks of rows."""
        return self._expand(check_new_points(self, X))

    def _expand(self, X):
        return self.kernel_.expand(X, self.points_, self.dual_coef_) + self.intercept_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class GraphMixin:
    """The ``graph`` and ``memory`` parameters. ``graph=None`` means ``KNNGraph()``."""

    def _fit_graph(self, X):
        fit = check_memory(self.memory).cache(as_graph)
        self.graph_ = fit(KNNGraph() if self.graph is None else self.graph, X)
        return self.graph_

    def set_params(self, **params):
        # graph__n_neighbors=... must work on the default graph too.
        if self.graph is None and "graph" not in params and any(name.startswith("graph__") for name in params):
            self.graph = KNNGraph()
        return super().set_params(**params)


class SemiSupervisedClassifier(ClassifierMixin):
    """Classification from a machine: one-versus-rest on decision values, two classes by sign.

    ``y``: -1 (strings: "unlabeled") marks unlabelled points; see :mod:`mr.labels`.
    """

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Fit to the labelled and unlabelled rows of X; ``y`` is -1 on unlabelled ones."""
        X, y = check_points_and_labels(self, X, y)
        labels = encode_labels(y)
        self.classes_ = labels.classes
        values = self._fit_functions(X, labels.rows, labels.signed)
        self._calibrate(values, labels)
        self.transduction_ = self._decide(self._decision_values(values))
        return self

    def decision_function(self, X):
        """Decision values: shape (n,) for two classes, (n, n_classes) otherwise."""
        values = self._decision_values(self._evaluate(X))
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X):
        """Class of each row of X."""
        return self._decide(self._decision_values(self._evaluate(X)))

    def _decision_values(self, values):
        """Values of the fitted functions, adjusted and finite."""
        return check_values(self, self._adjust(values))

    def _calibrate(self, values, labels):
        """Learn from the values on the training rows how to adjust decision values; nothing by default."""

    def _adjust(self, values):
        return values

    def _decide(self, values):
        codes = (values[:, 0] > 0).astype(int) if len(self.classes_) == 2 else values.argmax(axis=1)
        return self.classes_[codes]


class SemiSupervisedRegressor(RegressorMixin):
    """Regression from a machine; ``NaN`` in ``y`` marks unlabelled points."""

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Fit to the labelled and unlabelled rows of X; ``y`` is NaN on unlabelled ones."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        X = check_points(self, X)
        y = check_array(y, ensure_2d=False, dtype=np.float64, ensure_all_finite=False, input_name="y")
        if len(y) != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows but y has {len(y)} targets; expected one target a row.")
        targets = encode_targets(y)
        self._flat = y.ndim == 1
        self.transduction_ = self._shaped(self._fit_functions(X, targets.rows, targets.values))
        return self

    def predict(self, X):
        """Predicted target of each row of X."""
        return self._shaped(self._evaluate(X))

    def _shaped(self, values):
        """Finite values in the shape of the targets."""
        values = check_values(self, values)
        return values[:, 0] if self._flat else values

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
