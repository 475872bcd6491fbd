"""What every estimator shares: labels in, kernel expansions, scikit-learn's manners.

A *machine* fits several functions at once, one per column of its targets. Classifiers feed it one-versus-rest targets
in {-1, +1}, regressors feed it numbers; the machine does not know which.
"""

import warnings
from abc import abstractmethod
from functools import partial
from numbers import Real

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mr._sklearn import HasMethods, Interval, StrOptions, check_array, check_sample_weight, fit_context, validate_data
from mr.estimators._progress import reporter
from mr.estimators._words import in_words
from mr.graph import KNNGraph, PrecomputedGraph, as_graph
from mr.graph.blocks import RowBlocks, in_blocks, resolve_gamma
from mr.graph.remember import remembered
from mr.graph.scale import sound_points
from mr.kernels import KERNELS, PRECOMPUTED, Kernel, PrecomputedKernel
from mr.labels import Labels, Targets, encode_labels, encode_targets, unlabeled_mask

KERNEL_CONSTRAINTS = {
    "kernel": [StrOptions({*KERNELS, PRECOMPUTED}), callable],
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
CLASS_WEIGHT_CONSTRAINTS = {"class_weight": [None, dict, StrOptions({"balanced"})]}


class UnlabelledComponentWarning(UserWarning):
    """A connected component of the graph holds no labelled point: only the ambient kernel decides there."""


class DegeneratePredictionWarning(UserWarning):
    """A class that has labels is predicted at no training point."""


def warn_missing_classes(classes, predicted):
    """Name the classes that are never predicted: with few labels per class that is a common silent failure."""
    missing = np.setdiff1d(classes, predicted)
    if len(missing) == 0:
        return
    shown = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
    what = (
        f"Every training point is predicted as class {predicted[0]}."
        if len(missing) == len(classes) - 1
        else f"{len(missing)} of {len(classes)} classes are never predicted on the training points: {shown}."
    )
    warnings.warn(
        f"{what} Weights of the norms may not suit the data, or labels are few or unbalanced: try other weights, "
        "class_weight='balanced' or balance='class-mass' where the estimator has them, or more labels.",
        DegeneratePredictionWarning,
        stacklevel=4,
    )


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
    """X to fit to, as every machine takes it: dense or CSR, double precision, of a scale that distances survive.

    Estimators that read blocks get rows that come in blocks as :class:`mr.graph.blocks.RowBlocks`.
    """
    if _comes_in_blocks(estimator, X):
        return _checked_blocks(estimator, X)
    return sound_points(validate_data(estimator, X, accept_sparse="csr", dtype=np.float64, **checks))


def check_points_and_labels(estimator, X, y):
    """As :func:`check_points`, with one label per row."""
    if _comes_in_blocks(estimator, X):
        X, y = _checked_blocks(estimator, X), column_or_1d(y)
        return X, check_length(X, y)
    X, y = validate_data(estimator, X, y, accept_sparse="csr", dtype=np.float64)
    return sound_points(X), y


def check_new_points(estimator, X):
    """X to predict at, with the features of the X that the estimator was fitted to."""
    check_is_fitted(estimator)
    if _comes_in_blocks(estimator, X):
        X = RowBlocks(X, estimator._expansion_size())
        if X.shape[1] != estimator.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} "
                "features as input."
            )
        return X
    X = validate_data(estimator, X, reset=False, accept_sparse="csr", dtype=np.float64)
    return sound_points(X, smallest=False)


def _comes_in_blocks(estimator, X) -> bool:
    return isinstance(estimator, BlockwiseMixin) and in_blocks(X)


def _checked_blocks(estimator, X) -> RowBlocks:
    X = RowBlocks(X)
    estimator.n_features_in_ = X.shape[1]  # reads all rows once, and refuses what is not finite
    if hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_  # of an earlier fit
    return X


def check_length(X, y):
    if len(y) != X.shape[0]:
        raise ValueError(f"The blocks hold {X.shape[0]} rows, but y has {len(y)} labels.")
    return y


