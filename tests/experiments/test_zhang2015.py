"""zhang2015's sweeps choose by the errors of refits and test what the public estimators give; draws, folds, grids."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.svm import SVC

import mr
from experiments.engine.tasks import relevant
from experiments.zhang2015 import fig1, fig3, fig4, growth, table3, theory
from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.curves import seen_by_prototypes
from experiments.zhang2015.l1 import along_lambda2, at_sparsity, grid_cells, lambda2s, low_rank_path
from experiments.zhang2015.methods import METHODS, LibSVMPath, Points
from experiments.zhang2015.sweep import EACH, ONCE, RULES, cell_rows, chosen, sweep
from experiments.zhang2015.timing import estimator

PARAMS = {"C": [0.1, 10.0], "gamma": [1e-4, 1e-2]}
WIDTH = 4.0


@pytest.fixture(scope="module")
def problem():
    X, y = make_moons(160, noise=0.15, random_state=0)
    return X, y, zhang2015.Draw(y, 5, 3, 0)


def path_of(method, X, seed=0, params=PARAMS):
    found = METHODS[method]
    return found.path(found.template(Points(X, params, seed), WIDTH), X), found


def validate(path, lists, cells, draw):
    found = {tuple(sorted(given.items())): draw.wrong(zhang2015.decide(values), draw.rows)
             for given, values in path.held_out_grid(draw.partial(), draw.folds, **lists)}  # fmt: skip
    return [found[tuple(sorted(cell.given.items()))] for cell in cells]


def fitted(path, y, given):
    """Values of one machine, from a grid of one cell: LIBSVM's path has no other door."""
    ((_, fit),) = path.grid(y, **{name: [value] for name, value in given.items()})
    return fit.values


def hidden(draw, held):
    y = draw.partial()
    y[held] = -1
    return y


@pytest.mark.parametrize("method", [name for name in METHODS if name != "SVM" and "," not in name])
def test_every_cell_is_the_estimator_whose_time_is_measured(problem, method):
    X, y, draw = problem
    path, found = path_of(method, X)
    for cell in found.cells(PARAMS):
        values = path.fit(draw.partial(), **cell.given).values
        model = estimator(method, cell.named | {"width": WIDTH}, len(y), len(draw.rows), 0)
        if method == "LapSVMp":
            model.set_params(solver="newton")  # the timed one stops early
        expected = model.fit(X, draw.partial()).transduction_
        # PVM(hinge) is solved to a gap of 1e-3, the others up to rounding: values nearer to zero may change their sign
        clear = np.abs(values[:, 0]) > (1e-2 if method == "PVM(hinge)" else 1e-6) * np.abs(values).max()
        assert clear.mean() > 0.5
        assert np.array_equal(zhang2015.decide(values)[clear], expected[clear]), cell


def test_svm_is_near_libsvm(problem):
    X, y, draw = problem
    path, _ = path_of("SVM", X)
    codes = zhang2015.decide(fitted(path, draw.partial(), {"C": 0.1}))
    model = estimator("SVM", {"C": 0.1, "width": WIDTH}, len(y), len(draw.rows), 0).fit(X, draw.partial())
    assert abs(draw.wrong(codes, np.arange(len(y))) - draw.wrong(model.transduction_, np.arange(len(y)))) <= 2


@pytest.mark.parametrize("n_classes", [2, 4])
def test_libsvm_path_is_svc_one_against_one(n_classes):
    X, y = make_blobs(200, centers=n_classes, cluster_std=3.0, random_state=1)
    draw = zhang2015.Draw(y, 8, 4, 0)
    path = LibSVMPath(SVC(gamma=0.1), X)
    for cell, fit in path.grid(draw.partial(), C=[0.1, 10.0]):
        alone = SVC(gamma=0.1, C=cell["C"]).fit(X[draw.rows], y[draw.rows])
        assert np.array_equal(zhang2015.decide(fit.values), alone.predict(X))
    for cell, values in path.held_out_grid(draw.partial(), draw.folds, C=[0.1, 10.0]):
        for k in range(4):
            held = draw.rows[draw.folds == k]
            expected = zhang2015.decide(fitted(path, hidden(draw, held), cell))[held]
            assert np.array_equal(zhang2015.decide(values)[draw.folds == k], expected)


