"""The box QP against OSQP and against scikit-learn."""

import numpy as np
import osqp
import pytest
from scipy import sparse

from mr.solvers import box_qp
from mr.solvers.box_qp import minimise_in_box, solve_unbiased_svc, unbiased_svc_path
from mr.solvers.certificates import box_gap


def by_osqp(Q, p, C):
    solver = osqp.OSQP()
    n = len(p)
    solver.setup(sparse.csc_matrix(np.triu(Q)), -p, sparse.eye(n, format="csc"), np.zeros(n), np.full(n, C),
                 eps_abs=1e-10, eps_rel=1e-10, max_iter=400_000, polishing=True, verbose=False)  # fmt: skip
    return np.clip(solver.solve(raise_error=False).x, 0, C)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e5])
@pytest.mark.parametrize("rank", [5, 60])
def test_objective_equals_osqp(C, rank):
    rng = np.random.default_rng(rank)
    features = rng.normal(size=(40, rank)) * np.logspace(0, -3, rank)
    y = rng.choice([-1.0, 1.0], 40)
    Q, p = features @ features.T * np.outer(y, y), np.ones(40)
    solution = minimise_in_box(Q, p, C, tol=1e-9)
    assert solution.gap <= 1e-9
    other = by_osqp(Q, p, C)

    def value(b):
        return 0.5 * b @ Q @ b - p @ b

    assert value(solution.b) <= value(other) + 1e-7 * abs(value(other))
    assert ((solution.b >= 0) & (solution.b <= C)).all()


def test_gap_bounds_the_distance_to_the_optimum():
    rng = np.random.default_rng(3)
    M = rng.normal(size=(20, 20))
    Q, p = M @ M.T, np.ones(20)
    best = minimise_in_box(Q, p, 1.0, tol=1e-12).b
    b = np.clip(best + 0.05 * rng.normal(size=20), 0, 1)
    dual, optimum = p @ b - 0.5 * b @ Q @ b, p @ best - 0.5 * best @ Q @ best
    gradient = Q @ b - p
    primal = 0.5 * b @ Q @ b + np.maximum(0, -gradient).sum()
    assert box_gap(b, gradient, p, 1.0) * primal >= optimum - dual - 1e-10


def test_a_warm_start_outside_the_box_is_clipped():
    solution = minimise_in_box(np.eye(3), np.ones(3), 0.5, start=np.array([9.0, -9.0, 0.2]))
    assert np.allclose(solution.b, 0.5)


def test_unbiased_svc_maximises_margins_by_class():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(15, 2)) + centre for centre in ([4, 0], [-4, 0], [0, 6])])
    codes = np.repeat([0, 1, 2], 15)
    targets = np.where(codes[:, None] == np.arange(3), 1.0, -1.0)
    K = np.exp(-0.1 * ((X[:, None] - X) ** 2).sum(axis=2))
    beta, gaps = solve_unbiased_svc(K, targets, 10.0)
    assert gaps.max() <= 1e-8
    assert ((K @ beta).argmax(axis=1) == codes).all()


def test_a_path_equals_separate_solutions():
    rng = np.random.default_rng(5)
    features = rng.normal(size=(60, 20)) * np.logspace(0, -3, 20)
    targets = rng.choice([-1.0, 1.0], (60, 2))
    Q, Cs = features @ features.T, [1e-2, 1.0, 1e3]
    path, gaps = unbiased_svc_path(Q, targets, Cs, tol=1e-10)
    assert gaps.max() <= 1e-10
    for beta, C in zip(path, Cs, strict=True):
        assert np.allclose(Q @ beta, Q @ solve_unbiased_svc(Q, targets, C, tol=1e-10)[0], atol=1e-4)


def test_points_without_features_stay_finite():
    b = minimise_in_box(np.zeros((3, 3)), np.ones(3), 2.0).b
    assert np.array_equal(b, [2.0, 2.0, 2.0])  # only the linear term is left


def hard_problem(rank, n=120, seed=0):
    """A dual on which descent crawls: features over five decades with one huge direction, as of a wide kernel."""
    rng = np.random.default_rng(seed)
    features = np.column_stack([np.full(n, 1e2), rng.normal(size=(n, rank)) * np.logspace(0, -3, rank)])
    y = np.where(features[:, 1] + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    return features @ features.T * np.outer(y, y), np.ones(n)


def optimality(Q, p, C, b):
    """Violation of the Karush-Kuhn-Tucker conditions in the units of the gradient, which is p at b = 0."""
    gradient = Q @ b - p
    return np.abs(b - np.clip(b - gradient * C, 0.0, C)).max() / C


@pytest.mark.parametrize("C", [1e3, 1e5])
@pytest.mark.parametrize("rank", [60, 100])
def test_where_descent_ends_early_the_interior_point_reaches_the_gap(C, rank):
    Q, p = hard_problem(rank)
    _, alone, _ = box_qp._descend_to(1e-6, Q, np.zeros(len(p)), p, C, 1)
    assert alone > 1e-5
    solution = minimise_in_box(Q, p, C, tol=1e-6, max_rounds=1)
    assert solution.gap <= 1e-6
    assert ((solution.b >= 0) & (solution.b <= C)).all()
    other = minimise_in_box(Q, p, C, tol=1e-9, max_rounds=1000)  # by descent, for as long as it takes

    def value(b):
        return p @ b - 0.5 * b @ Q @ b

    assert abs(value(solution.b) - value(other.b)) <= 2e-6 * value(other.b)


def test_the_interior_point_equals_osqp_and_meets_the_conditions_of_optimality():
    rng = np.random.default_rng(7)
    features = rng.normal(size=(50, 30)) * np.logspace(0, -2, 30)
    y = rng.choice([-1.0, 1.0], 50)
    Q, p, C = features @ features.T * np.outer(y, y), np.ones(50), 10.0
    b, steps = box_qp._interior_point(Q, p, C, 1e-10, 1e-10)
    assert steps < box_qp.INTERIOR_STEPS
    assert optimality(Q, p, C, b) < 1e-5
    assert optimality(Q, p, C, np.clip(b + 0.01 * C, 0, C)) > 1e-3
    other = by_osqp(Q, p, C)
    assert np.allclose(Q @ b, Q @ other, atol=1e-5)


def test_a_solution_away_from_the_upper_bounds_serves_larger_weights():
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(30, 5)) + 3, rng.normal(size=(30, 5)) - 3])
    y = np.repeat([1.0, -1.0], 30)
    Q, p = X @ X.T * np.outer(y, y), np.ones(60)
    b, _ = box_qp._interior_point(Q, p, 10.0, 1e-3, 1e-9)
    assert b.max() < 5.0  # separable: no coefficient at its bound
    assert box_gap(b, Q @ b - p, p, 1e4) < 1e-3


def test_a_factor_that_rounding_took_is_none():
    assert box_qp._cholesky(-np.eye(3)) is None
    assert np.allclose(np.tril(box_qp._cholesky(4.0 * np.eye(3))), 2.0 * np.eye(3))


def test_large_problems_are_left_to_descent(monkeypatch):
    Q, p = hard_problem(60)
    monkeypatch.setattr(box_qp, "MOST_INSIDE", len(p) - 1)
    assert minimise_in_box(Q, p, 1e5, tol=1e-6, max_rounds=1).gap > 1e-5


def test_the_interior_point_returns_what_it_has_where_no_step_is_possible():
    b, steps = box_qp._interior_point(np.full((3, 3), np.nan), np.ones(3), 1.0, 1e-8, 1e-8)
    assert steps == 1
    assert np.array_equal(b, np.full(3, 0.5))
