"""Machines that choose their own weights: the choice is exact leave-one-out, scale free, and never wrong in silence."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

import mr
from mr.estimators._base import DegeneratePredictionWarning
from mr.estimators._manifold import GraphInfluenceWarning
from mr.solvers.choice import (
    can_hold_out,
    choose_by_balance,
    choose_cell,
    choose_regression_cell,
    class_mass_gap,
    held_out_margins,
)
from mr.solvers.graph_weight import GRAPH_WEIGHTS, leave_one_out

MACHINES = [mr.LapRLS, mr.LapSVM, mr.LapSVR, mr.PrimalLapSVM]


def moons(n=300, labels=12, noise=0.08, seed=0):
    X, truth = make_moons(n, noise=noise, random_state=seed)
    y = np.where(np.arange(n) < labels, truth, -1)
    return X, y, truth


def two_gaussians(n=400, labels=60, d=60, seed=0):
    """Overlapping clouds in many dimensions: neighbours say nothing about classes."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    X = rng.standard_normal((n, d)) + 0.35 * (2 * truth[:, None] - 1)
    return X, np.where(np.arange(n) < labels, truth, -1), truth


@pytest.mark.parametrize("machine", MACHINES)
def test_the_graph_counts_where_it_helps_and_not_where_it_misleads(machine):
    X, y, truth = moons()
    model = machine().fit(X, y)
    assert model.graph_weight_ >= 10 and model.score(X, truth) > 0.95 > mr.RLS().fit(X, y).score(X, truth)
    X, y, truth = two_gaussians()
    model = machine().fit(X, y)
    alone = SVC().fit(X[y != -1], y[y != -1])
    assert model.graph_weight_ <= 1 and model.score(X, truth) > alone.score(X, truth) - 0.02


@pytest.mark.parametrize("machine", MACHINES)
def test_the_choice_is_that_of_refits_without_the_label(machine):
    """The held-out values behind the choice are those of LapRLS fitted again with the label hidden."""
    X, y, _ = moons(80, 8)
    strong = mr.LapRLS(gamma_A=1e-3, graph_weight=10.0)
    path = mr.paths.LapRLSPath(mr.LapRLS(), X)
    held_out = path.held_out(y, ridge=8e-3, smoothness=8e-3 * 10.0 * path.unit)
    for row in np.flatnonzero(y != -1)[:4]:
        hidden = y.copy()
        hidden[row] = -1
        refitted = mr.LapRLS(gamma_A=8e-3 / 7, graph_weight=10.0).fit(X, hidden).decision_function(X[row : row + 1])
        assert refitted[0] == pytest.approx(held_out[row, 0], abs=1e-8)
    assert strong.fit(X, y).graph_weight_ == pytest.approx(10.0)
    given = machine(**({"C": 1.0, "mu": 3.0} if machine is mr.LapSVR else {"gamma_A": 0.1, "graph_weight": 3.0}))
    assert given.fit(X, y).graph_weight_ == pytest.approx(3.0)


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0])])
def test_leave_one_out_with_a_constant(weights):
    """Against machines without the label, from the bordered system (K + ridge / w) beta + b = y, 1'beta = 0."""
    rng = np.random.default_rng(0)
    R, targets = rng.standard_normal((6, 4)), rng.standard_normal((6, 2)) + 3.0
    K, w = R @ R.T, np.ones(6) if weights is None else weights
    without, with_constant = leave_one_out(K.copy(), targets, (0.7,), weights, (False, True))
    assert not np.allclose(without, with_constant, atol=0.1)
    for i in range(6):
        others = np.delete(np.arange(6), i)
        border = np.ones((5, 1))
        system = np.block(
            [[K[np.ix_(others, others)] + np.diag(0.7 / w[others]), border], [border.T, np.zeros((1, 1))]]
        )
        solved = np.linalg.solve(system, np.vstack([targets[others], np.zeros((1, 2))]))
        assert np.allclose(K[i, others] @ solved[:5] + solved[5], with_constant[i])


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0])])
def test_leave_one_out_in_closed_form(weights):
    rng = np.random.default_rng(0)
    R, targets = rng.standard_normal((6, 4)), rng.standard_normal((6, 2))
    K, w = R @ R.T, np.ones(6) if weights is None else weights
    for ridge, values in zip((0.1, 2.0), leave_one_out(K, targets, (0.1, 2.0), weights), strict=True):
        for i in range(6):
            others = np.delete(np.arange(6), i)
            beta = np.linalg.solve(K[np.ix_(others, others)] + np.diag(ridge / w[others]), targets[others])
            assert np.allclose(K[i, others] @ beta, values[i])


