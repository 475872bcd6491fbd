"""LapRLS against its objective and its limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg
from sklearn.datasets import load_digits, make_moons

from mr import RLS, KNNGraph, LapRLS, LapRLSRegressor


def problem(n, labelled, seed):
    X, classes = make_moons(n, noise=0.2, random_state=seed)
    return X, np.where(np.arange(n) < labelled, classes, -1)


@settings(max_examples=20, deadline=None)
@given(st.integers(12, 60), st.integers(0, 1000), st.floats(-4, 0), st.floats(-1, 4), st.integers(1, 3))
def test_gradient_of_the_objective_is_zero(n, seed, log_A, log_I, power):
    X, y = problem(n, 8, seed)
    if len(np.unique(y)) < 3:
        return
    gamma_A, gamma_I = 10.0**log_A, 10.0**log_I
    model = LapRLS(gamma_A, gamma_I, gamma=2.0, graph=KNNGraph(5, power=power)).fit(X, y)
    K, alpha, rows = model.kernel_(X), model.dual_coef_[:, 0], np.arange(8)
    f = K @ alpha
    # the gradient in alpha, 2 K g, is zero; g itself is zero where K is regular, and small relative to its terms
    g = gamma_A * alpha + gamma_I / n**2 * model.graph_.apply(f)
    g[rows] += (f[rows] - (2.0 * y[rows] - 1)) / 8
    assert np.abs(K @ g).max() < 1e-9


def test_gamma_I_zero_is_regularised_least_squares():
    X, y = problem(80, 10, 0)
    for kernel in ("rbf", "linear", "poly", "cosine"):
        lap = LapRLS(gamma_A=0.01, gamma_I=0.0, kernel=kernel).fit(X, y).decision_function(X)
        assert np.allclose(lap, RLS(gamma_A=0.01, kernel=kernel).fit(X, y).decision_function(X), atol=1e-8)


def test_vanishing_ambient_norm_approaches_the_graph_solution():
    X, y = problem(60, 10, 1)
    n, l, gamma_I = 60, 10, 5.0
    graph = KNNGraph(6, laplacian="unnormalized").fit(X)
    J = np.diag((np.arange(n) < l).astype(float))
    signed = np.where(y == -1, 0.0, 2.0 * y - 1)
    limit = linalg.solve(J + gamma_I * l / n**2 * graph.laplacian_.toarray(), signed)
    distances = []
    for gamma_A in (1e-3, 1e-6, 1e-9):
        # a narrow kernel, so that its functions reach every value on the points
        model = LapRLS(gamma_A, gamma_I, gamma=2000.0, graph=KNNGraph(6, laplacian="unnormalized")).fit(X, y)
        distances.append(np.abs(model.decision_function(X) - limit).max())
    assert distances[0] > distances[1] > distances[2] and distances[2] < 1e-3


def test_several_classes_are_separate_binary_problems():
    X, classes = load_digits(n_class=4, return_X_y=True)
    X, classes = X[:150] / 16, classes[:150]
    y = np.where(np.arange(150) < 40, classes, -1)
    together = LapRLS(gamma=0.1).fit(X, y).decision_function(X)
    for c in range(4):
        one = np.where(y == -1, -1, (y == c).astype(int))
        assert np.allclose(LapRLS(gamma=0.1).fit(X, one).decision_function(X), together[:, c], atol=1e-9)


def test_regression_interpolates_along_the_manifold():
    t = np.linspace(0, 3, 150)
    X = np.column_stack([np.cos(2 * t), np.sin(2 * t), t])
    y = np.where(np.arange(150) % 15 == 0, t, np.nan)
    model = LapRLSRegressor(gamma_A=1e-6, gamma_I=1e-3, gamma=0.1).fit(X, y)
    assert np.abs(model.predict(X) - t).max() < 0.2


@pytest.mark.parametrize("basis", [None, "all"])
def test_new_points_continue_the_training_points(basis):
    X, y = problem(80, 10, 2)
    model = LapRLS(gamma=5.0, basis=None if basis is None else X).fit(X, y)
    assert np.allclose(model.decision_function(X + 1e-9), model.decision_function(X), atol=1e-6)
