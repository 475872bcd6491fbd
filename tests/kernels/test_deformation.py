"""The deformed kernel against its definition K (I + r L K)^-1, inverted outright."""

import numpy as np
import pytest

from mr.graph import KNNGraph
from mr.kernels import Kernel, SharedDeformation, deform_factor, deform_once, multiply, pivoted_cholesky, reduced_factor

rng = np.random.default_rng(1)
X = rng.standard_normal((60, 3))
ROWS = np.array([0, 7, 31, 50])
RATIOS = [0.0, 1e-3, 1.0, 1e3]


def reference(K, graph, r):
    n = len(K)
    return K @ np.linalg.inv(np.eye(n) + r * graph.apply(np.eye(n)) @ K)


@pytest.fixture(params=[1, 2], ids=["L", "L2"])
def graph(request):
    return KNNGraph(n_neighbors=5, power=request.param).fit(X)


@pytest.fixture(params=["rbf", "smooth rbf", "linear"])
def gram(request):
    kernel = {"rbf": Kernel("rbf", 2.0), "smooth rbf": Kernel("rbf", 0.01), "linear": Kernel("linear")}[request.param]
    return kernel.fit(X)(X)


def test_pivoted_cholesky_reveals_the_rank(gram):
    R = pivoted_cholesky(gram)
    assert np.allclose(R @ R.T, gram, atol=1e-10)
    assert R.shape[1] <= np.linalg.matrix_rank(gram, tol=1e-15) + 3


@pytest.mark.parametrize("r", RATIOS)
def test_one_factorisation_serves_every_ratio(gram, graph, r):
    shared = SharedDeformation.from_gram(gram, graph)
    expected = reference(gram, graph, r)
    scale = np.abs(gram).max()
    assert np.allclose(shared.columns(ROWS, r), expected[:, ROWS], atol=1e-8 * scale)
    assert np.allclose(shared.block(ROWS, ROWS[:2], r), expected[np.ix_(ROWS, ROWS[:2])], atol=1e-8 * scale)
    beta = np.array([[1.0, -1.0], [0.5, 2.0], [-1.0, 0.0], [0.3, 0.3]])
    alpha = shared.coefficients(ROWS, beta, r)
    assert np.allclose(gram @ alpha, expected[:, ROWS] @ beta, atol=1e-6 * scale)


@pytest.mark.parametrize("r", RATIOS)
def test_single_solve_equals_shared(gram, graph, r):
    shared = SharedDeformation.from_gram(gram, graph)
    assert np.allclose(
        gram @ deform_once(gram, graph, r, ROWS), shared.columns(ROWS, r), atol=1e-7 * np.abs(gram).max()
    )


@pytest.mark.parametrize("r", RATIOS)
def test_full_basis_equals_full_kernel(graph, r):
    kernel = Kernel("rbf", 2.0).fit(X)
    K = kernel(X)
    factor, transform = reduced_factor(kernel, X, X)
    deformed = deform_factor(factor, graph, r, ROWS)
    assert np.allclose(factor @ deformed, reference(K, graph, r)[:, ROWS], atol=1e-7)
    assert np.allclose(K @ (transform @ deformed), factor @ deformed, atol=1e-7)


def test_products_after_a_factorisation_take_either_order_of_memory():
    A, B = rng.standard_normal((6, 4)), rng.standard_normal((4, 3))
    for left in (A, np.asfortranarray(A), np.repeat(A, 2, axis=1)[:, ::2]):
        for right in (B, np.asfortranarray(B)):
            assert np.allclose(multiply(left, right), A @ B, rtol=1e-14)
