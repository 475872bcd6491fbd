"""Squared-hinge machines: warm starts against cold ones and scipy, the line search against a scalar minimiser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar

from mr.solvers.squared_hinge import Regularised, exact_step, newton_in, solve_newton


def problem(seed, n=40, rank=12):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, rank)) * np.logspace(0, -2, rank)
    return features @ features.T, rng.choice([-1.0, 1.0], n)


def solve_from(K, y, ridge, lossy):
    solution = solve_newton(K, y[:, None], ridge, lossy=lossy[:, None])
    return solution.coefficients[:, 0], solution.lossy[:, 0]


@pytest.mark.parametrize("ridge", [1e-6, 1e-2, 10.0])
@pytest.mark.parametrize("guess", ["all", "one", "random"])
def test_any_guess_ends_at_the_optimum(ridge, guess):
    K, y = problem(1)
    rng = np.random.default_rng(0)
    lossy = {"all": np.ones(40, bool), "one": np.arange(40) == 3, "random": rng.random(40) < 0.3}[guess]
    beta, lossy = solve_from(K, y, ridge, lossy)
    expected = solve_newton(K, y[:, None], ridge).coefficients[:, 0]
    assert np.allclose(K @ beta, K @ expected, atol=1e-7)
    assert np.array_equal(lossy, y * (K @ beta) < 1)


def test_objective_is_not_above_scipys():
    K, y = problem(2, n=25)

    def objective(beta):
        f = K @ beta
        return 0.5 * np.sum(np.maximum(0, 1 - y * f) ** 2) + 0.05 * beta @ f

    beta, _ = solve_from(K, y, 0.1, np.ones(25, bool))
    other = minimize(objective, np.zeros(25), method="BFGS", options={"gtol": 1e-10})
    assert objective(beta) <= other.fun + 1e-9


def test_stationary():
    K, y = problem(3)
    beta, _ = solve_from(K, y, 1e-3, np.ones(40, bool))
    f = K @ beta
    assert np.abs(K @ (1e-3 * beta + np.where(y * f < 1, f - y, 0.0))).max() <= 1e-9


@pytest.mark.parametrize("ridge", [1e-3, 1.0])
def test_a_warm_start_with_a_bias_ends_at_the_optimum(ridge):
    K, y = problem(4)
    guess = np.random.default_rng(1).random((40, 1)) < 0.5
    cold, warm = (solve_newton(K, y[:, None], ridge, fit_intercept=True, lossy=lossy) for lossy in (None, guess))
    assert warm.stop_reasons == ["optimal"] and warm.gradient_norms[0] < 1e-10
    assert np.allclose(K @ warm.coefficients + warm.intercepts, K @ cold.coefficients + cold.intercepts, atol=1e-8)
    assert solve_newton(K, y[:, None], ridge, fit_intercept=True, lossy=cold.lossy).n_iter[0] == 1


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 15), st.integers(0, 100_000))
def test_minimum_along_a_ray(l, seed):
    rng = np.random.default_rng(seed)
    f, d = 2 * rng.normal(size=l), rng.normal(size=l)
    y = np.where(rng.random(l) < 0.5, 1.0, -1.0)
    slope, curvature = rng.normal() - 0.5, 0.05 + rng.random()

    def phi(t):
        return slope * t + 0.5 * curvature * t**2 + 0.5 * (np.maximum(0, 1 - y * (f + t * d)) ** 2).sum()

    t = exact_step(f, d, y, slope, curvature)
    best = minimize_scalar(phi, bounds=(0, 300), method="bounded", options={"xatol": 1e-10})
    assert t >= 0 and phi(t) <= min(best.fun, phi(0)) + 1e-9


def test_labels_of_one_class_and_an_empty_guess():
    """Leaving out the only label of a class: the bias meets all others, nobody has loss, and nothing warns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 3))
    K, y = X @ X.T + np.eye(8), np.ones(8)
    for lossy in (None, np.zeros((8, 1), dtype=bool)):
        found = solve_newton(K, y[:, None], 1e-2, fit_intercept=True, lossy=lossy)
        assert found.stop_reasons == ["optimal"] and found.gradient_norms[0] == 0.0
        assert found.intercepts[0] >= 1 - 1e-12 and np.abs(found.coefficients).max() < 1e-12


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("ridge", [1e-6, 1e-3, 1.0])  # the first is too small for the inverse of the whole
def test_labels_held_out_take_no_part_and_folds_share_a_system(ridge, fit_intercept):
    K, y = problem(5)
    targets, folds = np.column_stack([y, -y, np.where(np.arange(40) < 30, 1.0, -1.0)]), np.arange(40) % 5
    system, lossy = Regularised(K, ridge), None
    for number in range(5):
        held = folds == number
        found = newton_in(system, targets, fit_intercept, lossy=lossy, held=held)
        alone = solve_newton(K[np.ix_(~held, ~held)], targets[~held], ridge, fit_intercept)
        expected = K[:, ~held] @ alone.coefficients + alone.intercepts
        assert (found.coefficients[held] == 0).all() and not found.lossy[held].any()
        assert np.allclose(found.values, expected, rtol=0, atol=1e-7)
        assert np.array_equal(found.lossy[~held], alone.lossy)
        lossy = found.lossy
    assert ("inverse" in vars(system)) == (ridge > 1e-5)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_a_subset_through_the_others_is_the_subset_solved_directly(fit_intercept):
    K, y = problem(6)
    active = np.random.default_rng(2).random(40) < 0.8
    direct, through = Regularised(K, 1e-3), Regularised(K, 1e-3)
    first = direct.ridge_solution(y, active, fit_intercept)
    second = through._by_the_others(y, np.flatnonzero(~active), fit_intercept)
    for one, other in zip(first, second, strict=True):
        assert np.allclose(one, other, rtol=0, atol=1e-7)
    assert np.allclose(K @ second[0], second[2], rtol=0, atol=1e-9)
