"""The protocol of belkin2006: shared machines against estimators, draws, speakers, baselines, quick artifacts."""

import json

import numpy as np
import pandas as pd
import pytest

from experiments.belkin2006 import protocol as belkin2006
from experiments.belkin2006.isolet import Speakers
from experiments.belkin2006.limits import hinge_primal, label_propagation
from experiments.belkin2006.protocol import (
    Machines,
    draw_per_class,
    grouped_tasks,
    multiclass_pct,
    one_versus_rest,
    others,
)
from experiments.belkin2006.usps import PairProblem, pairs
from experiments.belkin2006.webkb import label_counts
from experiments.engine import dataset_specs, ids, load, params
from experiments.engine.store import Store
from experiments.scoreboard import COLUMNS
from experiments.tidy import tidy
from mr import datasets
from mr.estimators import RLS, SVM, TSVM, LapRLS, LapSVM
from mr.graph import KNNGraph
from mr.kernels import Kernel
from mr.metrics import break_even_error
from mr.solvers.svm import solve_svc

ARTIFACTS = [artifact for artifact in ids() if artifact.startswith("belkin2006_")]
rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3))
X_NEW = rng.standard_normal((20, 3))
CLASSES = (X[:, 0] > 0).astype(int)
ROWS = np.array([0, 3, 7, 11, 20, 33])
WEIGHTS = {"RLS": {"a": 0.05}, "SVM": {"a": 0.05}, "TSVM": {"a": 0.05},
           "LapRLS": {"a": 0.005, "b": 0.045}, "LapSVM": {"a": 0.005, "b": 0.045}}  # fmt: skip


@pytest.mark.parametrize("method", WEIGHTS)
def test_shared_machines_equal_the_estimators(method):
    kernel = Kernel("rbf", 0.5).fit(X)
    machines = Machines(kernel(X), KNNGraph(5, power=2).fit(X), kernel(X_NEW, X))
    targets = np.where(CLASSES[ROWS] == 1, 1.0, -1.0)[:, None]
    train, test = machines.values(method, WEIGHTS[method], ROWS, targets)
    l, n = len(ROWS), len(X)
    gammas = {"gamma_A": WEIGHTS[method]["a"] / l}
    if "b" in WEIGHTS[method]:
        gammas |= {"gamma_I": WEIGHTS[method]["b"] * n**2 / l, "graph": KNNGraph(5, power=2)}
    estimator = {"RLS": RLS, "SVM": SVM, "TSVM": TSVM, "LapRLS": LapRLS, "LapSVM": LapSVM}[method]
    y = np.full(n, -1)
    y[ROWS] = CLASSES[ROWS]
    fitted = estimator(kernel="rbf", gamma=0.5, **gammas).fit(X, y)
    assert np.allclose(train[:, 0], fitted.decision_function(X), atol=1e-4)
    assert np.allclose(test[:, 0], fitted.decision_function(X_NEW), atol=1e-4)


def test_least_squares_with_a_bias_fits_a_constant_exactly():
    machines = Machines(Kernel("rbf", 0.5).fit(X)(X), KNNGraph(5).fit(X))
    train, _ = machines.values("LapRLS with bias", WEIGHTS["LapRLS"], ROWS, np.ones((6, 1)))
    assert np.allclose(train, 1.0)


def test_draws_are_nested_and_balanced():
    small = draw_per_class(CLASSES, {0: 2, 1: 2}, np.random.SeedSequence(1), 3)
    large = draw_per_class(CLASSES, {0: 5, 1: 5}, np.random.SeedSequence(1), 3)
    for a, b in zip(small, large, strict=True):
        assert set(a) < set(b) and len(b) == 10 and CLASSES[b].sum() == 5
    assert (small[0] != small[1]).any()


def test_small_measures():
    assert (others(5, [1, 3]) == [0, 2, 4]).all()
    assert (one_versus_rest([0, 2], 3) == [[1, -1, -1], [-1, -1, 1]]).all()
    assert multiclass_pct(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0, 1])) == 50.0
    assert label_counts(12, 0.25) == {1.0: 3, -1.0: 9} and label_counts(2, 0.25) == {1.0: 1, -1.0: 1}
    assert belkin2006.break_even_pct(np.array([2.0, 1.0, 0.0]), np.array([1.0, -1.0, -1.0])) == 0.0
    assert break_even_error([1, -1, -1], [0.0, 1.0, 2.0]) == pytest.approx(2 / 3)


def test_tsvm_gets_tasks_of_its_own():
    found = grouped_tasks("x", {"methods": ["SVM", "TSVM", "RLS"]}, 3)
    assert found[0] == {"dataset": "x", "methods": ["SVM", "RLS"], "units": [0, 3]}
    assert [task["units"] for task in found[1:]] == [[0, 1], [1, 2], [2, 3]]


def test_pairs_of_digits_take_the_first_images_and_test_on_the_rest():
    digits = datasets.load("digits")
    problem = PairProblem(digits, "3v8", n_first=50, n_components=20)
    assert problem.X.shape == (100, 20) and problem.y.sum() == 0
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
    assert (first.halves(np.arange(4)) == [1, 1, -1, -1]).all()


def test_references_of_table_2():
    K = Kernel("rbf", 0.5).fit(X)(X[ROWS])
    y = np.where(CLASSES[ROWS] == 1, 1.0, -1.0)
    solution = solve_svc(K, y[:, None], 1.0 / (2 * 0.1 * len(y)))
    ours = (K @ solution.coefficients + solution.intercepts)[:, 0]
    assert np.allclose(hinge_primal(K, None, np.arange(len(y)), y, 0.1, 0.0), ours, atol=1e-5)
    L = KNNGraph(6).fit(X).laplacian_.toarray()
    f = label_propagation(L, ROWS, y, margin=False)
    assert np.allclose(f[ROWS], y) and np.allclose((L @ f)[others(60, ROWS)], 0, atol=1e-9)


class LocalStore(Store):
    """Data straight from the loaders; graphs fitted on the spot."""

    card = {}

    def graph(self, key):
        dataset, options = self.graph_specs[key]
        return KNNGraph(**options).fit(self.dataset(dataset).X)


@pytest.mark.parametrize("artifact", ARTIFACTS)
def test_every_artifact_at_quick_scale(artifact):
    module, block = load(artifact), params.block(artifact, "quick")
    assert all(datasets.available(name) for name, _ in dataset_specs(module, block).values())
    store = LocalStore(artifact, module, block)
    tasks = module.tasks(block)
    assert json.loads(json.dumps(tasks)) == tasks
    rows = pd.DataFrame([tasks[0] | {"data_source": "test"} | row for row in module.run_task(tasks[0], block, store)])
    frame = tidy(artifact, module.summarise(rows, block), rows)
    assert list(frame.columns) == COLUMNS and len(frame) and np.isfinite(frame["mean"]).all()
    assert frame.loc[frame["metric"].str.endswith("_pct"), "mean"].between(0, 100).all()


@pytest.mark.parametrize("artifact", ARTIFACTS)
def test_both_profiles_have_the_same_entries(artifact):
    paper, quick = (params.block(artifact, profile) for profile in ("paper", "quick"))
    assert set(quick) - {"n_jobs"} == set(paper) - {"n_jobs"}
