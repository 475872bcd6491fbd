"""AGMR's half steps against independent solutions, and descent on data of both signs."""

import numpy as np
import osqp
import pytest
from scipy import linalg, sparse

from mr.graph import KNNGraph
from mr.graph.sparse_coding import local_grams
from mr.solvers.adaptive_graph import (
    EntropyWeights,
    GaussTransform,
    LineEntropyWeights,
    SparseWeights,
    alternate,
    degree_needed,
    fit_on_graph,
    graph_smoothness,
)
from mr.solvers.row_descent import (
    LocalRows,
    SharedRows,
    costs,
    multiplicative,
    pairwise,
    printed,
)


def problem(seed=0, n=40, d=3, c=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.3, 3, d) + rng.normal(size=d)
    rows = rng.choice(n, 8, replace=False)
    targets = np.sign(rng.normal(size=(8, c)))
    return X, rows, targets, rng.normal(size=(n, c))


def row_objective(X, F, W, eta_1):
    errors = np.square(X - W @ X).sum()
    return float((W * costs(F)).sum()) + eta_1 * errors


def osqp_row(P, q, A, low, high):
    solver = osqp.OSQP()
    solver.setup(
        sparse.csc_matrix(np.triu(P)), q, sparse.csc_matrix(A), low, high, verbose=False, eps_abs=1e-9, eps_rel=1e-9,
        max_iter=100_000, polishing=True,
    )  # fmt: skip
    return solver.solve().x


class TestGaussTransform:
    @pytest.mark.parametrize("eta", [0.01, 1.0, 100.0])
    def test_equals_the_dense_matrix(self, eta):
        f = np.random.default_rng(0).normal(size=400)
        K = np.exp(-np.square(f[:, None] - f) / eta)
        degree = degree_needed(0.5 * np.ptp(f), eta)
        assert np.abs(GaussTransform(f, eta, degree) @ np.eye(400) - K).max() < 1e-12

    @pytest.mark.parametrize("outliers", [0, 3])
    def test_line_weights_equal_dense_weights(self, outliers):
        rng = np.random.default_rng(1)
        F = rng.normal(size=(1500, 1))
        F[:outliers, 0] = [20.0, -15.0, 27.0][:outliers]
        R = rng.normal(size=(1500, 4))
        line, dense = LineEntropyWeights(0.5), EntropyWeights(0.5)
        line.update(F)
        dense.update(F)
        assert line.K is not None and len(line.thin) >= outliers
        assert np.allclose(line.directed().toarray(), dense.W, atol=1e-11)
        assert np.allclose(line.quadratic(R), dense.quadratic(R), atol=1e-9)
        assert np.allclose(line.apply(R), dense.apply(R), atol=1e-10)
        assert line.penalty == pytest.approx(dense.penalty, rel=1e-10)

    def test_equal_values(self):
        line = LineEntropyWeights(1.0)
        line.update(np.ones((50, 1)))
        assert np.allclose(line.directed().toarray(), (1 - np.eye(50)) / 49, atol=1e-13)


class TestEntropyStep:
    @pytest.mark.parametrize("columns", [1, 3])
    def test_is_stationary_on_the_simplex(self, columns):
        F = np.random.default_rng(0).normal(size=(20, columns))
        weights = EntropyWeights(0.7)
        weights.update(F)
        off = ~np.eye(20, dtype=bool)
        gradient = np.where(off, costs(F) + 0.7 * (1 + np.log(np.where(off, weights.W, 1.0))), np.nan)
        assert np.nanmax(np.nanmax(gradient, axis=1) - np.nanmin(gradient, axis=1)) < 1e-10
        assert np.allclose(weights.W.sum(axis=1), 1)
        entropy = np.where(off, weights.W * np.log(19 * np.where(off, weights.W, 1.0)), 0.0).sum()
        assert weights.penalty == pytest.approx(0.7 * entropy)


