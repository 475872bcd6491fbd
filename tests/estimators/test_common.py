"""scikit-learn's own checks, and the promises every estimator of ours makes on top of them."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.utils.estimator_checks import check_classifiers_classes, parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

from tests.estimators_list import CLASSIFIERS, ESTIMATORS, REGRESSORS, ROWS_STAY, SIGNED_CLASSES


def expected_failures(estimator):
    weighted = ROWS_STAY if has_fit_parameter(estimator, "sample_weight") else {}
    return weighted | (SIGNED_CLASSES if type(estimator) in CLASSIFIERS else {})


@parametrize_with_checks([estimator() for estimator in ESTIMATORS], expected_failed_checks=expected_failures)
def test_sklearn_compatible(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_classes_check_as_scikit_learn_runs_it_on_its_own_semi_supervised_classifiers(estimator):
    # scikit-learn exempts LabelPropagation from the -1 step by name; under that name the whole check must pass.
    check_classifiers_classes("LabelPropagation", estimator())


@pytest.fixture
def moons():
    X, classes = make_moons(80, noise=0.05, random_state=0)
    y = np.full(80, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:3]] = c
    return X, y


@pytest.mark.parametrize("estimator", CLASSIFIERS)
class TestClassifiers:
    def test_string_labels_give_the_same_answer(self, estimator, moons):
        X, y = moons
        names = np.array(["ham", "spam", "unlabeled"])[y]
        expected = np.array(["ham", "spam"])[estimator().fit(X, y).predict(X)]
        assert (estimator().fit(X, names).predict(X) == expected).all()

    def test_sparse_input_gives_the_same_answer(self, estimator, moons):
        X, y = moons
        dense = estimator().fit(X, y).decision_function(X)
        assert np.allclose(estimator().fit(sparse.csr_matrix(X), y).decision_function(sparse.csr_matrix(X)), dense)

    def test_relabelling_classes_flips_nothing(self, estimator, moons):
        X, y = moons
        swapped = np.where(y == -1, -1, 1 - y)
        assert (estimator().fit(X, swapped).predict(X) == 1 - estimator().fit(X, y).predict(X)).mean() > 0.97

    def test_transduction_is_the_prediction_on_the_training_rows(self, estimator, moons):
        X, y = moons
        fitted = estimator().fit(X, y)
        assert (fitted.transduction_ == fitted.predict(X)).all()

    def test_signed_labels_are_explained(self, estimator, moons):
        X, y = moons
        with pytest.raises(ValueError, match="-1 marks an unlabelled point"):
            estimator().fit(X, np.where(y == 0, -1, 1))

    def test_no_labels(self, estimator, moons):
        X, y = moons
        with pytest.raises(ValueError, match="No labelled points"):
            estimator().fit(X, np.full_like(y, -1))

    def test_isolated_points_never_give_nan(self, estimator, moons):
        X, y = moons
        if "graph" not in estimator().get_params():
            pytest.skip("no graph")
        affinity = np.zeros((80, 80))
        affinity[:40, :40] = 1.0
        np.fill_diagonal(affinity, 0)
        y = y.copy()
        y[40:] = -1
        with pytest.warns(UserWarning, match="hold no labelled point"):
            fitted = estimator(graph=sparse.csr_matrix(affinity)).fit(X, y)
        assert np.isfinite(fitted.decision_function(X)).all()

    def test_memory_changes_nothing(self, estimator, moons, tmp_path):
        X, y = moons
        if "memory" not in estimator().get_params():
            pytest.skip("no memory")
        plain = estimator().fit(X, y).decision_function(X)
        for _ in range(2):
            assert (estimator(memory=str(tmp_path)).fit(X, y).decision_function(X) == plain).all()
        assert any(tmp_path.rglob("*.pkl"))


@pytest.mark.parametrize("estimator", REGRESSORS)
def test_regressors_take_nan_as_unlabelled(estimator):
    X = np.linspace(0, 1, 40)[:, None]
    y = np.sin(3 * X[:, 0])
    y[1::2] = np.nan
    fitted = estimator().fit(X, y)
    assert np.abs(fitted.predict(X) - np.sin(3 * X[:, 0])).max() < 0.2
    with pytest.raises(ValueError, match="all 40 targets are NaN"):
        estimator().fit(X, np.full(40, np.nan))


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if "graph" in e().get_params()])
def test_graph_parameters_reach_the_default_graph(estimator):
    tuned = clone(estimator()).set_params(graph__n_neighbors=3)
    assert tuned.get_params()["graph__n_neighbors"] == 3
