"""Hiding labels instead of rows: the graph keeps all points."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, LeaveOneOut, RandomizedSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mr
from mr.model_selection import LabelledKFold, Transductive, TransductiveSearchCV, cross_val_transductive
from tests.model_selection.problems import curve, moons

MODEL = mr.LapRLS(gamma_A=1e-2, graph_weight=100.0, gamma=2.0)


def by_hand(model, X, y, folds):
    """Accuracy of every fold: its labels hidden, all points kept, transduction_ scored."""
    scores = []
    for test in folds:
        hidden = np.array(y)
        hidden[test] = "unlabeled" if hidden.dtype.kind in "OU" else -1
        scores.append(np.mean(clone(model).fit(X, hidden).transduction_[test] == np.asarray(y)[test]))
    return scores


@pytest.mark.parametrize("model", [MODEL, mr.HarmonicFunction(), mr.LapERLS(n_eigenvectors=20), mr.AnchorGraph(20)])
def test_labels_are_hidden_and_points_stay(model):
    X, y, _ = moons(noise=0.25)
    folds = [test for _, test in LabelledKFold(4).split(X, y)]
    assert cross_val_transductive(model, X, y, cv=4).tolist() == by_hand(model, X, y, folds)


def test_strings_and_sparse_points():
    X, y, _ = moons(noise=0.25)
    names = np.array(["ham", "spam", "unlabeled"])[y]
    expected = cross_val_transductive(MODEL, X, y)
    assert (cross_val_transductive(MODEL, sparse.csr_array(X), names) == expected).all()
    assert (cross_val_transductive(MODEL, X, names.astype(object)) == expected).all()


def test_regressors():
    X, y, truth = curve()
    rows = np.flatnonzero(~np.isnan(y))
    model = mr.LapRLSRegressor(gamma_A=1e-4, graph_weight=1.0)
    errors = -cross_val_transductive(model, X, y, scoring="neg_mean_absolute_error", cv=LeaveOneOut())
    for i, row in enumerate(rows):
        hidden = y.copy()
        hidden[row] = np.nan
        assert np.isclose(errors[i], abs(model.fit(X, hidden).transduction_[row] - truth[row]), atol=1e-12)
    two = np.column_stack([y, 2 * y])
    assert np.isfinite(cross_val_transductive(model, X, two, cv=LabelledKFold(3))).all()


def test_an_affinity_matrix_of_ones_own():
    X, y, _ = moons()
    affinity = mr.KNNGraph(7).fit(X).affinity_
    own, built = (clone(MODEL).set_params(graph=graph) for graph in (affinity, mr.KNNGraph(7)))
    assert (cross_val_transductive(own, X, y) == cross_val_transductive(built, X, y)).all()
    search = TransductiveSearchCV(own, {"graph_weight": [0.0, 1.0, 100.0]}).fit(X, y)
    assert search.best_estimator_.graph_.affinity_.shape == (120, 120)
    with pytest.raises(ValueError, match="mr.model_selection.TransductiveSearchCV"):
        cross_val_score(own, X, y, cv=LabelledKFold(3), error_score="raise")


class TestWrapper:
    @pytest.mark.parametrize("model", [SVC(), make_pipeline(StandardScaler(), SVC())])
    def test_a_supervised_estimator_is_refused(self, model):
        # it would predict the marker, and every score would be 0
        X, y, _ = moons()
        labelled = np.flatnonzero(y != -1)
        with pytest.raises(ValueError, match="took the marker .* for one more class; expected a semi-supervised"):
            Transductive(model, X).fit(labelled, y[labelled])
        with pytest.raises(ValueError, match="for one more class"):
            cross_val_transductive(model, X, y, error_score="raise")

    def test_a_row_with_two_labels_is_refused_and_a_label_drawn_twice_is_none(self):
        X, _, truth = moons()
        rows = np.array([0, 0, *range(10)])
        once = Transductive(MODEL, X).fit(rows[2:], truth[rows[2:]])
        twice = Transductive(MODEL, X).fit(rows, truth[rows])
        assert (once.decision_function(rows) == twice.decision_function(rows)).all()
        with pytest.raises(ValueError, match="got a row twice, with two labels"):
            Transductive(MODEL, X).fit(rows, np.array([0, 1, *truth[rows[2:]]]))

    def test_it_is_what_it_wraps(self):
        X, y, _ = moons()
        assert is_classifier(Transductive(MODEL, X)) and is_regressor(Transductive(mr.LapRLSRegressor(), X))
        fitted = Transductive(MODEL, X).fit(rows := np.flatnonzero(y != -1), y[rows])
        alone = clone(MODEL).fit(X, y)
        every = np.arange(len(y))
        assert (fitted.predict(every) == alone.transduction_).all()
        assert (fitted.predict_proba(every[:, None]) == alone.predict_proba(X)).all()
        assert (fitted.decision_function(every) == alone.decision_function(X)).all()
        assert (fitted.classes_ == alone.classes_).all() and fitted.score(rows, y[rows]) == 1.0
        assert (fitted.estimator_.predict(X[:5]) == alone.predict(X[:5])).all()

    def test_clones_share_the_points(self):
        X, _, _ = moons()
        assert clone(Transductive(MODEL, X)).X is X
        assert clone(Transductive(MODEL, X)).estimator is not MODEL

    def test_methods_are_those_of_the_estimator(self):
        X, _, _ = moons()
        assert not hasattr(Transductive(mr.LapRLSRegressor(), X), "decision_function")

    @pytest.mark.parametrize(
        "rows", [np.array([0.0, 1.0]), np.array([0, 500]), np.array([-1, 2]), np.zeros((2, 2), int)]
    )
    def test_points_in_place_of_numbers_are_explained(self, rows):
        X, _, _ = moons()
        with pytest.raises(ValueError, match="takes row numbers of its X, integers from 0 to 119"):
            Transductive(MODEL, X).fit(rows, [0, 1])

    def test_labels_and_rows_must_match(self):
        with pytest.raises(ValueError, match="got 3 rows and 2 labels"):
            Transductive(MODEL, moons()[0]).fit([0, 1, 2], [0, 1])

    @pytest.mark.parametrize("rows", [3, [], [[0, 1], [2]], ["a", "b"], sparse.csr_array(np.eye(2))])
    def test_what_is_no_row_number_is_explained(self, rows):
        X, y, _ = moons()
        with pytest.raises(ValueError, match="takes row numbers of its X, integers from 0 to 119; got an array"):
            Transductive(MODEL, X).fit(rows, y[:2])

    @pytest.mark.parametrize("y", [["a", "b"], 3.0, np.zeros((2, 1, 1))])
    def test_what_is_no_target_is_refused_at_the_gate(self, y):
        X, _, _ = curve()
        for refuse in (
            lambda: Transductive(mr.LapRLSRegressor(), X).fit([0, 1], y),
            lambda: cross_val_transductive(mr.LapRLSRegressor(), X[:2], y),
        ):
            with pytest.raises((ValueError, TypeError)) as caught:
                refuse()
            assert any("validation.py" in str(entry.path) for entry in caught.traceback)

    def test_with_tools_of_scikit_learn(self):
        X, y, _ = moons(noise=0.2)
        rows = np.flatnonzero(y != -1)
        model, lists = Transductive(MODEL, X), {"estimator__graph_weight": [0.0, 1.0, 100.0]}
        exhaustive = GridSearchCV(model, lists, cv=3).fit(rows, y[rows])
        drawn = RandomizedSearchCV(model, lists, n_iter=3, cv=3, random_state=0).fit(rows, y[rows])
        by_name = {p["estimator__graph_weight"]: s for p, s in _scores(drawn)}
        assert by_name == {p["estimator__graph_weight"]: s for p, s in _scores(exhaustive)}
        held = cross_val_predict(model, rows, y[rows], cv=3)
        assert held.shape == rows.shape


def _scores(search):
    return zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True)


class TestSearch:
    def test_every_candidate_is_what_cross_validation_says(self):
        X, y, _ = moons(noise=0.25)
        search = TransductiveSearchCV(MODEL, {"graph_weight": [0.0, 1.0], "gamma": [0.5, 5.0]}, cv=3).fit(X, y)
        assert set(search.cv_results_) >= {"param_graph_weight", "param_gamma", "rank_test_score", "split2_test_score"}
        for params, score in _scores(search):
            assert score == cross_val_transductive(clone(MODEL).set_params(**params), X, y, cv=3).mean()
        best = clone(MODEL).set_params(**search.best_params_).fit(X, y)
        assert (search.predict(X) == best.transduction_).all()
        assert (search.decision_function(X) == best.decision_function(X)).all()
        assert (search.predict_proba(X) == best.predict_proba(X)).all()
        assert search.score(X, y) == best.score(X, y) and (search.classes_ == [0, 1]).all()
        assert search.best_score_ == search.cv_results_["mean_test_score"][search.best_index_]

    def test_pipelines_and_lists_of_grids(self):
        X, y, truth = moons()
        model = make_pipeline(StandardScaler(), clone(MODEL))
        grids = [{"laprls__graph_weight": [100.0]}, {"laprls__graph_weight": [0.0], "laprls__gamma_A": [1.0, 0.1]}]
        search = TransductiveSearchCV(model, grids, n_jobs=2).fit(X * [1.0, 1000.0], y)
        assert len(search.cv_results_["params"]) == 3
        assert np.mean(search.predict(X * [1.0, 1000.0]) == truth) > 0.9

    def test_without_refit(self):
        X, y, _ = moons()
        search = TransductiveSearchCV(MODEL, {"graph_weight": [1.0]}, refit=False).fit(X, y)
        with pytest.raises(Exception, match="not fitted"):
            search.predict(X)

    @pytest.mark.parametrize("grid", [None, 3, [None]])
    def test_what_is_no_grid_is_refused(self, grid):
        with pytest.raises(TypeError, match="param_grid must be a dict or a list of dicts"):
            TransductiveSearchCV(MODEL, grid).fit(*moons()[:2])

    def test_few_labels(self):
        X, y, _ = moons(per_class=2)
        assert len(cross_val_transductive(MODEL, X, y)) == 4
        with pytest.raises(ValueError, match="No labelled points: all 120 values of y"):
            cross_val_transductive(MODEL, X, np.full(120, -1))
        with pytest.raises(ValueError, match="at least 2 labelled rows; got 1 labelled rows, n_samples=120"):
            cross_val_transductive(mr.LapRLSRegressor(), X, np.where(np.arange(120) == 5, 1.0, np.nan))
