"""Neighbours by overlapping clusters, and the recall that every approximate search reports."""

import numpy as np
import pytest
from scipy import sparse

from mr.graph import KNNGraph, cluster_search, nearest_neighbors
from mr.graph.neighbors import neighbor_recall

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(size=(300, 12)), rng.normal(size=(300, 12)) + 3.0])


@pytest.fixture(autouse=True)
def small_clusters(monkeypatch):
    monkeypatch.setattr(cluster_search, "SIZE", 150)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_most_neighbours_are_found_and_distances_are_true(metric):
    exact = nearest_neighbors(X, 8, metric, "exact")
    distances, indices, method = nearest_neighbors(X, 8, metric, "clusters")
    assert method == "clusters"
    found = (indices[:, :, None] == exact[1][:, None, :]).any(axis=2)
    assert 0.7 < found.mean() <= 1.0
    # true distances, ascending, no point twice, never the point itself
    assert (np.diff(distances, axis=1) >= 0).all() and (indices != np.arange(600)[:, None]).all()
    assert all(len(set(row)) == 8 for row in indices)
    if metric == "euclidean":
        assert np.allclose(distances, np.linalg.norm(X[:, None] - X[indices], axis=2), rtol=1e-12)
    assert neighbor_recall(X, distances, indices, metric) == pytest.approx(found.mean(), abs=0.05)


def test_one_cluster_is_the_exact_search(monkeypatch):
    monkeypatch.setattr(cluster_search, "SIZE", 10_000)
    found, exact = (nearest_neighbors(X, 5, method=method) for method in ("clusters", "exact"))
    assert np.array_equal(found[0], exact[0]) and np.array_equal(found[1], exact[1])


def test_more_clusters_to_join_raise_the_recall(monkeypatch):
    recalls = []
    for overlap in (1, 4):
        monkeypatch.setattr(cluster_search, "OVERLAP", overlap)
        monkeypatch.setattr(cluster_search, "SIZE", 40 * overlap)  # as many clusters
        recalls.append(KNNGraph(8, method="clusters").fit(X).recall_)
    assert recalls[0] < 0.99 and recalls[0] < recalls[1]


def test_clusters_that_are_too_small_are_searched_whole(monkeypatch):
    monkeypatch.setattr(cluster_search, "SIZE", 6)
    monkeypatch.setattr(cluster_search, "OVERLAP", 1)
    distances, indices, _ = nearest_neighbors(X, 20, method="clusters")
    assert np.isfinite(distances).all() and indices.min() >= 0


def test_the_recall_is_reported():
    assert KNNGraph(5).fit(X).recall_ == 1.0
    wrong = nearest_neighbors(X, 5, method="exact")
    far = np.argsort(((X[:, None] - X[None]) ** 2).sum(axis=2), axis=1)[:, -5:]
    distances = np.linalg.norm(X[:, None] - X[far], axis=2)
    assert neighbor_recall(X, distances, far.astype(np.int32)) == 0.0
    assert neighbor_recall(sparse.csr_array(X), *wrong[:2]) == 1.0
    assert neighbor_recall(sparse.csr_array(X), distances, far.astype(np.int32)) == 0.0


def test_sparse_points_are_refused():
    with pytest.raises(ValueError, match="dense points"):
        KNNGraph(5, method="clusters").fit(sparse.csr_array(X))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("scale", [1.0, 1e30])
def test_nearest_centres_are_those_of_all_distances(metric, scale):
    points = X / np.linalg.norm(X, axis=1, keepdims=True) if metric == "cosine" else scale * X
    centres = points[::9] + 0.01 * scale * rng.normal(size=(67, 12))
    found = cluster_search.nearest_centres(scale * X, centres, metric)
    expected = np.argsort(np.linalg.norm(points[:, None] - centres[None], axis=2), axis=1)[:, : cluster_search.OVERLAP]
    assert np.array_equal(found, expected)


def test_no_row_depends_on_its_block_or_thread():
    centres = X[::7].copy()
    whole = cluster_search.nearest_centres(X, centres, "euclidean", n_jobs=1)
    parts = [cluster_search.nearest_centres(X[i : i + 37], centres, "euclidean", n_jobs=3) for i in range(0, 600, 37)]
    assert np.array_equal(np.concatenate(parts), whole)


def test_more_centres_than_a_block_of_products(monkeypatch):
    monkeypatch.setattr(cluster_search, "BLOCK", 16)
    monkeypatch.setattr(cluster_search, "ROWS", 10)
    centres = X[::5]
    expected = np.argsort(np.linalg.norm(X[:, None] - centres[None], axis=2), axis=1, kind="stable")
    found = cluster_search.nearest_centres(X, centres, "euclidean")
    assert np.array_equal(found, expected[:, : cluster_search.OVERLAP])


def test_threads_change_no_neighbour():
    alone, together = (nearest_neighbors(X, 8, method="clusters", n_jobs=jobs) for jobs in (1, 3))
    assert np.array_equal(alone[0], together[0]) and np.array_equal(alone[1], together[1])
