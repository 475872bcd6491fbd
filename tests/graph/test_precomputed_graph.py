"""Graphs that users bring, and as_graph."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from mr.graph import GraphWarning, KNNGraph, PrecomputedGraph, as_graph, laplacian

X = np.random.default_rng(0).normal(size=(50, 3))
W = KNNGraph(4).fit(X).affinity_


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.coo_matrix, sparse.csc_array, lambda W: W.toarray()])
def test_same_graph_from_its_affinity(form):
    known, graph = KNNGraph(4, power=2).fit(X), PrecomputedGraph(form(W), power=2).fit(X)
    np.testing.assert_array_equal(graph.affinity_.toarray(), known.affinity_.toarray())
    np.testing.assert_array_equal(graph.apply(X), known.apply(X))
    assert graph.n_components_ == known.n_components_


@pytest.mark.parametrize(
    ("affinity", "message"),
    [
        (np.ones((3, 4)), r"square matrix; got shape \(3, 4\)"),
        (np.ones(3), r"square matrix; got shape \(3,\)"),
        (np.array([[0, 1.0], [2.0, 0]]), "symmetric; the largest difference .* is 1"),
        (np.array([[0, -1.0], [-1.0, 0]]), "non-negative; its smallest entry is -1"),
        (np.array([[0, np.nan], [np.nan, 0]]), "finite"),
        (np.array([["a", "b"], ["c", "d"]]), "real numbers; got dtype"),
    ],
)
def test_errors_say_what_came(affinity, message):
    with pytest.raises(ValueError, match=message):
        PrecomputedGraph(affinity).fit()


def test_size_must_match_the_data():
    with pytest.raises(ValueError, match=r"49 points of X; got shape \(50, 50\)"):
        as_graph(W, X[:49])


def test_self_loops_are_dropped_with_a_warning():
    with pytest.warns(GraphWarning, match="self loops"):
        graph = PrecomputedGraph(W + sparse.eye_array(50)).fit()
    np.testing.assert_allclose(graph.affinity_.toarray(), W.toarray())


def test_isolated_points_never_give_nan():
    with pytest.warns(GraphWarning, match="1 of 3 points"):
        graph = PrecomputedGraph(np.array([[0, 1.0, 0], [1.0, 0, 0], [0, 0, 0]])).fit()
    np.testing.assert_array_equal(graph.laplacian_.toarray(), [[1, -1, 0], [-1, 1, 0], [0, 0, 0]])
    assert graph.n_components_ == 2


def test_the_users_matrix_and_object_stay_untouched():
    mine, before = W.copy(), W.toarray()
    as_graph(mine, X)
    np.testing.assert_array_equal(mine.toarray(), before)
    graph = KNNGraph(3)
    fitted = as_graph(graph, X)
    assert fitted is not graph and not hasattr(graph, "affinity_")
    assert isinstance(as_graph(None, X), KNNGraph)
    assert clone(PrecomputedGraph(W)).affinity.shape == W.shape


@pytest.mark.parametrize("wrong", ["knn", 6, KNNGraph])
def test_as_graph_refuses_other_things(wrong):
    with pytest.raises(TypeError, match="graph must be a KNNGraph"):
        as_graph(wrong, X)


def test_laplacian_is_the_textbook_one():
    A = W.toarray()
    d = A.sum(1)
    np.testing.assert_allclose(laplacian(W, normalized=False).toarray(), np.diag(d) - A, atol=1e-15)
    np.testing.assert_allclose(laplacian(W).toarray(), np.eye(50) - A / np.sqrt(np.outer(d, d)), atol=1e-15)
