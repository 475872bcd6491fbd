"""Eigenpairs against numpy.linalg.eigh, on connected and disconnected graphs, by every route."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons

from mr.graph import KNNGraph, PrecomputedGraph
from mr.spectrum import EigenpairsNotFound, fill, lanczos, smallest_eigenpairs

rng = np.random.default_rng(0)
N_LARGE = 1200  # just past the dense route


def ring(m):
    W = sparse.diags_array([1.0, 1.0], offsets=[1, -1], shape=(m, m)).tolil()
    W[0, m - 1] = W[m - 1, 0] = 1.0
    return W.tocsr()


def graphs(laplacian):
    isolated = sparse.block_diag([ring(N_LARGE // 2), ring(N_LARGE // 3), sparse.csr_array((3, 3))])
    return {
        "gauss": KNNGraph(6, laplacian=laplacian).fit(rng.normal(size=(N_LARGE, 5))),
        "moons": KNNGraph(6, laplacian=laplacian).fit(make_moons(N_LARGE, noise=0.05, random_state=0)[0]),
        "rings": PrecomputedGraph(sparse.block_diag([ring(300)] * 4), laplacian=laplacian).fit(),
        "isolated": PrecomputedGraph(isolated, laplacian=laplacian).fit(),
    }


def check(graph, k, found):
    dense = graph.laplacian_.toarray()
    values, vectors = np.linalg.eigh(dense)
    np.testing.assert_allclose(found.values, values[:k], atol=1e-8)
    assert (found.values == 0).sum() == min(k, graph.n_components_)
    assert np.all(np.diff(found.values) >= 0)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(k), atol=1e-8)
    assert found.residual == pytest.approx(
        np.linalg.norm(dense @ found.vectors - found.vectors * found.values, axis=0).max()
    )
    largest = np.abs(found.vectors).argmax(axis=0)
    assert (found.vectors[largest, np.arange(k)] > 0).all()
    if k < len(values) and values[k] - values[k - 1] > 1e-7:  # a subspace is only defined up to a gap
        P, Q = found.vectors @ found.vectors.T, vectors[:, :k] @ vectors[:, :k].T
        np.testing.assert_allclose(P, Q, atol=1e-5)


@pytest.mark.filterwarnings("ignore::mr.graph.GraphWarning")
@pytest.mark.parametrize("laplacian", ["normalized", "unnormalized"])
@pytest.mark.parametrize("route", ["factors", "products"])
@pytest.mark.parametrize("kind", ["gauss", "moons", "rings", "isolated"])
def test_large_routes(kind, route, laplacian, monkeypatch):
    if route == "products" and kind == "moons":
        pytest.skip("eigenvalues crowd at 0: this is what the factors are for")
    monkeypatch.setattr(fill, "LARGEST_FILL", np.inf if route == "factors" else 0)
    graph = graphs(laplacian)[kind]
    check(graph, 12, smallest_eigenpairs(graph, 12))


@pytest.mark.parametrize("laplacian", ["normalized", "unnormalized"])
@pytest.mark.parametrize("k", [1, 2, 3, 40, 150])
def test_dense_route(k, laplacian):
    X = np.vstack([rng.normal(size=(75, 3)), 50 + rng.normal(size=(75, 3))])
    graph = KNNGraph(5, laplacian=laplacian).fit(X)
    check(graph, k, smallest_eigenpairs(graph, k))


def test_many_pairs_of_a_middling_graph():
    graph = KNNGraph(6).fit(rng.normal(size=(N_LARGE, 4)))
    found = smallest_eigenpairs(graph, 700)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(graph.laplacian_.toarray())[:700], atol=1e-10)


@pytest.mark.filterwarnings("ignore::mr.graph.GraphWarning")
@pytest.mark.parametrize("laplacian", ["normalized", "unnormalized"])
@pytest.mark.parametrize("n", [80, 600])
def test_a_bare_matrix(n, laplacian):
    W = sparse.block_diag([ring(n), KNNGraph(5).fit(rng.normal(size=(n, 3))).affinity_, sparse.csr_array((1, 1))])
    graph = PrecomputedGraph(W, laplacian=laplacian).fit()
    check(graph, 9, smallest_eigenpairs(graph.laplacian_, 9))


def test_more_components_than_pairs():
    graph = PrecomputedGraph(sparse.block_diag([np.ones((3, 3)) - np.eye(3)] * 8)).fit()
    found = smallest_eigenpairs(graph, 5)
    np.testing.assert_array_equal(found.values, 0.0)
    assert found.residual < 1e-15


def test_repeated_runs_are_equal_bitwise():
    graph = KNNGraph(6).fit(make_moons(3000, noise=0.1, random_state=1)[0])
    first, second = smallest_eigenpairs(graph, 8), smallest_eigenpairs(graph, 8)
    np.testing.assert_array_equal(first.values, second.values)
    np.testing.assert_array_equal(first.vectors, second.vectors)


def test_crowded_eigenvalues_of_two_moons():
    graph = KNNGraph(6).fit(make_moons(8000, noise=0.05, random_state=0)[0])
    found = smallest_eigenpairs(graph, 20)
    assert found.residual < 1e-12 and found.values[19] < 0.01


def test_fill_tells_a_surface_from_a_crowd():
    flat = KNNGraph(6).fit(rng.random((5000, 2)))
    thick = KNNGraph(6).fit(rng.random((5000, 7)))
    assert fill.predicted_fill(flat.laplacian_, flat.component_labels_, 1e-6) < 6
    assert fill.predicted_fill(thick.laplacian_, thick.component_labels_, 1e-6) > 30


def test_errors_say_what_came(monkeypatch):
    graph = KNNGraph(3).fit(rng.normal(size=(30, 2)))
    with pytest.raises(ValueError, match="between 1 and the number of points, 30; got 31"):
        smallest_eigenpairs(graph, 31)
    with pytest.raises(ValueError, match="symmetric"):
        smallest_eigenpairs(np.triu(np.ones((4, 4))), 2)
    with pytest.raises(ValueError, match="square"):
        smallest_eigenpairs(np.ones((4, 3)), 2)
    with pytest.raises(EigenpairsNotFound, match="residual"):
        smallest_eigenpairs(graph, 5, tol=1e-20)


def test_groups_of_outliers_far_below_the_usual_shift(monkeypatch):
    """Groups of points that hang on a surface by tiny weights: few solves, and eigenvalues to rounding."""
    monkeypatch.setattr(lanczos, "MANY_POINTS", 1000)
    surface = KNNGraph(6).fit(make_moons(1200, noise=0.05, random_state=0)[0]).affinity_
    joined = sparse.block_diag([surface, *[ring(3)] * 12]).tolil()
    for group in range(12):
        joined[1200 + 3 * group, 80 * group] = joined[80 * group, 1200 + 3 * group] = 10.0 ** (-11 - 0.2 * group)
    graph, solves = PrecomputedGraph(joined.tocsr()).fit(), []

    def counting(L, shift):
        factors = fill.factorise(L, shift)
        return SimpleNamespace(solve=lambda v: solves.append(shift) or factors.solve(v))

    monkeypatch.setattr(lanczos, "factorise", counting)
    found = smallest_eigenpairs(graph, 14)
    assert len(solves) < 200 and max(solves) < 1e-10 and 1e-15 < found.values[found.values > 0][0] < 1e-10
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(graph.laplacian_.toarray())[:14], atol=1e-14)