class BlockwiseMixin:
    """An estimator that reads rows in blocks: dask arrays, lists of row blocks, functions that return an iterator."""

    def _expansion_size(self) -> int:
        """Numbers that are computed for each row."""
        return self.points_.shape[0]

    def fit_blocks(self, blocks, y, **fit_params):
        """Fit to rows that come in blocks, for data larger than memory.

        Parameters
        ----------
        blocks : dask array, memory map, list of arrays, any object that can be iterated several times, or function \
returning an iterator
            The rows of X, in order. They are read several times, a block at a time.
        y : array (n,)
            Labels or targets of all rows, marked as for ``fit`` on unlabelled ones.
        **fit_params : dict
            ``sample_weight`` where ``fit`` takes it.
        """
        return self.fit(RowBlocks(blocks), y, **fit_params)


def check_values(estimator, values):
    """The values, if all are finite: NaN would be predicted as the first class, without a warning."""
    if not np.isfinite(values).all():
        wrong = int(np.count_nonzero(~np.isfinite(values).all(axis=1)))
        raise ValueError(
            f"{type(estimator).__name__} expected finite function values, got NaN or infinity at {wrong} of "
            f"{len(values)} points: its parameters, or the scale of X, are beyond double precision. "
            "Rescale X, for example with sklearn.preprocessing.StandardScaler, or take more moderate parameters."
        )
    return values


class KernelMachine(BaseEstimator):
    """f(x) = sum_j dual_coef_j k(points_j, x) + intercept, one function per column."""

    def _make_kernel(self, X) -> Kernel:
        if isinstance(self.kernel, str) and self.kernel == PRECOMPUTED:
            raise ValueError(
                f"{type(self).__name__} needs the points themselves: kernel must be one of {', '.join(KERNELS)} or a "
                "function; got 'precomputed'."
            )
        if isinstance(X, RowBlocks):
            has_rule = isinstance(self.gamma, str) and self.kernel in ("rbf", "poly")
            gamma = resolve_gamma(self.gamma, X.moments()) if has_rule else self.gamma
            return Kernel(self.kernel, gamma, self.degree, self.coef0).fit(None)
        return Kernel(self.kernel, self.gamma, self.degree, self.coef0).fit(X)

    def _kernel_and_points(self, X):
        """The kernel, and the points as it takes them: X, or for a precomputed kernel the numbers of its rows."""
        if not (isinstance(self.kernel, str) and self.kernel == PRECOMPUTED):
            return self._make_kernel(X), X
        if isinstance(X, RowBlocks):
            raise ValueError("kernel='precomputed' takes X as one matrix; got rows in blocks.")
        if sparse.issparse(X) or X.shape[0] != X.shape[1]:
            raise ValueError(
                "kernel='precomputed' takes X as the dense n x n matrix of kernel values between the training points; "
                f"got {'a sparse matrix of ' if sparse.issparse(X) else ''}shape {X.shape}."
            )
        if not np.allclose(X, X.T, rtol=1e-6, atol=1e-10 * np.abs(X).max()):
            raise ValueError("kernel='precomputed' takes a symmetric matrix; X differs from its transpose.")
        kernel = PrecomputedKernel(X)
        return kernel, kernel.numbers()

    @abstractmethod
    def _fit_functions(self, X, rows, targets):
        """Fit one function per column of ``targets`` (given on ``rows``); return their values on X."""

    def _keep_expansion(self, kernel, points, coefficients, intercept):
        self.kernel_ = kernel
        self.points_ = points
        self.dual_coef_ = coefficients
        self.intercept_ = np.asarray(intercept, dtype=float)

    def _evaluate(self, X):
        """Values of all functions at new points, by blocks of rows."""
        return self._expand(check_new_points(self, X))

    def _expand(self, X):
        if isinstance(X, RowBlocks):  # without the estimator, which would be sent to every worker of a cluster
            return X.collect(partial(self.kernel_.expand, points=self.points_, coefficients=self.dual_coef_)) + (
                self.intercept_
            )
        return self.kernel_.expand(X, self.points_, self.dual_coef_) + self.intercept_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        kernel = getattr(self, "kernel", None)
        tags.input_tags.pairwise = isinstance(kernel, str) and kernel == PRECOMPUTED
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags


