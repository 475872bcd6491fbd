"""The protocol of belkin2006: its machines are the public estimators; draws, speakers, references, quick artifacts."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.feature_selection import mutual_info_classif
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

import mr
from experiments.belkin2006 import protocol, table3, table4
from experiments.belkin2006.fig10 import spirals
from experiments.belkin2006.isolet import Speakers
from experiments.belkin2006.limits import hinge_primal, label_propagation
from experiments.belkin2006.protocol import (
    cell,
    draw_per_class,
    draws_of,
    kernel_options,
    machine_path,
    method_tasks,
    multiclass_pct,
    others,
    row,
)  # fmt: skip
from experiments.belkin2006.svmlight import FINE, prediction_file, search
from experiments.belkin2006.table5 import nearest_neighbours
from experiments.belkin2006.usps import PairProblem, pairs
from experiments.belkin2006.webkb import Pages, label_counts, most_informative, tfidf, two_views
from experiments.engine.inputs import Inputs
from experiments.engine.params import block, dataset_specs, ids, load
from experiments.engine.store import Store
from experiments.splits import reveal, signed
from experiments.tidy import COLUMNS, tidy
from mr import datasets
from mr.kernels import Kernel
from mr.metrics import break_even_error

ARTIFACTS = [artifact for artifact in ids() if artifact.startswith("belkin2006_")]
rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3))
X_NEW = rng.standard_normal((20, 3))
CLASSES = (X[:, 0] > 0).astype(int)
ROWS = np.array([0, 3, 7, 11, 20, 33])
WEIGHTS = {"RLS": {"a": 0.05}, "SVM": {"a": 0.05}, "TSVM": {"a": 0.05}, "LapRLS": {"a": 0.005, "b": 0.045},
           "LapRLS with bias": {"a": 0.005, "b": 0.045}, "LapSVM": {"a": 0.005, "b": 0.045},
           "LapSVM without bias": {"a": 0.005, "b": 0.045}}  # fmt: skip


@pytest.mark.parametrize("method", WEIGHTS)
def test_machines_are_the_estimators_with_the_weights_of_the_paper(method):
    kernel = {"name": "rbf", "sigma": 1.0}
    path = machine_path(method, kernel, {"n_neighbors": 5, "power": 2}, X, X_NEW)
    y = reveal(CLASSES, ROWS)
    fit = path.fit(y, **cell(WEIGHTS[method]))
    l, n = len(ROWS), len(X)
    options = {"kernel": "rbf", "gamma": 0.5, "gamma_A": WEIGHTS[method]["a"] / l}
    if "b" in WEIGHTS[method]:
        options |= {"gamma_I": WEIGHTS[method]["b"] * n**2 / l, "graph": mr.KNNGraph(5, power=2)}
        options["fit_intercept"] = method in ("LapRLS with bias", "LapSVM")
    fitted = getattr(mr, method.split()[0])(**options).fit(X, y)
    # Machines with the hinge loss are solved to a relative duality gap of 1e-7, whose root is their accuracy.
    assert np.allclose(fit.values[:, 0], fitted.decision_function(X), atol=1e-4)
    assert np.allclose(fit.new_values[:, 0], fitted.decision_function(X_NEW), atol=1e-4)


def test_a_graph_of_the_store_is_taken_as_it_is():
    graph = mr.KNNGraph(5, power=2).fit(X)
    store_graph = mr.PrecomputedGraph(graph.affinity_, power=2).fit()
    kernel, y = {"name": "poly", "gamma": 0.1, "degree": 3, "coef0": 1.0}, reveal(CLASSES, ROWS)
    values = [
        machine_path("LapRLS", kernel, given, X).fit(y, ridge=0.01, smoothness=0.1).values
        for given in (store_graph, {"n_neighbors": 5, "power": 2})
    ]
    assert np.allclose(*values)
    assert kernel_options(kernel) == {"kernel": "poly", "gamma": 0.1, "degree": 3, "coef0": 1.0}


def test_draws_are_nested_and_balanced():
    small = draw_per_class(CLASSES, {0: 2, 1: 2}, np.random.SeedSequence(1), 3)
    large = draw_per_class(CLASSES, {0: 5, 1: 5}, np.random.SeedSequence(1), 3)
    for a, b in zip(small, large, strict=True):
        assert set(a) < set(b) and len(b) == 10 and CLASSES[b].sum() == 5
    assert (small[0] != small[1]).any()


def test_small_measures():
    assert (others(5, [1, 3]) == [0, 2, 4]).all()
    assert (reveal([5, 6, 7], [0, 2]) == [5, -1, 7]).all()
    assert multiclass_pct(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([2, 5]), np.array([2, 5])) == 50.0
    assert label_counts(12, 0.25) == {1: 3, 0: 9} and label_counts(2, 0.25) == {1: 1, 0: 1}
    assert protocol.break_even_pct(np.array([2.0, 1.0, 0.0]), np.array([1, 0, 0])) == 0.0
    assert break_even_error([1, 0, 0], [0.0, 1.0, 2.0]) == pytest.approx(2 / 3)


def test_equal_points_tie_in_spite_of_rounding_errors():
    values, y = np.array([3.0, 1.0 + 1e-15, 1.0, 0.0]), np.array([1, 0, 1, 0])
    assert protocol.prbep_pct(values, y) == protocol.prbep_pct(values[[0, 2, 1, 3]], y) == pytest.approx(75.0)


def test_tsvm_gets_a_task_per_draw():
    found = method_tasks("x", ["SVM", "TSVM", "RLS"], 3)
    assert found[:2] == [{"dataset": "x", "method": "SVM"}, {"dataset": "x", "method": "RLS"}]
    assert [draws_of(task, 3) for task in found] == [[0, 1, 2], [0, 1, 2], [0], [1], [2]]


def test_choices_made_with_the_print_in_sight_are_said():
    rows = pd.DataFrame([row(method, "test", "error_pct", 1.0) for method in ("RLS", "LapRLS")])
    frame = table3.summarise(rows.assign(dataset="uspst", data_source="test"), {}).set_index("method")
    assert json.loads(frame.loc["LapRLS", "parameters"]) == {"read_from_print": "edge weights"}
    assert json.loads(frame.loc["RLS", "parameters"]) == {} and frame.loc["RLS", "dataset"] == "USPS-test-multiclass"
    # Remark 3 of the paper states the normalised Laplacian, so nothing of Table 4 is read from the print.
    frame = table4.summarise(rows.assign(dataset="isolet", data_source="test"), {}).set_index("method")
    assert json.loads(frame.loc["LapRLS", "parameters"]) == {}


def test_pairs_of_digits_take_the_first_images_and_test_on_the_rest():
    digits = datasets.load("digits")
    problem = PairProblem(digits, "3v8", n_first=50, n_components=20)
    assert problem.X.shape == (100, 20) and problem.y.sum() == 50
    assert (problem.y[:50] == 1).all()  # the first digit is the positive class
    assert len(problem.y_test) == (digits.y == 3).sum() + (digits.y == 8).sum() - 100
    assert len(pairs(range(10))) == 45
    whole = PairProblem(digits, "3v8", n_first=50, n_components=64)
    assert np.square(problem.X).sum() < np.square(whole.X).sum() < 1.2 * np.square(problem.X).sum()


def test_speakers_by_the_order_of_rows():
    y = np.repeat(np.arange(4), 6)  # three "speakers" say each of four letters twice
    data = datasets.Dataset("toy", np.arange(24.0)[:, None], y, tuple("ABCD"))
    first = Speakers(data, 1, 2)
    assert len(first.y) == 16 and len(first.y_test) == 8 and (np.bincount(first.speaker) == 8).all()
    second = Speakers(data, 2, 2)
    assert (second.X_test[:, 0] - second.X[:, 0] == 1).all() and (second.y == second.y_test).all()
    assert (first.first_half(np.arange(4)) == [1, 1, 0, 0]).all() and (
        first.labelled(1) == [2, 3, 6, 7, 10, 11, 14, 15]
    ).all()


def test_references_of_table_2():
    kernel = Kernel("rbf", 0.5).fit(X)
    K, y = kernel(X[ROWS]), signed(CLASSES[ROWS])
    ours = mr.SVM(0.1, gamma=0.5).fit(X[ROWS], CLASSES[ROWS]).decision_function(X[ROWS])
    assert np.allclose(hinge_primal(K, None, np.arange(len(y)), y, 0.1, 0.0), ours, atol=1e-5)
    L = mr.KNNGraph(6).fit(X).laplacian_.toarray()
    f = label_propagation(L, ROWS, y, margin=False)
    assert np.allclose(f[ROWS], y) and np.allclose((L @ f)[others(60, ROWS)], 0, atol=1e-9)


def test_svm_light_ends_with_its_own_order_and_the_svm_of_its_labels():
    """At the end no pair is out of order, positives weigh (1 - p) / p, and the machine is the SVM of these labels."""
    rng = np.random.default_rng(3)
    y = np.where(rng.random(120) < 0.3, 1.0, -1.0)
    X = rng.standard_normal((120, 2)) + 1.5 * (y[:, None] > 0)
    K = Kernel("rbf", 0.5).fit(X)(X)
    rows, C = np.concatenate([np.flatnonzero(y > 0)[:3], np.flatnonzero(y < 0)[:6]]), 2.0
    found = search(K, rows, y[rows], C)
    unlabelled = others(120, rows)
    assert (found.labels[rows] == y[rows]).all() and (found.labels[unlabelled] > 0).sum() == round(111 / 3)
    ends = {sign: found.values[unlabelled][found.labels[unlabelled] == sign] for sign in (1.0, -1.0)}
    assert ends[1.0].min() >= ends[-1.0].max() - 1e-4 and found.n_switches > 0
    weight = np.ones(120)
    weight[unlabelled] = np.where(found.labels[unlabelled] > 0, 2.0, 1.0)  # p = 1/3
    svc = SVC(C=C, kernel="precomputed", tol=1e-6).fit(K, found.labels, sample_weight=weight)
    assert np.allclose(svc.decision_function(K), found.values, atol=10 * FINE)
    written = prediction_file(found, unlabelled)
    support = np.abs(found.coefficients[unlabelled]) > 0
    assert (np.abs(written[support]) <= 1.0 - FINE).all() and (np.abs(written[support]) >= 0.5 - FINE - 1e-12).all()
    assert (written[~support] == found.values[unlabelled][~support]).all()


def test_words_of_pages():
    texts = [
        "<head><title>Course</title></head> the exam exam a",
        "<b>exam</b> grading",
        "publications",
        "<head>x</head>",
    ]
    data = datasets.Dataset("toy", np.array(texts, dtype=object), np.array([0, 0, 1, 1]), ("course", "other"))
    options = {"head": False, "pattern": "(?u)[a-zA-Z]+", "stop_words": "english", "n_words": 2}
    pages = Pages(data, **options)
    # Heads, tags and stop words are cut. "exam" says most, "grading" ties with "publications" and comes first in the
    # alphabet; so the last two pages have none of the two words.
    assert pages.n_empty == 2 and pages.n_empty_courses == 0 and (pages.y == [1, 1]).all()
    assert pages.words["chosen"].toarray().tolist() == [[2, 0], [1, 1]]
    assert pages.words["all"].toarray().tolist() == [[2, 0, 0], [1, 1, 0]]
    assert np.allclose(np.square(pages.X.toarray()).sum(axis=1), 1.0)
    occurs = two_views(pages, "all", occurrence=True)
    assert occurs[0].max() == 1.0 and sum(view.shape[1] for view in occurs) == 3


def test_mutual_information_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    counts = sparse.csr_array(rng.poisson(0.4, (80, 30)))
    y = rng.random(80) < 0.3
    theirs = mutual_info_classif((counts > 0).astype(int), y, discrete_features=True)
    assert set(most_informative(counts, y, 8)) == set(np.argsort(-theirs, kind="stable")[:8])
    weighed = tfidf(counts).toarray()
    assert np.allclose(weighed[:, 3], counts.toarray()[:, 3] * np.log(80 / (counts.toarray()[:, 3] > 0).sum()))


def test_spirals_have_the_points_of_the_file():
    X, y = spirals(np.array([0.0, 1.0]))
    assert np.allclose(X, [[-6.5, 0], [-6.31380, -1.25589], [6.5, 0], [6.31380, 1.25589]], atol=1e-5)
    assert (y == [0, 0, 1, 1]).all()


def test_nearest_neighbours_choose_k_without_the_page_itself():
    X = sparse.csr_array(np.array([[1.0, 0], [0.9, 0.1], [0, 1.0], [0.1, 0.9], [1.0, 0.05], [0.05, 1.0]]))
    toy = type("Toy", (), {"X": normalize(X), "y": np.array([1, 1, 0, 0, 1, 0])})
    found = nearest_neighbours(toy, [np.array([0, 1, 2, 3])], {"n_neighbors": [1]}, None)
    assert all(entry["value"] == 0.0 for entry in found if entry["metric"] == "error_pct")


@pytest.mark.parametrize("artifact", ARTIFACTS)
def test_every_artifact_at_quick_scale(artifact, tmp_path):
    module, params = load(artifact), block(artifact, "quick")
    assert all(datasets.available(name) for name, _ in dataset_specs(module, params).values())
    store, tasks = Store(artifact, "quick", Inputs(cache=tmp_path)), module.tasks(params)
    assert json.loads(json.dumps(tasks)) == tasks
    rows = pd.DataFrame([tasks[0] | {"data_source": "test"} | row for row in module.run_task(tasks[0], params, store)])
    frame = tidy(artifact, module.summarise(rows, params), rows)
    assert list(frame.columns) == COLUMNS and len(frame) and np.isfinite(frame["mean"]).all()
    assert frame.loc[frame["metric"].str.endswith("_pct"), "mean"].between(0, 100).all()


@pytest.mark.parametrize("artifact", ARTIFACTS)
def test_both_profiles_have_the_same_entries(artifact):
    paper, quick = (block(artifact, profile) for profile in ("paper", "quick"))
    assert set(quick) - {"n_jobs"} == set(paper) - {"n_jobs"}
