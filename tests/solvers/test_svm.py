"""SVC and SVR duals: certified by their gap, checked against three independent solvers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.svm import SVC, SVR

from mr.solvers.epsilon_svr import solve_svr
from mr.solvers.svm import solve_svc


def problem(l, seed, gamma=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(l, 3))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=l) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return np.exp(-gamma * np.square(X[:, None] - X).sum(-1)), y


def svc_objective(K, y, C, beta, b):
    return 0.5 * beta @ K @ beta + C * np.maximum(0, 1 - y * (K @ beta + b)).sum()


@settings(max_examples=40, deadline=None)
@given(st.integers(4, 60), st.integers(0, 10_000), st.floats(-3, 4), st.sampled_from([0.05, 0.5, 5.0]))
def test_gap_is_below_1e_6_on_random_problems(l, seed, log_C, gamma):
    K, y = problem(l, seed, gamma)
    C = 10.0**log_C
    solution = solve_svc(K, y[:, None], C)
    beta = solution.coefficients[:, 0]
    assert solution.gaps[0] < 1e-6
    assert abs(beta.sum()) < 1e-9 * C * l
    assert (beta * y >= 0).all() and (beta * y <= C).all()


@pytest.mark.filterwarnings("ignore:libsvm stopped")
@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
def test_three_solvers_find_one_function(C):
    K, y = problem(50, 1)
    ours = solve_svc(K, y[:, None], C)
    f = K @ ours.coefficients[:, 0] + ours.intercepts[0]
    for solver, precision in (("libsvm", 1e-4), ("osqp", 1e-3)):
        other = solve_svc(K, y[:, None], C, solver=solver, tol=1e-8)
        assert np.abs(K @ other.coefficients[:, 0] + other.intercepts[0] - f).max() < precision
        assert other.gaps[0] < 1e-4


def test_general_constrained_optimiser_finds_the_same_optimum():
    K, y = problem(12, 2)
    C = 2.0
    reference = minimize(
        lambda a: 0.5 * (a * y) @ K @ (a * y) - a.sum(),
        np.zeros(12),
        jac=lambda a: y * (K @ (a * y)) - 1,
        bounds=[(0, C)] * 12,
        constraints={"type": "eq", "fun": lambda a: y @ a, "jac": lambda a: y},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    ours = solve_svc(K, y[:, None], C, tol=1e-10)
    assert np.allclose(ours.coefficients[:, 0], reference.x * y, atol=1e-5)
    value = svc_objective(K, y, C, ours.coefficients[:, 0], ours.intercepts[0])
    assert value == pytest.approx(-reference.fun, rel=1e-8)


def test_equals_scikit_learn():
    K, y = problem(80, 3)
    machine = SVC(C=3.0, kernel="precomputed", tol=1e-8).fit(K, y)
    ours = solve_svc(K, y[:, None], 3.0)
    assert np.abs(K @ ours.coefficients[:, 0] + ours.intercepts[0] - machine.decision_function(K)).max() < 1e-4


def test_singular_gram_matrix():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.3, 1.0, -1.0)
    assert solve_svc(X @ X.T, y[:, None], 10.0).gaps[0] < 1e-6


def test_one_point_a_class_at_the_bound_gets_the_middle_of_the_bias_interval():
    K = np.array([[1.0, 0.5], [0.5, 1.0]])
    solution = solve_svc(K, np.array([[1.0], [-1.0]]), 0.1)
    assert np.allclose(solution.coefficients[:, 0], [0.1, -0.1]) and abs(solution.intercepts[0]) < 1e-12


@settings(max_examples=25, deadline=None)
@given(st.integers(3, 40), st.integers(0, 10_000), st.floats(-2, 3), st.sampled_from([0.0, 0.1, 0.5]))
def test_svr_gap_and_scikit_learn(l, seed, log_C, epsilon):
    K, _ = problem(l, seed)
    y = np.random.default_rng(seed).normal(size=l)
    C = 10.0**log_C
    solution = solve_svr(K, y[:, None], C, epsilon)
    beta, b = solution.coefficients[:, 0], solution.intercepts[0]
    assert np.abs(beta).max() <= C and abs(beta.sum()) < 1e-9 * C * l
    machine = SVR(C=C, epsilon=epsilon, kernel="precomputed", tol=1e-8).fit(K, y)

    def objective(f, coefficients):
        return 0.5 * coefficients @ K @ coefficients + C * np.maximum(0, np.abs(y - f) - epsilon).sum()

    full = np.zeros(l)
    full[machine.support_] = machine.dual_coef_[0]
    ours = objective(K @ beta + b, beta)
    theirs = objective(machine.predict(K), full)
    assert ours <= theirs * (1 + 1e-6) + 1e-9
    assert solution.gaps[0] < 1e-6 or ours < 1e-9


def test_columns_are_separate_problems():
    K, y = problem(30, 4)
    z = np.where(np.arange(30) % 3 == 0, 1.0, -1.0)
    both = solve_svc(K, np.column_stack([y, z]), 1.0)
    alone = solve_svc(K, z[:, None], 1.0)
    assert (both.coefficients[:, 1] == alone.coefficients[:, 0]).all()


@pytest.mark.parametrize("solver", ["smo", "libsvm", "osqp"])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_targets_of_one_sign_are_met_by_the_constant(solver, sign):
    # one against the others, in a fold that has lost the class
    found = solve_svc(np.eye(4) + 0.3, np.full((4, 1), sign), 2.0, solver)
    assert np.allclose(found.coefficients, 0.0) and found.intercepts == pytest.approx(sign, abs=1e-2)
    assert found.gaps == 0.0
