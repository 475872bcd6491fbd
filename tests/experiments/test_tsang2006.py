"""tsang2006: validation chooses, the test does not; sizes and seeds; what the notebook computes from result rows."""

import json

import numpy as np
import pandas as pd
import pytest

import mr
from experiments.engine import params
from experiments.tsang2006 import fig1 as tsang2006_fig1
from experiments.tsang2006 import fig2 as tsang2006_fig2
from experiments.tsang2006 import fig3 as tsang2006_fig3
from experiments.tsang2006 import figures
from experiments.tsang2006 import protocol as tsang2006
from experiments.tsang2006.images import accuracy, draw_rows, measures, run_images


def raw_rows():
    rows = []
    for n, scale in ((1000, 1.0), (10000, 2.0)):
        for draw in range(2):
            for cell, (validation, test) in enumerate([(90.0, 99.0), (95.0, 80.0)]):
                rows.append({"method": "SLapCVM", "n": n, "draw": draw, "cell": cell, "validation": validation,
                             "accuracy_pct": test, "fit_seconds": scale, "kernel_expansions": 100 * scale,
                             "parameters": json.dumps({"C": cell}), "data": "two moons",
                             "data_source": "generated"})  # fmt: skip
    return pd.DataFrame(rows)


def test_the_validation_score_decides_even_against_the_test_score():
    tidy = tsang2006_fig1.summarise(raw_rows(), {})
    accuracy = tidy[tidy["metric"] == "accuracy_pct"]
    assert (accuracy["mean"] == 80.0).all() and (accuracy["n_runs"] == 2).all()
    assert json.loads(accuracy["parameters"].iloc[0]) == {"C": 1}


def test_growth_is_the_slope_of_logarithms():
    tidy = tsang2006_fig1.summarise(raw_rows(), {})
    assert figures.growth(tidy).iloc[0, -1] == pytest.approx(np.log10(2), abs=0.01)


def test_a_full_core_is_no_evidence_of_flatness():
    rows = raw_rows().assign(core_size=[150.0] * 4 + [200.0] * 4, parameters=json.dumps({"max_core": 200}))
    tidy = tsang2006_fig1.summarise(rows, {})
    assert figures.full_cores(tidy) == [10000]
    claims = figures._verdicts(figures._flatness(tidy))
    assert (claims["shown here"] == "unknown").all()


def test_labelled_rows_have_every_class_equally_often():
    y = np.array([0] * 50 + [1] * 5)
    rows = tsang2006.labelled_rows(y, 3, np.random.default_rng(0))
    assert np.bincount(y[rows]).tolist() == [3, 3]
    hidden = tsang2006.partly_labelled(y, rows)
    assert (np.flatnonzero(hidden >= 0) == rows).all() and (hidden[rows] == y[rows]).all()


def test_theta_follows_the_edges_and_epsilon_the_size():
    X = np.random.default_rng(0).normal(size=(40, 2))
    graph, _ = tsang2006.fit_graph(X, {"n_jobs": 1})
    cell = {"C": 10.0, "theta_per_edge": 2.0, "epsilon": 1e-6, "laplacian": "unnormalized", "gamma": 0.5}
    made = tsang2006.machine("SLapCVM", cell, graph, 4000, {"kernel": "rbf"}, 0)
    assert made.theta == graph.affinity.nnz and made.epsilon == pytest.approx(0.5e-6)
    assert made.graph.laplacian == "unnormalized" and made.gamma == 0.5
    assert cell["theta_per_edge"] == 2.0
    assert isinstance(tsang2006.machine("SVM, all labels", {"C": 1.0}, graph, 40, {}, 0), mr.baselines.CVM)


def test_validation_and_test_rows_are_disjoint():
    class Data:
        y = np.zeros(100, int)
        splits = {"train": np.arange(60), "test": np.arange(60, 100)}

    train, validation, test = draw_rows(Data, 20, {"n_validation": 10, "n_test": 100}, np.random.default_rng(0))
    assert len(train) == 20 and train.max() < 60
    assert sorted([*validation, *test]) == list(range(60, 100))


def test_only_the_validated_entry_meets_the_test_rows():
    class Store:
        def dataset(self, key):
            return mr.datasets.load("two_moons", n=300, noise=0.05)

        def seed_sequence(self, task):
            return np.random.SeedSequence(task["draw"])

        def random_state(self, task):
            return task["draw"]

    block = {
        "n_draws": 2, "largest_with_draws": 1000, "n_validation": 50, "n_test": 100, "per_class": 3, "title": "moons",
        "graph": {"n_jobs": 1}, "kernel": {"kernel": "rbf"},
        "methods": {"SVM": {"sizes": [150],
                            "grid": [{"gamma_A": 1e3, "gamma": 1e-6}, {"gamma_A": 1e-3, "gamma": 4.0}]}},
    }  # fmt: skip
    rows = pd.DataFrame(run_images({"dataset": "moons", "n": 150}, block, Store(), accuracy))
    scores = rows.groupby("cell")["validation"].mean()
    tested = rows.groupby("cell")["error_pct"].count()
    assert tested[scores.idxmax()] == 2 and tested.sum() == 2
    assert len(rows) == 4 and rows["draw"].tolist() == [0, 1, 0, 1]


def test_measures():
    found = measures(np.array([0, 0, 0, 1]), np.array([-1.0, -2.0, 0.5, 1.0]))
    assert found == {"error_pct": 25.0, "auc_pct": 100.0, "balanced_loss_pct": pytest.approx(100 / 6)}


@pytest.mark.parametrize("module", [tsang2006_fig1, tsang2006_fig2, tsang2006_fig3])
@pytest.mark.parametrize("profile", ["quick", "paper"])
def test_tasks_name_declared_data_sets(module, profile):
    block = params.block(module.ID, profile)
    tasks = module.tasks(block)
    assert {task["dataset"] for task in tasks} <= set(module.datasets(block))
    assert len({json.dumps(task, sort_keys=True) for task in tasks}) == len(tasks)


def double(x):
    return 2 * x


def test_a_child_process_returns_its_result_and_its_memory():
    result, memory = tsang2006.in_child(double, 21)
    assert result == 42 and memory >= 0


def allocate(mib):
    return np.ones(mib * 2**17).sum()


def test_memory_of_a_child_is_its_own_and_not_that_of_its_parent():
    held = np.ones(300 * 2**17)  # 300 MiB in this process
    _, memory = tsang2006.in_child(allocate, 80)
    assert 60 <= memory <= 200 and held.sum() > 0
