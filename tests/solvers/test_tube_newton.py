"""Newton's method for the sparsified Laplacian SVM against core sets and a general minimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import make_moons

from mr.graph import KNNGraph
from mr.kernels import Kernel, pivoted_cholesky
from mr.solvers import tube_newton
from mr.solvers.core_set import solve_ball
from mr.solvers.enclosing_ball import BallProblem, Edges
from mr.solvers.tube_newton import TubeNewton, conjugate_gradient


def moons(n=70, laplacian="unnormalized"):
    X, classes = make_moons(n, noise=0.06, random_state=0)
    rows = np.r_[np.flatnonzero(classes == 0)[:2], np.flatnonzero(classes == 1)[:2]]
    graph = KNNGraph(n_neighbors=4, laplacian=laplacian).fit(X)
    return X, rows, np.where(classes[rows] == 1, 1.0, -1.0), Edges.of(graph.affinity_, laplacian == "normalized")


def problem_of(theta, C, mu=1.0, n=70, laplacian="unnormalized"):
    X, rows, y, edges = moons(n, laplacian)
    return BallProblem(X, Kernel("rbf", gamma=2.0).fit(X), rows, y, edges, C, mu, theta)


def newton(problem, **options):
    return TubeNewton(pivoted_cholesky(problem.kernel(problem.X)), **options).solve([problem])[0]


@pytest.mark.parametrize("laplacian", ["normalized", "unnormalized"])
@pytest.mark.parametrize(
    ("theta", "C", "mu"), [(3.0, 30.0, 1.0), (300.0, 30.0, 1.0), (0.01, 1e3, 1.0), (300.0, 30.0, 0.1), (1e4, 1e6, 1.0)]
)
def test_core_sets_find_the_same(theta, C, mu, laplacian):
    problem = problem_of(theta, C, mu, laplacian=laplacian)
    exact = newton(problem)
    ball = solve_ball(problem, 1e-11, max_core=problem.size, random_state=np.random.RandomState(0))
    assert exact.converged and abs(exact.gap) < 1e-10 and exact.gradient_norm < 1e-10
    assert exact.achieved_epsilon <= 1e-11
    assert exact.objective == pytest.approx(ball.objective, rel=1e-8)
    assert exact.tube == pytest.approx(ball.tube, rel=1e-6)
    assert np.abs(exact.values - ball.values).max() < 1e-6 * np.abs(ball.values).max()
    assert exact.core_size <= ball.core_size


@pytest.mark.parametrize(("theta", "C"), [(5.0, 10.0), (200.0, 10.0)])
def test_a_general_minimiser_finds_no_less(theta, C):
    """The objective of the class docstring, written with loops and |f_e|, and minimised by scipy."""
    X, rows, y, edges = moons(16)
    problem = BallProblem(X, Kernel("rbf", gamma=2.0).fit(X), rows, y, edges, C, 1.0, theta)
    K = problem.kernel(X)
    values, vectors = np.linalg.eigh(K)
    R = vectors * np.sqrt(np.maximum(values, 0.0))

    def objective(z):
        w, b, t = z[:-2], z[-2], z[-1]
        f = R @ w + b
        total = w @ w + b * b + 2 * C * t
        total += C / len(rows) * sum(max(1 - t - s * f[i], 0.0) ** 2 for i, s in zip(rows, y, strict=True))
        for u, v, at_u, at_v in zip(edges.u, edges.v, edges.at_u, edges.at_v, strict=True):
            d = at_u * f[u] + at_v * f[v]
            total += C * theta / len(edges) * (max(d - t, 0.0) ** 2 + max(-d - t, 0.0) ** 2)
        return total

    found = minimize(objective, np.zeros(len(X) + 2), method="BFGS", options={"gtol": 1e-7, "maxiter": 5000})
    exact = newton(problem)
    assert exact.objective == pytest.approx(found.fun, rel=1e-7)
    assert exact.tube == pytest.approx(found.x[-1], abs=1e-4)
    assert np.abs(exact.values - R @ found.x[:-2] - found.x[-2]).max() < 1e-4


def test_the_expansion_has_the_values():
    problem = problem_of(300.0, 30.0)
    exact = newton(problem)
    K = problem.kernel(problem.X, problem.X[exact.points])
    assert np.allclose(K @ exact.coefficients + exact.bias, exact.values, atol=1e-10)
    assert len(exact.points) < len(problem.X)


@pytest.mark.parametrize("changed", [1, 10**9])
def test_every_way_to_invert_ends_at_the_same_point(monkeypatch, changed):
    """Updates of a factorisation, a factorisation per piece, and several classes on the same factorisation."""
    problem = problem_of(30.0, 1e3, n=200)
    expected = newton(problem)
    monkeypatch.setattr(tube_newton, "CHANGED", changed)
    if changed > 1:
        monkeypatch.setattr(tube_newton, "CG_STEPS", 1)
    machine = TubeNewton(pivoted_cholesky(problem.kernel(problem.X)))
    for _ in range(2):
        (again,) = machine.solve([problem])
        assert again.objective == pytest.approx(expected.objective, rel=1e-9) and abs(again.gap) < 1e-9
        assert np.allclose(again.values, expected.values, atol=1e-6)


def classes_of(theta, C, mu=1.0, m=30, n=200):
    """Three classes by angle, one against the rest: problems that share all but the signs of their labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    classes = np.digitize(np.arctan2(X[:, 1], X[:, 0]), [-1.0, 1.0])
    rows = np.sort(rng.permutation(n)[:m])
    edges = Edges.of(KNNGraph(n_neighbors=4).fit(X).affinity_, True)
    kernel = Kernel("rbf", gamma=2.0).fit(X)
    signs = [np.where(classes[rows] == c, 1.0, -1.0) for c in range(3)]
    return [BallProblem(X, kernel, rows, y, edges, C, mu, theta) for y in signs]


