"""SLapCVR against a general solver and LapRLS; units of y; core sets against Newton's method."""

import numpy as np
import pytest
from scipy.optimize import minimize

import mr

GRAPH = mr.KNNGraph(4, laplacian="unnormalized")


def curve(n=40, every=5, seed=0):
    rng = np.random.default_rng(seed)
    X = np.sort(rng.uniform(0.0, 6.0, n))[:, None]
    truth = np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)
    y = np.full(n, np.nan)
    y[::every] = truth[::every]
    return X, y, truth


def primal(X, y, C, mu, theta, gamma):
    """The problem of the docstring for standardised y, as a function of (alpha, b, t), and how to read f from them."""
    K = np.exp(-gamma * (X - X.T) ** 2)
    rows = np.flatnonzero(~np.isnan(y))
    target = (y[rows] - y[rows].mean()) / y[rows].std()
    W = mr.KNNGraph(4, laplacian="unnormalized").fit(X).affinity_.tocoo()
    keep = W.row < W.col
    u, v, root = W.row[keep], W.col[keep], np.sqrt(W.data[keep])
    factor = np.linalg.cholesky(K + 1e-12 * np.eye(len(K)))

    def objective(z):
        w, b, t = z[:-2], z[-2], z[-1]
        f = factor @ w + b
        total = w @ w + b * b + 2 * C * t
        for sign in (1.0, -1.0):
            total += C / (len(rows) * mu) * np.square(np.maximum(sign * (target - f[rows]) - t, 0.0)).sum()
            total += C * theta / (len(u) * mu) * np.square(np.maximum(sign * root * (f[u] - f[v]) - t, 0.0)).sum()
        return total

    return objective, lambda z: y[rows].mean() + y[rows].std() * (factor @ z[:-2] + z[-2]), len(K) + 2


@pytest.mark.parametrize(("C", "mu", "theta"), [(20.0, 0.05, 5.0), (5.0, 1.0, 2.0)])
def test_a_general_solver_finds_the_same_function(C, mu, theta):
    X, y, _ = curve()
    fitted = mr.SLapCVR(C=C, mu=mu, theta=theta, gamma=1.0, graph=GRAPH).fit(X, y)
    objective, values, size = primal(X, y, C, mu, theta, 1.0)
    found = minimize(objective, np.zeros(size), method="BFGS", options={"gtol": 1e-7, "maxiter": 5000})
    assert fitted.objective_[0] == pytest.approx(found.fun, rel=1e-6)
    assert np.allclose(fitted.predict(X), values(found.x), atol=2e-3)
    assert fitted.dual_gap_ < 1e-8


def test_with_a_tube_far_below_zero_it_is_laprls_with_penalised_bias():
    X, y, _ = curve()
    C, theta, mu = 200.0, 0.5, 10.0
    fitted = mr.SLapCVR(C=C, mu=mu, theta=theta, gamma=1.0, graph=GRAPH).fit(X, y)
    assert fitted.tube_[0] < 0
    rows = np.flatnonzero(~np.isnan(y))
    K = np.exp(-((X - X.T) ** 2)) + 1.0  # a penalised bias is a constant in the kernel
    L = GRAPH.fit(X).laplacian_.toarray()
    edges = GRAPH.affinity_.nnz // 2
    J = np.zeros((len(X), len(X)))
    J[rows, rows] = 2 * C / (len(rows) * mu)
    target = np.zeros(len(X))
    target[rows] = (y[rows] - y[rows].mean()) / y[rows].std()
    alpha = np.linalg.solve(np.eye(len(X)) + (J + 2 * C * theta / (edges * mu) * L) @ K, J @ target)
    assert np.allclose(fitted.predict(X), y[rows].mean() + y[rows].std() * (K @ alpha), atol=1e-8)


def test_core_sets_and_newton_agree_and_a_small_mu_is_sparse():
    X, y, truth = curve(300, 10)
    options = {"C": 100.0, "mu": 0.01, "theta": 100.0, "gamma": 1.0, "graph": GRAPH}
    exact = mr.SLapCVR(solver="newton", **options).fit(X, y)
    ball = mr.SLapCVR(solver="core-set", epsilon=1e-9, max_iter=None, **options).fit(X, y)
    assert np.allclose(exact.predict(X), ball.predict(X), atol=1e-3)
    assert exact.tube_[0] > 0 and exact.n_support_ < 200
    assert exact.score(X, truth) > 0.9


def test_the_unit_of_y_does_not_matter():
    X, y, _ = curve()
    plain = mr.SLapCVR(C=20.0, mu=0.05, theta=5.0, gamma=1.0, graph=GRAPH).fit(X, y)
    other = mr.SLapCVR(C=20.0, mu=0.05, theta=5.0, gamma=1.0, graph=GRAPH).fit(X, 1000.0 * y - 7.0)
    assert np.allclose(1000.0 * plain.predict(X) - 7.0, other.predict(X), rtol=1e-9)
    assert other.tube_[0] == pytest.approx(1000.0 * plain.tube_[0])
