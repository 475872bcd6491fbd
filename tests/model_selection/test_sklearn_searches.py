"""scikit-learn's own searches with these splitters and scorers, on estimators and pipelines."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mr
from mr.model_selection import LabelledKFold, LabelledLeaveOneOut, LabelledShuffleSplit, labelled_accuracy, labelled_r2
from tests.model_selection.problems import curve, moons

LISTS = {"graph_weight": [0.0, 1.0, 100.0], "gamma_A": [1e-3, 1e-1]}


def rows_taken_out(model, X, y, cv, score):
    """What cross-validation by rows means, written out."""
    scores = []
    for train, test in cv.split(X, y):
        scores.append(score(y[test], clone(model).fit(X[train], y[train]).predict(X[test])))
    return scores


@pytest.mark.parametrize(
    "cv", [LabelledKFold(3), LabelledLeaveOneOut(), LabelledShuffleSplit(3, test_size=4, random_state=0)], ids=str
)
@pytest.mark.parametrize("scoring", [None, labelled_accuracy])
def test_cross_val_score(cv, scoring):
    X, y, _ = moons(noise=0.25)
    model = mr.LapRLS(gamma_A=1e-2, graph_weight=10.0)
    found = cross_val_score(model, X, y, cv=cv, scoring=scoring)
    assert found.tolist() == rows_taken_out(model, X, y, cv, accuracy_score)


def test_grid_and_random_search():
    X, y, truth = moons()
    cv = LabelledKFold(3)
    grid = GridSearchCV(mr.LapRLS(gamma=2.0), LISTS, cv=cv).fit(X, y)
    drawn = RandomizedSearchCV(mr.LapRLS(gamma=2.0), LISTS, n_iter=6, cv=cv, random_state=0).fit(X, y)
    for params, score in zip(grid.cv_results_["params"], grid.cv_results_["mean_test_score"], strict=True):
        model = mr.LapRLS(gamma=2.0, **params)
        assert np.isclose(score, np.mean(rows_taken_out(model, X, y, cv, accuracy_score)))
    assert drawn.best_score_ == grid.best_score_
    assert np.mean(grid.best_estimator_.transduction_ == truth) > 0.9


def test_halving_with_a_parameter_as_resource():
    X, y, _ = moons()
    search = HalvingGridSearchCV(
        mr.LapERLS(gamma=2.0), {"mu": [0.1, 10.0], "C": [1.0, 10.0]}, cv=LabelledKFold(2, shuffle=True, random_state=0),
        resource="n_eigenvectors", min_resources=5, max_resources=20,
    ).fit(X, y)  # fmt: skip
    assert search.n_resources_ == [5, 15]
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("machine", [mr.LapRLS, mr.LapSVM])
def test_pipelines(machine):
    X, y, truth = moons()
    X = X * [1.0, 1000.0]
    name = machine.__name__.lower()
    model = make_pipeline(StandardScaler(), machine(gamma=2.0))
    search = GridSearchCV(model, {f"{name}__graph_weight": [1.0, 100.0]}, cv=LabelledKFold(3)).fit(X, y)
    assert np.mean(search.predict(X) == truth) > 0.9
    assert search.best_score_ > 0.7


def test_regressors_with_nan():
    X, y, _ = curve()
    model, cv = mr.LapRLSRegressor(gamma_A=1e-4), LabelledKFold(3)
    for scoring in (None, labelled_r2, "r2"):
        found = cross_val_score(model, X, y, cv=cv, scoring=scoring)
        assert np.allclose(found, rows_taken_out(model, X, y, cv, r2_score))
    search = GridSearchCV(make_pipeline(StandardScaler(), model), {"laprlsregressor__graph_weight": [0.0, 1.0]}, cv=cv)
    assert search.fit(X, y).best_score_ > 0.9


def test_an_affinity_matrix_is_refused_with_advice():
    X, y, _ = moons()
    model = mr.LapRLS(graph=mr.KNNGraph().fit(X).affinity_)
    with pytest.raises(ValueError, match="TransductiveSearchCV or cross_val_transductive"):
        GridSearchCV(model, {"graph_weight": [1.0]}, cv=LabelledKFold(2)).fit(X, y)
