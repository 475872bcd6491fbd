"""Weights of labels and classes in LapRLSCV and its kin: they count in what is held out as in the last fit."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs

import mr
from mr.model_selection.calibration import fit_temperature
from mr.model_selection.search import HeldOut
from mr.model_selection.splits import deal
from mr.solvers.choice import choose_regression_cell, held_out_alignment
from tests.model_selection.problems import curve, digits, moons
from tests.model_selection.test_searches import as_estimator

SEARCHES = [
    mr.LapRLSCV(gamma=2.0, gamma_A=(1e-3, 1e-1), graph_weight=(0.0, 10.0)),
    mr.LapRLSCV(gamma=2.0, gamma_A=1e-2, graph_weight=1.0, fit_intercept=True),
    mr.LapSVMCV(gamma=2.0, gamma_A=(1e-3, 1e-1), graph_weight=(0.0, 10.0), tol=1e-9),
    mr.LapERLSCV(C=10.0, mu=(0.0, 1.0), label_weight=100.0, n_eigenvectors=20),
    mr.LapESVRCV(C=10.0, mu=(0.0, 1.0), label_weight=100.0, n_eigenvectors=20, tol=1e-9),
    mr.PVMCV(n_prototypes=30, C1=(1.0, 100.0), gamma=8.0),
    mr.PVMCV(n_prototypes=30, C1=(1.0, 100.0), gamma=8.0, loss="hinge", tol=1e-9),
]
searches = pytest.mark.parametrize("search", SEARCHES, ids=lambda search: type(search).__name__)


def weights_of(y):
    return np.random.default_rng(0).uniform(0.2, 3.0, len(y))


def refitted(machine, X, y, folds, weights):
    """Held-out values by refits with fixed weights."""
    rows = np.flatnonzero(y != -1)
    values = np.empty((len(rows), 1 if y.max() == 1 else y.max() + 1))
    for fold in np.unique(folds):
        hidden, held = y.copy(), rows[folds == fold]
        hidden[held] = -1
        fitted = clone(machine).set_params(class_weight=None).fit(X, hidden, sample_weight=weights)
        values[folds == fold] = fitted.decision_function(X[held]).reshape(len(held), -1)
    return values


@searches
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("problem", [moons, digits])
def test_held_out_values_are_those_of_weighted_refits(search, class_weight, problem):
    X, y, _ = problem()
    y[np.flatnonzero(y == 1)[3:]] = -1  # a rare class
    labelled, weights = y != -1, weights_of(y)
    folds = deal(y[labelled], 4)
    splits = [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(4)]
    search = clone(search).set_params(choice="held-out", cv=splits, class_weight=class_weight)
    search.fit(X, y, sample_weight=weights)
    if class_weight:
        counts = np.bincount(y[labelled])
        weights = weights * np.where(labelled, (labelled.sum() / (len(counts) * counts))[y], 1.0)
    targets = np.where(y[labelled][:, None] == np.arange(len(search.classes_)), 1.0, -1.0)[:, -search_width(y) :]
    for params, alignment in zip(search.cv_results_["params"], search.cv_results_["alignment"], strict=True):
        values = refitted(as_estimator(search, params), X, y, folds, weights)
        assert np.isclose(alignment, held_out_alignment(values, targets, weights[labelled]), atol=1e-5), params
        assert not np.isclose(alignment, held_out_alignment(values, targets), atol=1e-5)
    best = as_estimator(search, search.best_params_).fit(X, y, sample_weight=weights_of(y))
    assert np.allclose(best.decision_function(X), search.decision_function(X), atol=1e-4)


def search_width(y):
    return 1 if y.max() == 1 else y.max() + 1


@searches
def test_a_weight_of_zero_is_no_label(search):
    X, y, _ = moons()
    weights, hidden = np.ones(len(y)), y.copy()
    off = np.flatnonzero(y == 0)[:2]
    weights[off], hidden[off] = 0.0, -1
    search = clone(search).set_params(choice="held-out")
    left, right = clone(search).fit(X, y, sample_weight=weights), search.fit(X, hidden)
    assert np.array_equal(left.cv_results_["mean_test_score"], right.cv_results_["mean_test_score"])
    assert np.allclose(left.decision_function(X), right.decision_function(X), atol=1e-5)


@pytest.mark.parametrize(
    ("path", "machine", "cell"),
    [
        (mr.paths.LapRLSPath, mr.LapRLS(gamma=2.0), {"ridge": 0.1, "smoothness": 0.5}),
        (mr.paths.LapSVMPath, mr.LapSVM(gamma=2.0, tol=1e-9), {"ridge": 1.0, "smoothness": 5.0}),
        (mr.paths.LapERLSPath, mr.LapERLS(n_eigenvectors=20), {"C": 10.0, "mu": 1.0, "label_weight": 50.0}),
        (mr.paths.PVMPath, mr.PVM(30, gamma=8.0, random_state=0), {"C1": 3.0, "C2": 0.5}),
        (mr.paths.PVMPath, mr.PVM(30, gamma=8.0, loss="hinge", tol=1e-9, random_state=0), {"C1": 0.1, "C2": 0.5}),
    ],
)
def test_a_weight_of_two_is_the_label_twice(path, machine, cell):
    X, y, _ = moons()
    path, weighted = path(machine, X), path(machine, X)
    rows = np.flatnonzero(y != -1)
    targets, folds = np.where(y[rows] == 1, 1.0, -1.0)[:, None], np.arange(len(rows)) % 4
    again, cell = np.r_[np.arange(len(rows)), 3], path._complete(cell)
    twice = path._held_out(rows[again], targets[again], folds[again], cell)
    alike = path._held_out(rows, targets, folds, cell)
    weighted._sample_weight = np.where(np.arange(len(y)) == rows[3], 2.0, 1.0)
    weighted = weighted._held_out(rows, targets, folds, cell)
    assert np.allclose(weighted, twice[:-1], atol=1e-5)
    assert not np.allclose(weighted, alike, atol=1e-3)


def test_scores_count_a_label_of_weight_two_twice():
    rng = np.random.default_rng(0)
    values, targets = rng.normal(size=(9, 1)), np.sign(rng.normal(size=(9, 1)))
    weights, folds = np.array([1.0, 2, 1, 3, 1, 1, 2, 1, 1]), np.arange(9) % 3
    again = np.repeat(np.arange(9), weights.astype(int))
    assert np.isclose(held_out_alignment(values, targets, weights), held_out_alignment(values[again], targets[again]))
    assert np.isclose(fit_temperature(values, targets, weights), fit_temperature(values[again], targets[again]))
    weighed, twice = (HeldOut.of(targets[at], w, [folds[at]]) for at, w in ((np.arange(9), weights), (again, None)))
    errors = np.square(values - targets)[:, 0]
    assert np.allclose(weighed.score(errors), twice.score(errors[again]))
    far = [targets + 0.1, np.where(weights[:, None] > 1, targets + 0.3, targets)]
    assert choose_regression_cell(far, targets, weights=np.where(weights > 1, 1e-6, 1.0)) == 1
    assert choose_regression_cell(far, targets, weights=weights) == 0


def test_regression_weighs_what_is_held_out():
    X, y, truth = curve()
    rows = np.flatnonzero(~np.isnan(y))
    y[rows[::3]] += 2.0  # wrong, and of hardly any weight
    weights = np.ones(len(y))
    weights[rows[::3]] = 1e-6
    search = mr.LapRLSRegressorCV().fit(X, y, sample_weight=weights)
    assert search.best_score_ > 0.99 and np.abs(search.predict(X) - truth).max() < 0.1
    assert mr.LapRLSRegressorCV().fit(X, y).best_score_ < 0.5


@pytest.mark.parametrize(
    "search",
    # weights of labels multiply label_weight, and are hardly felt where it is far above C
    [mr.LapRLSCV(), mr.LapSVMCV(), mr.LapERLSCV(), mr.LapESVRCV(label_weight=1.0), mr.PVMCV()],
    ids=lambda search: type(search).__name__,
)
def test_balanced_weights_raise_the_recall_of_a_rare_class(search):
    X, truth = make_blobs([150, 150], 2, centers=[[0, 0], [3.0, 0]], random_state=0)
    y = np.full(300, -1)
    y[np.flatnonzero(truth == 0)[:60]], y[np.flatnonzero(truth == 1)[:4]] = 0, 1
    rare, recall = (truth == 1) & (y == -1), {}
    for class_weight in (None, "balanced"):
        model = clone(search).set_params(class_weight=class_weight).fit(X, y)
        recall[class_weight] = np.mean(model.transduction_[rare] == 1)
    assert recall["balanced"] > recall[None] + 0.15 and recall["balanced"] > 0.6


@pytest.mark.parametrize("weights", [{0: -1.0}, {0: np.nan}])
def test_weights_that_are_none_are_refused(weights):
    X, y, _ = moons()
    with pytest.raises(ValueError, match="class_weight must hold finite numbers"):
        mr.LapRLSCV(class_weight=weights).fit(X, y)
    with pytest.raises(ValueError, match="class_weight=None only"):
        mr.paths.LapRLSPath(mr.LapRLS(class_weight="balanced"), X)
