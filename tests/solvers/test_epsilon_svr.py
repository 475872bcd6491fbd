"""Every solver of the epsilon-insensitive problem against LIBSVM, a general QP solver, and each other."""

import numpy as np
import pytest
from scipy import optimize
from sklearn.svm import SVR

from mr.kernels import Kernel
from mr.pair_descent import descend, step_length
from mr.solvers.epsilon_svr import _Directions, newton_steps, solution_at, solve_epsilon_svr, solve_linear_svr
from mr.solvers.row_cache import EmbeddedMatrix, KernelRows, RowCache


def problem(n=150, seed=0, rank=10, spread=3.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    features = rng.standard_normal((n, rank)) * np.logspace(0, -spread, rank)
    kernel = Kernel("rbf", 0.3).fit(X)
    return X, features, kernel, np.sin(X[:, 0]) + 0.3 * rng.standard_normal(n)


def objective(Q, y, a, epsilon):
    return 0.5 * a @ Q @ a + epsilon * np.abs(a).sum() - y @ a


def libsvm(Q, y, C, epsilon):
    machine = SVR(kernel="precomputed", C=C, epsilon=epsilon, tol=1e-8).fit(Q, y)
    a = np.zeros(len(y))
    a[machine.support_] = machine.dual_coef_[0]
    return a, machine.intercept_[0]


def pairs_only(Q, y, C, epsilon=0.1, tol=1e-3, start=None):
    """Pair steps without Newton."""
    n = len(y)
    a = np.zeros(n) if start is None else start * min(1.0, C / np.abs(start).max())
    lower, upper, zeros = np.full(n, -C), np.full(n, C), np.zeros(n)
    n_iter, violation = descend(
        Q, np.diag(Q).copy(), 1.0, a, Q @ a - y, zeros, epsilon, lower, upper, tol, 10_000_000
    )  # fmt: skip
    return solution_at(a, Q @ a - y, y, C, epsilon, n_iter, violation, violation <= tol)


@pytest.mark.parametrize("solve", [pairs_only, solve_epsilon_svr])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_equals_libsvm(solve, C, epsilon):
    X, features, kernel, y = problem()
    Q = kernel(X) + features @ features.T
    solution = solve(Q, y, C, epsilon, tol=1e-8)
    a, bias = libsvm(Q, y, C, epsilon)
    assert solution.converged and solution.gap < 1e-6
    assert abs(solution.coefficients.sum()) < 1e-9 * C * len(y) and np.abs(solution.coefficients).max() <= C
    assert np.allclose(solution.products + solution.bias, Q @ a + bias, atol=3e-4)  # LIBSVM holds Q in single precision
    assert objective(Q, y, solution.coefficients, epsilon) <= objective(Q, y, a, epsilon) + 1e-7


def test_gap_bounds_the_distance_to_a_general_solver():
    X, features, kernel, y = problem(n=25)
    Q, C, epsilon = kernel(X) + features @ features.T, 0.7, 0.05
    solution = solve_epsilon_svr(Q, y, C, epsilon, tol=1e-10)

    def split(v):
        return 0.5 * (v[:25] - v[25:]) @ Q @ (v[:25] - v[25:]) + epsilon * v.sum() - y @ (v[:25] - v[25:])

    balance = {"type": "eq", "fun": lambda v: v[:25].sum() - v[25:].sum()}
    best = optimize.minimize(
        split,
        np.zeros(50),
        bounds=[(0, C)] * 50,
        constraints=balance,
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    assert objective(Q, y, solution.coefficients, epsilon) == pytest.approx(best.fun, abs=1e-7)


@pytest.mark.parametrize("solve", [pairs_only, solve_epsilon_svr])
def test_warm_start_from_a_smaller_box_and_from_a_larger_one(solve):
    X, features, kernel, y = problem()
    Q = kernel(X) + features @ features.T
    cold = solve(Q, y, 10.0, tol=1e-8)
    small = solve(Q, y, 1.0, tol=1e-8)
    warm = solve(Q, y, 10.0, tol=1e-8, start=small.coefficients)
    assert np.allclose(warm.products, cold.products, atol=1e-6)
    assert np.allclose(solve(Q, y, 1.0, tol=1e-8, start=cold.coefficients).products, small.products, atol=1e-6)
    assert solve(Q, y, 10.0, tol=1e-6, start=cold.coefficients).n_iter <= 5


def test_newton_saves_iterations_on_ill_conditioned_problems():
    X, features, kernel, y = problem(n=200, rank=30, spread=1.0)
    Q = kernel(X) + 100.0 * features @ features.T
    plain = pairs_only(Q, y, 1.0, tol=1e-3)
    newton = solve_epsilon_svr(Q, y, 1.0, tol=1e-3)
    assert newton.n_iter < 0.2 * plain.n_iter
    values = [objective(Q, y, solution.coefficients, 0.1) for solution in (newton, plain)]
    assert values[0] == pytest.approx(values[1], rel=1e-3)


@pytest.mark.parametrize("steps", [1, 30])
def test_newton_steps_only_descend(steps):
    X, features, kernel, y = problem(n=60)
    Q = kernel(X) + features @ features.T
    a = np.array(pairs_only(Q, y, 1.0, tol=0.3).coefficients)
    gradient = Q @ a - y
    before = objective(Q, y, a, 0.1)
    for _ in range(10):
        newton_steps(Q, a, gradient, 1.0, 0.1, steps)
        now = objective(Q, y, a, 0.1)
        assert now <= before + 1e-12
        assert np.allclose(gradient, Q @ a - y) and abs(a.sum()) < 1e-12 and np.abs(a).max() <= 1.0
        before = now


def test_direction_with_held_coefficients_solves_the_smaller_problem():
    rng = np.random.default_rng(0)
    root, slope = rng.standard_normal((9, 9)), rng.standard_normal(9)
    Q = root @ root.T + np.eye(9)
    directions = _Directions(Q.copy())
    for held in ([], [4], [4, 0]):
        if held:
            directions.hold(held[-1])
        keep = np.setdiff1d(np.arange(9), held)
        inverse = np.linalg.inv(Q[np.ix_(keep, keep)])
        expected = np.zeros(9)
        multiplier = (inverse @ slope[keep]).sum() / inverse.sum()
        expected[keep] = multiplier * inverse.sum(axis=1) - inverse @ slope[keep]
        assert np.allclose(directions(slope), expected, rtol=1e-8, atol=1e-10)


def test_step_length_is_the_minimum_along_the_pair():
    rng = np.random.default_rng(1)
    for _ in range(200):
        a_i, a_j = rng.uniform(-1, 1, 2)
        curvature, epsilon = rng.uniform(0.01, 3), 0.2
        gradient = rng.normal(size=2)
        rise = gradient[0] + (epsilon if a_i >= 0 else -epsilon)
        fall = gradient[1] + (epsilon if a_j > 0 else -epsilon)
        if rise >= fall:
            continue
        grid = np.linspace(0, min(1 - a_i, a_j + 1), 20001)
        values = (gradient[0] - gradient[1]) * grid + 0.5 * curvature * grid**2
        values += epsilon * (np.abs(a_i + grid) + np.abs(a_j - grid))
        t = step_length(rise - fall, curvature, a_i, a_j, 1.0, -1.0, epsilon)
        assert t == pytest.approx(grid[values.argmin()], abs=2e-4)


@pytest.mark.parametrize("cached_rows", [40, 10_000])
def test_rows_on_demand_give_the_solution_in_memory(cached_rows):
    X, features, kernel, y = problem(n=400)
    cache = RowCache(KernelRows(kernel, X), 4 * 400 * cached_rows, at_least=40)
    solution = solve_epsilon_svr(EmbeddedMatrix(cache, features), y, 1.0, tol=1e-4, working_set=20)
    exact = solve_epsilon_svr(kernel(X) + features @ features.T, y, 1.0, tol=1e-8)
    assert solution.converged and solution.gap < 1e-3
    assert np.allclose(solution.products + solution.bias, exact.products + exact.bias, atol=2e-3)
    assert cache._slots.nbytes <= max(4 * 400 * cached_rows, 4 * 400 * 40)


def test_cache_returns_the_right_rows_after_evictions():
    X, _, kernel, _ = problem(n=50)
    cache = RowCache(KernelRows(kernel, X), 0, at_least=12)
    Q = kernel(X)
    rng = np.random.default_rng(0)
    for _ in range(30):
        rows = rng.choice(50, 6, replace=False)
        storage, slots = cache.fetch(rows)
        assert np.allclose(storage[slots], Q[rows], atol=1e-5)
    again = cache.n_computed
    cache.fetch(rows)
    assert cache.n_computed == again


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_smoothed_newton_equals_libsvm_on_the_same_features(C):
    X, features, _, y = problem(n=200, spread=1.0)
    solution = solve_linear_svr(features, y, C, 0.1, tol=1e-5)
    a, bias = libsvm(features @ features.T, y, C, 0.1)
    assert np.allclose(features @ solution.weights + solution.bias, features @ (features.T @ a) + bias, atol=2e-3)
    assert abs(solution.gap) < 1e-3


def test_certificate_of_a_bad_point_is_large():
    X, features, kernel, y = problem()
    Q = kernel(X)
    assert solution_at(np.zeros(len(y)), -y, y, 1.0, 0.1, 0, 1.0, False).gap > 0.5
    assert solve_epsilon_svr(Q, y, 1.0, tol=1e-9).gap < 1e-7
