"""The core-set solver against general QP solvers, on problems whose whole matrix can be formed."""

import numpy as np
import osqp
import pytest
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from mr.graph import KNNGraph
from mr.kernels import Kernel
from mr.solvers import core_set
from mr.solvers.core_set import solve_ball
from mr.solvers.enclosing_ball import BallProblem, Edges, paired


def moons_problem(laplacian, theta=300.0, C=30.0, mu=1.0, n=70, kernel="rbf"):
    X, classes = make_moons(n, noise=0.06, random_state=0)
    rows = np.r_[np.flatnonzero(classes == 0)[:2], np.flatnonzero(classes == 1)[:2]]
    y = np.where(classes[rows] == 1, 1.0, -1.0)
    graph = KNNGraph(n_neighbors=4, laplacian=laplacian).fit(X)
    fitted = Kernel(kernel, gamma=2.0, degree=3, coef0=1.0).fit(X)
    return BallProblem(X, fitted, rows, y, Edges.of(graph.affinity_, laplacian == "normalized"), C, mu, theta), X, graph


def whole_matrix(problem, X, graph):
    """K~ built from its definition with explicit loops over edges, independent of the solver's own blocks."""
    K = problem.kernel(X)
    W = graph.affinity_.toarray()
    s = np.sqrt(W.sum(axis=1)) if graph.laplacian == "normalized" else np.ones(len(W))
    columns = []
    for i, y in zip(problem.rows, problem.y, strict=True):
        z = np.zeros(len(X) + 1)
        z[i], z[-1] = y, y
        columns.append(z)
    edges = []
    for u in range(len(W)):
        for v in range(u + 1, len(W)):
            if W[u, v] > 0:
                z = np.zeros(len(X) + 1)
                z[u], z[v] = np.sqrt(W[u, v]) / s[u], -np.sqrt(W[u, v]) / s[v]
                z[-1] = z[u] + z[v]
                edges.append(z)
    Z = np.column_stack(columns + edges + [-z for z in edges])
    inner = np.zeros((len(X) + 1, len(X) + 1))
    inner[:-1, :-1], inner[-1, -1] = K, 1.0
    return Z.T @ inner @ Z + np.diag(problem.ridge(np.arange(problem.size))), Z


def solve_whole(K, linear):
    """min a'Ka - c'a over the simplex by OSQP, scaled so that its absolute tolerances mean something."""
    size = len(linear)
    scale = 1.0 / np.abs(linear).max()
    A = sparse.vstack([np.ones((1, size)), sparse.eye(size)], format="csc")
    low, high = np.r_[1.0, np.zeros(size)], np.r_[1.0, np.full(size, np.inf)]
    solver = osqp.OSQP()
    solver.setup(sparse.csc_matrix(np.triu(2 * scale * K)), -scale * linear, A, low, high, verbose=False, eps_abs=1e-9,
                 eps_rel=1e-9, max_iter=100_000, polishing=True)  # fmt: skip
    a = np.maximum(solver.solve().x, 0.0)
    return a / a.sum()


@pytest.mark.parametrize("laplacian", ["normalized", "unnormalized"])
@pytest.mark.parametrize("theta", [3.0, 300.0])
class TestAgainstOSQP:
    def test_the_blocks_are_the_whole_matrix(self, laplacian, theta):
        problem, X, graph = moons_problem(laplacian, theta)
        ids = np.arange(problem.size)
        K, _ = whole_matrix(problem, X, graph)
        assert np.allclose(problem.gram(ids, ids) + np.diag(problem.ridge(ids)), K, atol=1e-12)
        assert problem.eta == pytest.approx((np.diag(K) - problem.linear(ids)).max())

    def test_decision_values(self, laplacian, theta):
        problem, X, graph = moons_problem(laplacian, theta)
        K, Z = whole_matrix(problem, X, graph)
        linear = problem.linear(np.arange(problem.size))
        a = solve_whole(K, linear)
        w = problem.C * Z @ a
        reference = problem.kernel(X) @ w[:-1] + w[-1]
        ball = solve_ball(problem, epsilon=1e-9, random_state=np.random.RandomState(0))
        assert ball.achieved_epsilon <= 1e-9 and abs(ball.gap) < 1e-4
        assert np.abs(ball.values - reference).max() < 1e-3 * np.abs(reference).max()
        dual = problem.C**2 * (linear @ a - a @ K @ a)
        assert ball.objective == pytest.approx(dual, rel=1e-4)