@pytest.mark.parametrize("laplacian, power", [("normalized", 1), ("unnormalized", 1), ("unnormalized", 2)])
@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_a_relative_weight_does_not_know_units(laplacian, power, scale):
    """Edge weights in other units change L and the unit of the ratio together, and the fit not at all."""
    X, y, _ = moons(120, 10)
    W = mr.KNNGraph(6).fit(X).affinity_
    values = [
        mr.LapRLS(graph_weight=5.0, graph=mr.PrecomputedGraph(c * W, laplacian=laplacian, power=power))
        .fit(X, y)
        .decision_function(X)
        for c in (1.0, scale)
    ]
    assert np.allclose(*values, atol=1e-7)


def test_a_relative_weight_means_the_same_at_every_n():
    """At one relative weight the graph halves the error of RLS from 200 to 3200 points; the paper's gamma_I fades."""
    for n in (200, 800, 3200):
        X, y, truth = moons(n, 10, seed=1)
        supervised = 1 - mr.RLS(gamma_A=1e-3).fit(X, y).score(X, truth)
        assert 1 - mr.LapRLS(gamma_A=1e-3, graph_weight=100.0).fit(X, y).score(X, truth) < 0.5 * supervised
        paper = mr.LapRLS(gamma_A=1e-3, gamma_I=1e-3 * 200**2 * 100.0).fit(X, y)
        assert paper.graph_weight_ == pytest.approx(100.0 * (200 / n) ** 2)


def test_the_papers_convention():
    X, y, _ = moons()
    model = mr.LapRLS(gamma_A=0.01, gamma_I=50.0).fit(X, y)
    assert (model.gamma_A_, model.gamma_I_) == pytest.approx((0.01, 50.0))
    assert mr.LapRLS(gamma_I=50.0).fit(X, y).gamma_A_ == pytest.approx(0.01)
    ratio = 50.0 / (0.01 * 300**2)
    assert model.graph_weight_ == pytest.approx(ratio, rel=1e-6)  # rbf kernel and normalised Laplacian: unit 1


def test_few_labels_take_the_strongest_graph_that_keeps_the_classes_shares():
    """Up to three labels per class nothing is held out: the choice is that of refits at every weight."""
    X, truth = make_moons(200, noise=0.05, random_state=0)
    y = np.full(200, -1)
    y[[np.flatnonzero(truth == c)[0] for c in (0, 1)]] = 0, 1
    assert mr.LapRLS().fit(X, y).graph_weight_ == pytest.approx(100.0)
    assert mr.LapRLS(gamma_A=0.1).fit(X, y).graph_weight_ <= 100.0
    assert mr.LapRLS(graph_weight=2.0).fit(X, y).graph_weight_ == pytest.approx(2.0)
    X, y, truth = two_gaussians(labels=6)
    targets, gaps = np.where(truth[:6] > 0, 1.0, -1.0)[:, None], []
    weights = [weight for weight in GRAPH_WEIGHTS if weight <= 100.0]
    for weight in weights:
        values = mr.LapRLS(gamma_A=1e-2, graph_weight=weight).fit(X, y).decision_function(X)
        gaps.append(class_mass_gap(values[:, None], targets))
    chosen = mr.LapRLS(gamma_A=1e-2).fit(X, y).graph_weight_
    assert chosen == pytest.approx(weights[choose_by_balance(gaps)])


def test_many_points_choose_on_a_sample_and_fit_on_all():
    X, truth = load_digits(return_X_y=True)
    y = np.where(np.arange(len(X)) < 80, truth, -1)
    model = mr.LapRLS().fit(X, y)
    assert len(model.points_) == len(X)
    same = mr.LapRLS(gamma_A=model.gamma_A_, graph_weight=model.graph_weight_).fit(X, y)
    assert np.allclose(same.decision_function(X), model.decision_function(X), atol=1e-8)
    assert model.score(X, truth) > mr.RLS().fit(X, y).score(X, truth) + 0.02


