"""Cross-validation that hides labels instead of rows: the graph keeps all points.

scikit-learn's searches take the tested rows out of X. In semi-supervised learning these rows are there when the machine
is fitted, only their labels are not. Here a data set is a list of row numbers: whatever splits, resamples or combines
it, the estimator is fitted to all points, with the labels of these rows.
"""

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import column_or_1d, get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mr._sklearn import check_array, check_sample_weight, safe_indexing
from mr.labels import encode_labels, encode_targets, unlabeled_mask
from mr.model_selection.marks import hide_all_but
from mr.model_selection.scoring import weighted_scoring
from mr.model_selection.splits import LabelledKFold
from mr.model_selection.weighing import weight_argument


def _offers(name):
    """Whether the wrapped estimator has a method; the error is then its own."""

    def check(self):
        getattr(self._inner(), name)
        return True

    return check


class _Delegates:
    """predict and similar methods, through the fitted estimator that ``_inner`` names."""

    @property
    def classes_(self):
        """Classes of the fitted estimator."""
        return self._inner().classes_

    @available_if(_offers("predict"))
    def predict(self, X):
        """Prediction of the fitted estimator."""
        return self._inner().predict(self._points(X))

    @available_if(_offers("decision_function"))
    def decision_function(self, X):
        """Decision values of the fitted estimator."""
        return self._inner().decision_function(self._points(X))

    @available_if(_offers("predict_proba"))
    def predict_proba(self, X):
        """Probabilities of the fitted estimator."""
        return self._inner().predict_proba(self._points(X))

    def __sklearn_tags__(self):
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        for name in ("estimator_type", "classifier_tags", "regressor_tags", "target_tags"):
            setattr(tags, name, getattr(inner, name))
        return tags


class Transductive(_Delegates, MetaEstimatorMixin, BaseEstimator):
    """An estimator on the rows of a fixed X: its data are row numbers, and every fit sees all points.

    ``fit(rows, labels)`` fits the estimator to all of X with these labels at these rows and no others,
    ``predict(rows)`` predicts at rows of X. Any tool of scikit-learn that splits, resamples or combines labelled data
    can then be used as it is: it never meets an unlabelled row, and the graph never loses a point. An affinity matrix
    of one's own (``graph=``) works too, since the rows of X stay what they are.

    Parameters
    ----------
    estimator : estimator
        Semi-supervised classifier or regressor, or a pipeline that ends in one.
    X : array, sparse matrix or data frame (n, d)
        All points. Clones share it.

    Attributes
    ----------
    estimator_ : estimator
        Fitted to all points. It predicts at new points.
    classes_ : array
        Of a classifier.

    See Also
    --------
    TransductiveSearchCV : a grid search made of this.
    LabelledKFold : splits rows, so that tested points leave the graph.

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.model_selection import cross_val_score
    >>> from mr.model_selection import Transductive
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> labelled = np.arange(20)
    >>> model = Transductive(mr.LapRLS(graph_weight=100.0, gamma=4.0), X)
    >>> cross_val_score(model, labelled, y[labelled], cv=5)
    array([1., 1., 1., 1., 1.])
    """

    def __init__(self, estimator, X):
        self.estimator = estimator
        self.X = X

    def fit(self, rows, y):
        """Fit to all points, with labels at some rows.

        Parameters
        ----------
        rows : array of int (l,) or (l, 1)
            Rows of X.
        y : array (l,)
            Their labels.
        """
        rows, y = self._rows(rows), _as_labels(self.estimator, y)
        if len(rows) != len(y):
            raise ValueError(f"expected one label for each row number; got {len(rows)} rows and {len(y)} labels.")
        self.estimator_ = clone(self.estimator)
        hidden = hide_all_but(y, rows, self._n_points(), is_regressor(self.estimator))
        if len(np.unique(rows)) < len(rows) and (hidden[rows] != y).any():
            raise ValueError("expected one label for each row number; got a row twice, with two labels.")
        self.estimator_.fit(self.X, hidden, **self._weights_of(rows))
        if unlabeled_mask(getattr(self.estimator_, "classes_", [])).any():
            raise ValueError(
                f"{type(self.estimator).__name__} took the marker of unlabelled points for one more class; expected a "
                "semi-supervised estimator. Supervised ones are fitted to the labelled rows alone."
            )
        return self

    def score(self, rows, y):
        """The estimator's own score at rows of X."""
        check_is_fitted(self)
        return self.estimator_.score(self._points(rows), y)

    def _weights_of(self, rows) -> dict:
        """Further arguments of the estimator's ``fit``."""
        return {}

    def _inner(self):
        return getattr(self, "estimator_", self.estimator)

    def _points(self, rows):
        check_is_fitted(self)
        return safe_indexing(self.X, self._rows(rows))

    def _n_points(self):
        return self.X.shape[0] if hasattr(self.X, "shape") else len(self.X)

    def _rows(self, rows) -> np.ndarray:
        n = self._n_points()
        try:
            rows = np.asarray(rows)
        except ValueError:  # of lists that are no table
            rows = np.empty((len(rows), 0), dtype=object)
        flat = rows[:, 0] if rows.ndim == 2 and rows.shape[1] == 1 else rows
        if flat.ndim != 1 or flat.dtype.kind not in "iu" or (len(flat) and not 0 <= flat.min() <= flat.max() < n):
            raise ValueError(
                f"Transductive takes row numbers of its X, integers from 0 to {n - 1}; got an array of type "
                f"{rows.dtype} and shape {rows.shape}. Pass np.flatnonzero(labelled), not X."
            )
        return flat

    def __sklearn_clone__(self):
        # clone() would copy X for every candidate and fold
        return type(self)(clone(self.estimator), self.X)