@pytest.mark.parametrize("method", METHODS)
def test_validation_is_what_refitting_every_fold_gives(problem, method):
    X, y, draw = problem
    path, found = path_of(method, X)
    cells = found.cells(PARAMS)
    expected = np.zeros(len(cells), dtype=int)
    for k in range(draw.n_folds):
        held = draw.rows[draw.folds == k]
        if method.startswith("CB-"):  # a held-out row stays in the reduced set
            inner, labels = path.reduced(draw.partial())
            labels[: len(draw.rows)][draw.folds == k] = -1
            values = [inner.fit(labels, **cell.given).values[: len(draw.rows)][draw.folds == k] for cell in cells]
        else:
            values = [fitted(path, hidden(draw, held), cell.given)[held] for cell in cells]
        expected += [draw.wrong(zhang2015.decide(found), held) for found in values]
    difference = np.abs(np.array(validate(path, found.lists(PARAMS), cells, draw)) - expected)
    assert difference.max() <= ("hinge" in method)  # solved to a gap of 1e-3: a value near zero may change its sign


def test_cells_hold_every_combination_once_and_those_of_one_ratio_together():
    for method in METHODS.values():
        cells, lists = method.cells(PARAMS), method.lists(PARAMS)
        assert len({tuple(sorted(cell.given.items())) for cell in cells}) == len(cells)
        assert len(cells) == np.prod([len(values) for values in lists.values()])
        assert len({cell.at for cell in cells}) == len(cells)
    ratios = [cell.named["gamma_I"] / cell.named["gamma_A"] for cell in METHODS["LapRLS"].cells(PARAMS)]
    assert np.allclose(ratios, [1e-2, 1.0, 1.0, 1e2])


def test_weights_of_lapsvmp_are_not_scaled_by_the_number_of_points(problem):
    X, _, draw = problem
    path, found = path_of("LapSVMp", X)
    l, n = len(draw.rows), len(X)
    for cell in found.cells(PARAMS):
        a, b = cell.named["weight_A"], cell.named["weight_I"]
        values = path.fit(draw.partial(), **cell.given).values
        assert np.allclose(values, path.fit(draw.partial(), gamma_A=a / l, gamma_I=b * n**2 / l).values, atol=1e-9)


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


@pytest.mark.parametrize("method", ["LapRLS", "CB-LapRLS", "Anchor", "SVM"])
def test_sweep_gives_one_row_per_draw_and_rule(problem, method):
    X, y, _ = problem
    draws = [(k, zhang2015.Draw(y, 5, 3, k)) for k in range(4)]
    rows = sweep(method, X, draws, [1.0, WIDTH], PARAMS, int)
    assert [(row["draw"], row["rule"]) for row in rows] == [(k, rule) for k in range(4) for rule in RULES]
    assert all(0 <= row["error_pct"] <= 60 for row in rows)
    assert len({row["parameters"] for row in rows if row["rule"] == ONCE}) == 1
    assert all(("width" in json.loads(row["parameters"])) == (method != "Anchor") for row in rows)


@pytest.mark.parametrize("method", ["PVM(sqr)", "LapRLS"])
def test_choices_are_those_of_the_validation_errors(problem, method):
    X, y, _ = problem
    widths, draws = [0.5, WIDTH], [(k, zhang2015.Draw(y, 5, 3, k)) for k in range(3)]
    found = METHODS[method]
    paths = [[found.path(found.template(Points(X, PARAMS, k), width), X) for width in widths] for k in range(3)]
    cells, lists = found.cells(PARAMS), found.lists(PARAMS)
    wrong = np.array([[n for path in paths[k] for n in validate(path, lists, cells, draw)] for k, draw in draws])
    coordinates = [(w, *cell.at) for w in range(2) for cell in cells]
    once = zhang2015.choose(wrong.sum(axis=0), coordinates)
    for row in sweep(method, X, draws, widths, PARAMS, int):
        errors, draw = wrong[row["draw"]], draws[row["draw"]][1]
        if row["rule"] in (ONCE, EACH):
            cell = once if row["rule"] == ONCE else zhang2015.choose(errors, coordinates)
            w, c = divmod(cell, len(cells))
            assert json.loads(row["parameters"]) == cells[c].named | {"width": widths[w]}
            assert row["cv_error_pct"] == pytest.approx(100.0 * errors[cell] / len(draw.rows))
            values = fitted(paths[row["draw"]][w], draw.partial(), cells[c].given)[draw.rest]
            count = draw.wrong(zhang2015.decide(values), draw.rest)
            assert row["error_pct"] == pytest.approx(100.0 * count / len(draw.rest))


