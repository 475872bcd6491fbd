"""Every exact search against brute force in double precision; the approximate one by its recall."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from mr.graph import nearest_neighbors
from mr.graph.dense_search import dense_neighbors
from mr.graph.tree_search import tree_neighbors

METRICS = ("euclidean", "cosine")


def reference(X, k, metric):
    """Direct differences, self excluded by index, ties by index."""
    A = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
    if metric == "euclidean":
        D = np.sqrt(((A[:, None, :] - A[None, :, :]) ** 2).sum(-1))
    else:
        norms = np.linalg.norm(A, axis=1, keepdims=True)
        unit = A / np.where(norms > 0, norms, 1)
        D = np.clip(1 - unit @ unit.T, 0, 2)
    np.fill_diagonal(D, np.inf)
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, order, 1), order


def data(kind, rng):
    return {
        "gauss": lambda: rng.normal(size=(400, 12)),
        "plane": lambda: rng.normal(size=(400, 2)),
        "grid": lambda: rng.integers(0, 4, size=(300, 3)).astype(float),
        "duplicates": lambda: np.repeat(rng.normal(size=(60, 12)), 5, axis=0),
        "same": lambda: np.ones((50, 10)),
        "far": lambda: 1e6 + 1e-3 * rng.normal(size=(300, 12)) + 1e7 * rng.integers(0, 2, size=(300, 1)),
        "outlier": lambda: np.vstack([np.full((1, 12), 1e12), rng.normal(size=(300, 12))]),
        "tiny": lambda: 1e-30 * rng.normal(size=(300, 12)),
    }[kind]()


KINDS = ("gauss", "plane", "grid", "duplicates", "same", "far", "outlier", "tiny")


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["float64", "float32", "sparse"])
def test_exact_search_is_exact(kind, metric, form):
    X = data(kind, np.random.default_rng(0))
    X = sparse.csr_array(X) if form == "sparse" else X.astype(form)
    distances, indices, method = nearest_neighbors(X, 7, metric, "exact")
    expected, order = reference(X, 7, metric)
    assert method == "exact"
    scale = expected.max() if metric == "euclidean" else 1.0
    np.testing.assert_allclose(distances, expected, rtol=1e-12 if metric == "euclidean" else 0, atol=1e-14 * scale)
    assert not (indices == np.arange(len(indices))[:, None]).any()
    if metric == "euclidean" and kind != "outlier":  # the outlier's own distances differ by less than their rounding
        np.testing.assert_array_equal(indices, order)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("as_sparse", [False, True])
def test_agrees_with_scikit_learn(metric, as_sparse):
    X = sparse.random_array((500, 60), density=0.2, rng=np.random.default_rng(1), format="csr")
    X = X if as_sparse else X.toarray()
    distances, indices, _ = nearest_neighbors(X, 5, metric, "exact")
    theirs = NearestNeighbors(n_neighbors=5, metric=metric, algorithm="brute").fit(X).kneighbors()
    np.testing.assert_allclose(distances, theirs[0], atol=1e-7)
    assert (indices == theirs[1]).mean() > 0.999


@pytest.mark.parametrize("metric", METRICS)
def test_blocks_do_not_change_the_result(metric, monkeypatch):
    X = np.random.default_rng(2).normal(size=(333, 20))
    whole = dense_neighbors(X, 6, metric)
    monkeypatch.setattr("mr.graph.dense_search.BLOCK", 64)
    for n_jobs in (1, 3):
        blocked = dense_neighbors(X, 6, metric, n_jobs)
        np.testing.assert_array_equal(whole[0], blocked[0])
        np.testing.assert_array_equal(whole[1], blocked[1])


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(2, 60),
    d=st.integers(1, 12),
    k=st.integers(1, 59),
    levels=st.integers(1, 5),
    seed=st.integers(0, 10**6),
)
def test_ties_go_to_the_smaller_index(n, d, k, levels, seed):
    X = np.random.default_rng(seed).integers(0, levels, size=(n, d)).astype(float)
    k = min(k, n - 1)
    expected, order = reference(X, k, "euclidean")
    for found in (dense_neighbors(X, k, "euclidean"), tree_neighbors(X, k), nearest_neighbors(sparse.csr_array(X), k)):
        np.testing.assert_allclose(found[0], expected, rtol=1e-15)
        np.testing.assert_array_equal(found[1], order)


def test_a_zero_row_has_similarity_zero():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.1], [1.0, 0.2]])
    for form in (X, sparse.csr_array(X)):
        distances, indices, _ = nearest_neighbors(form, 3, "cosine", "exact")
        np.testing.assert_allclose(distances[0], 1.0)
        np.testing.assert_array_equal(indices[0], [1, 2, 3])


def test_integers_are_searched_as_they_are():
    X = np.random.default_rng(3).integers(0, 256, size=(300, 30)).astype(np.uint8)
    np.testing.assert_array_equal(
        nearest_neighbors(X, 5, method="exact")[1], nearest_neighbors(X.astype(float), 5, method="exact")[1]
    )


def test_auto_is_exact_at_moderate_size_and_for_trees(monkeypatch):
    rng = np.random.default_rng(4)
    monkeypatch.setattr("mr.graph.neighbors.approximate_neighbors", lambda X, k, *_: (None, np.zeros((X.shape[0], k))))
    assert nearest_neighbors(rng.normal(size=(100, 20)), 3)[2] == "exact"
    monkeypatch.setattr("mr.graph.neighbors.DENSE_WORK", 1e3)
    monkeypatch.setattr("mr.graph.neighbors.SPARSE_WORK", 1e3)
    assert nearest_neighbors(rng.normal(size=(100, 20)), 3)[2] == "approximate"
    assert nearest_neighbors(sparse.csr_array(rng.normal(size=(100, 20))), 3)[2] == "approximate"
    assert nearest_neighbors(rng.normal(size=(100, 2)), 3)[2] == "exact"


def test_approximate_recall_and_determinism():
    X = np.random.default_rng(5).normal(size=(3000, 10)) @ np.random.default_rng(6).normal(size=(10, 40))
    exact = nearest_neighbors(X, 10, method="exact")
    found = nearest_neighbors(X, 10, method="approximate")
    assert found[2] == "approximate"
    assert (found[0] <= exact[0][:, -1:] * (1 + 1e-12)).mean() > 0.97
    assert not (found[1] == np.arange(3000)[:, None]).any()
    again = nearest_neighbors(X, 10, method="approximate")
    np.testing.assert_array_equal(found[1], again[1])


@pytest.mark.parametrize("n_features", [2, 20], ids=["tree", "blocks"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_distances_that_are_no_numbers_are_refused(n_features, form):
    X = np.random.default_rng(0).uniform(0.5, 1.0, (40, n_features))
    cell = X.copy()
    cell[3, 1] = 1e200
    for points in (X * 1e160, cell):
        with pytest.raises(ValueError, match="Squared distances overflow.*StandardScaler"):
            nearest_neighbors(form(points), 3)
    with pytest.raises(ValueError, match="Squared distances vanish.*StandardScaler"):
        nearest_neighbors(form(X * 1e-160), 3)


def test_large_and_small_points_within_the_limits_keep_their_neighbours():
    X = np.random.default_rng(0).normal(size=(40, 2))
    expected = nearest_neighbors(X, 3)[1]
    for factor in (1e140, 1e-140):
        assert np.array_equal(nearest_neighbors(X * factor, 3)[1], expected)


def test_points_that_are_all_zero_are_duplicates():
    distances, _, _ = nearest_neighbors(np.zeros((5, 2)), 2)
    assert not distances.any()
