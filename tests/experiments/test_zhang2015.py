"""The shared factorisations of zhang2015's sweeps give what the public estimators give; draws, folds and choices."""

import json

import numpy as np
import pytest
from sklearn.datasets import make_moons

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.l1 import LowRank, at_sparsities
from experiments.zhang2015.methods import HELD_OUT, METHODS, PER_DRAW, Context
from experiments.zhang2015.reach import errors_at
from experiments.zhang2015.sweep import EACH, ONCE, sweep, validate
from experiments.zhang2015.sweep import test as wrong_at
from experiments.zhang2015.timing import estimator
from mr.solvers.squared_hinge import solve_newton

PARAMS = {"C": [0.1, 10.0], "gamma": [1e-4, 1e-2], "weights": [1e-3, 1e-1], "C2": [0.0, 1.0]}


@pytest.fixture(scope="module")
def problem():
    X, y = make_moons(160, noise=0.15, random_state=0)
    return X, y, zhang2015.Draw(y, 5, 3, 0)


def first_cell(method, X, draw, width=4.0, seed=0):
    make, machine = METHODS[method]
    ctx = Context(X, PARAMS, seed)
    basis = make(ctx, width, draw.rows) if method in PER_DRAW else make(ctx, width)
    return basis, machine, basis.cells[0]["inner"][0]


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("PVM(sqr, C2)", "SVM")])
def test_sweeps_agree_with_the_estimators(problem, method):
    X, y, draw = problem
    basis, machine, cell = first_cell(method, X, draw)
    wrong = wrong_at(basis, 0, cell, machine, draw)
    parameters = {key: value for key, value in cell.items() if key != "at"} | {"width": 4.0}
    model = estimator(method, parameters, len(y), len(draw.rows), 0)
    if method == "LapSVMp":
        model.set_params(solver="newton")  # the timed one stops early
    codes = model.fit(X, draw.partial()).transduction_[draw.rest]
    assert abs(wrong - draw.wrong(codes, draw.rest)) <= 1  # a value at zero may fall on either side


def test_svm_is_near_libsvm(problem):
    X, y, draw = problem
    basis, machine, cell = first_cell("SVM", X, draw)
    wrong = wrong_at(basis, 0, cell, machine, draw)
    model = estimator("SVM", {"C": cell["C"], "width": 4.0}, len(y), len(draw.rows), 0).fit(X, draw.partial())
    assert abs(wrong - draw.wrong(model.transduction_[draw.rest], draw.rest)) <= 2


def test_validation_is_what_refitting_every_fold_gives(problem):
    X, y, draw = problem
    basis, machine, _ = first_cell("PVM(sqr)", X, draw)
    expected = np.zeros(2, dtype=int)
    for train, held in draw.splits():
        for c, C1 in enumerate(PARAMS["C"]):
            partial = np.full(len(y), -1)
            partial[train] = y[train]
            model = estimator("PVM(sqr)", {"C1": C1, "width": 4.0}, len(y), len(train), 0).fit(X, partial)
            expected[c] += draw.wrong(model.transduction_[held], held)
    assert np.abs(np.array(validate(basis, machine, draw)) - expected).max() <= 1


@pytest.mark.parametrize("method", ["LapRLS", "NFI", "PVM(sqr)", "CB-LapRLS"])
def test_held_out_values_are_those_of_refits(problem, method):
    X, _, draw = problem
    basis, machine, _ = first_cell(method, X, draw)
    assert machine in HELD_OUT
    for group in basis.cells:
        K, targets = basis.block(group, draw.rows, draw.rows), draw.targets(draw.rows)
        for cell, values in zip(group["inner"], HELD_OUT[machine](K, targets, draw.folds, group["inner"]), strict=True):
            for k in range(draw.n_folds):
                train, held = np.flatnonzero(draw.folds != k), np.flatnonzero(draw.folds == k)
                weight = cell["gamma_A"] * len(train) if "gamma_A" in cell else 1.0 / cell["C1"]
                refit = np.linalg.solve(K[np.ix_(train, train)] + weight * np.eye(len(train)), targets[train])
                assert np.allclose(values[held], K[np.ix_(held, train)] @ refit, rtol=1e-5, atol=1e-6)


def test_a_path_of_squared_hinge_machines_is_that_of_single_ones(problem):
    X, _, draw = problem
    basis, machine, _ = first_cell("LapSVMp", X, draw)
    at = np.arange(len(X))
    for group in basis.cells:
        K, targets = basis.block(group, draw.rows, draw.rows), draw.targets(draw.rows)
        everywhere = basis.block(group, at, draw.rows)
        assert [cell["weight_A"] for cell in group["inner"]] == sorted(
            (c["weight_A"] for c in group["inner"]), reverse=True
        )
        for cell, predict in zip(group["inner"], machine(K, targets, group["inner"]), strict=True):
            values = everywhere @ solve_newton(K, targets, cell["weight_A"]).coefficients
            clear = np.abs(values[:, 0]) > 1e-6 * np.abs(values).max()
            assert np.array_equal(predict(everywhere)[clear], zhang2015.decide(values)[clear])


