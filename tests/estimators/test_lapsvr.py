"""LapSVR against scikit-learn's SVR on a kernel deformed by plain inversion."""

import numpy as np
import pytest
from scipy import linalg
from sklearn.datasets import make_moons
from sklearn.svm import SVR

from mr import KNNGraph, LapSVR, LapSVRRegressor


@pytest.fixture
def moons():
    X, classes = make_moons(120, noise=0.1, random_state=1)
    return X, np.where(np.arange(120) < 12, classes, -1), classes


def deformed(X, graph, gamma, mu):
    K = np.exp(-gamma * np.square(X[:, None] - X).sum(-1))
    L = np.linalg.matrix_power(graph.laplacian_.toarray(), graph.power)
    return K @ linalg.inv(np.eye(len(X)) + mu * L @ K)


@pytest.mark.parametrize("mu, C", [(0.0, 1.0), (0.1, 10.0), (10.0, 100.0)])
def test_is_svr_on_the_deformed_kernel(moons, mu, C):
    X, y, _ = moons
    model = LapSVR(C=C, mu=mu, epsilon=0.1, gamma=1.0, graph=KNNGraph(8, power=2)).fit(X, y)
    K = deformed(X, model.graph_, 1.0, mu)
    svr = SVR(C=C, epsilon=0.1, kernel="precomputed", tol=1e-8).fit(K[:12, :12], 2.0 * y[:12] - 1)
    assert np.abs(model.decision_function(X) - svr.predict(K[:, :12])).max() < 1e-3
    assert model.dual_gap_ < 1e-6


def test_regressor_follows_a_curve_through_few_points():
    t = np.linspace(0, 3, 150)
    X = np.column_stack([np.cos(2 * t), np.sin(2 * t), t])
    y = np.where(np.arange(150) % 15 == 0, t, np.nan)
    model = LapSVRRegressor(C=100.0, mu=1e-3, epsilon=0.01, gamma=0.1).fit(X, y)
    assert np.abs(model.predict(X) - t).max() < 0.2 and model.dual_gap_ < 1e-6


def test_classifier_uses_unlabelled_points(moons):
    X, y, classes = moons
    graph = KNNGraph(8)
    with_graph = (LapSVR(C=10.0, mu=10.0, gamma=5.0, graph=graph).fit(X, y).transduction_ == classes).mean()
    without = (LapSVR(C=10.0, mu=0.0, gamma=5.0, graph=graph).fit(X, y).transduction_ == classes).mean()
    assert with_graph > without + 0.05


def test_reduced_basis(moons):
    X, y, _ = moons
    exact = LapSVR(gamma=20.0).fit(X, y).decision_function(X)
    assert np.abs(LapSVR(gamma=20.0, basis=X).fit(X, y).decision_function(X) - exact).max() < 1e-4