class TestSparseStep:
    eta_1 = 0.3

    def reference(self, X, F):
        """Every row by OSQP."""
        n = len(X)
        W = np.zeros((n, n))
        G = X @ X.T
        for i in range(n):
            others = np.delete(np.arange(n), i)
            P = 2 * self.eta_1 * G[np.ix_(others, others)]
            q = costs(F)[i, others] - 2 * self.eta_1 * G[i, others]
            A = np.vstack([np.ones(n - 1), np.eye(n - 1)])
            W[i, others] = osqp_row(P, q, A, np.r_[1, np.zeros(n - 1)], np.r_[1, np.full(n - 1, np.inf)])
        return W

    @pytest.mark.parametrize("update", [pairwise, multiplicative])
    def test_agrees_with_osqp(self, update):
        X, _, _, F = problem(n=15, d=4)
        rows = SharedRows(X, self.eta_1)
        slow = update is multiplicative
        W = update(rows, rows.uniform(), F, tol=1e-10, max_steps=3000 if slow else 30_000)
        best = row_objective(X, F, self.reference(X, F), self.eta_1)
        assert row_objective(X, F, W, self.eta_1) == pytest.approx(best, rel=1e-3 if slow else 1e-6)
        assert W.min() >= 0 and np.allclose(W.sum(axis=1), 1) and not W.diagonal().any()

    @pytest.mark.parametrize("update", [pairwise, multiplicative])
    @pytest.mark.parametrize("seed", range(3))
    def test_every_step_descends(self, update, seed):
        X, _, _, F = problem(seed, n=25, d=30 if seed == 2 else 3)
        rows = SharedRows(X, self.eta_1)
        W = rows.uniform()
        last = row_objective(X, F, W, self.eta_1)
        for _ in range(12):
            W = update(rows, W, F, tol=0.0, max_steps=1)
            now = row_objective(X, F, W, self.eta_1)
            assert now <= last + 1e-9 * abs(last)
            last = now

    def test_the_identity_would_be_optimal(self):
        # why w_ii = 0: printed equation 12 lets a point reconstruct itself
        X, _, _, F = problem()
        assert row_objective(X, F, np.eye(len(X)), self.eta_1) == 0.0

    def test_local_rows_over_all_points_equal_shared_rows(self):
        X, _, _, F = problem(n=20)
        candidates = np.array([np.delete(np.arange(20), i) for i in range(20)])
        shared = SparseWeights(SharedRows(X, self.eta_1), 1.0)
        local = SparseWeights(LocalRows(local_grams(X, candidates), self.eta_1), 1.0, candidates=candidates)
        for weights in (shared, local):
            weights.update(F)
        # pair steps on the support end at a violation of 1e-5, so the minima agree to that and not the errors alone
        values = [row_objective(X, F, weights.directed().toarray(), self.eta_1) for weights in (shared, local)]
        assert values[1] == pytest.approx(values[0], rel=1e-5)
        assert np.allclose(local.problem.errors(local.rows).sum(), shared.problem.errors(shared.rows).sum(), rtol=1e-4)

    def test_printed_update_is_equation_13(self):
        rng = np.random.default_rng(0)
        X, F = np.abs(rng.normal(size=(12, 3))), np.abs(rng.normal(size=(12, 1)))
        rows = SharedRows(X, 0.5)
        W = rows.uniform()
        V, valid = printed(rows, W, F, eta_2=0.2)
        k, i = 3, 7
        G, FF = X @ X.T, F @ F.T
        expected = (0.5 * G + 0.5 * FF)[k, i] / ((0.5 * G @ W.T)[k, i] + 0.25 * (FF[i, i] + FF[k, k]) + 0.1) * W.T[k, i]
        unscaled = W * (0.5 * G + 0.5 * FF) / (0.5 * W @ G + 0.25 * (np.diag(FF)[:, None] + np.diag(FF)) + 0.1)
        assert valid and unscaled.T[k, i] == pytest.approx(expected)
        assert np.allclose(V, unscaled / unscaled.sum(axis=1, keepdims=True))


class TestFunctionStep:
    def test_is_equation_7_with_the_symmetrised_laplacian(self):
        X, rows, targets, F = problem()
        K = X @ X.T + 1e-3 * np.eye(len(X))
        weights = EntropyWeights(1.0)
        weights.update(F)
        symmetric = (weights.W + weights.W.T) / 2
        L = np.diag(symmetric.sum(axis=1)) - symmetric
        R = linalg.cholesky(K, lower=True)
        w = fit_on_graph(R, rows, targets, 2.0, 0.5, weights.quadratic(R))
        alpha = linalg.solve(2.0 * K[rows].T @ K[rows] + 0.5 * K + 2 * K @ L @ K, 2.0 * K[rows].T @ targets)
        assert np.allclose(R @ w, K @ alpha, atol=1e-8)

    def test_smoothness_is_the_double_sum(self):
        X, _, _, F = problem(c=2)
        weights = EntropyWeights(1.0)
        weights.update(F)
        direct = sum(weights.W[i, j] * np.square(X[i] - X[j]).sum() for i in range(len(X)) for j in range(len(X)))
        assert np.trace(weights.quadratic(X)) == pytest.approx(direct)
        assert np.sum(X * weights.apply(X)) == pytest.approx(direct)


@pytest.mark.parametrize("kind", ["line", "dense", "support", "pairwise", "multiplicative", "local"])
@pytest.mark.parametrize("seed", range(4))
def test_the_objective_never_rises(kind, seed):
    X, rows, targets, _ = problem(seed, n=60, d=2 + 3 * seed, c=1 if kind == "line" else 1 + seed % 2)
    near = np.argsort(np.square(X[:, None] - X).sum(axis=2) + 1e9 * np.eye(60), axis=1)[:, :9]
    eta = 10.0 ** (seed - 2)
    weights = {
        "line": lambda: LineEntropyWeights(eta),
        "dense": lambda: EntropyWeights(eta),
        "support": lambda: EntropyWeights(eta, near),
        "local": lambda: SparseWeights(LocalRows(local_grams(X, near), eta), 1.0, "pairwise", near),
    }.get(kind, lambda: SparseWeights(SharedRows(X, eta), 1.0, kind))()
    graph = KNNGraph(5, laplacian="unnormalized").fit(X)
    start = X @ fit_on_graph(X, rows, targets, 1.0, 0.1, graph_smoothness(X, graph))
    history = alternate(X, rows, targets, weights, start, 1.0, 0.1, max_iter=8, tol=0.0).objective
    assert len(history) > 2
    assert np.diff(history).max() <= 1e-10 * max(1.0, abs(history[0]))
