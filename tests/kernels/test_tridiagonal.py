"""The deformed kernel by tridiagonalisation against its definition."""

import numpy as np
import pytest

import mr
from mr.kernels import Kernel, TridiagonalDeformation, pivoted_cholesky

R_VALUES = [0.0, 1e-3, 1.0, 1e4]


def problem(n, d, k, power=1):
    X = np.random.default_rng(n).normal(size=(n, d))
    return Kernel("rbf", 0.5).fit(X)(X), mr.KNNGraph(k, power=power).fit(X)


@pytest.mark.parametrize("r", R_VALUES)
@pytest.mark.parametrize(("n", "d", "k", "power"), [(2, 1, 1, 1), (3, 2, 2, 1), (50, 2, 5, 1), (80, 20, 6, 2)])
def test_equals_the_definition(n, d, k, power, r):
    K, graph = problem(n, d, k, power)
    deformed = K @ np.linalg.inv(np.eye(n) + r * graph.apply(K))
    deformation = TridiagonalDeformation(pivoted_cholesky(K), graph)
    rows, others = np.arange(0, n, 2), np.arange(n)[::-1].copy()
    beta = np.random.default_rng(0).normal(size=(len(rows), 3))
    assert np.allclose(deformation.columns(rows, r), deformed[:, rows], atol=1e-9)
    assert np.allclose(deformation.block(rows, rows, r), deformed[np.ix_(rows, rows)], atol=1e-9)
    assert np.allclose(deformation.block(rows, others, r), deformed[np.ix_(rows, others)], atol=1e-9)
    coefficients = deformation.coefficients(rows, beta, r)
    assert np.allclose(K @ coefficients, deformed[:, rows] @ beta, atol=1e-7)


def test_blocks_are_symmetric_to_the_last_bit():
    K, graph = problem(60, 10, 5)
    block = TridiagonalDeformation(pivoted_cholesky(K), graph).block(rows := np.arange(20), rows, 10.0)
    assert (block == block.T).all()


def test_a_factor_of_one_column():
    X = np.array([[1.0], [2.0], [4.0]])
    graph = mr.KNNGraph(1).fit(X)
    rows = np.array([0, 2])
    expected = X * X.T @ np.linalg.inv(np.eye(3) + 2.0 * graph.apply(X * X.T))
    assert np.allclose(TridiagonalDeformation(X, graph).columns(rows, 2.0), expected[:, rows])


def test_weights_beyond_double_precision_are_refused():
    K, graph = problem(60, 2, 5)
    with pytest.raises(ValueError, match="beyond double precision"):
        TridiagonalDeformation(pivoted_cholesky(K), graph).columns(np.arange(5), 1e40)
