"""KNNGraph: conventions against short references, and what happens on awkward data."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph
from scipy.spatial.distance import cdist
from sklearn.base import clone

from mr.graph import GraphWarning, KNNGraph
from mr.graph.union import union

X = np.random.default_rng(0).normal(size=(200, 10))


def test_heat_weights_follow_the_paper():
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    near = np.argsort(D, axis=1)[:, :6]
    directed = np.take_along_axis(D, near, 1)
    W = np.zeros_like(D)
    np.put_along_axis(W, near, np.exp(-(directed**2) / (2 * directed.mean() ** 2)), 1)
    graph = KNNGraph().fit(X)
    assert graph.sigma_ == pytest.approx(directed.mean(), rel=1e-14)
    np.testing.assert_allclose(graph.affinity_.toarray(), np.maximum(W, W.T), rtol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("weights", ["heat", "binary", "cosine", "distance"])
@pytest.mark.parametrize("laplacian", ["normalized", "unnormalized"])
@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.filterwarnings("ignore::mr.graph.GraphWarning")
def test_graph_contract(metric, weights, laplacian, as_sparse):
    data = sparse.csr_array(np.where(X > 0, X, 0)) if as_sparse else X
    graph = KNNGraph(5, metric=metric, weights=weights, laplacian=laplacian, power=3).fit(data)
    W, L = graph.affinity_, graph.laplacian_
    assert W.format == L.format == "csr"
    assert (W != W.T).nnz == 0 and not W.diagonal().any() and W.data.min() > 0
    np.testing.assert_allclose(graph.degrees_, W.toarray().sum(1))
    assert np.linalg.eigvalsh(L.toarray()).min() > -1e-12
    null = np.sqrt(graph.degrees_) if laplacian == "normalized" else np.ones(200)
    np.testing.assert_allclose(L @ null, 0, atol=1e-12)
    count, labels = csgraph.connected_components(W, directed=False)
    assert graph.n_components_ == count
    np.testing.assert_array_equal(graph.component_labels_, labels)
    for v in (np.arange(200.0), np.random.default_rng(1).normal(size=(200, 3))):
        np.testing.assert_allclose(graph.apply(v), np.linalg.matrix_power(L.toarray(), 3) @ v, atol=1e-9)


def test_cosine_weights_are_similarities():
    positive = np.abs(X)
    graph = KNNGraph(5, metric="cosine", weights="cosine").fit(positive)
    unit = positive / np.linalg.norm(positive, axis=1, keepdims=True)
    S = unit @ unit.T
    i, j = graph.affinity_.nonzero()
    np.testing.assert_allclose(graph.affinity_.data, S[i, j], rtol=1e-12)
    np.fill_diagonal(S, -1)
    assert all(graph.affinity_[[p], :].toarray()[0, S[p].argmax()] > 0 for p in range(20))


def test_union_keeps_edges_of_either_end():
    graph = KNNGraph(1, weights="binary").fit([[0.0], [1.0], [3.0], [10.0]])
    np.testing.assert_array_equal(graph.degrees_, [1, 2, 2, 1])


def test_sparse_and_dense_agree():
    A = np.where(X > 0.3, X, 0)
    dense, thin = KNNGraph(5).fit(A), KNNGraph(5).fit(sparse.csr_matrix(A))
    np.testing.assert_allclose(dense.affinity_.toarray(), thin.affinity_.toarray(), rtol=1e-12)


def test_duplicates_are_neighbours_and_self_is_not():
    graph = KNNGraph(2, weights="binary").fit(np.repeat(X[:20], 3, axis=0))
    np.testing.assert_array_equal(graph.degrees_, 2)
    assert graph.n_components_ == 20


def test_all_points_equal_gives_weight_one_and_a_warning():
    with pytest.warns(GraphWarning, match="duplicate"):
        graph = KNNGraph(3).fit(np.ones((8, 2)))
    assert graph.sigma_ == 0 and set(graph.affinity_.data) == {1.0}


def test_underflow_is_said_and_isolated_points_have_zero_rows():
    with pytest.warns(GraphWarning) as caught:
        graph = KNNGraph(2, sigma=0.1).fit(np.vstack([X[:30] * 0.01, np.full((1, 10), 1e3)]))
    messages = " ".join(str(w.message) for w in caught)
    assert "underflow" in messages and "no edge" in messages
    assert graph.degrees_[30] == 0 and np.isfinite(graph.laplacian_.data).all()
    assert not graph.laplacian_[[30], :].toarray().any() and np.isfinite(graph.apply(np.ones(31))).all()


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_too_few_points_are_clipped_with_a_warning(n):
    with pytest.warns(GraphWarning, match=f"got {n}; using {n - 1}"):
        graph = KNNGraph(6).fit(X[:n])
    assert graph.affinity_.nnz == n * (n - 1) and graph.apply(np.ones(n)).shape == (n,)


@pytest.mark.parametrize(
    "bad",
    [
        {"n_neighbors": 0},
        {"n_neighbors": 2.5},
        {"metric": "manhattan"},
        {"weights": "gauss"},
        {"sigma": 0.0},
        {"sigma": "median"},
        {"laplacian": "random walk"},
        {"power": 0},
        {"method": "fast"},
    ],
)
def test_wrong_parameters_are_named(bad):
    ((name, value),) = bad.items()
    with pytest.raises(ValueError, match=f"{name} must be .*got {value!r}"):
        KNNGraph(**bad).fit(X)


def test_behaves_as_a_scikit_learn_object():
    graph = KNNGraph(4, metric="cosine")
    assert clone(graph).get_params() == graph.get_params()
    assert graph.set_params(power=2).power == 2
    with pytest.raises(ValueError, match="NaN"):
        graph.fit([[np.nan, 1.0], [0.0, 1.0]])


def test_repeated_runs_are_equal():
    first, second = KNNGraph().fit(X), KNNGraph(n_jobs=1).fit(X)
    np.testing.assert_array_equal(first.affinity_.data, second.affinity_.data)
    np.testing.assert_array_equal(first.affinity_.indices, second.affinity_.indices)


@pytest.mark.parametrize("wrong", [-1, 4])
def test_a_neighbour_that_is_no_point_is_refused(wrong):
    indices = np.array([[1], [2], [3], [wrong]])
    with pytest.raises(ValueError, match=f"between 0 and 3; got values from .*{wrong}"):
        union(indices, np.ones((4, 1)))
