"""Regularised spectral clustering and eigenmaps: clusters, new points, connections."""

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from mr.estimators import RegularizedEigenmap, RegularizedSpectralClustering
from mr.graph import KNNGraph

X, TRUTH = make_moons(200, noise=0.05, random_state=0)
NEW, NEW_TRUTH = make_moons(500, noise=0.05, random_state=1)


def moons(**options):
    return RegularizedSpectralClustering(gamma=5.0, graph=KNNGraph(6), **options)


def test_two_moons_are_found_and_new_points_follow():
    fitted = moons(ambient_weight=1e-4).fit(X)
    assert adjusted_rand_score(TRUTH, fitted.labels_) == 1.0
    assert adjusted_rand_score(NEW_TRUTH, fitted.predict(NEW)) > 0.99


def test_prediction_on_the_training_points_is_the_clustering():
    fitted = moons(ambient_weight=1e-4).fit(X)
    assert (fitted.predict(X) == fitted.labels_).all()
    assert ((fitted.decision_function(X) > 0) == fitted.labels_).all()
    assert (moons(ambient_weight=1e-4).fit_predict(X) == fitted.labels_).all()


def test_a_large_ambient_weight_cuts_through_the_moons():
    # With ambient_weight -> infinity only ||f|| counts: the first kernel principal component, which sees no moons.
    wide = RegularizedSpectralClustering(ambient_weight=1e4, gamma=0.5).fit(X)
    assert adjusted_rand_score(TRUTH, wide.labels_) < 0.5


def test_several_clusters_agree_with_scikit_learn():
    points, truth = make_blobs(150, centers=4, cluster_std=0.6, random_state=3)
    ours = RegularizedSpectralClustering(n_clusters=4, ambient_weight=1e-5, kernel="rbf", gamma=0.5).fit(points)
    theirs = SpectralClustering(4, affinity="nearest_neighbors", random_state=0).fit_predict(points)
    assert adjusted_rand_score(theirs, ours.labels_) > 0.95
    assert adjusted_rand_score(truth, ours.predict(points)) > 0.95


def test_embedding_of_training_points_equals_transform():
    eigenmap = RegularizedEigenmap(3, ambient_weight=1e-3).fit(X)
    assert eigenmap.embedding_.shape == (200, 3)
    assert np.allclose(eigenmap.transform(X), eigenmap.embedding_, atol=1e-8)
    assert np.allclose(eigenmap.embedding_.T @ eigenmap.embedding_, 200 * np.eye(3), atol=1e-6)
    assert (np.diff(eigenmap.eigenvalues_) >= 0).all()


def test_new_points_between_neighbours_land_between_their_coordinates():
    angle = np.linspace(0, np.pi, 101)
    arc = np.column_stack([np.cos(angle), np.sin(angle)])
    eigenmap = RegularizedEigenmap(1, ambient_weight=1e-6, gamma=5.0, graph=KNNGraph(2, laplacian="unnormalized"))
    eigenmap.fit(arc[::2])
    position = eigenmap.transform(arc)[:, 0]
    assert (np.diff(position) > 0).all() or (np.diff(position) < 0).all()


def test_disconnected_components_are_the_clusters():
    far = np.vstack([X[:50], X[:50] + 100.0])
    labels = RegularizedSpectralClustering(ambient_weight=1e-6, gamma=1.0).fit_predict(far)
    assert len(set(labels[:50])) == len(set(labels[50:])) == 1 and labels[0] != labels[-1]


def test_too_many_components():
    with pytest.raises(ValueError, match="kernel matrix has rank 2"):
        RegularizedEigenmap(2, kernel="linear").fit(X)