@pytest.mark.parametrize("machine", MACHINES)
def test_low_rank_kernels_are_not_formed(machine):
    """The thin form is the same machine: decision values on and off the data equal those of the whole Gram matrix."""
    X, y, _ = moons(1200, 20)
    new = make_moons(50, noise=0.1, random_state=5)[0]
    if machine is mr.LapSVR:
        model = machine(C=10.0, mu=20.0)
    else:
        model = machine(gamma_A=1e-3, graph_weight=20.0)
    thin = model.fit(X, y).decision_function(new)
    calls, gamma = [], model.kernel_.gamma_

    def kernel(A, B):
        calls.append(A.shape[0] * B.shape[0])
        return np.exp(-gamma * ((A[:, None] - B[None]) ** 2).sum(axis=-1))

    given = model.set_params(kernel=kernel).fit(X, y)
    assert max(calls) <= 64 * 64 and np.allclose(given.decision_function(new), thin, atol=1e-6)
    narrow = {"kernel": "rbf", "gamma": 1e4}  # far from low rank: the full form
    assert model.set_params(**narrow).fit(X, y).dual_coef_.shape == (1200, 1)


class TestWarnings:
    def test_an_inert_graph(self):
        X, y, _ = moons()
        with pytest.warns(GraphInfluenceWarning, match="no influence"):
            mr.LapRLS(gamma_A=1e-2, gamma_I=1e-3).fit(X, y)

    def test_a_graph_that_counts_or_is_switched_off_is_silent(self, recwarn):
        X, y, _ = moons()
        mr.LapRLS(gamma_A=1e-2, gamma_I=1e4).fit(X, y)
        mr.LapRLS(gamma_A=1e-2, gamma_I=0.0).fit(X, y)
        assert not [w for w in recwarn if issubclass(w.category, GraphInfluenceWarning)]

    def test_a_certificate_is_that_of_the_machine_itself(self):
        X, y, _ = moons()
        model = mr.LapSVM(gamma_A=1e-3, gamma_I=100.0, tol=1e-9).fit(X, y)
        assert model.dual_gap_ <= 1e-8

    def test_a_single_class(self):
        X, y, _ = moons(100, 20)
        y[np.flatnonzero(y == 1)[1:]] = -1
        with pytest.warns(DegeneratePredictionWarning, match="Every training point is predicted as class 0"):
            mr.LapRLS(gamma_A=10.0, gamma_I=0.0, gamma=1e-3).fit(X, y)

    def test_a_weight_that_leaves_only_the_graph(self):
        X, truth = load_digits(return_X_y=True)
        X, y = X[:300], np.where(np.arange(300) < 50, truth[:300], -1)
        with pytest.warns(DegeneratePredictionWarning, match="never predicted|Every training point"):
            model = mr.LapRLS(gamma_I=1e12).fit(X, y)
        assert (model.transduction_ != truth[:300]).mean() > 0.5

    def test_a_class_that_is_never_predicted(self):
        X, truth = load_digits(n_class=4, return_X_y=True)
        y = np.where(np.arange(len(X)) < 60, truth, -1)
        y[np.flatnonzero(y == 3)[1:]] = -1
        with pytest.warns(DegeneratePredictionWarning, match="1 of 4 classes are never predicted .*: 3"):
            mr.RLS(gamma_A=10.0, gamma=1e-5).fit(X, y)


def test_rare_classes_are_found():
    """Two labels against a hundred: the recall of the rare class must not vanish."""
    X, digits = (part[::2] for part in load_digits(return_X_y=True))
    truth = (digits == 0).astype(int)
    rng = np.random.default_rng(0)
    y = np.full(len(X), -1)
    y[rng.choice(np.flatnonzero(truth == 1), 2, replace=False)] = 1
    y[rng.choice(np.flatnonzero(truth == 0), 100, replace=False)] = 0
    assert (LabelSpreading(kernel="knn").fit(X, y).transduction_[truth == 1] == 1).mean() > 0.9
    for machine in [*MACHINES, mr.LapRLSCV, mr.LapERLS, mr.PVM, mr.LGC, mr.TSVM]:
        recall = np.mean(machine().fit(X, y).transduction_[truth == 1] == 1)
        assert recall > 0.5, (machine, recall)


