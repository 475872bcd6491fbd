"""The shortcuts of chen2012's sweeps against the plain computations they replace."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

import mr
from experiments.chen2012 import protocol as chen2012
from experiments.chen2012 import table2 as chen2012_table2
from experiments.chen2012.large import LargeSet, best_cell, nearest_in
from experiments.chen2012.large_methods import METHODS, Anchors, SingleGram
from experiments.chen2012.methods import span_fit
from mr.kernels import Kernel
from mr.solvers.eigenfunction import solve_in_span
from mr.solvers.epsilon_newton import solve_epsilon_svr_newton
from mr.spectrum import smallest_eigenpairs

N_EV, ROWS = 12, np.array([0, 3, 50, 77])


@pytest.fixture(scope="module")
def moons():
    X, classes = make_moons(120, noise=0.08, random_state=0)
    graph = mr.KNNGraph(n_neighbors=15, power=2).fit(X)
    assert graph.n_components_ == 1
    return X, np.where(classes == 1, 1.0, -1.0), graph, smallest_eigenpairs(graph, 20)


def erls_by_definition(K, pairs, rows, y, C, mu, weight):
    embedding = chen2012.graph_kernel(pairs, N_EV, rows, y, weight, mu, 2)
    system = K + embedding.features @ embedding.features.T + np.eye(len(K)) / C
    return K @ np.linalg.solve(system, embedding.targets[:, 0])


@pytest.mark.parametrize(("C", "mu", "weight"), [(0.1, 1.0, 100.0), (100.0, 0.01, 1e4), (1e4, 100.0, 100.0)])
def test_erls_sweep_is_laperls_and_its_leave_one_out(moons, C, mu, weight):
    X, y, _, pairs = moons
    K = Kernel("rbf", "mean").fit(X)(X)
    values, loo = chen2012.ErlsSweep(K, pairs, N_EV, 2).fit(ROWS, y, C, mu, weight)
    assert np.allclose(values, erls_by_definition(K, pairs, ROWS, y, C, mu, weight), atol=1e-6)
    for i, row in enumerate(ROWS):
        without = erls_by_definition(K, pairs, np.delete(ROWS, i), y, C, mu, weight)
        assert loo[i] == pytest.approx(without[row], abs=1e-5)


def test_esvr_path_equals_cold_fits(moons):
    X, y, _, pairs = moons
    K = Kernel("rbf", "mean").fit(X)(X)
    embedding = chen2012.graph_kernel(pairs, N_EV, ROWS, y, 100.0, 1.0, 2)
    Q = K + embedding.features @ embedding.features.T
    for C, values, _ in chen2012.lap_esvr_path(K, embedding, [100.0, 0.1, 1.0, 1e4], tol=1e-8):
        cold = solve_epsilon_svr_newton(Q, embedding.targets[:, 0], C, tol=1e-8)
        assert np.allclose(values, K @ cold.coefficients + cold.bias, atol=1e-5)


def test_span_fit_is_the_system_of_fergus_and_its_leave_one_out():
    rng = np.random.default_rng(0)
    U, eigenvalues = rng.standard_normal((40, 6)), rng.uniform(0.1, 1, 6)
    y = rng.choice([-1.0, 1.0], 40)
    values, loo = span_fit(U, eigenvalues, np.array([0, 3, 7]), y[[0, 3, 7]], 10.0)
    alpha = solve_in_span(U, eigenvalues, np.array([0, 3, 7]), y[[0, 3, 7]][:, None], 10.0)
    assert np.allclose(values, (U @ alpha)[:, 0])
    without = solve_in_span(U, eigenvalues, np.array([3, 7]), y[[3, 7]][:, None], 10.0)
    assert loo[0] == pytest.approx(float((U[0] @ without)[0]))


def test_graph_of_a_subset_from_a_wider_search():
    X = np.random.default_rng(0).standard_normal((300, 3))
    wide = mr.KNNGraph(n_neighbors=20, sigma=0.7).fit(X)
    rows = np.sort(np.random.default_rng(1).permutation(300)[:240])
    expected = mr.KNNGraph(n_neighbors=5).fit(X[rows]).affinity_
    assert abs(nearest_in(wide.affinity_, rows, 5, 0.7) - expected).max() < 1e-9


def test_draws_are_disjoint_complete_and_hold_every_class():
    data = type("Data", (), {"X": np.zeros((60, 2)), "y": np.arange(60) % 3, "splits": {}})()
    large = LargeSet(data, {"task": "odd digits", "per_class": 4})
    for labelled, validation, rest in large.draws(np.random.SeedSequence(0), 3, 20):
        assert len(labelled) == 12 and len(validation) == 20
        assert np.array_equal(np.sort(np.concatenate([labelled, validation, rest])), np.arange(60))
        assert np.array_equal(np.bincount(data.y[labelled]), [4, 4, 4])


def test_best_cell_is_best_on_average():
    assert best_cell([[("a", 1.0), ("b", 3.0)], [("a", 6.0), ("b", 3.0)]]) == "b"


def test_single_precision_gram_and_anchor_weights(moons):
    X, y, _, _ = moons
    kernel = Kernel("rbf", 1.0).fit(X)
    v = np.linspace(-1, 1, 120)[:, None]
    assert np.allclose(SingleGram(kernel, X, block=50) @ v, kernel(X) @ v, atol=1e-4)
    values, decide = Anchors(X, 30, np.random.RandomState(0)).fit(np.arange(120), ROWS, y)
    model = mr.AnchorGraph(n_anchors=30, kmeans_iter=5, random_state=0)
    labels = np.full(120, -1)
    labels[ROWS] = (y[ROWS] > 0).astype(int)
    assert (np.sign(values) == np.sign(model.fit(X, labels).decision_function(X))).mean() > 0.99


def test_every_method_of_the_tables_is_there():
    assert set(METHODS) >= {"SVR(Linear)", "SVR(RBF)", "LapRLS(Linear)", "PLapSVM", "LapESVR"}
    assert len(chen2012_table2.METHODS) == 8