def test_weights_of_lapsvmp_are_not_scaled_by_the_number_of_points(problem):
    X, _, draw = problem
    basis, _, _ = first_cell("LapSVMp", X, draw)
    for group in basis.cells:
        assert {round(cell["weight_I"] / cell["weight_A"] / group["r"], 9) for cell in group["inner"]} == {1.0}
    basis, _, _ = first_cell("LapRLS", X, draw)
    for group in basis.cells:
        assert {round(cell["gamma_I"] / cell["gamma_A"] / group["r"], 3) for cell in group["inner"]} == {len(X) ** 2}


def test_draws_hold_every_class_and_folds_are_stratified(problem):
    _, y, draw = problem
    assert np.bincount(y[draw.rows]).tolist() == [5, 5]
    assert not set(draw.rows) & set(draw.rest) and len(draw.rows) + len(draw.rest) == len(y)
    assert sorted(np.bincount(draw.folds)) == [2, 4, 4]
    assert set(draw.partial()[draw.rest]) == {-1}


def test_ties_go_to_the_cell_with_the_best_neighbours():
    coordinates = [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)]
    assert zhang2015.choose([1, 9, 9, 1, 2], coordinates) == 3
    assert zhang2015.choose([3, 2, 1, 4, 5], coordinates) == 2


@pytest.mark.parametrize("method", ["LapRLS", "CB-LapRLS", "Anchor"])
def test_sweep_gives_a_row_a_draw_and_rule(problem, method):
    X, y, _ = problem
    parts = [(seed, [(k, zhang2015.Draw(y, 5, 3, k)) for k in (seed, seed + 2)]) for seed in range(2)]
    rows = sweep(method, X, parts, [1.0, 4.0], PARAMS)
    assert [(row["draw"], row["rule"]) for row in rows] == [(k, rule) for k in range(4) for rule in (ONCE, EACH)]
    assert all(0 <= row["error_pct"] <= 60 for row in rows)
    assert len({row["parameters"] for row in rows if row["rule"] == ONCE}) == 1


def test_choices_are_those_of_the_validation_errors(problem):
    X, y, _ = problem
    widths, draws = [0.5, 4.0], [(k, zhang2015.Draw(y, 5, 3, k)) for k in range(3)]
    make, machine = METHODS["PVM(sqr)"]
    bases = [make(Context(X, PARAMS, 0), width) for width in widths]
    wrong = np.array([[n for basis in bases for n in validate(basis, machine, draw)] for _, draw in draws])
    coordinates = [(w, c, 0) for w in range(2) for c in range(2)]
    once = zhang2015.choose(wrong.sum(axis=0), coordinates)
    for row in sweep("PVM(sqr)", X, [(0, draws)], widths, PARAMS):
        errors, draw = wrong[row["draw"]], draws[row["draw"]][1]
        cell = once if row["rule"] == ONCE else zhang2015.choose(errors, coordinates)
        w, c = divmod(cell, 2)
        assert json.loads(row["parameters"]) == {"C1": PARAMS["C"][c], "width": widths[w]}
        assert row["cv_error_pct"] == pytest.approx(100.0 * errors[cell] / len(draw.rows))
        count = wrong_at(bases[w], 0, bases[w].cells[0]["inner"][c], machine, draw)
        assert row["error_pct"] == pytest.approx(100.0 * count / len(draw.rest))


def test_errors_of_all_cells_are_those_of_single_ones(problem):
    X, _, draw = problem
    for method in ("PVM(hinge)", "LGC"):
        basis, machine, _ = first_cell(method, X, draw)
        cells, errors = errors_at(METHODS[method], Context(X, PARAMS, 0), 4.0, [draw])
        flat = [(outer, cell) for outer, group in enumerate(basis.cells) for cell in group["inner"]]
        assert len(cells) == len(errors) == len(flat)
        for (outer, cell), (error,) in zip(flat, errors, strict=True):
            wrong = 100.0 * wrong_at(basis, outer, cell, machine, draw) / len(draw.rest)
            assert abs(error - wrong) <= 100.0 / len(draw.rest) + 1e-9  # a value at zero may fall on either side


def test_sparser_l1_models_use_fewer_points(problem):
    X, _, draw = problem
    low_rank = LowRank(Context(X, PARAMS | {"n_prototypes": 15}, 0), 4.0)
    found = at_sparsities(low_rank, draw, [0.03, 0.2], [1e-2])
    assert found[0][1] < found[1][1]
    assert all(error < 50 for error, *_ in found)


def test_costly_methods_try_fewer_widths():
    widths = [2.0**e for e in range(-5, 6)]
    assert zhang2015.method_widths("LapSVMp", widths, 400) == [2.0**e for e in (-5, -3, -1, 1, 3, 5)]
    assert zhang2015.method_widths("LGC", widths, 7000) == [2.0**e for e in (-5, -2, 1, 4)]
    assert zhang2015.method_widths("LGC", widths, 400) == zhang2015.method_widths("PVM(sqr)", widths, 7000) == widths


def test_number_of_prototypes_is_that_of_table_2():
    assert [zhang2015.n_prototypes(n) for n in (1500, 400, 1000, 2310, 3186, 7291)] == [150, 40, 100, 231, 200, 200]
