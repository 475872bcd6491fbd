"""tsang2006: validation chooses, the test does not; capped draws leave growth; sizes and seeds; claims from rows."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import mr
from experiments.engine import params
from experiments.engine.tasks import relevant
from experiments.tsang2006 import choice, claims, fig1, fig2, fig3, figures, images, theory
from experiments.tsang2006 import map as moons_map
from experiments.tsang2006 import protocol as tsang2006
from experiments.tsang2006.images import Draw, degree_row, held_out_rows, image_tasks, measures, training_rows
from mr.datasets.shifted import all_shifts


def raw_rows():
    rows = []
    for n, scale in ((1000, 1.0), (10000, 2.0), (100000, 4.0)):
        for draw in range(2):
            rows.append({"method": "SLapCVM", "n": n, "draw": draw, "accuracy_pct": 100.0, "fit_seconds": scale,
                         "kernel_expansions": 100 * scale + draw, "core_size": 50.0, "capped": 0, "parameters": "{}",
                         "data": "two moons", "data_source": "generated"})  # fmt: skip
    return pd.DataFrame(rows)


def test_validation_decides_and_among_equals_the_sparsest():
    rows = pd.DataFrame({
        "parameters": ["a", "a", "b", "b", "c", "c"], "validation": [0.9, 0.7, 0.8, 0.8, 0.5, 0.6],
        "kernel_expansions": [50, 50, 20, 20, 1, 1], "map_error_pct": [0, 0, 50, 50, 0, 0],
    })  # fmt: skip
    assert tsang2006.chosen_parameters(rows) == "b"
    assert tsang2006.at_edge({"C": 1, "g": 5}, {"C": [1, 2, 3], "g": [1, 5]}) == ["C"]


def test_growth_is_the_slope_of_logarithms():
    curve = pd.Series([1.0, 2.0, 4.0], index=[1000, 10000, 100000])
    assert claims.exponent(curve) == pytest.approx(np.log10(2))
    with pytest.raises(KeyError, match="three sizes"):
        claims.exponent(curve[:2])


def test_a_capped_draw_is_left_out_of_growth_and_counted():
    rows = raw_rows()
    rows.loc[5, ["capped", "kernel_expansions"]] = [1, 9999]
    tidy = fig1.summarise(rows, {})
    last = tidy[tidy["setting"].str.startswith("n=100000")].set_index("metric")
    assert last.loc["kernel_expansions", "mean"] == 400 and last.loc["kernel_expansions", "n_runs"] == 1
    assert last.loc["capped", "mean"] == 0.5 and last.loc["accuracy_pct", "n_runs"] == 2


def test_labelled_rows_have_every_class_equally_often():
    y = np.array([0] * 50 + [1] * 5)
    rows = tsang2006.labelled_rows(y, 3, np.random.default_rng(0))
    assert np.bincount(y[rows]).tolist() == [3, 3]
    hidden = tsang2006.partly_labelled(y, rows)
    assert (np.flatnonzero(hidden >= 0) == rows).all() and (hidden[rows] == y[rows]).all()


def test_machines_take_cells_options_and_laplacian():
    X = np.random.default_rng(0).normal(size=(40, 2))
    affinity, _ = tsang2006.fit_graph(X, {"n_jobs": 1})
    spec = {"machine": "SLapCVM", "laplacian": "unnormalized", "options": {"mu": 0.5, "max_core": 7}}
    made = tsang2006.machine(spec, {"C": 10.0, "theta": 3.0, "gamma": 0.5}, affinity, 0)
    assert (made.C, made.theta, made.gamma, made.mu, made.max_core) == (10.0, 3.0, 0.5, 0.5, 7)
    assert made.graph.laplacian == "unnormalized"
    assert isinstance(tsang2006.machine({"machine": "CVM"}, {"C": 1.0}, affinity, 0), mr.baselines.CVM)


@pytest.mark.parametrize("laplacian", ["unnormalized", "normalized"])
def test_lapsvm_by_inversion_is_lapsvm(laplacian):
    data = two_moons(150)
    given = tsang2006.partly_labelled(data.y, tsang2006.labelled_rows(data.y, 3, np.random.default_rng(0)))
    affinity, _ = tsang2006.fit_graph(data.X, {"n_jobs": 1})
    spec = {"machine": "LapSVM by inversion", "laplacian": laplacian, "options": {"gamma": 4.0}}
    cell = {"gamma_A": 1e-3, "gamma_I": 10.0}
    inverted = tsang2006.machine(spec, cell, affinity, 0).fit(data.X, given)
    ours = tsang2006.machine(spec | {"machine": "LapSVM"}, cell | {"fit_intercept": True}, affinity, 0)
    values = ours.fit(data.X, given).decision_function(data.X)
    assert np.abs(inverted.decision_function(data.X) - values).max() < 1e-5 * np.abs(values).max()
    assert (inverted.predict(data.X) == ours.predict(data.X)).all()
    assert tsang2006.expansions(inverted) == 150


class Seeds:
    def seed_sequence(self, task, *keys):
        return np.random.SeedSequence(0)


class Data:
    y = np.repeat([0, 1], 50)
    splits = {"train": np.arange(20, 80), "test": np.r_[0:20, 80:100]}


def test_validation_and_test_rows_are_disjoint():
    validation, test = held_out_rows(Data, {"n_validation": 10, "n_test": 100}, Seeds(), {})
    assert len(validation) == 10 and sorted([*validation, *test]) == Data.splits["test"].tolist()


def test_training_rows_keep_the_share_while_the_other_class_lasts():
    rng = np.random.default_rng(0)
    assert Data.y[training_rows(Data, 20, {"share": 0.25}, rng)].sum() == 5
    assert Data.y[training_rows(Data, 50, {"share": 0.25}, rng)].sum() == 20  # 30 zeros are all there are
    assert len(training_rows(Data, 33, {}, rng)) == 33


def test_the_degree_rule_knows_the_degree_only():
    affinity = np.zeros((6, 6))
    affinity[:3, :3], affinity[3:, 3:] = 0.1, 1.0
    from scipy import sparse

    given, y = np.array([0, -1, -1, 1, -1, -1]), np.repeat([0, 1], 3)
    row = degree_row(Draw(None, y, given, sparse.csr_array(affinity), 0.0))
    assert row["transductive_error_pct"] == 0.0 and row["transductive_auc_pct"] == 100.0


@pytest.mark.parametrize("profile", ["quick", "paper"])
@pytest.mark.parametrize("artifact", ["tsang2006_choice", "tsang2006_map", "tsang2006_fig3"])
def test_all_methods_have_grids_of_the_same_size(artifact, profile):
    methods = params.block(artifact, profile)["methods"]
    sizes = {len(tsang2006.cells(spec["grid"])) for spec in methods.values() if "grid" in spec}
    assert len(sizes) == 1


def test_measures():
    found = measures(np.array([0, 0, 0, 1]), np.array([-1.0, -2.0, 0.5, 1.0]))
    assert found == {"error_pct": 25.0, "auc_pct": 100.0, "balanced_loss_pct": pytest.approx(100 / 6)}


@pytest.mark.parametrize("module", [fig1, fig2, fig3, choice, moons_map, theory])
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


def two_moons(n=200):
    return mr.datasets.load("two_moons", n_samples=n, noise=0.05)


def test_a_tube_of_zero_is_the_two_norm_lapsvm():
    spec = {"n": 60, "gamma": 4.0, "theta": 30.0, "strength": 100.0, "mu": [1e-3, 3.0], "halvings": 30}
    rows = pd.DataFrame(theory.zero_tube(two_moons(), spec, None, {}))
    found = rows.pivot_table(index="setting", columns="metric", values="value", sort=False)
    tube, apart = found["tube"].to_numpy(), found["difference_from_lapsvm"].to_numpy()
    assert tube[0] > 0 > tube[2] and abs(tube[1]) < 1e-7
    assert apart[1] < 1e-6 and min(apart[0], apart[2]) > 1e-2


def test_core_vector_regression_is_lasso():
    rows = pd.DataFrame(theory.lasso(None, {"n": 40, "gamma": 1.0, "C": 10.0, "mu": [1e-2]}, None, {}))
    found = rows.set_index("metric")["value"]
    assert found["difference_of_coefficients"] < 1e-8 and found["norm_1_over_C"] == pytest.approx(1.0)
    assert 0 < found["nonzero_core_vector"] == found["nonzero_lasso"] < 40


def test_only_edges_outside_the_tube_carry_the_solution():
    spec = {"n": 150, "n_draws": 1, "epsilon": "auto", "cell": {"gamma": 4.0, "C": 1e4, "theta": 1e4}}
    found = pd.DataFrame(theory.sparsity(two_moons(), spec, None, {})).set_index("metric")["value"]
    assert found["points_without_such_edge"] == 0 and 0 < found["edges_pct"] < 50
    assert found["gap_newton"] < 1e-9 and found["gap_core_set"] <= 1e-3


def test_growing_cores_stay_below_the_bound_and_reach_their_epsilon():
    spec = {"n": 150, "epsilon": [1e-3, 1e-5], "cell": {"gamma": 4.0, "C": 1e4, "theta": 1e4}}
    found = pd.DataFrame(theory.iterations(two_moons(), spec, None, {}))
    wide = found.pivot_table(index="setting", columns="metric", values="value", sort=False)
    assert wide["points_gained"].is_monotonic_increasing and (wide["points_gained"] <= wide["bound"]).all()
    assert (wide["achieved_epsilon"].to_numpy() <= spec["epsilon"]).all()


def curves(**errors):
    """Tidy rows of errors at n = 1000: (mean, deviation) of ten draws."""
    return pd.DataFrame([
        {"method": name, "setting": "n=1000, 1 label per class", "metric": "error_pct", "mean": mean, "std": std,
         "n_runs": 10} for name, (mean, std) in errors.items()
    ])  # fmt: skip


def test_better_means_by_two_standard_errors():
    rows = curves(SLapCVM=(26.0, 5.0), LapSVM=(48.0, 17.0), SVM=(29.0, 5.0))
    assert claims.clearly(rows, "SLapCVM", "LapSVM", "error_pct").all()
    assert not claims.clearly(rows, "SLapCVM", "SVM", "error_pct").any()  # 3 points, standard error 2.2
    assert not claims.clearly(rows, "SLapCVM", "LapSVM", "error_pct", least=30.0).any()


def test_draws_that_reach_the_cap_are_told_and_no_part_of_the_exponents():
    def rows(method, n, **means):
        common = {"method": method, "setting": f"n={n}, 1 label per class", "n_runs": 5}
        return [common | {"metric": metric, "mean": mean} for metric, mean in means.items()]

    table = [
        row for n in (1000, 10000, 100000) for row in rows("SLapCVM, sampled", n, seconds_fit=n, kernel_expansions=n)
    ]
    table += rows(claims.CAPPED, 300000, seconds_fit=1e9, kernel_expansions=1e9, capped=0.6)
    found = claims.sublinear(pd.DataFrame(table))
    assert found.verdict == "fails" and found.ours == pytest.approx(1.0)
    assert found.text.endswith("before the rule ends: 3 (n=300000)")


def test_processor_minutes_are_those_of_the_rows(monkeypatch):
    records = {"a": [90.0, 30.0], "b": [60.0]}
    monkeypatch.setattr(figures.raw, "read_committed", lambda artifact: {
        str(at): {"provenance": {"seconds": seconds}} for at, seconds in enumerate(records[artifact])
    })  # fmt: skip
    table = figures.processor_minutes(["a", "b"])
    assert table["processor minutes"].to_dict() == {"a": 2.0, "b": 1.0, "all": 3.0}
    assert table["tasks"].to_dict() == {"a": 2, "b": 1, "all": 3}


def test_figure_1_calls_the_sampled_rule_by_its_name():
    assert set(fig1.summarise(raw_rows(), {})["method"]) == {"SLapCVM, sampled"}


def test_each_task_names_its_methods_and_small_sizes_come_first():
    block = params.block("tsang2006_fig2", "paper")
    tasks = image_tasks(block | {"beyond": [], "waiting": []})
    small = [task["n"] for task in tasks if "SLapCVM" in task["methods"]]
    assert small == sorted(small) and len(small) == 40 and max(small) == 30000
    whole = [task for task in tasks if task["n"] == 266079]
    assert all(len(task["draws"]) == 5 for task in whole)  # five draws share the graph of all rows
    assert [task["methods"] for task in whole] == [
        ["SVM", "SLapCVM, theta ~ edges"],
        ["SLapCVM, sampled, theta ~ edges"],
    ]


def test_further_tasks_leave_those_of_the_listed_sizes_as_they_are():
    block = params.block("tsang2006_fig2", "paper") | {"beyond": [], "waiting": []}
    more = block | {"beyond": [{"n": 7000, "n_draws": 2, "methods": ["SVM"]}]}
    listed, all_of_them = image_tasks(block), image_tasks(more)
    assert all_of_them[: len(listed)] == listed
    assert [(task["n"], task["draws"], task["methods"]) for task in all_of_them[len(listed) :]] == [
        (7000, [0], ["SVM"]), (7000, [1], ["SVM"]),
    ]  # fmt: skip
    assert relevant(block, listed[0]) == relevant(more, listed[0])


def test_waiting_sizes_have_no_tasks_and_change_no_other():
    block = params.block("tsang2006_fig2", "paper") | {"waiting": []}
    waiting = block | {"waiting": [266079]}
    left = image_tasks(waiting)
    assert left == [task for task in image_tasks(block) if task["n"] != 266079] and len(left) < len(image_tasks(block))
    assert relevant(block, left[0]) == relevant(waiting, left[0])


def test_further_tasks_name_methods_of_the_block():
    for artifact in ("tsang2006_fig2", "tsang2006_fig3"):
        block = params.block(artifact, "paper")
        for more in block.get("beyond", []):
            assert set(more["methods"]) <= set(block["methods"]) and more["n_draws"] > 0


def test_lapsvm_says_what_it_would_need(monkeypatch):
    monkeypatch.setattr("mr.resources.available_memory", lambda: 2**20)
    found = pd.DataFrame(theory.refusal(two_moons(4000), {"options": {"gamma": 400.0}}, None, {}))
    assert found["metric"].tolist() == ["gib_asked_for"] and found["setting"].tolist() == ["n=2000"]
    assert found["value"].tolist() == [pytest.approx(3 * 8 * 2000**2 / 2**30, abs=0.05)]
    monkeypatch.undo()
    with pytest.raises(RuntimeError, match="was expected to refuse 2000 points"):
        theory.refusal(two_moons(4000), {"options": {"gamma": 4.0}}, None, {})


def test_large_parts_of_shifted_images_have_the_graph_of_the_exact_search(monkeypatch):
    pixels = np.random.default_rng(0).uniform(size=(20, 4, 4)).astype(np.float32)
    X = mr.datasets.ShiftedImages(pixels, all_shifts(np.arange(20), 2), border=2)
    data = SimpleNamespace(X=X, y=np.repeat(np.arange(20) % 2, 25), splits={"train": np.arange(100, 500)})
    rows = np.arange(100, 500)[::3]
    exact, _ = tsang2006.fit_graph(X[rows], {"n_neighbors": 4, "n_jobs": 1})
    found, _ = images.shifted_graph(data, rows, {"n_neighbors": 4, "n_jobs": 1})
    assert ((found != 0) != (exact != 0)).nnz == 0 and abs(found - exact).max() < 1e-5
    with pytest.raises(ValueError, match="n_neighbors only"):
        images.shifted_graph(data, rows, {"n_neighbors": 4, "metric": "cosine"})


def test_a_single_draw_judges_nothing():
    rows = curves(SLapCVM=(26.0, 5.0), LapSVM=(48.0, 17.0))
    rows.loc[rows["method"] == "LapSVM", "n_runs"] = 1
    with pytest.raises(KeyError, match="several draws"):
        claims.clearly(rows, "SLapCVM", "LapSVM", "error_pct")


def test_validation_chooses_the_rule_for_theta_at_each_n():
    def rows(method, n, validation, error):
        common = {"method": method, "setting": f"n={n}, 1 label per class", "std": 1.0, "n_runs": 10}
        return [common | {"metric": "validation", "mean": validation}, common | {"metric": "error_pct", "mean": error}]

    table = rows("SLapCVM", 1000, 0.7, 30.0) + rows("SLapCVM", 10000, 0.5, 20.0)
    table += rows("SLapCVM, theta ~ edges", 10000, 0.6, 40.0)  # a worse error: the test chooses nothing
    table += rows("SLapCVM, theta ~ edges", 30000, 0.6, 25.0)  # the one rule that ran
    found = claims.line(claims.by_validation(pd.DataFrame(table)), claims.TUNED, "error_pct")
    assert found.to_dict() == {1000: 30.0, 10000: 40.0, 30000: 25.0}