@pytest.mark.parametrize("epsilon", [1e-3, 1e-5])
def test_every_point_lies_in_the_ball_that_is_claimed(epsilon):
    problem, X, graph = moons_problem("unnormalized")
    search = core_set._Search(problem, epsilon, 59, 2000, np.random.RandomState(0))
    search.grow(search.first_core())
    search.sample_until_clean()
    values = search.evaluate()
    while len(violators := search.violators(values)):
        search.empty_pool(violators)
        values = search.evaluate()
    K, _ = whole_matrix(problem, X, graph)
    a = np.zeros(problem.size)
    a[search.ids] = search.a
    linear = problem.linear(np.arange(problem.size))
    square = problem.eta + linear @ a - a @ K @ a
    furthest = np.sqrt((a @ K @ a + problem.eta - 2 * (K @ a - linear / 2)).max() / square) - 1
    assert furthest <= epsilon * (1 + 1e-6)
    assert search.finish(values).achieved_epsilon == pytest.approx(furthest, rel=1e-6, abs=1e-12)
    assert search.finish(values).radius == pytest.approx(np.sqrt(square))


def test_looser_epsilon_has_a_smaller_core():
    problem = moons_problem("unnormalized")[0]
    sizes = [solve_ball(problem, e, random_state=np.random.RandomState(0)).core_size for e in (1e-2, 1e-4, 1e-8)]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]


def test_sampling_only_reports_its_own_shortfall():
    problem = moons_problem("unnormalized", n=300)[0]
    sampled = solve_ball(problem, 1e-8, sampling=1, exact=False, random_state=np.random.RandomState(0))
    exact = solve_ball(problem, 1e-8, random_state=np.random.RandomState(0))
    assert sampled.achieved_epsilon > 1e-8 >= exact.achieved_epsilon
    assert sampled.gap > exact.gap >= -1e-12
    assert sampled.n_passes == 1


def test_negative_tube_both_signs_of_an_edge():
    problem, X, graph = moons_problem("unnormalized", theta=1e-2, C=1e3)
    K, Z = whole_matrix(problem, X, graph)
    ball = solve_ball(problem, 1e-9, random_state=np.random.RandomState(0))
    a = solve_whole(K, problem.linear(np.arange(problem.size)))
    w = problem.C * Z @ a
    assert ball.tube < 0 and abs(ball.gap) < 1e-3
    assert np.abs(ball.values - problem.kernel(X) @ w[:-1] - w[-1]).max() < 1e-2


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "cosine"])
def test_paired_is_the_diagonal_of_a_block(kernel):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(9, 4)), rng.normal(size=(9, 4))
    fitted = Kernel(kernel, gamma=0.5, degree=2, coef0=1.0).fit(A)
    expected = np.diag(fitted(A, B))
    assert np.allclose(paired(fitted, A, B), expected)
    assert np.allclose(paired(fitted, sparse.csr_matrix(A), sparse.csr_matrix(B)), expected)


def test_full_core_warns():
    problem = moons_problem("unnormalized")[0]
    with pytest.warns(UserWarning, match="max_core=6"):
        assert solve_ball(problem, 1e-9, max_core=6, random_state=np.random.RandomState(0)).core_size == 6


@pytest.mark.parametrize("max_iter", [1, 7, 40])
def test_work_is_bounded(max_iter):
    problem = moons_problem("unnormalized", theta=1e4, C=1e6)[0]
    search = core_set._Search(problem, 1e-11, 59, 2000, np.random.RandomState(0), max_iter)
    search.grow(search.first_core())
    assert not search.sample_until_clean() and search.exhausted
    assert search.work <= max_iter + 1
    with pytest.warns(ConvergenceWarning, match=f"max_iter={max_iter} solves"):
        ball = solve_ball(problem, 1e-11, random_state=np.random.RandomState(0), max_iter=max_iter)
    assert ball.n_iter <= max_iter and np.isfinite(ball.values).all() and ball.gap > 0


def test_a_bound_that_is_not_reached_changes_nothing(capsys):
    problem = moons_problem("unnormalized")[0]
    free = solve_ball(problem, 1e-6, random_state=np.random.RandomState(0))
    assert capsys.readouterr().out == ""
    bounded = solve_ball(problem, 1e-6, random_state=np.random.RandomState(0), max_iter=10**6, verbose=2)
    assert np.array_equal(free.values, bounded.values)
    lines = capsys.readouterr().out.splitlines()
    assert sum("pass" in line for line in lines) == bounded.n_passes
    assert sum("step" in line for line in lines) == bounded.n_iter


def test_an_early_look_at_all_points_finds_the_same(monkeypatch):
    """While t < 0 samples cannot tell which edges matter; a look at all of them can."""
    problem = moons_problem("unnormalized", theta=3e3, C=1e4, n=300)[0]

    def solved(look, exact=True):
        monkeypatch.setattr(core_set, "LOOK", look)
        return solve_ball(problem, 1e-9, exact=exact, max_core=problem.size, random_state=np.random.RandomState(0))

    late, early, sampled = solved(10**9), solved(10), solved(10, exact=False)
    assert early.n_passes > late.n_passes and sampled.n_passes == 1
    assert early.achieved_epsilon <= 1e-9 and early.objective == pytest.approx(late.objective, rel=1e-7)
    assert np.abs(early.values - late.values).max() < 1e-5 * np.abs(late.values).max()
