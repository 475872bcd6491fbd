"""AnchorGraph and Eigenfunction against their definitions."""

import tracemalloc

import numpy as np
import pytest
from scipy import linalg, optimize, sparse
from sklearn.base import clone
from sklearn.datasets import make_moons
from threadpoolctl import threadpool_limits

import mr
import mr.graph.blocks
import mr.solvers.eigenfunction
from mr.estimators.eigenfunction import principal_axes
from mr.solvers.anchor_graph import local_weights, nearest_anchors, project_to_simplex, regularise, weight_matrix
from mr.solvers.eigenfunction import coordinate_functions, line_eigenfunctions


@pytest.fixture(scope="module")
def moons():
    X, classes = make_moons(300, noise=0.06, random_state=0)
    y = np.full(300, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:3]] = c
    return X, y, classes


def test_local_anchor_embedding_is_the_nearest_point_of_the_hull():
    rng = np.random.default_rng(0)
    X, anchors = rng.standard_normal((20, 5)), rng.standard_normal((12, 5))
    _, indices = nearest_anchors(X, anchors, 4)
    for x, near, z in zip(X, indices, local_weights(X, anchors, indices), strict=True):
        best = optimize.minimize(
            lambda v, U=anchors[near], x=x: np.sum((x - v @ U) ** 2),
            np.full(4, 0.25),
            bounds=[(0, 1)] * 4,
            constraints={"type": "eq", "fun": lambda v: v.sum() - 1},
            method="SLSQP",
            options={"ftol": 1e-14},
        )
        assert np.sum((x - z @ anchors[near]) ** 2) <= best.fun + 1e-8
        assert z.min() >= 0 and z.sum() == pytest.approx(1)


def test_projection_on_the_simplex():
    points = [[0.2, 0.3, 0.5], [2.0, 0.0, -1.0], [0.0, 0.0, 0.0], [0.7, 0.7, -5.0]]
    nearest = [[0.2, 0.3, 0.5], [1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0]]
    for v, expected in zip(np.array(points), nearest, strict=True):
        project_to_simplex(v, np.empty(3))
        assert np.allclose(v, expected)


def test_blocks_and_threads_change_no_weight():
    rng = np.random.default_rng(2)
    X, anchors = rng.standard_normal((301, 7)), rng.standard_normal((40, 7))
    _, indices = nearest_anchors(X, anchors, 5)
    whole = local_weights(X, anchors, indices)
    with threadpool_limits(limits=1, user_api="blas"):
        assert np.allclose(local_weights(sparse.csr_array(X), anchors, indices, block_bytes=1000), whole, atol=1e-12)