@pytest.mark.parametrize("m", [30, 120])  # fewer and more labels than are held apart from the edges
@pytest.mark.parametrize(("theta", "C", "mu"), [(10.0, 1e2, 1.0), (30.0, 1e6, 1.0), (3e3, 1e3, 1.0), (30.0, 1e3, 1e-3)])
def test_classes_together_are_classes_alone(theta, C, mu, m):
    """t below and above 0, so that classes stay together, leave the others, or never were with them."""
    problems = classes_of(theta, C, mu, m)
    R = pivoted_cholesky(problems[0].kernel(problems[0].X))
    for problem, together in zip(problems, TubeNewton(R).solve(problems), strict=True):
        (alone,) = TubeNewton(R).solve([problem])
        assert together.converged and abs(together.gap) < 1e-9 and together.gradient_norm < 1e-8
        assert np.abs(together.values - alone.values).max() < 1e-7 * np.abs(alone.values).max()
        assert together.tube == pytest.approx(alone.tube, rel=1e-6)


def test_groups_of_classes_change_nothing(monkeypatch):
    problems = classes_of(10.0, 1e2)
    R = pivoted_cholesky(problems[0].kernel(problems[0].X))
    together = TubeNewton(R).solve(problems)
    monkeypatch.setattr(tube_newton, "TOGETHER_BYTES", 1)
    for one, other in zip(together, TubeNewton(R).solve(problems), strict=True):
        assert np.allclose(one.values, other.values, rtol=0, atol=1e-8 * np.abs(one.values).max())


def test_labels_without_loss_are_taken_from_the_first_piece():
    """The preconditioner is the inverse where a piece differs from the first one in labels only, at any weight."""
    problems = classes_of(10.0, 1e10)
    R = pivoted_cholesky(problems[0].kernel(problems[0].X))
    features = np.column_stack([R, np.ones(len(R))])
    constraints = tube_newton._Constraints(problems[:2])
    weights = constraints.weights(np.repeat(constraints.cost[:, None], 2, axis=1))
    first = tube_newton._FirstPiece(features, constraints, weights[:, 0])
    pieces = weights.copy()
    pieces[:20, 1] = 0.0
    right = np.random.default_rng(0).normal(size=(features.shape[1], 4))
    found = first.inverse(pieces)(right)
    V = constraints.functionals @ features
    for j in range(2):
        A = np.eye(features.shape[1]) + (V.T * pieces[:, j]) @ V
        assert np.allclose(found[:, j::2], np.linalg.solve(A, right[:, j::2]), rtol=1e-4, atol=1e-6)
    assert first.within_reach(pieces).all()


def test_too_few_steps_are_reported():
    stopped = newton(problem_of(1e4, 1e6), max_iter=2)
    assert not stopped.converged and stopped.n_iter == 2 and stopped.gap > 1e-3


def test_conjugate_gradient():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(12, 12))
    A = A @ A.T + np.eye(12)
    right = rng.normal(size=(12, 2))
    x, met = conjugate_gradient(lambda v: A @ v, right, lambda v: v, 60, 1e-12)
    assert met.all() and np.allclose(A @ x, right)
    assert not conjugate_gradient(lambda v: A @ v, right, lambda v: v, 2, 1e-12)[1].any()
