"""Weights of labels in TransductiveSearchCV and cross_val_transductive: in every fit, and in every score."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mr
from mr.model_selection import LabelledKFold, TransductiveSearchCV, cross_val_transductive, labelled_scorer
from tests.model_selection.problems import curve, moons

MODEL = mr.LapRLS(gamma_A=1e-2, graph_weight=1.0, gamma=2.0)
GRID = {"graph_weight": [0.0, 1.0, 100.0]}


def problem():
    X, y, _ = moons(noise=0.3, per_class=12)
    return X, y, np.random.default_rng(0).uniform(0.2, 3.0, len(y))


def by_hand(model, X, y, weights, folds):
    """Weighted accuracy of every fold, by refits with these weights in which its labels are hidden."""
    scores = []
    for test in folds:
        hidden = y.copy()
        hidden[test] = -1
        fitted = clone(model).fit(X, hidden, sample_weight=weights)
        scores.append(accuracy_score(y[test], fitted.predict(X[test]), sample_weight=weights[test]))
    return scores


@pytest.mark.parametrize("model", [MODEL, clone(MODEL).set_params(class_weight="balanced"), mr.LapSVM(gamma=2.0)])
def test_fits_and_scores_are_weighted(model):
    X, y, weights = problem()
    folds = [test for _, test in LabelledKFold(4).split(X, y)]
    expected = by_hand(model, X, y, weights, folds)
    assert np.allclose(cross_val_transductive(model, X, y, cv=4, sample_weight=weights), expected)
    assert not np.allclose(cross_val_transductive(model, X, y, cv=4), expected)
    search = TransductiveSearchCV(model, {"gamma": [2.0, 8.0]}, cv=4).fit(X, y, sample_weight=weights)
    assert np.isclose(search.cv_results_["mean_test_score"][0], np.mean(expected))
    best = clone(model).set_params(**search.best_params_).fit(X, y, sample_weight=weights)
    assert np.array_equal(search.decision_function(X), best.decision_function(X))


def test_named_scores_functions_and_several_scores_are_weighted():
    X, y, weights = problem()
    plain = cross_val_transductive(MODEL, X, y, cv=4, sample_weight=weights)
    for scoring in ("accuracy", make_scorer(accuracy_score), labelled_scorer("accuracy")):
        scores = cross_val_transductive(MODEL, X, y, cv=4, sample_weight=weights, scoring=scoring)
        assert np.allclose(scores, plain)
    for scoring in (["accuracy", "balanced_accuracy"], {"accuracy": "accuracy", "own": make_scorer(accuracy_score)}):
        search = TransductiveSearchCV(MODEL, {"gamma": [2.0]}, cv=4, scoring=scoring, refit="accuracy")
        assert np.isclose(search.fit(X, y, sample_weight=weights).best_score_, plain.mean())


def test_weights_of_unlabelled_rows_play_no_part():
    X, y, weights = problem()
    others = np.where(y == -1, 1e6, weights)
    left, right = (TransductiveSearchCV(MODEL, GRID).fit(X, y, sample_weight=w) for w in (weights, others))
    assert np.array_equal(left.cv_results_["mean_test_score"], right.cv_results_["mean_test_score"])
    assert np.array_equal(left.decision_function(X), right.decision_function(X))


def test_a_weight_of_zero_is_no_label():
    X, y, _ = problem()
    weights, hidden = np.ones(len(y)), y.copy()
    off = np.flatnonzero(y == 0)[:2]
    weights[off], hidden[off] = 0.0, -1
    left = TransductiveSearchCV(MODEL, GRID).fit(X, y, sample_weight=weights)
    right = TransductiveSearchCV(MODEL, GRID).fit(X, hidden)
    assert np.array_equal(left.cv_results_["mean_test_score"], right.cv_results_["mean_test_score"])
    assert np.allclose(left.decision_function(X), right.decision_function(X))


def test_regressors():
    X, y, _ = curve()
    rows = np.flatnonzero(~np.isnan(y))
    wrong = rows[1::3]
    y[wrong] += 2.0
    weights = np.ones(len(y))
    weights[wrong] = 1e-6
    model = mr.LapRLSRegressor(gamma_A=1e-4, graph_weight=1.0)
    search = TransductiveSearchCV(model, {"gamma_A": [1e-4, 1e-2]}, scoring="neg_mean_squared_error")
    assert search.fit(X, y).best_score_ < -0.5
    assert search.fit(X, y, sample_weight=weights).best_score_ > -0.02
    assert search.score(X[rows], y[rows], sample_weight=weights[rows]) > search.score(X[rows], y[rows])


def test_pipelines_with_and_without_metadata_routing():
    X, y, weights = problem()
    expected = TransductiveSearchCV(MODEL, GRID).fit(X, y, sample_weight=weights)
    grid = {f"laprls__{name}": values for name, values in GRID.items()}
    scaler = StandardScaler(with_mean=False, with_std=False)
    inner = make_pipeline(scaler, clone(MODEL))
    plain = TransductiveSearchCV(inner, grid).fit(X, y, sample_weight=weights)
    with config_context(enable_metadata_routing=True):
        scaler.set_fit_request(sample_weight=False)
        machine = clone(MODEL).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        asking = make_pipeline(scaler, machine)
        within = TransductiveSearchCV(asking, grid).fit(X, y, sample_weight=weights)
        search = TransductiveSearchCV(MODEL, GRID).set_fit_request(sample_weight=True)
        around = make_pipeline(scaler, search).fit(X, y, sample_weight=weights)
    for found in (plain, within, around):
        assert np.allclose(found.decision_function(X), expected.decision_function(X))
    assert np.array_equal(plain.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])


def test_what_cannot_be_weighted_is_refused():
    X, y, weights = problem()
    with pytest.raises(ValueError, match="needs an estimator whose fit takes it; that of HarmonicFunction does not"):
        cross_val_transductive(mr.HarmonicFunction(), X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="needs a score that takes weights; got scoring='neg_max_error'"):
        TransductiveSearchCV(MODEL, GRID, scoring="neg_max_error").fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="[Nn]egative values"):
        TransductiveSearchCV(MODEL, GRID).fit(X, y, sample_weight=-weights)
    with pytest.raises(ValueError, match="at least 2 labelled rows of positive weight; got 0"):
        TransductiveSearchCV(MODEL, GRID).fit(X, y, sample_weight=(y == -1).astype(float))
    with pytest.raises(ValueError, match="unsigned type uint8"):
        TransductiveSearchCV(MODEL, GRID).fit(X, y.astype(np.uint8))
