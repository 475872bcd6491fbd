"""CentroidReducedPath is CentroidReduced fitted alone; held-out rows stay in the reduced set."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import mr
from mr.paths import CentroidReducedPath, kmeans_centres
from tests.paths.problems import columns, digits

GRAPH = mr.KNNGraph(n_neighbors=6)
NORMS = {"gamma_A": [1e-4, 1e-2], "gamma_I": [0.0, 1.0, 1e3]}
INNER = {"LapRLS": mr.LapRLS(gamma=0.3, graph=GRAPH), "PrimalLapSVM": mr.PrimalLapSVM(gamma=0.3, graph=GRAPH)}


@pytest.mark.parametrize("name", INNER)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_path_is_the_estimator_at_every_cell(name, n_classes):
    X, y = digits(760, n_classes, 8)  # there are 360 images of two digits
    X, X_new, y = X[:-60], X[-60:], y[:-60]
    template = mr.baselines.CentroidReduced(INNER[name], n_centroids=70, random_state=0)
    path = CentroidReducedPath(template, X, X_new)
    for cell, fit in path.grid(y, **NORMS):
        machine = clone(template).set_params(**{f"estimator__{key}": value for key, value in cell.items()}).fit(X, y)
        atol = 1e-6 * np.abs(fit.values).max()
        assert np.allclose(columns(machine.decision_function(X)), fit.values, rtol=0, atol=atol), cell
        assert np.allclose(columns(machine.decision_function(X_new)), fit.new_values, rtol=0, atol=atol), cell
        assert np.allclose(path.fit(y, **cell).values, fit.values, rtol=0, atol=atol)


@pytest.mark.parametrize("name", INNER)
def test_held_out_values_are_those_of_refits_on_the_same_reduced_set(name):
    X, y = digits(500, 3, 6)
    template = mr.baselines.CentroidReduced(INNER[name], n_centroids=50, random_state=0)
    path = CentroidReducedPath(template, X)
    rows = np.flatnonzero(y >= 0)
    folds = np.arange(len(rows)) % 3
    points = np.concatenate([X[rows], path.centroids])
    for cell, values in path.held_out_grid(y, folds, **NORMS):
        for number in range(3):
            labels = np.full(len(points), -1)
            labels[: len(rows)] = np.where(folds == number, -1, y[rows])
            machine = clone(INNER[name]).set_params(**cell).fit(points, labels)
            expected = machine.decision_function(X[rows[folds == number]])
            assert np.allclose(values[folds == number], expected, rtol=0, atol=1e-6 * np.abs(expected).max()), cell


def test_another_labelled_set_has_a_reduced_set_of_its_own():
    X, y = digits(400, 2, 6)
    other = np.full_like(y, -1)
    other[np.flatnonzero(y == -1)[:12]] = np.arange(12) % 2
    template = mr.baselines.CentroidReduced(
        clone(INNER["LapRLS"]).set_params(gamma_I=1.0), n_centroids=40, random_state=0
    )
    path = CentroidReducedPath(template, X)
    for labels in (y, other, y):
        expected = columns(clone(template).fit(X, labels).decision_function(X))
        assert np.allclose(path.fit(labels).values, expected, rtol=0, atol=1e-8)


def test_given_centroids_and_sparse_points():
    X, y = digits(400, 3, 6)
    centres = kmeans_centres(X, 40, random_state=0)
    inner = clone(INNER["LapRLS"]).set_params(gamma_I=1.0)
    own = mr.baselines.CentroidReduced(inner, n_centroids=40, random_state=0).fit(X, y)
    given = mr.baselines.CentroidReduced(inner, centroids=centres)
    assert np.array_equal(own.centroids_, centres)
    assert np.array_equal(clone(given).fit(X, y).decision_function(X), own.decision_function(X))
    fit = CentroidReducedPath(given, sparse.csr_array(X)).fit(y)
    assert np.allclose(own.decision_function(X), fit.values, rtol=0, atol=1e-7)
    with pytest.raises(ValueError, match="centroids must have the 64 columns of X"):
        clone(given).set_params(centroids=centres[:, :5]).fit(X, y)


def test_other_machines_are_refused():
    with pytest.raises(TypeError, match="takes LapRLS or PrimalLapSVM inside its template; got LapSVM"):
        CentroidReducedPath(mr.baselines.CentroidReduced(mr.LapSVM()), np.zeros((4, 2)))