class _WeightedTransductive(Transductive):
    """The same with weights (n,) of all points: those of the labels count in every fit and score."""

    def __init__(self, estimator, X, weights):
        super().__init__(estimator, X)
        self.weights = weights

    def score(self, rows, y):
        check_is_fitted(self)
        return self.estimator_.score(self._points(rows), y, sample_weight=self.weights[self._rows(rows)])

    def _weights_of(self, rows):
        weights = np.ones(self._n_points())
        weights[rows] = self.weights[rows]
        return {weight_argument(self.estimator): weights}

    def __sklearn_clone__(self):
        return type(self)(clone(self.estimator), self.X, self.weights)


class TransductiveSearchCV(_Delegates, MetaEstimatorMixin, BaseEstimator):
    """Exhaustive search over parameters, by cross-validation that hides labels and keeps all points in the graph.

    Every candidate is fitted to all of X, with the labels of one fold replaced by the marker, and scored on that fold.
    Works with an affinity matrix of one's own, ``graph=``, which :class:`sklearn.model_selection.GridSearchCV` cannot
    split. Where a machine has a search of its own, such as :class:`LapRLSCV`, that one is much faster.

    Parameters
    ----------
    estimator : estimator
        Semi-supervised classifier or regressor, or a pipeline that ends in one. Its ``class_weight`` counts in the
        fits, not in the scores: for these take ``scoring="balanced_accuracy"``.
    param_grid : dict or list of dicts
        Lists of values by name of parameter, as for ``GridSearchCV``.
    scoring : str, callable, list or dict, default=None
        As for ``GridSearchCV``; only labelled rows are scored. None is the estimator's own ``score``.
    cv : int, splitter or None, default=None
        Splits the labelled rows (of positive weight). None is ``LabelledKFold(5)``, with fewer folds if there are fewer
        labels; an int is the number of folds.
    refit : bool, str or callable, default=True
        As for ``GridSearchCV``.
    n_jobs : int, default=None
        Fits at a time.
    verbose : int, default=0
    error_score : "raise" or number, default=nan
        Score of a candidate whose fit fails.

    Attributes
    ----------
    best_estimator_ : estimator
        Fitted to all points and all labels with the best parameters.
    best_params_ : dict
    best_score_ : float
    best_index_ : int
    cv_results_ : dict of arrays
        As scikit-learn's.
    n_splits_ : int
    classes_ : array
        Of a classifier.

    See Also
    --------
    mr.model_selection.cross_val_transductive : scores of one setting.
    mr.LapRLSCV : a search that needs one factorisation per graph and kernel.

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import make_moons
    >>> from mr.model_selection import TransductiveSearchCV
    >>> X, classes = make_moons(200, noise=0.05, random_state=0)
    >>> y = np.where(np.arange(200) < 20, classes, -1)
    >>> affinity = mr.KNNGraph(8).fit(X).affinity_
    >>> model = mr.LapRLS(gamma=4.0, graph=affinity)
    >>> search = TransductiveSearchCV(model, {"graph_weight": [0.0, 1.0, 100.0]}).fit(X, y)
    >>> search.best_params_, search.best_score_
    ({'graph_weight': 1.0}, np.float64(1.0))
    """

    def __init__(
        self, estimator, param_grid, *, scoring=None, cv=None, refit=True, n_jobs=None, verbose=0, error_score=np.nan
    ):
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.error_score = error_score

    def fit(self, X, y, sample_weight=None):
        """Search, then fit the best candidate to all labels.

        Parameters
        ----------
        X : array or sparse matrix (n, d)
        y : array (n,)
            -1 (strings: "unlabeled"; regressors: NaN) marks unlabelled points.
        sample_weight : array (n,), default=None
            Weights of the labels, in every fit and in the score of every fold; those of unlabelled rows play no part.
            A label of weight 0 is no label.
        """
        rows, labels, wrapper = _wrapped(self.estimator, X, y, sample_weight)
        search = GridSearchCV(
            wrapper,
            _renamed(self.param_grid, lambda name: f"estimator__{name}"),
            scoring=self.scoring if sample_weight is None else weighted_scoring(self.scoring),
            cv=_splitter(self.cv, len(rows)),
            refit=self.refit,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            error_score=self.error_score,
        ).fit(rows, labels)
        for name in ("best_index_", "best_score_", "n_splits_", "refit_time_", "scorer_", "multimetric_"):
            if hasattr(search, name):
                setattr(self, name, getattr(search, name))
        self.cv_results_ = _plain_results(search.cv_results_)
        if hasattr(search, "best_params_"):
            self.best_params_ = _plain(search.best_params_)
        if hasattr(search, "best_estimator_"):
            self.best_estimator_ = search.best_estimator_.estimator_
        return self

    @property
    def n_features_in_(self):
        """Number of columns of the X that the best estimator was fitted to."""
        return self.best_estimator_.n_features_in_

    @available_if(_offers("score"))
    def score(self, X, y, sample_weight=None):
        """Score of the best estimator."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self._inner().score(self._points(X), y, **weights)

    def _inner(self):
        return getattr(self, "best_estimator_", self.estimator)

    def _points(self, X):
        check_is_fitted(self, "best_estimator_")
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def cross_val_transductive(
    estimator, X, y, *, sample_weight=None, scoring=None, cv=None, n_jobs=None, verbose=0, error_score=np.nan
):
    """Scores by cross-validation that hides labels and keeps all points in the graph.

    Parameters
    ----------
    estimator : estimator
        Semi-supervised classifier or regressor, or a pipeline that ends in one.
    X : array or sparse matrix (n, d)
    y : array (n,)
        -1 (strings: "unlabeled"; regressors: NaN) marks unlabelled points.
    sample_weight : array (n,), default=None
        Weights of the labels, as in :meth:`TransductiveSearchCV.fit`.
    scoring : str or callable, default=None
        None is the estimator's own ``score``. Only labelled rows are scored.
    cv : int, splitter or None, default=None
        Splits the labelled rows. None is ``LabelledKFold(5)``, with fewer folds if there are fewer labels.
    n_jobs, verbose, error_score
        As in :func:`sklearn.model_selection.cross_val_score`.

    Returns
    -------
    array of float
        One score for each fold.

    See Also
    --------
    mr.model_selection.TransductiveSearchCV : the same for every setting of a grid.

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import make_moons
    >>> from mr.model_selection import cross_val_transductive
    >>> X, classes = make_moons(200, noise=0.05, random_state=0)
    >>> y = np.where(np.arange(200) < 20, classes, -1)
    >>> cross_val_transductive(mr.LapRLS(gamma=4.0, graph_weight=100.0), X, y)
    array([1., 1., 1., 1., 1.])
    """
    rows, labels, wrapper = _wrapped(estimator, X, y, sample_weight)
    return cross_val_score(
        wrapper, rows, labels, scoring=scoring if sample_weight is None else weighted_scoring(scoring),
        cv=_splitter(cv, len(rows)), n_jobs=n_jobs, verbose=verbose, error_score=error_score,
    )  # fmt: skip


def _wrapped(estimator, X, y, sample_weight):
    """Labelled rows, their labels, and the estimator on the rows of X, with weights if there are any."""
    X, y, rows = _labelled(estimator, X, y)
    if sample_weight is None:
        wrapper = Transductive(estimator, X)
    else:
        weight_argument(estimator)
        weights = check_sample_weight(sample_weight, X, ensure_non_negative=True)
        rows = rows[weights[rows] > 0]
        wrapper = _WeightedTransductive(estimator, X, weights)
    if len(rows) < 2:
        heavy = "" if sample_weight is None else " of positive weight"
        raise ValueError(
            f"Cross-validation needs at least 2 labelled rows{heavy}; got {len(rows)} labelled rows, "
            f"n_samples={len(y)}."
        )
    return rows, y[rows], wrapper


def _labelled(estimator, X, y):
    """X with rows that can be taken, y as an array, and the labelled rows."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    X, y = indexable(X, _as_labels(estimator, y))
    return X, y, (encode_targets if is_regressor(estimator) else encode_labels)(y).rows


def _as_labels(estimator, y):
    """y as an array of numbers with NaN for a regressor, of one class per row for a classifier."""
    if is_regressor(estimator):
        return check_array(y, ensure_2d=False, dtype=np.float64, ensure_all_finite=False, input_name="y")
    return column_or_1d(y, warn=True)


def _splitter(cv, l):
    if cv is None:
        return LabelledKFold(min(5, l))
    return LabelledKFold(cv) if isinstance(cv, int | np.integer) else cv


def _renamed(param_grid, rename):
    if isinstance(param_grid, dict):
        return {rename(name): values for name, values in param_grid.items()}
    if not isinstance(param_grid, list | tuple) or not all(isinstance(grid, dict) for grid in param_grid):
        raise TypeError(f"param_grid must be a dict or a list of dicts, from names to lists; got {param_grid!r}.")
    return [_renamed(grid, rename) for grid in param_grid]


def _plain(params) -> dict:
    return {name.removeprefix("estimator__"): value for name, value in params.items()}


def _plain_results(results) -> dict:
    plain = {name.replace("param_estimator__", "param_"): values for name, values in results.items()}
    return plain | {"params": [_plain(params) for params in results["params"]]}
