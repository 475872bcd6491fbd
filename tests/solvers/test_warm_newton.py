"""The warm-started squared-hinge machine against Newton with a line search and against scipy."""

import numpy as np
import pytest
from scipy.optimize import minimize

from mr.solvers.primal_svm import solve_newton


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
