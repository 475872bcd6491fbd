"""LapRLS at the ends of its parameters (belkin2006, Table 2)."""

import numpy as np
import pytest
from scipy import linalg
from sklearn.datasets import make_moons

from mr import RLS, KNNGraph, LapRLS, LapRLSRegressor


def problem(n, labelled, seed):
    X, classes = make_moons(n, noise=0.2, random_state=seed)
    return X, np.where(np.arange(n) < labelled, classes, -1)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "cosine"])
def test_gamma_I_zero_is_regularised_least_squares(kernel):
    X, y = problem(80, 10, 0)
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
    assert distances[0] > distances[1] > distances[2] and distances[2] < 1e-4


def test_regression_interpolates_along_the_manifold():
    t = np.linspace(0, 3, 150)
    X = np.column_stack([np.cos(2 * t), np.sin(2 * t), t])
    y = np.where(np.arange(150) % 15 == 0, t, np.nan)
    model = LapRLSRegressor(gamma_A=1e-6, gamma_I=1e-3, gamma=0.1).fit(X, y)
    assert np.abs(model.predict(X) - t).max() < 0.2