def test_sparse_points_are_never_dense_as_a_whole():
    """20,000 columns: 500 dense rows would take 80 MB, the anchors take 6.4."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((500, 20_000), density=1e-3, rng=rng, format="csr")
    y = np.full(500, -1)
    y[:20] = np.arange(20) % 2
    model = mr.AnchorGraph(n_anchors=40).fit(X, y)  # compiles
    tracemalloc.start()
    model.fit(X, y).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6
    dense = mr.AnchorGraph(n_anchors=40).fit(X.toarray(), y)
    assert np.allclose(dense.decision_function(X.toarray()), model.decision_function(X), atol=1e-8)


def test_anchor_graph_tells_its_progress(moons, capsys):
    X, y, _ = moons
    mr.AnchorGraph(n_anchors=20, kmeans_iter=2, verbose=1).fit(X, y)
    told = capsys.readouterr().out.splitlines()
    assert told[1] == "[AnchorGraph] k-means: iteration 2 of 2" and len(told) == 4
    mr.AnchorGraph(n_anchors=20).fit(X, y)
    assert capsys.readouterr().out == ""


def test_reduced_system_minimises_the_objective_on_the_whole_graph():
    rng = np.random.default_rng(1)
    X, anchors = rng.standard_normal((60, 3)), rng.standard_normal((10, 3))
    distances, indices = nearest_anchors(X, anchors, 3)
    assert (np.diff(distances, axis=1) >= 0).all()
    Z = weight_matrix(indices, np.full((60, 3), 1 / 3), 10)
    rows, targets = np.arange(8), rng.choice([-1.0, 1.0], (8, 1))
    A, residual = regularise(Z, rows, targets, 0.1)
    dense = Z.toarray()
    L = np.eye(60) - dense @ np.diag(1 / np.maximum(dense.sum(axis=0), 1e-300)) @ dense.T
    system = dense[rows].T @ dense[rows] + 0.1 * dense.T @ L @ dense
    assert residual < 1e-6
    assert np.allclose(system @ A, dense[rows].T @ targets, atol=1e-7)


@pytest.mark.parametrize("weights", ["lae", "nadaraya-watson"])
def test_anchor_graph_on_moons_and_new_points(moons, weights):
    X, y, classes = moons
    fitted = mr.AnchorGraph(n_anchors=60, weights=weights, random_state=0).fit(X, y)
    assert (fitted.transduction_ == classes).mean() > 0.95
    new, truth = make_moons(200, noise=0.06, random_state=1)
    assert (fitted.predict(new) == truth).mean() > 0.95


def test_normalisation_gives_every_class_the_same_mass(moons):
    X, y, _ = moons
    fitted = mr.AnchorGraph(n_anchors=60).fit(X, y)
    memberships = fitted._memberships(fitted._evaluate(X)) * fitted.class_factors_
    assert np.allclose(memberships.mean(axis=0), 1.0)
    assert mr.AnchorGraph(n_anchors=60, normalize=False).fit(X, y).class_factors_ is None


def test_line_eigenfunctions_solve_the_generalised_problem():
    rng = np.random.default_rng(0)
    centres, density = np.linspace(0, 1, 40), rng.uniform(0.5, 1.5, 40)
    density /= density.sum()
    values, tables = line_eigenfunctions(centres, density, 0.1, 5)
    W = np.exp(-0.5 * ((centres[:, None] - centres) / 0.1) ** 2)
    P, PWP = np.diag(density), density[:, None] * W * density
    D_hat = np.diag(W @ density)
    expected = linalg.eigh(np.diag(PWP.sum(1)) - PWP, P @ D_hat, eigvals_only=True)
    assert np.allclose(values, expected[1:6])
    assert np.allclose((np.diag(PWP.sum(1)) - PWP) @ tables, P @ D_hat @ tables * values, atol=1e-10)


def test_eigenfunctions_of_a_uniform_square_are_cosines():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(4000, 2)) * [2.0, 1.0]
    functions = coordinate_functions(X, 3, 50, 0.1)
    assert functions.coordinates[0] == 0  # the longer side varies most slowly
    U = functions(X)[:, 0]
    assert abs(np.corrcoef(U, np.cos(np.pi * X[:, 0] / 2))[0, 1]) > 0.97


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_principal_axes(shape):
    X = np.random.default_rng(0).standard_normal(shape)
    mean, axes = principal_axes(X)
    centred = X - X.mean(axis=0)
    s = np.linalg.svd(centred, compute_uv=False)
    scores = centred @ axes
    assert np.allclose(axes.T @ axes, np.eye(axes.shape[1]), atol=1e-8)
    assert np.allclose(np.linalg.norm(scores, axis=0), s[: scores.shape[1]])
    assert np.allclose(mean, X.mean(axis=0))


def test_eigenfunction_learns_where_its_assumption_holds():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 2)) * [0.5, 1.0] + np.where(np.arange(500) % 2, 3.0, -3.0)[:, None] * [1, 0]
    classes = np.arange(500) % 2
    y = np.full(500, -1)
    y[:4] = classes[:4]
    fitted = mr.baselines.Eigenfunction().fit(X, y)
    assert (fitted.transduction_ == classes).mean() > 0.98
    assert (fitted.predict(X + 0.01) == classes).mean() > 0.98


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(400, 30), (60, 200)])
def test_eigenfunction_of_sparse_points(shape, intercept, monkeypatch):
    monkeypatch.setattr(mr.solvers.eigenfunction, "BLOCK_BYTES", 8 * 7 * shape[0])  # seven coordinates at a time
    monkeypatch.setattr(mr.graph.blocks, "BLOCK_BYTES", 0)  # 64 rows at a time
    rng = np.random.default_rng(0)
    X = sparse.random_array(shape, density=0.3, rng=rng, format="csr")
    y = np.full(shape[0], -1)
    y[:30] = np.arange(30) % 3
    template = mr.baselines.Eigenfunction(n_eigenfunctions=20, intercept=intercept, n_components=15)
    dense, thin = clone(template).fit(X.toarray(), y), clone(template).fit(X, y)
    assert np.allclose(dense.decision_function(X.toarray()), thin.decision_function(X), atol=1e-8)
    assert np.array_equal(dense.transduction_, thin.transduction_)
    assert np.array_equal(thin.predict(X), thin.transduction_)


def test_eigenfunction_keeps_sparse_points_sparse(monkeypatch):
    """4000 points with 600 coordinates and 1200 functions: 19 MB and 38 MB if they were kept."""
    for module in (mr.solvers.eigenfunction, mr.graph.blocks):
        monkeypatch.setattr(module, "BLOCK_BYTES", 2**20)
    rng = np.random.default_rng(0)
    X = sparse.random_array((4000, 600), density=5e-3, rng=rng, format="csr")
    y = np.full(4000, -1)
    y[:20] = np.arange(20) % 2
    tracemalloc.start()
    mr.baselines.Eigenfunction(n_bins=10).fit(X, y).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 35e6


def test_eigenfunction_of_points_that_are_all_equal():
    with pytest.raises(ValueError, match="Expected a coordinate that varies between its percentiles 2.5 and 97.5"):
        mr.baselines.Eigenfunction().fit(np.ones((20, 3)), np.arange(20) % 2)


def test_eigenfunction_tells_its_progress(moons, capsys):
    X, y, _ = moons
    mr.baselines.Eigenfunction(verbose=1).fit(X, y)
    assert capsys.readouterr().out.splitlines()[0] == "[Eigenfunction] principal axes of 2 columns"
    mr.baselines.Eigenfunction().fit(X, y)
    assert capsys.readouterr().out == ""
