"""The simplex QP against scipy's general solver and its own optimality conditions."""

import numpy as np
import pytest
from scipy.optimize import minimize

from mr.solvers.core_set import _Face, minimise_on_simplex


def random_problem(size, rank, ridge, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(size, rank))
    return Z @ Z.T + ridge * np.eye(size), rng.normal(size=size)


def test_agrees_with_slsqp():
    Q, p = random_problem(12, 5, 0.1)
    start = np.full(12, 1 / 12)
    constraint = {"type": "eq", "fun": lambda a: a.sum() - 1, "jac": lambda a: np.ones(12)}
    reference = minimize(
        lambda a: 0.5 * a @ Q @ a - p @ a, start, jac=lambda a: Q @ a - p, bounds=[(0, None)] * 12,
        constraints=constraint, method="SLSQP", options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    assert np.allclose(minimise_on_simplex(Q, p).a, reference.x, atol=1e-6)


@pytest.mark.parametrize("ridge", [1e-9, 1e-3, 10.0])
@pytest.mark.parametrize("size", [1, 2, 60])
def test_optimality_conditions(size, ridge):
    Q, p = random_problem(size, 8, ridge)
    solution = minimise_on_simplex(Q, p, tol=1e-11)
    assert solution.a.min() >= 0 and solution.a.sum() == pytest.approx(1)
    assert solution.violation <= 1e-9
    assert np.allclose(solution.gradient[solution.a > 0], solution.level, atol=1e-8)


def test_a_warm_start_never_gets_worse():
    Q, p = random_problem(40, 10, 1e-4)
    start = np.random.default_rng(1).dirichlet(np.ones(40))
    solution = minimise_on_simplex(Q, p, start, tol=1e-3)
    assert 0.5 * solution.a @ Q @ solution.a - p @ solution.a <= 0.5 * start @ Q @ start - p @ start
    assert np.array_equal(start, np.random.default_rng(1).dirichlet(np.ones(40)))


def test_duplicated_columns():
    Q, p = random_problem(10, 4, 0.0)
    Q, p = np.tile(Q, (2, 2)), np.tile(p, 2)
    solution = minimise_on_simplex(Q, p, tol=1e-9)
    assert solution.violation <= 1e-7


@pytest.mark.parametrize("n_dropped", [0, 1, 7, 20])
def test_a_face_without_some_points_is_solved_from_one_factorisation(n_dropped):
    rng = np.random.default_rng(0)
    Q = rng.normal(size=(60, 60))
    Q, p = Q @ Q.T + np.eye(60), rng.normal(size=60)
    support = np.sort(rng.permutation(60)[:40])
    face = _Face(Q, p, support)
    subset = support
    for size in range(n_dropped + 1):  # one after the other, as an active-set method drops them
        subset = np.delete(subset, size % len(subset)) if size else support
        x, ones = face.solve(subset)
        block = Q[np.ix_(subset, subset)]
        assert np.allclose(x, np.linalg.solve(block, p[subset])) and np.allclose(block @ ones, 1.0)
    assert face.reaches(support[:36]) and not face.reaches(support[:35])
