"""AGMRPath: every cell is the AGMR estimator fitted alone, and held-out values are those of refits."""

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.datasets import load_digits

import mr
from mr.paths import AGMRPath

CELLS = {
    "entropy": {"gamma_1": [0.1, 10.0], "gamma_2": [0.01, 1.0], "eta": [0.1, 1.0]},
    "sparse": {"gamma_1": [0.1, 10.0], "gamma_2": [0.01, 1.0], "eta_1": [0.1, 1.0]},
}
ONES = {"gamma_1": 1.0, "gamma_2": 1.0, "eta": 1.0, "eta_1": 1.0, "basis": None, "support": None}
PAPER = ONES | {"kernel": "linear", "graph": mr.KNNGraph(10, laplacian="unnormalized")}
# Path and estimator run the same steps. A BLAS may round the products of one call and the next differently (threads);
# pair steps that stop at a tolerance of 1e-5 can pass such a difference on.
TOLERANCE = {"entropy": 1e-9, "sparse": 1e-5}


def problem(n, classes, per_class, seed=0):
    digits = load_digits()
    rows = np.flatnonzero(np.isin(digits.target, classes))
    rows = np.random.default_rng(seed).permutation(rows)[:n]
    X, truth = digits.data[rows] / 16.0, digits.target[rows]
    y = np.full(len(rows), -1)
    for c in classes:
        y[np.flatnonzero(truth == c)[:per_class]] = c
    return X, y


def as_columns(values):
    return values[:, None] if values.ndim == 1 else values


def agree(path, template, y, lists, tolerance):
    for cell, fit in path.grid(y, **lists):
        alone = template.__class__(**(template.get_params(deep=False) | cell)).fit(path.X, y)
        scale = np.abs(fit.values).max()
        assert np.abs(as_columns(alone.decision_function(path.X)) - fit.values).max() < tolerance * scale, cell
        assert np.abs(as_columns(alone.decision_function(path.X_new)) - fit.new_values).max() < tolerance * scale, cell
        assert fit.info["n_iter"] == alone.n_iter_ and fit.info["converged"] == alone.converged_
        assert np.allclose(fit.info["objective"], alone.objective_, rtol=tolerance)


@pytest.mark.parametrize("penalty", ["entropy", "sparse"])
@pytest.mark.parametrize("support", [None, 30])
def test_path_is_the_estimator_at_every_cell(penalty, support):
    X, y = problem(357, [3, 8], 10)
    template = mr.AGMR(penalty, **PAPER | {"support": support}, max_iter=15, tol=1e-3)
    path = AGMRPath(template, X[:300], X[300:])
    agree(path, template, y[:300], CELLS[penalty], TOLERANCE[penalty])


@pytest.mark.parametrize("penalty", ["entropy", "sparse"])
def test_several_classes_and_a_kernel_at_600_points(penalty):
    X, y = problem(640, [1, 3, 5, 8], 10)
    template = mr.AGMR(penalty, **ONES | {"support": 20}, gamma=0.3, max_iter=5, tol=1e-3)
    path = AGMRPath(template, X[:600], X[600:])
    lists = {"gamma_1": [1.0, 100.0], "gamma_2": [0.1]}
    agree(path, template, y[:600], lists, 10 * TOLERANCE[penalty])  # the expansion divides residuals by gamma_2 = 0.1


def test_more_features_than_points_and_labelled_sets_that_follow_each_other():
    X, _ = problem(50, [3, 8], 5)
    template = mr.AGMR("sparse", **PAPER | {"gamma_2": 0.5}, max_iter=5)
    path = AGMRPath(template, X[:40], X[40:])
    assert path.problem.functions[0].factor.shape[1] <= 40 < X.shape[1]
    for seed in range(3):
        y = np.full(40, -1)
        y[np.random.default_rng(seed).permutation(40)[:8]] = [0, 1] * 4
        agree(path, template, y, {"gamma_1": [1.0]}, 1e-5)


def test_sparse_points():
    X, y = problem(300, [3, 8], 10)
    for penalty in CELLS:
        template = mr.AGMR(penalty, **PAPER | {"support": 20})
        dense = AGMRPath(template, X).fit(y, gamma_1=10.0).values
        found = AGMRPath(template, sparse.csr_array(X)).fit(y, gamma_1=10.0).values
        assert np.allclose(dense, found, atol=TOLERANCE[penalty])


