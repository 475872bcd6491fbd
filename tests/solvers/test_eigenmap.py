"""Equation 14 of belkin2006 solved stably, against the equation as printed and against its limits."""

import numpy as np
import pytest
from scipy import linalg

from mr.graph import KNNGraph
from mr.kernels import Kernel
from mr.solvers.eigenmap import solve_eigenmap

rng = np.random.default_rng(0)
X = rng.standard_normal((40, 3))
GRAPH = KNNGraph(6, laplacian="unnormalized").fit(X)
L = GRAPH.laplacian_.toarray()
NARROW = Kernel("rbf", 2.0).fit(X)(X)  # condition number below 1e4: the printed equation can be solved directly


def printed_equation(K, gamma):
    """P (gamma K + K L K) P v = lambda P K^2 P v on the range of P, by a dense generalised eigensolver."""
    direction = K.sum(axis=1, keepdims=True)
    basis = linalg.null_space(direction.T)
    left = basis.T @ (gamma * K + K @ L @ K) @ basis
    right = basis.T @ K @ K @ basis
    values, v = linalg.eigh(left, right)
    return values, basis @ v


@pytest.mark.parametrize("gamma", [1e-6, 1e-2, 10.0])
def test_equals_the_printed_equation(gamma):
    values, alpha = printed_equation(NARROW, gamma)
    solution = solve_eigenmap(NARROW, GRAPH, gamma, 4)
    assert np.allclose(solution.values, values[:4], rtol=1e-8)
    for ours, theirs in zip(solution.functions.T, (NARROW @ alpha[:, :4]).T, strict=True):
        assert abs(ours @ theirs) == pytest.approx(1.0, abs=1e-7)
    assert solution.residual < 1e-10


@pytest.mark.parametrize("gamma", [1e-6, 1e-2, 10.0])
def test_functions_are_centred_orthonormal_and_expand_over_the_points(gamma):
    solution = solve_eigenmap(NARROW, GRAPH, gamma, 5)
    assert np.allclose(solution.functions.sum(axis=0), 0, atol=1e-9)
    assert np.allclose(solution.functions.T @ solution.functions, np.eye(5), atol=1e-9)
    assert np.allclose(NARROW @ solution.coefficients, solution.functions, atol=1e-9)
    f, alpha = solution.functions, solution.coefficients
    objective = gamma * np.sum(alpha * (NARROW @ alpha), axis=0) + np.sum(f * (L @ f), axis=0)
    assert np.allclose(objective, solution.values)


def test_gamma_to_zero_is_the_laplacian_eigenmap():
    values, vectors = linalg.eigh(L)
    solution = solve_eigenmap(NARROW, GRAPH, 1e-10, 3)
    assert np.allclose(solution.values, values[1:4], rtol=1e-5)
    assert np.allclose(np.abs(solution.functions.T @ vectors[:, 1:4]), np.eye(3), atol=1e-4)


def test_a_large_gamma_is_kernel_principal_components():
    # Without the graph, min ||f|| with sum f^2 = 1 picks the largest eigenvalue of K among functions of mean zero.
    gamma = 1e8
    solution = solve_eigenmap(NARROW, GRAPH, gamma, 2)
    values, _ = printed_equation(NARROW, gamma)
    assert np.allclose(solution.values / gamma, values[:2] / gamma, rtol=1e-6)
    centre = np.eye(40) - 1 / 40
    inverse = linalg.pinvh(NARROW)
    assert solution.values[0] / gamma == pytest.approx(_smallest_on_centred(inverse, centre), rel=1e-5)


def _smallest_on_centred(matrix, centre):
    basis = linalg.null_space(np.ones((1, len(matrix))))
    return linalg.eigvalsh(basis.T @ matrix @ basis)[0]


def test_a_singular_gram_matrix_is_no_trouble():
    K = Kernel("rbf", 1e-3).fit(X)(X)  # condition number far beyond 1e16
    solution = solve_eigenmap(K, GRAPH, 1e-6, 2)
    assert np.allclose(K @ solution.coefficients, solution.functions, atol=1e-6)
    assert np.allclose(solution.functions.T @ solution.functions, np.eye(2), atol=1e-8)
    repeated = np.vstack([X, X])
    graph = KNNGraph(6, laplacian="unnormalized").fit(repeated)
    solution = solve_eigenmap(Kernel("rbf", 2.0).fit(X)(repeated), graph, 1e-3, 1)
    assert np.allclose(solution.functions[:40], solution.functions[40:], atol=1e-8)


def test_more_functions_than_the_kernel_has():
    with pytest.raises(ValueError, match="rank 3, which leaves 2"):
        solve_eigenmap(X @ X.T, GRAPH, 1e-3, 3)
