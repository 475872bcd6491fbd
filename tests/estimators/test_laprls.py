"""LapRLS against the definition of its minimum, and against its limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.kernel_ridge import KernelRidge

import mr
from mr.kernels import Kernel

rng = np.random.default_rng(3)


def problem(n=40, l=8, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    y = np.full(n, -1)
    y[:l] = np.arange(l) % n_classes
    return X, y


def objective(alpha, K, L, y_signed, l, gamma_A, gamma_I):
    f = K @ alpha
    n = len(K)
    return np.mean((y_signed - f[:l]) ** 2) + gamma_A * alpha @ f + gamma_I / n**2 * f @ L @ f


@pytest.mark.parametrize("power", [1, 2])
def test_minimises_the_objective_of_belkin2006(power):
    X, y = problem()
    graph = mr.KNNGraph(n_neighbors=5, power=power)
    fitted = mr.LapRLS(0.01, 20.0, gamma=0.3, graph=graph).fit(X, y)
    K = Kernel("rbf", 0.3).fit(X)(X)
    L = np.linalg.matrix_power(fitted.graph_.laplacian_.toarray(), power)
    arguments = (K, L, np.where(y[:8] == 1, 1.0, -1.0), 8, 0.01, 20.0)
    # A general-purpose minimiser over coordinates in which the problem is well conditioned
    root = np.linalg.cholesky(K + 1e-12 * np.eye(40))
    best = minimize(lambda w: objective(np.linalg.solve(root.T, w), *arguments), np.zeros(40), tol=1e-14)
    ours = objective(fitted.dual_coef_[:, 0], *arguments)
    assert ours <= best.fun + 1e-9
    assert np.allclose(K @ fitted.dual_coef_[:, 0], root @ best.x, atol=1e-4)


@settings(max_examples=30, deadline=None)
@given(
    gamma_A=st.floats(1e-6, 1e2),
    gamma_I=st.floats(0, 1e4),
    seed=st.integers(0, 1000),
    kernel=st.sampled_from(["rbf", "poly", "cosine"]),
)
def test_normal_equations_hold(gamma_A, gamma_I, seed, kernel):
    X, y = problem(seed=seed)
    fitted = mr.LapRLS(gamma_A, gamma_I, kernel=kernel, degree=2, coef0=1.0).fit(X, y)
    n, l = 40, 8
    K, alpha = fitted.kernel_(X), fitted.dual_coef_
    f = K @ alpha
    labelled = np.zeros((n, 1))
    labelled[:l] = f[:l] - np.where(y[:l] == 1, 1.0, -1.0)[:, None]
    residual = labelled + gamma_A * l * alpha + gamma_I * l / n**2 * fitted.graph_.apply(f)
    assert np.abs(residual).max() < 1e-7 * max(1.0, np.abs(alpha).max() * np.abs(K).max())


def test_without_graph_it_is_kernel_ridge_on_the_labels():
    X, y = problem()
    fitted = mr.LapRLS(0.05, 0.0, gamma=0.3).fit(X, y)
    ridge = KernelRidge(alpha=0.05 * 8, kernel="rbf", gamma=0.3).fit(X[:8], np.where(y[:8] == 1, 1.0, -1.0))
    assert np.allclose(fitted.decision_function(X), ridge.predict(X))
    assert np.allclose(mr.RLS(0.05, gamma=0.3).fit(X, y).decision_function(X), ridge.predict(X))


def test_classes_share_a_factorisation_but_not_an_answer():
    X, y = problem(n_classes=4, l=12)
    values = mr.LapRLS(0.01, 5.0).fit(X, y).decision_function(X)
    for c in range(4):
        one_versus_rest = np.where(y == -1, -1, (y == c).astype(int))
        binary = mr.LapRLS(0.01, 5.0).fit(X, one_versus_rest).decision_function(X)
        assert np.allclose(values[:, c], binary)


def test_reduced_basis_of_all_points_is_the_exact_solution():
    X, y = problem()
    exact = mr.LapRLS(0.01, 20.0, gamma=1.0).fit(X, y)
    reduced = mr.LapRLS(0.01, 20.0, gamma=1.0, basis=X).fit(X, y)
    new = rng.standard_normal((10, 3))
    assert np.allclose(reduced.decision_function(new), exact.decision_function(new), atol=1e-6)
    few = mr.LapRLS(0.01, 20.0, gamma=1.0, basis=10, random_state=0).fit(X, y)
    assert few.points_.shape == (10, 3)
    assert (few.transduction_ == few.predict(X)).all()


@pytest.mark.parametrize("basis, message", [(100, "only 40 rows"), (np.ones((3, 2)), "3 columns")])
def test_bad_basis(basis, message):
    with pytest.raises(ValueError, match=message):
        mr.LapRLS(basis=basis).fit(*problem())


def test_precomputed_affinity_equals_the_graph_it_came_from():
    X, y = problem()
    graph = mr.KNNGraph(n_neighbors=4).fit(X)
    by_object = mr.LapRLS(graph=mr.KNNGraph(n_neighbors=4)).fit(X, y).decision_function(X)
    by_matrix = mr.LapRLS(graph=graph.affinity_).fit(X, y).decision_function(X)
    assert np.allclose(by_object, by_matrix)


def test_regression_is_the_same_machine():
    X, y = problem()
    targets = np.where(y == -1, np.nan, np.where(y == 1, 1.0, -1.0))
    values = mr.LapRLSRegressor(0.01, 5.0).fit(X, targets).predict(X)
    assert np.allclose(values, mr.LapRLS(0.01, 5.0).fit(X, y).decision_function(X))


@pytest.mark.parametrize("basis", [None, "all points"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_intercept_in_closed_form(n_classes, basis):
    """The bordered system over all n coefficients: f = K alpha, stationary in alpha and in the constant."""
    X, y = problem(l=9, n_classes=n_classes)
    graph = mr.KNNGraph(n_neighbors=5, power=2)
    points = X if basis else None
    model = mr.LapRLS(0.02, 30.0, gamma=0.3, graph=graph, basis=points, fit_intercept=True).fit(X, y)
    K = Kernel("rbf", 0.3).fit(X)(X)
    L = np.linalg.matrix_power(model.graph_.laplacian_.toarray(), 2)
    n, l = len(X), 9
    targets = np.where(y[:l, None] == np.arange(n_classes), 1.0, -1.0)[:, 1 if n_classes == 2 else 0 :]
    J = np.eye(n)[:l]
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = J.T @ J @ K / l + 0.02 * np.eye(n) + 30.0 / n**2 * L @ K
    system[:n, n], system[n, :n], system[n, n] = J.T @ np.ones(l) / l, np.ones(l) @ J @ K, l
    right = np.vstack([J.T @ targets / l, targets.sum(axis=0)])
    solution = np.linalg.solve(system, right)
    expected = K @ solution[:n] + solution[n]
    assert np.allclose(model.decision_function(X).reshape(expected.shape), expected, atol=1e-8)
    assert np.allclose(model.intercept_, solution[n], atol=1e-8)


def test_intercept_takes_up_a_shift_of_the_targets():
    X, _ = problem()
    y = np.where(np.arange(40) < 10, X[:, 0], np.nan)
    base, shifted = (mr.LapRLSRegressor(0.05, 1.0, gamma=0.3, fit_intercept=True).fit(X, t) for t in (y, y + 100.0))
    assert np.allclose(shifted.predict(X), base.predict(X) + 100.0, atol=1e-8)
    assert np.allclose(shifted.dual_coef_, base.dual_coef_, atol=1e-8)
    assert mr.LapRLSRegressor(0.05, 1.0, gamma=0.3).fit(X, y).intercept_ == 0.0
