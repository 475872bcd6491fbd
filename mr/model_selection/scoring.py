"""Scorers that look at labelled rows only, and scorers that weigh them."""

from inspect import signature

import numpy as np
from sklearn.base import is_regressor
from sklearn.metrics import get_scorer, make_scorer

from mr._sklearn import safe_indexing
from mr.model_selection.marks import labelled_mask


class LabelledScorer:
    """A scorer of scikit-learn, applied to the rows that have a label; see :func:`labelled_scorer`.

    Examples
    --------
    >>> import mr
    >>> from mr.model_selection import labelled_accuracy, labelled_r2
    >>> X, y = [[0.0], [0.1], [0.5], [0.9], [1.0]], [0, -1, -1, 1, 1]
    >>> labelled_accuracy(mr.RLS().fit(X, y), X, y)
    1.0
    >>> numbers = [0.0, float("nan"), 0.5, float("nan"), 1.0]
    >>> labelled_r2(mr.RLSRegressor(gamma_A=1e-6).fit(X, numbers), X, numbers) > 0.99
    True
    """

    def __init__(self, scorer):
        self.scorer = scorer

    def __call__(self, estimator, X, y, sample_weight=None):
        y = np.asarray(y)
        rows = np.flatnonzero(labelled_mask(y, is_regressor(estimator)))
        if len(rows) == 0:
            raise ValueError(
                f"None of the {len(y)} rows to score has a label. Test on labelled rows: cv=LabelledKFold()."
            )
        weights = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)[rows]}
        return self.scorer(estimator, safe_indexing(X, rows), y[rows], **weights)

    def __repr__(self):
        return f"labelled_scorer({self.scorer!r})"


def labelled_scorer(metric="accuracy", **options):
    """Scorer that ignores unlabelled rows.

    Unlabelled rows are those with -1 (strings: "unlabeled") in ``y``; for regressors those with NaN. Left in, every
    one of them would count as an error.

    Parameters
    ----------
    metric : str or callable, default="accuracy"
        Name of a scorer of scikit-learn, or a function ``metric(y_true, y_pred)``.
    **options
        For a function: ``response_method``, ``greater_is_better`` and the like, as in
        :func:`sklearn.metrics.make_scorer`.

    Returns
    -------
    scorer : callable (estimator, X, y) -> float
        For ``scoring=`` of ``cross_val_score``, ``GridSearchCV`` and the like.

    See Also
    --------
    mr.model_selection.TransductiveSearchCV : takes it as ``scoring``.

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.model_selection import cross_val_score
    >>> from mr.model_selection import LabelledKFold, labelled_scorer
    >>> X, classes = make_moons(200, noise=0.05, random_state=0)
    >>> y = np.where(np.arange(200) < 20, classes, -1)
    >>> model = mr.LapRLS(gamma=4.0, graph_weight=100.0)
    >>> cross_val_score(model, X, y, cv=LabelledKFold(2), scoring=labelled_scorer("balanced_accuracy"))
    array([1., 1.])
    """
    return LabelledScorer(get_scorer(metric) if isinstance(metric, str) else make_scorer(metric, **options))


labelled_accuracy = labelled_scorer("accuracy")
"""Share of labelled rows that are predicted right."""
labelled_r2 = labelled_scorer("r2")
"""Coefficient of determination over the rows whose target is not NaN."""


class _WeightedScorer:
    """A scorer that is given the weights which a wrapped estimator holds for its rows."""

    def __init__(self, scorer):
        self.scorer = scorer

    def __call__(self, model, rows, y):
        return self.scorer(model, rows, y, sample_weight=model.weights[rows])


def weighted_scoring(scoring):
    """``scoring=`` of a search, so that every score weighs its rows; None stays None."""
    if scoring is None:
        return None
    if isinstance(scoring, dict):
        return {name: weighted_scoring(one) for name, one in scoring.items()}
    if isinstance(scoring, list | tuple | set):
        return {name: weighted_scoring(name) for name in scoring}
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    if not callable(scorer):
        return scorer  # which the search will refuse in its own words
    if not _takes_weights(scorer):
        raise ValueError(
            f"sample_weight needs a score that takes weights; got scoring={scoring!r}. Choose another one, or pass a "
            "function scorer(estimator, X, y, sample_weight)."
        )
    return _WeightedScorer(scorer)


def _takes_weights(scorer) -> bool:
    if isinstance(scorer, LabelledScorer):
        return _takes_weights(scorer.scorer)
    accepted = signature(getattr(scorer, "_score_func", scorer)).parameters
    return "sample_weight" in accepted or any(one.kind is one.VAR_KEYWORD for one in accepted.values())
