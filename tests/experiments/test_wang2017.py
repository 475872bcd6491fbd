"""wang2017's protocol: draws, leave-one-out, stars; and that the sweep gives what the estimators give."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

import mr
from mr.datasets import Dataset
from experiments.engine import params
from experiments.wang2017 import protocol as wang2017
from experiments.wang2017 import table1 as wang2017_table1
from experiments.wang2017 import table2 as wang2017_table2
from experiments.wang2017.methods import METHODS, evaluate, grid
from mr.solvers.adaptive_graph import fit_on_graph

SETTINGS = {"grid": [1.0], "max_iter": 30, "tol": 1e-3}


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return Dataset("cancer", X[:200], y[:200], ("malignant", "benign"))


def test_halves_share_no_rows_and_hold_both_classes(cancer):
    for labels in ("random", "balanced"):
        for draw in wang2017.draws(cancer, cancer.y, 10, 5, np.random.SeedSequence(0), labels):
            assert len(draw.train) == 100 and len(np.intersect1d(draw.train, draw.test)) == 0
            counts = np.bincount(cancer.y[draw.train[draw.labelled]], minlength=2)
            assert counts.sum() == 10 and counts.min() >= (5 if labels == "balanced" else 1)


def test_a_half_that_is_too_small_grows_to_the_labels(cancer):
    small = cancer.y[:150]
    draw = wang2017.draws(cancer, small, 100, 1, np.random.SeedSequence(0))[0]
    assert len(draw.train) == 100 and len(draw.labelled) == 100 and len(draw.test) == 50


def test_official_splits_are_transductive(cancer):
    rows = np.arange(20).reshape(2, 10)
    book = Dataset("book", cancer.X, cancer.y, cancer.class_names, {"labeled10": rows})
    first, second = wang2017.draws(book, book.y, 10, 12, np.random.SeedSequence(0))
    assert (second.labelled == rows[1]).all() and len(first.test) == 190 and len(first.train) == 200


def test_binary_tasks_by_the_first_word_of_a_class():
    data = Dataset(
        "water", np.arange(8.0)[:, None], np.array([0, 1, 2, 2, 1, 0, 0, 1]), ("1 Normal", "9 Low", "11 Normal")
    )
    X, y = wang2017.binary_task(data, {"positive": [9], "negative": [11]})
    assert X.ravel().tolist() == [1, 2, 3, 4, 7] and y.tolist() == [1, 0, 0, 1, 1]
    assert wang2017.binary_task(data, {"positive": [1]})[1].tolist() == [1, 0, 0, 0, 0, 1, 1, 0]


@pytest.mark.parametrize("method", ["MR_LP", "AGMR_entropy", "AGMR_sparse"])
def test_the_sweep_is_the_estimator(cancer, method):
    draw = wang2017.draws(cancer, cancer.y, 10, 1, np.random.SeedSequence(1))[0]
    bench = wang2017.Bench(cancer.X, draw, {})
    found = evaluate(method, bench, draw, cancer.y, SETTINGS)["accuracy"][0]
    y = np.full(100, -1)
    y[draw.labelled] = cancer.y[draw.train[draw.labelled]]
    graph = mr.KNNGraph(10, laplacian="unnormalized")
    if method == "MR_LP":
        model = mr.LapRLS(1 / 10, 2 * 100**2 / 10, kernel="linear", graph=graph)
    else:
        model = mr.AGMR(method.removeprefix("AGMR_"), graph=graph, max_iter=30, tol=1e-3)
    predicted = model.fit(bench.train, y).predict(bench.all[draw.test])
    assert found == pytest.approx(100 * (predicted == cancer.y[draw.test]).mean(), abs=1e-4)


def test_leave_one_out_is_exact_on_a_fixed_graph(cancer):
    draw = wang2017.draws(cancer, cancer.y, 10, 1, np.random.SeedSequence(2))[0]
    bench = wang2017.Bench(cancer.X, draw, {})
    targets = np.where(cancer.y[draw.train[draw.labelled]] == 1, 1.0, -1.0)[:, None]
    left = []
    for i in range(10):
        rows, rest = np.delete(draw.labelled, i), np.delete(targets, i, axis=0)
        w = fit_on_graph(bench.R, rows, rest, 1.0, 1.0, bench.nearest)
        left.append(float((targets[i] - bench.R[draw.labelled[i]] @ w)[0]))
    assert evaluate("MR_LP", bench, draw, cancer.y, SETTINGS)["loo"][0] == pytest.approx(
        np.square(left).mean(), rel=1e-4
    )


def test_more_features_than_points_changes_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 40)), rng.integers(0, 2, 60)
    draw = wang2017.draws(Dataset("x", X, y, ("a", "b")), y, 10, 1, np.random.SeedSequence(0))[0]
    bench = wang2017.Bench(X, draw, {})
    assert bench.R.shape == (30, 30)
    assert np.allclose(bench.R @ bench.R.T, bench.train @ bench.train.T)


def test_stars():
    rng = np.random.default_rng(0)
    base = rng.normal(70, 5, 30)
    assert wang2017.improvement(base + 1 + rng.normal(0, 0.1, 30), base)["star"]
    assert not wang2017.improvement(base - 1 + rng.normal(0, 0.1, 30), base)["star"]
    assert not wang2017.improvement(base + rng.normal(0, 5, 30), base)["star"]
    assert wang2017.improvement(base, base) == {"gain": 0.0, "p": 1.0, "star": False}


def test_eta_2_is_not_in_the_grid():
    settings = {"grid": [0.1, 1.0]}
    assert [len(grid(method, settings)) for method in METHODS] == [4, 4, 4, 8, 8]


def raw(method, accuracy, loo):
    text = [json.dumps(row) for row in accuracy]
    loo = [json.dumps(row) for row in loo]
    frame = pd.DataFrame({"accuracy": text, "loo": loo, "held_out": loo[::-1], "draw": range(len(text))})
    return frame.assign(dataset="sonar", method=method, iterations=1.0, majority=50.0, data_source="generated")


def test_held_out_labels_are_not_seen(cancer):
    draw = wang2017.draws(cancer, cancer.y, 30, 1, np.random.SeedSequence(3))[0]
    bench = wang2017.Bench(cancer.X, draw, {})
    third = np.random.default_rng(0).permutation(30) % 3 == 0
    flipped = cancer.y.copy()
    flipped[draw.train[draw.labelled[third]]] = 1 - flipped[draw.train[draw.labelled[third]]]
    settings = SETTINGS | {"grid": [1.0, 10.0], "support": 20}
    for method in METHODS:
        # (f - y)^2 + (f + y)^2 = 2 f^2 + 2: flipping the held-out labels leaves f alone
        found = evaluate(method, bench, draw, cancer.y, settings)["held_out"]
        other = evaluate(method, bench, draw, flipped, settings)["held_out"]
        assert len(found) == len(grid(method, settings)) and min(np.add(found, other)) >= 2 - 1e-4


def test_four_ways_to_choose():
    settings = {"grid": [0.1, 1.0]}
    accuracy = [[60, 70, 80, 50], [62, 72, 70, 51]]
    loss = [[1, 2, 3, 0], [0, 1, 2, 3]]
    tidy = wang2017_table2.summarise(raw("MR_LP", accuracy, loss), settings).set_index("setting")["mean"]
    assert tidy["l=100"] == 75  # third cell
    assert tidy["l=100, leave-one-out on the labels"] == (50 + 62) / 2
    assert tidy["l=100, a third of the labels held out"] == (60 + 51) / 2
    assert tidy["l=100, every parameter 1"] == (50 + 51) / 2


def test_cells_of_the_paper_are_all_there():
    reported = {name for key, name in wang2017.NAMES.items() if "(" not in name}
    for module in (wang2017_table1, wang2017_table2):
        settings = params.block(module.ID, "paper")
        names = {module.NAMES[task["dataset"]] for task in module.tasks(settings)}
        assert reported <= names