@pytest.mark.parametrize("penalty", ["entropy", "sparse"])
def test_held_out_values_are_those_of_refits(penalty):
    X, y = problem(300, [3, 8], 9)
    path = AGMRPath(mr.AGMR(penalty, **PAPER | {"support": 20}, tol=1e-3), X)
    rows = np.flatnonzero(y >= 0)
    folds = np.arange(len(rows)) % 3
    for cell, values in path.held_out_grid(y, folds, gamma_1=[1.0, 10.0]):
        for number in range(3):
            hidden = y.copy()
            hidden[rows[folds == number]] = -1
            expected = path.fit(hidden, **cell).values[rows[folds == number]]
            assert np.allclose(expected, values[folds == number], atol=1e-9)


@pytest.mark.parametrize("penalty", ["entropy", "sparse"])
@pytest.mark.parametrize("folds", [None, 3])
def test_held_out_on_the_fixed_graph_is_a_refit_of_f_on_the_adapted_graph(penalty, folds):
    X, y = problem(300, [3, 8], 6)
    cell = {"gamma_1": 10.0, "gamma_2": 0.1}
    path = AGMRPath(mr.AGMR(penalty, **PAPER, tol=1e-3), X)
    rows = np.flatnonzero(y >= 0)
    folds = np.arange(len(rows)) % folds if folds else None
    found = path.held_out(y, folds, fixed_graph=True, **cell)
    W = mr.AGMR(penalty, **PAPER | cell, tol=1e-3).fit(X, y).affinity_.toarray()
    smoothness = 2.0 * X.T @ (np.diag(W.sum(axis=1)) - W) @ X  # sum_ij w_ij (f_i - f_j)^2 is 2 f'Lf
    signs = np.where(y == 8, 1.0, -1.0)
    for number in np.unique(np.arange(len(rows)) if folds is None else folds):
        held = (np.arange(len(rows)) if folds is None else folds) == number
        kept = rows[~held]
        system = smoothness + 10.0 * X[kept].T @ X[kept] + 0.1 * np.eye(X.shape[1])
        w = linalg.solve(system, 10.0 * X[kept].T @ signs[kept], assume_a="pos")
        assert np.allclose(X[rows[held]] @ w, found[held, 0], atol=1e-6)
    refits = path.held_out(y, folds, **cell)
    assert not np.allclose(refits, found, atol=1e-3)  # the graph has seen the labels: not the same thing


def test_information_is_the_divergence_of_a_row_from_the_uniform_row():
    X, y = problem(300, [3, 8], 6)
    template = mr.AGMR(**PAPER | {"eta": 0.05, "gamma_1": 100.0, "gamma_2": 0.01})
    fit = AGMRPath(template, X).fit(y)
    W = template.fit(X, y).weights_.toarray()
    n = len(X)
    positive = np.where(W > 0, W, 1.0)
    expected = (W * np.log(positive * (n - 1))).sum() / n
    assert fit.info["information"] == pytest.approx(expected, rel=1e-6) and expected > 0.05
    assert "information" not in AGMRPath(mr.AGMR("sparse", **PAPER | {"support": 10}), X).fit(y).info


def test_the_last_fit_serves_the_fixed_graph(monkeypatch):
    X, y = problem(300, [3, 8], 6)
    path = AGMRPath(mr.AGMR(**PAPER), X)
    solve, calls = path.problem.solve, []
    monkeypatch.setattr(path.problem, "solve", lambda *a, **k: calls.append(1) or solve(*a, **k))
    for cell, _ in path.grid(y, gamma_1=[1.0, 10.0]):
        path.held_out(y, fixed_graph=True, **cell)
    assert len(calls) == 2


def test_what_the_path_cannot_do_is_said():
    X, y = problem(60, [3, 8], 3)
    with pytest.raises(TypeError, match="varies gamma_1, gamma_2, eta; got 'eta_1'"):
        AGMRPath(mr.AGMR("entropy"), X).fit(y, eta_1=1.0)
    with pytest.raises(TypeError, match="takes AGMR as template; got LapRLS"):
        AGMRPath(mr.LapRLS(), X)
    with pytest.raises(ValueError, match="takes support=None"):
        AGMRPath(mr.AGMR("sparse", update="paper", support=5), X).fit(y)


@pytest.mark.parametrize("penalty", ["entropy", "sparse"])
def test_weights_that_choose_themselves_do_so_in_a_path_as_well(penalty):
    X, y = problem(357, [3, 8], 10)
    template = mr.AGMR(penalty, basis=None, max_iter=5)
    path = AGMRPath(template, X[:300], X[300:])
    agree(path, template, y[:300], {"gamma_1": ["auto", 10.0], "gamma_2": ["auto"]}, TOLERANCE[penalty])
    assert path.held_out(y[:300], fixed_graph=True).shape == (20, 1)
