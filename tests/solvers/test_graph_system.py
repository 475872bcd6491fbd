"""Propagation systems against dense solves and exact fractions: both solvers, hard weights, hard graphs."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import mr
from mr.solvers import graph_system
from mr.solvers.propagation import solve_harmonic, solve_lgc

BOTH = pytest.mark.parametrize("solver", ["direct", "cg"])
TOLERANCE = {"direct": 1e-12, "cg": 1e-7}
"""Largest difference from the dense solution, of values up to 1, at tol=1e-8."""


def neighbours(n, n_features=8, seed=0):
    """A neighbour graph in several dimensions, and four labelled points per class of three."""
    X, classes = make_blobs(n, n_features, centers=3, cluster_std=3.0, random_state=seed)
    rows = np.concatenate([np.flatnonzero(classes == c)[:4] for c in range(3)])
    graph = mr.KNNGraph(8).fit(X)
    return graph.affinity_, graph.component_labels_, rows, 2.0 * np.eye(3)[classes[rows]] - 1.0


def dense_harmonic(W, rows, targets):
    W = W.toarray() if sparse.issparse(W) else W
    inside = np.setdiff1d(np.arange(len(W)), rows)
    L = np.diag(W.sum(axis=1)) - W
    f = np.empty((len(W), targets.shape[1]))
    f[rows] = targets
    f[inside] = np.linalg.solve(L[np.ix_(inside, inside)], W[np.ix_(inside, rows)] @ targets)
    return f


def dense_lgc(W, rows, targets, eta):
    W = W.toarray()
    degrees = W.sum(axis=1)
    roots = np.sqrt(np.where(degrees > 0, degrees, 1.0))
    y = np.zeros((len(W), targets.shape[1]))
    y[rows] = targets
    return np.linalg.solve(np.eye(len(W)) - eta * W / np.outer(roots, roots), y)


def exact_harmonic(W, rows, labels):
    """Gauss-Jordan elimination in fractions: no rounding, whatever the weights."""
    n, inside = len(W), [i for i in range(len(W)) if i not in rows]
    w = [[Fraction(v) for v in row] for row in W]
    lines = []
    for i in inside:
        line = [(sum(w[i]) if i == j else 0) - w[i][j] for j in inside]
        lines.append([*line, sum(w[i][row] * Fraction(label) for row, label in zip(rows, labels, strict=True))])
    for c in range(len(inside)):  # the diagonal of a positive definite matrix needs no exchange of rows
        for r, line in enumerate(lines):
            if r != c and line[c]:
                factor = line[c] / lines[c][c]
                lines[r] = [a - factor * b for a, b in zip(line, lines[c], strict=True)]
    f = np.zeros(n)
    f[rows] = labels
    f[inside] = [float(line[-1] / line[c]) for c, line in enumerate(lines)]
    return f


def chain_of_clusters(bridge, n_clusters=4, size=6, seed=0):
    """Clusters with weights of about 1, each joined to the next by two edges of ``bridge``; labels at the ends."""
    rng = np.random.default_rng(seed)
    n = n_clusters * size
    W = np.zeros((n, n))
    for first in range(0, n, size):
        W[first : first + size, first : first + size] = np.triu(rng.uniform(0.1, 1.0, (size, size)), 1)
    for first in range(0, n - size, size):
        W[first + size - 1, first + size] = bridge
        W[first + 2, first + size + 3] = bridge * rng.uniform()
    return W + W.T, [0, n - 1], [1.0, -1.0]


@BOTH
def test_harmonic_is_the_dense_solution(solver):
    W, components, rows, targets = neighbours(400)
    found = solve_harmonic(W, rows, targets, components, solver=solver)
    assert np.abs(found.values - dense_harmonic(W, rows, targets)).max() < TOLERANCE[solver]
    assert found.residual <= 1e-8 and found.solver == solver


@BOTH
@pytest.mark.parametrize("eta", [0.01, 0.3, 0.9, 0.99, 0.9999])
def test_lgc_is_the_dense_solution_at_every_point(solver, eta):
    W, components, rows, targets = neighbours(400)
    found = solve_lgc(W, rows, targets, eta, components, solver=solver)
    expected = dense_lgc(W, rows, targets, eta)
    # what all labels contribute to a point; between 1e-13 and 1 here. Errors are small against that at every point.
    mass = dense_lgc(W, rows, np.ones((len(rows), 1)), eta)
    assert np.abs((found.values - expected) / mass).max() < 1e2 * TOLERANCE[solver]
    assert (found.values.argmax(axis=1) == expected.argmax(axis=1)).all()
    assert found.residual <= 1e-8


def test_a_small_residual_is_not_enough_far_from_the_labels(monkeypatch):
    """With eta = 0.1 a residual of 1e-8 is reached long before the labels have reached every point."""
    W, components, rows, targets = neighbours(1000, n_features=4, seed=1)
    mass, expected = dense_lgc(W, rows, np.ones((len(rows), 1)), 0.1), dense_lgc(W, rows, targets, 0.1)
    found = solve_lgc(W, rows, targets, 0.1, components, solver="cg")
    assert mass.min() < 1e-8
    assert np.abs((found.values - expected) / mass).max() < 1e-7
    monkeypatch.setattr(graph_system._System, "judge", lambda system, x, r: 2 * (system.relative(system._squares(r)),))
    careless = solve_lgc(W, rows, targets, 0.1, components, solver="cg")
    assert careless.residual <= 1e-8 and np.abs((careless.values - expected) / mass).max() > 0.1


@BOTH
@pytest.mark.parametrize("bridge", [1.0, 1e-4, 1e-8, 1e-12, 1e-15, 1e-20, 1e-100, 1e-300])
def test_weak_bridges(solver, bridge):
    """A dense solve loses the bridges to the rounding of the degrees: four digits are left at 1e-12, none at 1e-16."""
    W, rows, labels = chain_of_clusters(bridge)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = solve_harmonic(sparse.csr_array(W), rows, np.array(labels)[:, None], np.zeros(24), solver=solver)
    assert np.abs(found.values[:, 0] - exact_harmonic(W, rows, labels)).max() < TOLERANCE[solver]


@BOTH
@pytest.mark.parametrize("decades", [8, 16, 30, 100, 200])
def test_weights_over_many_orders_of_magnitude(solver, decades):
    rng = np.random.default_rng(3)
    W = np.triu(rng.uniform(size=(16, 16)) < 0.5, 1) * 10.0 ** (-decades * rng.uniform(size=(16, 16)))
    W = W + W.T
    assert csgraph.connected_components(sparse.csr_array(W))[0] == 1
    targets = np.array([[1.0], [-1.0], [1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = solve_harmonic(sparse.csr_array(W), [0, 1, 2], targets, np.zeros(16), solver=solver)
    # points whose constant is right to tol stay as they are, also those of "direct"
    assert np.abs(found.values[:, 0] - exact_harmonic(W, [0, 1, 2], targets[:, 0])).max() < TOLERANCE["cg"]


@BOTH
def test_parts_that_are_lost_to_rounding_and_too_large_are_said(solver, monkeypatch):
    monkeypatch.setattr(graph_system, "ELIMINATED_POINTS", 5)
    W, rows, labels = chain_of_clusters(1e-20)
    with pytest.warns(ConvergenceWarning, match="orders of magnitude"):
        found = solve_harmonic(sparse.csr_array(W), rows, np.array(labels)[:, None], np.zeros(24), solver=solver)
    assert np.isfinite(found.values).all()


@BOTH
def test_a_group_of_outliers(solver):
    """Five neighbours far away hang on their moon by heat weights of 1e-30, and take the value of its label."""
    X, classes = make_moons(2000, noise=0.05, random_state=0)
    last = X[X[:, 0].argmax()]
    X = np.concatenate([X, last + [0.2, 0.0] + 0.01 * np.random.default_rng(0).normal(size=(5, 2))])
    graph = mr.KNNGraph(sigma=0.018).fit(X)
    outer = graph.affinity_[2000:, :2000]
    assert graph.n_components_ == 2 and 1e-40 < outer.data.max() < 1e-20
    rows, targets = np.array([np.argmax(classes == 0), np.argmax(classes == 1)]), np.array([[-1.0], [1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = solve_harmonic(graph.affinity_, rows, targets, graph.component_labels_, solver=solver)
    expected = np.append(2.0 * classes - 1.0, [1.0] * 5)
    assert np.allclose(found.values[:, 0], expected, rtol=0, atol=TOLERANCE["cg"])


def test_a_pivot_of_rounding_alone_is_noticed():
    """In one of these groups of outliers a pivot is rounding, and positive: the constant 1 came out as 3e12 there."""
    rng, n = np.random.default_rng(0), 30_000
    classes, angle = np.arange(n) % 2, np.pi * rng.uniform(size=n)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[classes == 1] = [1.0, 0.5] - X[classes == 1]
    graph = mr.KNNGraph(6).fit(X + 0.1 * rng.normal(size=X.shape))
    rng = np.random.default_rng(2)
    rows = np.concatenate([rng.choice(np.flatnonzero(classes == c), 50, replace=False) for c in (0, 1)])
    targets = 2.0 * classes[rows, None] - 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = solve_harmonic(graph.affinity_, rows, targets, graph.component_labels_, solver="direct")
    assert found.residual < 1e-12 and np.abs(found.values).max() <= 1.0 + 1e-8


@BOTH
def test_weights_of_any_scale(solver):
    W, components, rows, targets = neighbours(200)
    expected = solve_harmonic(W, rows, targets, components, solver=solver)
    for scale in (1e-200, 1e200):
        found = solve_harmonic(scale * W, rows, targets, components, solver=solver)
        assert np.allclose(found.values, expected.values, rtol=0, atol=1e-12)
        assert found.n_iter == expected.n_iter


@BOTH
def test_components_isolated_points_and_labels_without_edges(solver):
    W = sparse.block_diag([np.ones((3, 3)) - np.eye(3)] * 2 + [np.zeros((3, 3))], format="csr")
    W.eliminate_zeros()
    components = csgraph.connected_components(W)[1]
    rows, targets = np.array([0, 1, 6]), np.array([[1.0], [-1.0], [1.0]])  # 6 is labelled and alone, 7 and 8 just alone
    harmonic = solve_harmonic(W, rows, targets, components, solver=solver)
    assert np.allclose(harmonic.values[:, 0], [1, -1, 0, 1 / 3, 1 / 3, 1 / 3, 1, 1 / 3, 1 / 3], atol=1e-8)
    lgc = solve_lgc(W, rows, targets, 0.9, components, solver=solver)
    assert np.allclose(lgc.values, dense_lgc(W, rows, targets, 0.9), atol=1e-8)
    assert (lgc.values[[3, 4, 5, 7, 8]] == 0).all() and lgc.values[6, 0] == pytest.approx(1.0)


@BOTH
def test_nothing_to_solve(solver):
    W = sparse.csr_array(np.ones((3, 3)) - np.eye(3))
    found = solve_harmonic(W, np.arange(3), np.array([[1.0], [-1.0], [1.0]]), np.zeros(3), solver=solver)
    assert (found.values[:, 0] == [1, -1, 1]).all() and found.residual == 0
    # labels that cancel: the right side is zero
    found = solve_harmonic(W, np.arange(2), np.array([[1.0], [-1.0]]), np.zeros(3), solver=solver)
    assert found.values[2, 0] == 0 and found.residual == 0


def test_the_number_of_threads_changes_no_bit():
    W, components, rows, targets = neighbours(600)
    found = []
    for threads in (1, 2):
        with threadpool_limits(limits=threads, user_api="blas"):
            found.append(solve_harmonic(W, rows, targets, components, solver="cg").values)
    assert (found[0] == found[1]).all()


def test_iterations_are_limited_and_the_rest_is_said():
    W, components, rows, targets = neighbours(400)
    with pytest.warns(ConvergenceWarning, match="after 5 iterations .* 1.0e-08 was asked for"):
        found = solve_harmonic(W, rows, targets, components, solver="cg", max_iter=5)
    assert found.n_iter == 5 and found.residual > 1e-8 and np.isfinite(found.values).all()


def test_auto_factorises_small_and_thin_graphs_and_iterates_on_the_others():
    X = np.random.default_rng(0).uniform(size=(4000, 12))
    rows, targets = np.arange(4), np.array([[1.0], [1.0], [-1.0], [-1.0]])
    for n, d, direct in ((4000, 12, False), (4000, 2, True), (1000, 12, True)):
        graph = mr.KNNGraph(10).fit(X[:n, :d])
        found = solve_lgc(graph.affinity_, rows, targets, 0.9, graph.component_labels_)
        assert (found.solver == "direct") == direct, (n, d)


def test_auto_factorises_where_conjugate_gradients_fail(monkeypatch):
    W, components, rows, targets = neighbours(400)
    monkeypatch.setattr(graph_system, "DIRECT_POINTS", 0)
    monkeypatch.setattr(graph_system, "worth_factorising", lambda *_: False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = solve_harmonic(W, rows, targets, components, max_iter=3)
    assert found.solver == "direct"
    assert np.abs(found.values - dense_harmonic(W, rows, targets)).max() < 1e-12
    monkeypatch.setattr(graph_system, "FALLBACK_FACTORS", 0)
    with pytest.warns(ConvergenceWarning):
        assert solve_harmonic(W, rows, targets, components, max_iter=3).n_iter == 3


def test_progress_is_told(capsys):
    W, components, rows, targets = neighbours(400)
    X, y = np.random.default_rng(0).normal(size=(400, 2)), np.full(400, -1)
    y[rows] = targets.argmax(axis=1)
    mr.HarmonicFunction(graph=W, solver="cg", tol=1e-12, verbose=1).fit(X, y)
    assert "[HarmonicFunction] iteration 25: relative residual" in capsys.readouterr().out
    mr.HarmonicFunction(graph=W, solver="cg", tol=1e-12).fit(X, y)
    assert capsys.readouterr().out == ""
