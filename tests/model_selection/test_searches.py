"""LapRLSCV and its kin against searches by refits."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedStratifiedKFold, ShuffleSplit

import mr
from mr.model_selection import TransductiveSearchCV
from mr.model_selection.search import partitions_of
from mr.solvers.choice import held_out_alignment
from tests.model_selection.problems import curve, digits, moons

WEIGHTS = {"graph_weight": (0.0, 1.0, 100.0), "gamma_A": (1e-3, 1e-1)}
EMBEDDED = {"C": (1.0, 10.0), "mu": (1.0, 100.0), "label_weight": 1e4, "n_eigenvectors": (10, 20)}
SMALL = [
    mr.LapRLSCV(**WEIGHTS, gamma=2.0),
    mr.LapRLSCV(**WEIGHTS, gamma=2.0, fit_intercept=True),
    mr.LapRLSCV(gamma_I=(0.0, 10.0), gamma_A=(1e-3, 1e-1), kernel="poly", coef0=1.0),
    mr.LapRLSCV(**WEIGHTS, basis=40, power=(1, 2), n_neighbors=(3, 8)),
    mr.LapSVMCV(**WEIGHTS, gamma=2.0),
    mr.LapERLSCV(**EMBEDDED, gamma=(1.0, 4.0)),
    mr.LapESVRCV(**EMBEDDED),
    mr.PVMCV(n_prototypes=30, C1=(1.0, 100.0), gamma=(1.0, 8.0)),
    mr.PVMCV(n_prototypes=30, C1=(1.0, 100.0), gamma=(1.0, 8.0), loss="hinge", C2=(0.0, 1.0)),
]


def as_estimator(search, params):
    """The machine of one line of ``cv_results_``, built by hand."""
    fixed = search.best_estimator_.get_params(deep=False)
    graph = {name: params[name] for name in ("n_neighbors", "power") if name in params}
    machine = type(search.best_estimator_)(**(fixed | {k: v for k, v in params.items() if k not in graph}))
    if "gamma_I" in fixed:
        machine.set_params(gamma_I=params.get("gamma_I"), graph_weight=params.get("graph_weight", "auto"))
    return machine.set_params(graph=mr.KNNGraph().set_params(**graph)) if "graph" in fixed else machine


@pytest.mark.parametrize("search", SMALL, ids=lambda search: type(search).__name__)
@pytest.mark.parametrize("problem", [moons, digits])
def test_every_cell_is_what_refits_say(search, problem):
    X, y, _ = problem()
    search = clone(search).set_params(choice="held-out", cv=KFold(4)).fit(X, y)
    results = search.cv_results_
    for params, score in zip(results["params"], results["mean_test_score"], strict=True):
        refits = TransductiveSearchCV(as_estimator(search, params), {}, cv=KFold(4)).fit(X, y)
        assert np.isclose(score, refits.best_score_), params
    assert search.best_score_ == results["mean_test_score"][search.best_index_]
    assert search.best_params_ == results["params"][search.best_index_]
    assert search.best_index_ == np.argmax(results["alignment"])
    for name in search.best_params_:
        assert list(results[f"param_{name}"]) == [params[name] for params in results["params"]]


@pytest.mark.parametrize("search", SMALL, ids=lambda search: type(search).__name__)
def test_the_best_estimator_is_the_machine_with_the_best_parameters(search):
    X, y, _ = digits()
    search = clone(search).set_params(choice="held-out").fit(X, y)
    alone = as_estimator(search, search.best_params_).fit(X, y)
    new = X[:7] + 0.01
    assert np.allclose(search.decision_function(new), alone.decision_function(new), atol=1e-6)
    assert (search.transduction_ == alone.transduction_).all() and (search.predict(X) == alone.transduction_).all()
    p = search.predict_proba(new)
    assert (search.classes_[p.argmax(axis=1)] == search.predict(new)).all() and np.allclose(p.sum(axis=1), 1)


def test_leave_one_out_in_closed_form():
    X, y, _ = digits()
    search = mr.LapRLSCV(**WEIGHTS, gamma=1.0, choice="held-out").fit(X, y)
    rows = np.flatnonzero(y != -1)
    targets = np.where(y[rows, None] == np.arange(3), 1.0, -1.0)
    for params, score, alignment in zip(
        *(search.cv_results_[name] for name in ("params", "mean_test_score", "alignment")), strict=True
    ):
        values = np.empty_like(targets)
        for i, row in enumerate(rows):
            hidden = y.copy()
            hidden[row] = -1
            values[i] = mr.LapRLS(gamma=1.0, **params).fit(X, hidden).decision_function(X[[row]])[0]
        assert score == np.mean(values.argmax(axis=1) == y[rows])
        assert np.isclose(alignment, held_out_alignment(values, targets), rtol=1e-6)


def test_regression_leave_one_out_in_closed_form():
    X, y, truth = curve()
    search = mr.LapRLSRegressorCV(graph_weight=(0.0, 1.0), gamma_A=(1e-6, 1e-2)).fit(X, y)
    rows = np.flatnonzero(~np.isnan(y))
    for params, score in zip(*(search.cv_results_[name] for name in ("params", "mean_test_score")), strict=True):
        values = []
        for row in rows:
            hidden = y.copy()
            hidden[row] = np.nan
            values.append(mr.LapRLSRegressor(**params).fit(X, hidden).predict(X[[row]])[0])
        assert np.isclose(score, 1 - np.square(values - y[rows]).mean() / y[rows].var(), rtol=1e-6)
    assert np.abs(search.predict(X) - truth).max() < 0.05
    two = mr.LapRLSRegressorCV().fit(X, np.column_stack([y, -y]))
    assert two.predict(X).shape == (60, 2) and two.best_score_ > 0.99


class TestLists:
    def test_one_neighbour_search_gives_the_graphs_of_several(self):
        X, y, _ = moons()
        search = mr.LapRLSCV(n_neighbors=(3, 6, 9), power=(1, 2), choice="held-out").fit(X, y)
        seen = {}
        for params, alignment in zip(search.cv_results_["params"], search.cv_results_["alignment"], strict=True):
            graph = params["n_neighbors"], params["power"]
            seen.setdefault(graph, []).append(alignment)
        assert len(seen) == 6
        for (k, power), alignments in seen.items():
            alone = mr.LapRLSCV(graph=mr.KNNGraph(k, power=power), choice="held-out").fit(X, y)
            assert np.allclose(alone.cv_results_["alignment"], alignments, rtol=1e-6)
        chosen = search.best_estimator_.graph
        assert (chosen.n_neighbors, chosen.power) == tuple(search.best_params_[n] for n in ("n_neighbors", "power"))
        assert search.best_estimator_.graph_.n_neighbors == chosen.n_neighbors and search.graph is None

    def test_widths_share_distances(self):
        X, y, _ = digits()
        search = mr.LapRLSCV(gamma=(0.1, 1.0, "mean"), choice="held-out").fit(X, y)
        for gamma in (0.1, 1.0, "mean"):
            alone = mr.LapRLSCV(gamma=gamma, choice="held-out").fit(X, y)
            at = [i for i, value in enumerate(search.cv_results_["param_gamma"]) if value == gamma]
            assert np.allclose(alone.cv_results_["alignment"], search.cv_results_["alignment"][at], rtol=1e-6)

    def test_jobs_change_nothing(self):
        X, y, _ = moons()
        one, two = (mr.LapRLSCV(gamma=(1.0, 4.0), n_neighbors=(3, 6), n_jobs=n).fit(X, y) for n in (1, 2))
        assert one.best_params_ == two.best_params_
        # BLAS adds in another order where a worker has fewer threads than this process: rounding, and nothing else
        assert np.allclose(one.cv_results_["alignment"], two.cv_results_["alignment"], rtol=1e-8, atol=0)

    def test_affinity_matrices_and_their_powers(self):
        X, y, truth = moons()
        affinity = mr.KNNGraph(7).fit(X).affinity_
        search = mr.LapRLSCV(graph=affinity, power=(1, 2), gamma=2.0).fit(X, y)
        assert search.best_estimator_.graph.power == search.best_params_["power"]
        assert np.mean(search.transduction_ == truth) > 0.9
        assert mr.LapRLSCV(graph=affinity).fit(X, y).best_estimator_.graph is affinity
        with pytest.raises(ValueError, match="PrecomputedGraph has no n_neighbors to choose"):
            mr.LapRLSCV(graph=affinity, n_neighbors=(3, 5)).fit(X, y)

    def test_weights_of_the_graph_come_with_ridges_in_proportion(self):
        X, y, _ = moons()
        results = mr.LapRLSCV(choice="held-out").fit(X, y).cv_results_
        weights, ridges = results["param_graph_weight"], results["param_gamma_A"]
        assert len(weights) == 42  # seven weights, three ridges, without and with a constant
        assert list(np.unique(results["param_fit_intercept"])) == [False, True]
        assert ridges[weights == 100.0].max() < ridges[weights == 0.0].max()

    @pytest.mark.parametrize(
        ("lists", "message"),
        [
            ({"graph_weight": ()}, "at least one value to choose from"),
            ({"graph_weight": (1.0, -1.0)}, "'graph_weight' parameter of LapRLSCV must be.*Got -1.0 instead"),
            ({"gamma_A": (1.0, 0.0)}, "'gamma_A' parameter of LapRLSCV must be.*Got 0.0 instead"),
            ({"gamma": (1.0, "wide")}, "'gamma' parameter of LapRLSCV must be.*Got 'wide' instead"),
            ({"n_neighbors": (3, 0)}, "'n_neighbors' parameter of LapRLSCV must be.*Got 0 instead"),
            ({"power": (1, 1.5)}, "'power' parameter of LapRLSCV must be.*Got 1.5 instead"),
        ],
    )
    def test_values_that_no_machine_takes_are_refused(self, lists, message):
        X, y, _ = moons()
        with pytest.raises(ValueError, match=message):
            mr.LapRLSCV(**lists).fit(X, y)

    def test_of_equal_regressions_the_one_with_the_weaker_graph(self):
        """Constant targets: every cell with a tiny ridge is as good, whatever its width."""
        X, y, _ = curve()
        flat = np.where(np.isnan(y), np.nan, 1.0)
        search = mr.LapRLSRegressorCV(gamma=(0.1, 1.0), fit_intercept=True).fit(X, flat)
        assert search.best_params_["graph_weight"] == 0.0

    def test_a_line_for_every_kernel_and_graph(self, capsys):
        X, y, _ = moons()
        mr.LapRLSCV(gamma=(1.0, 2.0), fit_intercept=False, verbose=1).fit(X, y)
        assert capsys.readouterr().out.count("cells tried at gamma=") == 2


class TestChoice:
    def test_few_labels_are_not_held_out_to_choose(self):
        X, y, truth = moons(n=200, per_class=1, noise=0.05)
        search = mr.LapRLSCV(gamma=4.0).fit(X, y)
        results = search.cv_results_
        assert np.isnan(search.best_score_) and search.temperature_ == 1.0
        assert max(results["param_graph_weight"]) == 100.0 and "alignment" not in results
        near = results["class_mass_gap"] <= results["class_mass_gap"].min() + 0.1
        assert search.best_index_ == np.flatnonzero(near)[-1]
        assert np.mean(search.transduction_ == truth) > 0.9
        with pytest.raises(ValueError, match="choice='held-out' needs two classes with at least two labels"):
            mr.LapRLSCV(choice="held-out").fit(X, y)

    @pytest.mark.parametrize(("per_class", "cautious"), [(3, True), (4, False)])
    def test_auto_changes_at_three_labels_per_class(self, per_class, cautious):
        X, y, _ = moons(per_class=per_class)
        for search in (mr.LapRLSCV(), mr.LapSVMCV(), mr.LapERLSCV(n_eigenvectors=20), mr.PVMCV(30)):
            assert ("class_mass_gap" in search.fit(X, y).cv_results_) == cautious

    def test_given_weights_are_kept_to(self):
        X, y, _ = moons(per_class=2)
        search = mr.LapRLSCV(gamma_A=(1e-4, 5.0), graph_weight=(200.0, 1e3)).fit(X, y)
        assert search.best_params_["graph_weight"] == 200.0 and search.best_params_["gamma_A"] in (1e-4, 5.0)
        search = mr.LapRLSCV(gamma_A=(1e-2, 5.0), gamma_I=(0.0, 1e3)).fit(X, y)
        assert search.best_params_["gamma_A"] == 1e-2

    def test_a_class_with_one_label_among_others(self):
        X, y, _ = digits()
        y = y.copy()
        y[np.flatnonzero(y == 2)[1:]] = -1
        for search in (mr.LapRLSCV(), mr.LapSVMCV(), mr.PVMCV(loss="hinge")):
            assert (search.fit(X, y).classes_ == [0, 1, 2]).all()


class TestFolds:
    def test_repetitions(self):
        X, y, _ = moons(noise=0.25)
        cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
        search = mr.LapSVMCV(**WEIGHTS, cv=cv, choice="held-out").fit(X, y)
        scores = search.cv_results_["mean_test_score"]
        refits = TransductiveSearchCV(as_estimator(search, search.best_params_), {}, cv=cv).fit(X, y)
        assert np.isclose(scores[search.best_index_], refits.best_score_)
        assert np.isclose(search.cv_results_["std_test_score"][search.best_index_],
                          refits.cv_results_["std_test_score"][0])  # fmt: skip

    def test_partitions(self):
        tests = [np.array(t) for t in ([0, 1], [2, 3], [0, 2], [1, 3])]
        assert [p.tolist() for p in partitions_of(tests, 4)] == [[0, 0, 1, 1], [0, 1, 0, 1]]
        for wrong in (tests[:3], tests[:1], [tests[0], tests[2], tests[3]]):
            with pytest.raises(ValueError, match="hold out every label once"):
                partitions_of(wrong, 4)

    def test_splits_that_are_no_partition_are_refused(self):
        X, y, _ = moons()
        with pytest.raises(ValueError, match="TransductiveSearchCV"):
            mr.LapRLSCV(cv=ShuffleSplit(3)).fit(X, y)
        with pytest.raises(ValueError, match="cv=13 folds need as many labels; got 12"):
            mr.LapRLSCV(cv=13).fit(X, y)

    def test_leave_one_out_by_name_is_the_default_of_least_squares(self):
        X, y, _ = moons()
        default, named = mr.LapRLSCV().fit(X, y), mr.LapRLSCV(cv=LeaveOneOut()).fit(X, y)
        assert (default.cv_results_["alignment"] == named.cv_results_["alignment"]).all()


def test_strings_and_sparse_points():
    X, y, _ = moons()
    names = np.array(["ham", "spam", "unlabeled"])[y]
    plain, named = mr.LapRLSCV().fit(X, y), mr.LapRLSCV().fit(sparse.csr_array(X), names)
    assert (named.classes_ == ["ham", "spam"]).all()
    assert (named.transduction_ == np.array(["ham", "spam"])[plain.transduction_]).all()
    assert named.score(X, names) == plain.score(X, y)


def test_thin_kernels_need_no_gram_matrix():
    """Beyond a thousand points of the plane the kernel has a thin factor, and the choice is the same."""
    X, y, truth = moons(n=1200)
    thin = mr.LapRLSCV(gamma=0.1, choice="held-out").fit(X, y)
    refits = TransductiveSearchCV(as_estimator(thin, thin.best_params_), {}, cv=LeaveOneOut()).fit(X, y)
    assert thin.best_score_ == refits.best_score_


class TestSupervisedCells:
    """The embedded searches and PVMCV hold machines without a graph, with a constant as an SVC has."""

    def test_laperlscv_holds_ridge_regression_with_a_constant(self):
        X, y, _ = moons()
        search = mr.LapERLSCV(C=1.0, mu=0.0, label_weight=1e9, gamma="scale", fit_intercept=True).fit(X, y)
        l = int((y != -1).sum())
        twin = mr.LapRLS(gamma_A=1.0 / l, graph_weight=0.0, fit_intercept=True).fit(X, y)
        assert np.allclose(search.decision_function(X), twin.decision_function(X), rtol=0, atol=1e-6)

    def test_pvmcv_holds_the_width_of_an_svm(self):
        X, y, _ = moons()
        search = mr.PVMCV(n_prototypes=30).fit(X, y)
        assert mr.kernels.scale_gamma(X) in search.cv_results_["param_gamma"]
        assert set(search.cv_results_["param_fit_intercept"]) == {False, True}
        hinge = mr.PVMCV(n_prototypes=30, loss="hinge").fit(X, y)
        assert set(hinge.cv_results_["param_fit_intercept"]) == {False}
        with pytest.raises(ValueError, match="needs loss='square'"):
            mr.PVMCV(n_prototypes=30, loss="hinge", fit_intercept=True).fit(X, y)
        with pytest.raises(ValueError, match="needs loss='square'"):
            mr.PVM(n_prototypes=30, loss="hinge", fit_intercept=True).fit(X, y)


@pytest.mark.parametrize(
    ("machine", "lists", "said"),
    [
        (mr.LapRLSCV, {"n_neighbors": [None]}, "n_neighbors.*must be an int"),
        (mr.LapSVMCV, {"gamma_A": [None, 2.0]}, "gamma_A.*must be a float"),
        (mr.LapERLSCV, {"label_weight": [[1.0], 1e-300, 0]}, "label_weight must be a value or a list of values"),
        (mr.PVMCV, {"C1": [[1.0, 2.0]]}, "C1 must be a value or a list of values"),
    ],
)
def test_lists_that_are_none_are_refused(machine, lists, said):
    X, y, _ = moons()
    with pytest.raises(ValueError, match=said):
        machine(**lists).fit(X, y)
