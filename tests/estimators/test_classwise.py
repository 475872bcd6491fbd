"""Class-wise regularisation of belkin2006, section 6.2, against its formula with an explicit block matrix."""

import numpy as np
import pytest
from scipy import linalg
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from mr import RLS, KNNGraph, LapRLS, LapSVM, PrecomputedGraph


@pytest.fixture
def problem():
    X, y = make_moons(60, noise=0.15, random_state=0)
    n = len(X)
    K = np.exp(-np.square(X[:, None] - X).sum(-1))
    blocks = np.zeros((n, n))
    for c, weight in ((0, 3.0), (1, 50.0)):
        rows = np.flatnonzero(y == c)
        L = KNNGraph(5).fit(X[rows]).laplacian_.toarray()
        blocks[np.ix_(rows, rows)] = weight * L @ L
    return X, y, K, blocks


def test_rls(problem):
    X, y, K, blocks = problem
    n = len(X)
    alpha = linalg.solve(K + 0.01 * n * np.eye(n) + blocks @ K / n, 2.0 * y - 1)
    model = LapRLS(gamma_A=0.01, gamma=1.0, graph=KNNGraph(5, power=2), class_gamma_I=[3.0, 50.0]).fit(X, y)
    assert np.allclose(model.decision_function(X), K @ alpha, atol=1e-9)


def test_svm(problem):
    X, y, K, blocks = problem
    n = len(X)
    deformed = K @ linalg.inv(np.eye(n) + blocks @ K / (0.01 * n**2))
    svc = SVC(C=1 / (0.02 * n), kernel="precomputed", tol=1e-8).fit(deformed, y)
    graph = KNNGraph(5, power=2)
    model = LapSVM(gamma_A=0.01, gamma=1.0, graph=graph, class_gamma_I=[3.0, 50.0], fit_intercept=True).fit(X, y)
    assert np.abs(model.decision_function(X) - svc.decision_function(deformed)).max() < 1e-4


def test_affinity_matrices_are_cut_to_the_classes(problem):
    X, y, _, _ = problem
    affinity = KNNGraph(5, weights="binary").fit(X).affinity_
    cut = affinity.toarray() * (y[:, None] == y)
    expected = LapRLS(gamma_I=7.0, graph=cut, gamma=1.0).fit(X, y).decision_function(X)
    for graph in (affinity, affinity.toarray(), PrecomputedGraph(affinity)):
        model = LapRLS(class_gamma_I=[7.0, 7.0], graph=graph, gamma=1.0).fit(X, y)
        assert np.allclose(model.decision_function(X), expected)


def test_zero_weights_are_plain_regularisation(problem):
    X, y, _, _ = problem
    model = LapRLS(gamma_A=0.01, class_gamma_I=[0.0, 0.0]).fit(X, y)
    assert np.allclose(model.decision_function(X), RLS(gamma_A=0.01).fit(X, y).decision_function(X))


def test_one_weight_a_class(problem):
    X, y, _, _ = problem
    with pytest.raises(ValueError, match="one weight >= 0 for each of the 2 classes"):
        LapRLS(class_gamma_I=[1.0]).fit(X, y)