def test_rows_of_cells_hold_the_choices_of_a_sweep(problem):
    X, y, _ = problem
    widths, draws = [0.5, WIDTH], [(k, zhang2015.Draw(y, 5, 3, k)) for k in range(3)]
    tables = [pd.DataFrame(cell_rows(Points(X, PARAMS, k), "PVM(sqr)", [draw], widths)[0]).assign(draw=k)
              for k, draw in draws]  # fmt: skip
    expected = sweep("PVM(sqr)", X, draws, widths, PARAMS, int)
    for rule in (ONCE, EACH):
        errors = [row["error_pct"] for row in expected if row["rule"] == rule]
        assert np.allclose(chosen(pd.concat(tables, ignore_index=True), rule)["error_pct"], errors)


L1_PARAMS = {
    "n_prototypes": 15, "sparsities": [0.03, 0.1], "lambda1": [1e-2, 1.0],
    "lambda2": {"first": 1e-3, "last": 1e2, "steps": 11},
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:The solver stopped")
def test_l1_cells_are_the_public_estimator_and_its_refitted_folds(problem):
    X, _, draw = problem
    cells = grid_cells(X, draw, [WIDTH], L1_PARAMS, 0)
    assert {cell["lambda1"] for cell in cells} == {1e-2, 1.0}
    for cell in cells[:: len(cells) // 4]:
        model = mr.baselines.L1LRK(15, cell["lambda1"], cell["lambda2"], gamma=WIDTH, tol=1e-4,
                                   random_state=0)  # fmt: skip
        codes = model.fit(X, draw.partial()).transduction_
        # machines along the way and machines that start from zero agree to the root of their gap
        assert cell["error_pct"] == pytest.approx(100 * draw.wrong(codes[draw.rest], draw.rest) / len(draw.rest), abs=3)
        wrong = 0
        for k in range(draw.n_folds):
            held = draw.rows[draw.folds == k]
            wrong += draw.wrong(model.fit(X, hidden(draw, held)).transduction_[held], held)
        assert abs(cell["validation"] - wrong) <= 1


def test_l1_models_grow_along_the_grid_and_the_rest_is_not_run(problem):
    X, _, draw = problem
    path = low_rank_path(Points(X, L1_PARAMS, 0), WIDTH)
    whole, cut = (along_lambda2(path, draw, 1e-2, lambda2s(L1_PARAMS), densest) for densest in (1.0, 0.05))
    assert whole[: len(cut)] == cut and len(cut) < len(whole)
    assert cut[-1]["used"] > 0.05 >= max(cell["used"] for cell in cut[:-1])
    assert whole[0]["used"] > 0 and whole[0]["used"] < whole[-1]["used"]


def test_at_a_sparsity_the_near_cell_with_the_fewest_wrong_labels_stands():
    cells = [{"used": used, "validation": wrong} for used, wrong in ((0.02, 0), (0.085, 3), (0.1, 5), (0.12, 3))]
    assert at_sparsity(cells, 0.1) is cells[1]
    assert at_sparsity(cells, 0.2) is None
    assert at_sparsity(cells, 0.021) is cells[0]


def test_figure_4_adds_draws_without_moving_those_that_exist():
    params = {"datasets": {"a": {}, "big": {}}, "tested": {"PVM(sqr)": {"other": 2}, "L1-LRK": {"big": 1, "other": 2}}}
    first = [{"dataset": key, "method": method, "draw": 0} for method in fig4.METHODS for key in ("a", "big")]
    assert fig4.tasks(params)[:4] == first
    assert {"dataset": "big", "method": "L1-LRK", "draw": 1} not in fig4.tasks(params) and len(fig4.tasks(params)) == 7


def test_figure_3_adds_prototypes_without_moving_those_that_exist():
    params = {"datasets": {"a": {}}, "methods": ["PVM(sqr)"], "label_draws": 1, "prototypes": {25: 2}, "tested": {}}
    old = fig3.tasks(params)
    new = fig3.tasks(params | {"tested": {600: 1, 25: 3}})
    assert all(task in new for task in old)
    assert [task["value"] for task in new if task not in old] == [600, 25]
    assert relevant(params | {"tested": {600: 1}}, old[0]) == relevant(params, old[0])


def test_number_of_prototypes_is_that_of_table_2():
    assert [zhang2015.n_prototypes(n) for n in (1500, 400, 1000, 2310, 3186, 7291)] == [150, 40, 100, 231, 200, 200]


def test_large_sets_expand_over_centres():
    rng = np.random.default_rng(0)
    points = Points(rng.normal(size=(4100, 2)), PARAMS, 0)
    assert points.basis.shape == (1000, 2)
    assert Points(points.X[:4000], PARAMS, 0).basis is None


class Seeds:
    """Stand-in for a store: it knows seeds only, and remembers for what they were asked."""

    def __init__(self):
        self.asked = []

    def seed_sequence(self, task, *keys):
        self.asked.append(tuple(task[key] for key in keys))
        return np.random.SeedSequence(0)

    def random_state(self, task, *keys):
        self.asked.append(tuple(task[key] for key in keys))
        return len(self.asked)


def test_centres_belong_to_draws_not_to_methods_or_scalings():
    params = {"datasets": {"a": {}, "a_raw": {"draws_of": "a"}}}
    store = Seeds()
    for task in ({"dataset": "a", "method": "NFI"}, {"dataset": "a_raw", "method": "PVM(sqr)"}):
        zhang2015.centre_seed(task, 3, params, store)
    assert store.asked == [("a", 3), ("a", 3)]


def test_the_dna_file_holds_splice_in_another_coding():
    bits = np.array([[1, 0, 0, 0, 1, 0], [0, 0, 1, 0, 0, 0]])
    X, y = zhang2015.as_splice(bits, np.array([0, 2]))
    assert X.tolist() == [[1, 3], [2, 4]] and y.tolist() == [0, 1]


def test_tasks_name_what_they_compute_and_no_scheduling():
    params = {"datasets": {"a": {}, "b": {"skip": ["LGC"]}}, "methods": ["LGC", "NFI"]}
    assert table3.tasks(params) == [{"dataset": key, "method": method} for key, method in
                                    (("a", "LGC"), ("a", "NFI"), ("b", "NFI"))]  # fmt: skip


def test_prototypes_and_svm_agree_on_two_moons():
    X, y = make_moons(200, noise=0.15, random_state=0)
    svm, prototypes = fig1.models(X, y, 3.0, 6)
    assert isinstance(svm, mr.SVM) and prototypes.prototypes.shape == (12, 2)
    assert fig1.agreement(svm, prototypes, X) > 90


def test_coordinates_through_prototypes_keep_every_distance_that_pvm_sees():
    X = np.random.default_rng(3).normal(size=(120, 40))
    params = {"n_prototypes": 12}
    whole, seen = Points(X, params, 5), seen_by_prototypes(X, params, 5)
    assert seen.X.shape == (120, 12)
    for left, right in (((whole.X, whole.centres), (seen.X, seen.centres)), ((whole.centres,), (seen.centres,))):
        assert np.allclose(euclidean_distances(*left, squared=True), euclidean_distances(*right, squared=True))
    few = seen_by_prototypes(X[:, :8], params, 5)
    assert few.X.shape == (120, 8)


def test_equation_23_by_hand_is_the_library_and_the_encoding_error_bounds_the_kernel(problem):
    X, y, draw = problem
    V = Points(X, {"n_prototypes": 15}, 0).centres
    squares = euclidean_distances(X, V, squared=True)
    E, W = np.exp(-WIDTH * squares), np.exp(-WIDTH * euclidean_distances(V, squared=True))
    values = theory.square_machine(E, W, E, draw, 10.0)
    model = mr.PVM(prototypes=V, gamma=WIDTH, C1=10.0, C2=0.0, laplacian="unnormalized").fit(X, draw.partial())
    assert np.allclose(values[:, 0], model.decision_function(X), atol=1e-5 * np.abs(values).max())
    K = np.exp(-WIDTH * euclidean_distances(X, squared=True))
    assert np.linalg.norm(K - theory._low_rank(E, W)) <= 2 * WIDTH * squares.min(axis=1).sum()
    halved = np.where(squares <= np.median(squares, axis=0), E, 0.0)
    assert not np.allclose(theory.square_machine(E, W, halved, draw, 10.0), values)


def test_exponents_are_slopes_over_the_larger_sizes():
    rows = pd.DataFrame([
        {"dataset": "d", "method": "M", "n": n, "draw": k, "fit_seconds": 1e-9 * n**3, "point_seconds": 1e-6,
         "data_source": "local"} for n in (10, 1000, 2000) for k in range(2)
    ])  # fmt: skip
    rows.loc[rows["n"] == 10, "fit_seconds"] = 1.0
    found = growth.summarise(rows, {"n_prototypes": 5, "exponent_from": 1000}).set_index(["setting", "metric"])["mean"]
    assert np.isclose(found["fitted over n, training_seconds", "exponent"], 3.0)
    assert np.isclose(found["fitted over n, seconds_per_point", "exponent"], 0.0)