class GraphMixin:
    """The ``graph`` and ``memory`` parameters. ``graph=None`` means ``KNNGraph()``."""

    def _fit_graph(self, X, kernel=None):
        """The fitted graph; neighbours in a precomputed kernel are those in its feature space."""
        reporter(self)(f"graph of {X.shape[0]} points")
        graph = KNNGraph() if self.graph is None else self.graph
        by_blocks = isinstance(graph, PrecomputedGraph) or getattr(graph, "method", None) == "clusters"
        if isinstance(X, RowBlocks) and hasattr(graph, "fit") and not by_blocks:
            X = X.whole()  # neighbours are searched among all points
        if isinstance(kernel, PrecomputedKernel) and isinstance(graph, KNNGraph):
            graph, X = clone(graph).set_params(metric=PRECOMPUTED), kernel.distances()
        self.graph_ = remembered(self.memory, as_graph)(graph, X)
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
        return self._fit(X, y)

    def _fit(self, X, y, weigh=None):
        """Fit; ``weigh(X, labels)`` gives the labels that count and their weights in the loss, as one more argument."""
        X, y = check_points_and_labels(self, X, y)
        labels, weights = (encode_labels(y), ()) if weigh is None else weigh(X, encode_labels(y))
        self.classes_ = labels.classes
        with in_words(self):
            values = self._fit_functions(X, labels.rows, labels.signed, *weights)
        self._calibrate(values, labels)
        self.transduction_ = self._decide(self._decision_values(values))
        warn_missing_classes(self.classes_, self.transduction_)
        return self

    def decision_function(self, X):
        """Decision values: shape (n,) for two classes, (n, n_classes) otherwise."""
        values = self._decision_values(self._evaluate(X))
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X):
        """Class of each row of X."""
        return self._decide(self._decision_values(self._evaluate(X)))

    def predict_proba(self, X):
        """Scores in [0, 1] that sum to 1 over the classes and order them as ``predict`` does.

        1 / (1 + exp(-2 f)) of the decision values, divided by their sum for more than two classes. A link, not a
        calibration: the estimators of :mod:`mr.model_selection` fit its slope to held-out labels.
        """
        values = expit(2.0 * self._decision_values(self._evaluate(X)))
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - values[:, 0], values[:, 0]])
        # all decision values far below zero: their order still counts
        values = np.maximum(values, np.finfo(float).tiny)
        return values / values.sum(axis=1, keepdims=True)

    def score(self, X, y, sample_weight=None):
        """Accuracy on the labelled rows of X; rows that ``y`` marks as unlabelled do not count."""
        labelled = ~unlabeled_mask(y)
        if not labelled.any():
            raise ValueError(f"score needs labelled rows; all {len(labelled)} values of y mark unlabelled points.")
        weights = None if sample_weight is None else np.asarray(sample_weight)[labelled]
        return float(accuracy_score(np.asarray(y)[labelled], self.predict(X)[labelled], sample_weight=weights))

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


def class_factors(class_weight, classes, y) -> np.ndarray:
    """Weights of the classes as scikit-learn has them; "half-balanced" are the square roots of the balanced ones."""
    if class_weight == "half-balanced":
        return np.sqrt(compute_class_weight("balanced", classes=classes, y=y))
    return compute_class_weight(class_weight, classes=classes, y=y)


