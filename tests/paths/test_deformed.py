"""Every machine of a path is the estimator fitted alone; held-out values are those of refits with hidden labels."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

import mr
from mr import paths

GRAPH = mr.KNNGraph(n_neighbors=6)


def problem(n, n_classes, per_class, seed=0):
    digits = load_digits(n_class=n_classes)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(digits.target))[:n]
    X, truth = digits.data[rows] / 16.0, digits.target[rows]
    y = np.full(len(rows), -1)
    for c in range(n_classes):
        members = np.flatnonzero(truth == c)[:per_class]
        y[members] = c
    return X, y


def as_columns(values):
    return values[:, None] if values.ndim == 1 else values


NORMS = {"gamma_A": [1e-5, 1e-3, 1e-1], "gamma_I": [0.0, 1.0, 1e3, 1e5]}
CASES = {
    "LapRLS": (paths.LapRLSPath, mr.LapRLS(gamma=0.5, graph=GRAPH), NORMS),
    "LapRLS linear": (paths.LapRLSPath, mr.LapRLS(kernel="linear", graph=GRAPH), NORMS),
    "LapRLS intercept": (paths.LapRLSPath, mr.LapRLS(gamma=0.5, graph=GRAPH, fit_intercept=True), NORMS),
    "LapRLS basis": (paths.LapRLSPath, mr.LapRLS(gamma=0.5, graph=GRAPH, basis=150, random_state=0), NORMS),
    "LapSVM": (paths.LapSVMPath, mr.LapSVM(gamma=0.5, graph=GRAPH, fit_intercept=True), NORMS),
    "LapSVM unbiased": (paths.LapSVMPath, mr.LapSVM(gamma=0.5, graph=GRAPH, fit_intercept=False), NORMS),
    "LapSVR": (paths.LapSVRPath, mr.LapSVR(gamma=0.5, graph=GRAPH), {"C": [0.1, 10.0], "mu": [0.0, 0.1, 10.0]}),
    "RLS": (paths.RLSPath, mr.RLS(gamma=0.5), {"gamma_A": [1e-5, 1e-2]}),
    "SVM": (paths.SVMPath, mr.SVM(gamma=0.5), {"gamma_A": [1e-3, 1e-1]}),
}
# Machines with a loss are solved to a relative duality gap of 1e-7, whose root is the accuracy of their values.
TOLERANCE = {"LapSVM": 2e-3, "LapSVM unbiased": 2e-3, "LapSVR": 2e-3, "SVM": 2e-3}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_path_is_the_estimator_at_every_cell(name, n_classes):
    cls, template, lists = CASES[name]
    X, y = problem(700, n_classes, 8)  # there are 360 images of two digits
    n = len(X) - 60
    X, X_new, y = X[:n], X[n:], y[:n]
    path = cls(template, X, X_new)
    for cell, fit in path.grid(y, **lists):
        alone = template.__class__(**(template.get_params(deep=False) | cell)).fit(X, y)
        scale = max(np.abs(fit.values).max(), 1e-3)
        tolerance = TOLERANCE.get(name, 1e-6) * scale
        assert np.abs(as_columns(alone.decision_function(X)) - fit.values).max() < tolerance, cell
        assert np.abs(as_columns(alone.decision_function(X_new)) - fit.new_values).max() < tolerance, cell


@pytest.mark.parametrize("name", CASES)
def test_held_out_values_are_those_of_refits(name):
    cls, template, lists = CASES[name]
    X, y = problem(300, 2, 6)
    rows = np.flatnonzero(y >= 0)
    folds = np.arange(len(rows)) % 3
    path = cls(template, X)
    for cell, values in path.held_out_grid(y, folds, **lists):
        for number in range(3):
            hidden = y.copy()
            hidden[rows[folds == number]] = -1
            expected = path.fit(hidden, **cell).values[rows[folds == number]]
            scale = max(np.abs(expected).max(), 1e-3)
            assert np.abs(expected - values[folds == number]).max() < TOLERANCE.get(name, 1e-6) * scale, cell


def test_unscaled_weights_are_the_same_problem():
    X, y = problem(300, 2, 5)
    path = paths.LapRLSPath(mr.LapRLS(gamma=0.5, graph=GRAPH), X)
    l, n = 10, len(X)
    scaled = path.fit(y, gamma_A=1e-3, gamma_I=10.0).values
    assert np.allclose(scaled, path.fit(y, ridge=1e-3 * l, smoothness=10.0 * l / n**2).values, rtol=1e-12)


def test_leave_one_out_with_unscaled_weights_keeps_the_ridge():
    X, y = problem(200, 2, 4)
    path = paths.LapRLSPath(mr.LapRLS(gamma=0.5, graph=GRAPH), X)
    values = path.held_out(y, ridge=1e-2, smoothness=1e-3)
    rows = np.flatnonzero(y >= 0)
    for i, row in enumerate(rows):
        hidden = y.copy()
        hidden[row] = -1
        assert np.isclose(values[i, 0], path.fit(hidden, ridge=1e-2, smoothness=1e-3).values[row, 0], rtol=1e-8)


def test_sparse_points():
    X, y = problem(300, 2, 5)
    template = mr.LapRLS(kernel="linear", graph=GRAPH)
    dense = paths.LapRLSPath(template, X).fit(y, gamma_A=1e-2, gamma_I=1.0).values
    assert np.allclose(dense, paths.LapRLSPath(template, sparse.csr_array(X)).fit(y, gamma_A=1e-2, gamma_I=1.0).values)


def test_real_size_grid_of_laprls():
    """The 7 x 7 grid of chen2012 on 1500 points. With a ridge of 1e-6 the LU of the estimator loses digits itself."""
    X, y = problem(1500, 10, 5)
    path = paths.LapRLSPath(mr.LapRLS(gamma="mean", graph=GRAPH), X)
    weights = [1e-6, 1e-4, 1e-2, 1e-1, 1.0, 10.0, 100.0]
    l, n = int((y >= 0).sum()), len(X)
    checked = 0
    for cell, fit in path.grid(y, ridge=weights, smoothness=weights):
        if (cell["ridge"], cell["smoothness"]) not in {(1e-6, 1e-2), (1e-2, 1e-2), (1.0, 100.0), (100.0, 1e-6)}:
            continue
        alone = mr.LapRLS(cell["ridge"] / l, cell["smoothness"] * n**2 / l, gamma="mean", graph=GRAPH).fit(X, y)
        assert np.abs(alone.decision_function(X) - fit.values).max() < 1e-5 * np.abs(fit.values).max()
        checked += 1
    assert checked == 4


def test_what_a_path_cannot_do_is_said():
    X, y = problem(100, 2, 3)
    with pytest.raises(TypeError, match="takes LapRLS or LapRLSRegressor as template; got LapSVM"):
        paths.LapRLSPath(mr.LapSVM(), X)
    with pytest.raises(ValueError, match="balance=None only"):
        paths.LapRLSPath(mr.LapRLS(balance="class-mass"), X)
    path = paths.LapRLSPath(mr.LapRLS(), X)
    with pytest.raises(TypeError, match="varies gamma_A, gamma_I, graph_weight, ridge, smoothness; got 'C'"):
        path.fit(y, C=1.0)
    with pytest.raises(TypeError, match="belong together"):
        path.fit(y, ridge=1.0)
    with pytest.raises(ValueError, match="one value for each of the 100 points"):
        path.fit(y[:50])
    with pytest.raises(ValueError, match="one number for each of the 6 labelled points"):
        path.held_out(y, folds=[0, 1])
    with pytest.raises(TypeError, match="takes a list of values"):
        list(path.grid(y, gamma_A=1.0))


def test_regression():
    X, _ = problem(200, 2, 3)
    target = np.where(np.arange(200) % 10 == 0, X.sum(axis=1), np.nan)
    path = paths.LapRLSPath(mr.LapRLSRegressor(gamma=0.5, graph=GRAPH), X)
    alone = mr.LapRLSRegressor(1e-3, 1.0, gamma=0.5, graph=GRAPH).fit(X, target)
    assert np.allclose(alone.predict(X), path.fit(target, gamma_A=1e-3, gamma_I=1.0).values[:, 0], rtol=1e-6)
