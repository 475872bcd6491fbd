"""Scorers: unlabelled rows do not count."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    fbeta_score,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
)
from sklearn.model_selection import KFold, cross_validate

import mr
from mr.model_selection import LabelledKFold, labelled_accuracy, labelled_r2, labelled_scorer
from tests.model_selection.problems import curve, moons


@pytest.fixture(scope="module")
def fitted():
    X, y, _ = moons()
    return mr.RLS(gamma=2.0).fit(X, y), X, y


def test_only_labelled_rows_count(fitted):
    model, X, y = fitted
    labelled = y != -1
    wrong = y.copy()
    wrong[np.flatnonzero(labelled)[0]] = 1 - wrong[np.flatnonzero(labelled)[0]]
    expected = accuracy_score(wrong[labelled], model.predict(X)[labelled])
    assert labelled_accuracy(model, X, wrong) == expected < 1
    named = np.array(["ham", "spam", "unlabeled"])
    by_name = mr.RLS(gamma=2.0).fit(X, named[y])
    assert labelled_accuracy(by_name, X, named[wrong]) == expected


def test_any_metric(fitted):
    model, X, y = fitted
    labelled = y != -1
    predicted = model.predict(X)[labelled]
    assert labelled_scorer("balanced_accuracy")(model, X, y) == balanced_accuracy_score(y[labelled], predicted)
    assert labelled_scorer(fbeta_score, beta=2)(model, X, y) == fbeta_score(y[labelled], predicted, beta=2)
    assert labelled_scorer("roc_auc")(model, X, y) == 1.0
    assert "accuracy" in repr(labelled_accuracy)


def test_weights_are_those_of_labelled_rows(fitted):
    model, X, y = fitted
    wrong, weights = y.copy(), np.full(len(y), 7.0)
    first, *others = np.flatnonzero(y != -1)
    wrong[first] = 1 - wrong[first]
    weights[others] = 1.0
    assert labelled_accuracy(model, X, wrong, sample_weight=weights) == pytest.approx(11 / 18)


def test_regressors_mark_with_nan_and_minus_one_is_a_number():
    X, y, truth = curve()
    y = y - 1.0  # the first target is -1, which marks nothing here
    model = mr.LapRLSRegressor().fit(X, y)
    labelled = ~np.isnan(y)
    assert y[0] == -1.0
    assert labelled_r2(model, X, y) == r2_score(y[labelled], model.predict(X)[labelled])
    error = labelled_scorer(mean_absolute_error, greater_is_better=False)(model, X[:1], y[:1])
    assert error == -abs(model.predict(X[:1])[0] + 1.0)


def test_nothing_to_score_is_an_error(fitted):
    model, X, y = fitted
    with pytest.raises(ValueError, match="None of the 2 rows to score has a label.*LabelledKFold"):
        labelled_accuracy(model, X[:2], np.array([-1, -1]))


def test_several_scores_and_training_scores_in_cross_validation():
    X, y, _ = moons()
    model = mr.LapRLS(graph_weight=100.0, gamma=2.0)
    found = cross_validate(
        model, X, y, cv=LabelledKFold(3), return_train_score=True,
        scoring={"accuracy": labelled_accuracy, "auc": labelled_scorer("roc_auc")},
    )  # fmt: skip
    for fold, (train, test) in enumerate(LabelledKFold(3).split(X, y)):
        fitted = clone(model).fit(X[train], y[train])
        known = train[y[train] != -1]
        assert found["test_accuracy"][fold] == accuracy_score(y[test], fitted.predict(X[test]))
        assert found["train_accuracy"][fold] == accuracy_score(y[known], fitted.predict(X[known]))
        assert found["test_auc"][fold] == roc_auc_score(y[test], fitted.decision_function(X[test]))


def test_a_splitter_of_scikit_learn_scores_labelled_rows_of_its_folds():
    X, y, _ = moons(per_class=30)
    order = np.random.default_rng(0).permutation(len(y))
    plain = cross_validate(
        mr.LapRLS(graph_weight=100.0, gamma=2.0), X[order], y[order], cv=KFold(3), scoring=labelled_accuracy
    )
    assert (plain["test_score"] > 0.9).all()