class WeightedClassifier(SemiSupervisedClassifier):
    """A classifier whose loss takes weights: the parameter ``class_weight`` and the argument ``sample_weight``.

    Its machine takes the weights (l,) of the labelled points, or None, as fourth argument. A label of weight 0 is no
    label; its point stays in the graph.
    """

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Fit to the labelled and unlabelled rows of X; ``y`` is -1 on unlabelled ones.

        Parameters
        ----------
        X : array or sparse matrix (n, d)
        y : array (n,)
        sample_weight : array (n,), default=None
            Weights of the labels in the loss; those of unlabelled rows play no part.
        """
        return self._fit(X, y, lambda X, labels: self._weigh(X, labels, sample_weight))

    def _weigh(self, X, labels, sample_weight):
        if sample_weight is None and self.class_weight is None:
            return labels, (None,)
        weights = np.ones(len(labels.rows))
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, X, ensure_non_negative=True)[labels.rows]
        kept = weights > 0
        if not kept.any():
            raise ValueError("sample_weight must be positive at some labelled row; got 0 at all of them.")
        labels, weights = Labels(labels.classes, labels.rows[kept], labels.codes[kept]), weights[kept]
        if self.class_weight is not None:
            present = np.unique(labels.codes)
            factors = np.ones(len(labels.classes))
            factors[present] = class_factors(
                self.class_weight, classes=labels.classes[present], y=labels.classes[labels.codes]
            )
            weights = weights * factors[labels.codes]
            if not (np.isfinite(weights).all() and (weights > 0).all()):
                raise ValueError(
                    f"class_weight must hold finite numbers > 0, also times sample_weight; got {self.class_weight!r}."
                )
        return labels, (weights,)


class SemiSupervisedRegressor(RegressorMixin):
    """Regression from a machine; ``NaN`` in ``y`` marks unlabelled points."""

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Fit to the labelled and unlabelled rows of X; ``y`` is NaN on unlabelled ones."""
        return self._fit(X, y)

    def _fit(self, X, y, weigh=None):
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        X = check_points(self, X)
        y = check_array(y, ensure_2d=False, dtype=np.float64, ensure_all_finite=False, input_name="y")
        if len(y) != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows but y has {len(y)} targets; expected one target per row.")
        targets, weights = (encode_targets(y), ()) if weigh is None else weigh(X, encode_targets(y))
        self._flat = y.ndim == 1
        with in_words(self):
            values = self._fit_functions(X, targets.rows, targets.values, *weights)
        self.transduction_ = self._shaped(values)
        return self

    def predict(self, X):
        """Predicted target of each row of X."""
        return self._shaped(self._evaluate(X))

    def score(self, X, y, sample_weight=None):
        """R^2 on the labelled rows of X; rows whose target is NaN do not count."""
        y = np.asarray(y, dtype=float)
        labelled = ~np.isnan(y if y.ndim == 1 else y[:, 0])
        if not labelled.any():
            raise ValueError(f"score needs labelled rows; all {len(labelled)} targets are NaN.")
        weights = None if sample_weight is None else np.asarray(sample_weight)[labelled]
        return float(r2_score(y[labelled], self.predict(X)[labelled], sample_weight=weights))

    def _shaped(self, values):
        """Finite values in the shape of the targets."""
        values = check_values(self, values)
        return values[:, 0] if self._flat else values

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class WeightedRegressor(SemiSupervisedRegressor):
    """A regressor whose loss takes weights: the argument ``sample_weight``; see :class:`WeightedClassifier`."""

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Fit to the labelled and unlabelled rows of X; ``y`` is NaN on unlabelled ones.

        Parameters
        ----------
        X : array or sparse matrix (n, d)
        y : array (n,) or (n, k)
        sample_weight : array (n,), default=None
            Weights of the targets in the loss; those of unlabelled rows play no part.
        """
        return self._fit(X, y, lambda X, targets: self._weigh(X, targets, sample_weight))

    def _weigh(self, X, targets, sample_weight):
        if sample_weight is None:
            return targets, (None,)
        weights = check_sample_weight(sample_weight, X, ensure_non_negative=True)[targets.rows]
        kept = weights > 0
        if not kept.any():
            raise ValueError("sample_weight must be positive at some labelled row; got 0 at all of them.")
        return Targets(targets.rows[kept], targets.values[kept]), (weights[kept],)