@pytest.mark.parametrize("machine", [mr.LGC, mr.TSVM, mr.PVMCV])
@pytest.mark.parametrize("rare", [0, 1])
def test_a_class_with_few_labels_is_found_on_moons(machine, rare):
    """Both moons are of one size; the labels say 2 to 100."""
    X, truth = make_moons(400, noise=0.1, random_state=0)
    rng, y = np.random.default_rng(1), np.full(400, -1)
    for c, size in ((rare, 2), (1 - rare, 100)):
        y[rng.choice(np.flatnonzero(truth == c), size, replace=False)] = c
    found = machine().fit(X, y).transduction_
    recall = [np.mean(found[(y == -1) & (truth == c)] == c) for c in (rare, 1 - rare)]
    # a TSVM that is told the true shares finds all of a rare class, and takes a few points of the other for it
    least = (0.8, 0.9) if machine is mr.TSVM else (0.25, 0.95)
    assert recall[0] > least[0] and recall[1] > least[1], recall


class TestRule:
    def test_equal_cells_go_to_the_most_cautious(self):
        targets = np.array([[1.0], [1.0], [-1.0], [-1.0]])
        good, bad = 0.8 * targets, -0.8 * targets
        assert choose_cell([bad, good, good], targets, fallback=0) == 1
        assert choose_cell([good, bad, good], targets, fallback=1, caution=[3, 1, 2]) == 2

    def test_scale_of_values_does_not_matter(self):
        rng = np.random.default_rng(0)
        targets = np.where(np.arange(40) % 2, 1.0, -1.0)[:, None]
        cells = [targets + s * rng.standard_normal((40, 1)) for s in (3.0, 0.3, 1.0)]
        assert choose_cell(cells, targets, 0) == choose_cell([1e-6 * c for c in cells], targets, 0) == 1

    def test_one_label_of_a_class_says_nothing(self):
        assert not can_hold_out(np.array([[1.0], [-1.0], [-1.0]]))
        assert can_hold_out(np.array([[1.0], [1.0], [-1.0], [-1.0]]))
        assert choose_cell([np.zeros((3, 1))] * 3, np.array([[1.0], [-1.0], [-1.0]]), fallback=2) == 2

    def test_margins_of_several_classes(self):
        targets = np.array([[1.0, -1.0, -1.0], [-1.0, 1.0, -1.0]])
        values = np.array([[0.5, 0.1, -1.0], [0.7, 0.1, 0.0]])
        assert held_out_margins(values, targets) == pytest.approx([0.2, -0.3])

    def test_regression_by_squared_error(self):
        targets = np.linspace(0, 1, 30)[:, None]
        assert choose_regression_cell([targets * 0, targets + 0.01, targets + 0.02], targets) == 1


def test_the_choice_beyond_the_points_that_it_looks_at():
    """Digits repeated with noise, 5 labels per class drawn at random: a strong graph is worth much, and is chosen."""
    X, truth = load_digits(return_X_y=True)
    rng = np.random.default_rng(1)
    rows = np.concatenate([np.arange(len(X)), rng.integers(0, len(X), 400)])
    X, truth = X[rows] / 16 + 0.05 * rng.standard_normal((len(rows), X.shape[1])), truth[rows]
    y = np.full(len(X), -1)
    for c in range(10):
        y[rng.choice(np.flatnonzero(truth == c), 5, replace=False)] = c
    hidden, graph = y == -1, mr.KNNGraph(10, laplacian="unnormalized")
    chosen, without = (mr.LapRLS(gamma=0.05, graph=graph, graph_weight=weight).fit(X, y) for weight in ("auto", 0.0))
    errors = [np.mean(model.transduction_[hidden] != truth[hidden]) for model in (chosen, without)]
    assert chosen.graph_weight_ >= 10 and errors[0] < 0.6 * errors[1], (chosen.graph_weight_, errors)
