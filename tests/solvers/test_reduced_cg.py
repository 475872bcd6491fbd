"""Conjugate gradients over a basis: against the direct solution, and the preconditioner that contains the graph."""

import numpy as np
import pytest
from scipy import linalg

import mr
from mr.estimators import _manifold, laprls
from mr.graph import KNNGraph
from mr.graph.blocks import RowBlocks
from mr.kernels import Kernel
from mr.kernels.features import HeldFeatures, StreamedFeatures
from mr.solvers.prototypes import nystrom_map
from mr.solvers.reduced_cg import solve_reduced_cg

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(size=(400, 4)), rng.normal(size=(400, 4)) + 2.0])
POINTS = X[::20]
KERNEL = Kernel("rbf", 0.3).fit(X)
TRANSFORM = nystrom_map(KERNEL(POINTS))
ROWS = np.arange(0, 800, 40)
TARGETS = np.column_stack([np.where(ROWS < 400, 1.0, -1.0), rng.normal(size=len(ROWS))])
RIDGE = 0.05


def direct(graph, ratio, weights):
    R = KERNEL(X, POINTS) @ TRANSFORM
    system = np.eye(R.shape[1]) + ratio * R.T @ (graph.laplacian_ @ R)
    system += R[ROWS].T @ (weights[:, None] * R[ROWS]) / RIDGE
    return linalg.solve(system, R[ROWS].T @ (weights[:, None] * TARGETS) / RIDGE)


@pytest.mark.parametrize("laplacian", ["normalized", "unnormalized"])
@pytest.mark.parametrize("ratio", [0.0, 1.0, 1e4])
def test_it_finds_the_direct_solution(laplacian, ratio):
    graph, weights = KNNGraph(6, laplacian=laplacian).fit(X), rng.uniform(0.5, 2.0, len(ROWS))
    for features in (
        HeldFeatures(KERNEL(X, POINTS) @ TRANSFORM),
        StreamedFeatures(KERNEL, RowBlocks(np.array_split(X, 5)), POINTS, TRANSFORM),
    ):
        found = solve_reduced_cg(features, graph, ROWS, TARGETS, RIDGE, ratio, weights)
        expected = direct(graph, ratio, weights)
        assert found.residual < 1e-9
        assert np.abs(found.weights - expected).max() < 1e-7 * np.abs(expected).max()


def test_iterations_grow_less_with_the_graph_in_the_preconditioner():
    graph, features = KNNGraph(6).fit(X), HeldFeatures(KERNEL(X, POINTS) @ TRANSFORM)

    def iterations(ratio, with_graph):
        solved = solve_reduced_cg(features, graph, ROWS, TARGETS, RIDGE, ratio, tol=1e-8, with_graph=with_graph)
        return solved.n_iter

    assert iterations(1e4, True) < 0.6 * iterations(1e4, False)
    assert iterations(1e4, True) < 4 * iterations(1.0, True)


def test_an_iteration_too_few_is_seen_in_the_residual():
    graph, features = KNNGraph(6).fit(X), HeldFeatures(KERNEL(X, POINTS) @ TRANSFORM)
    found = solve_reduced_cg(features, graph, ROWS, TARGETS, RIDGE, 100.0, max_iter=2)
    assert found.n_iter == 2 and found.residual > 1e-6


def test_laprls_over_a_wide_basis_is_the_same_machine(monkeypatch):
    truth = (np.arange(800) >= 400).astype(int)
    y = np.where(np.arange(800) % 40 == 0, truth, -1)
    machine = {"basis": 60, "random_state": 0, "gamma_A": 1e-2, "graph_weight": 10.0}
    expected = mr.LapRLS(**machine).fit(X, y)
    monkeypatch.setattr(_manifold, "HELD_BYTES", 0)
    monkeypatch.setattr(laprls, "WIDE_BASIS", 20)
    found = mr.LapRLS(**machine).fit(X, y)
    assert found.n_iter_ > 0 and found.residual_ < 1e-9 and not hasattr(expected, "n_iter_")
    assert np.allclose(found.decision_function(X), expected.decision_function(X), rtol=0, atol=1e-8)
    assert not hasattr(mr.LapRLS(basis=60, random_state=0).fit(X, y), "n_iter_")  # the choice made R'LR
