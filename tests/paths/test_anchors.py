"""AnchorGraphPath is AnchorGraph fitted alone, and its held-out values are those of refits."""

import numpy as np
import pytest
from scipy import sparse

import mr
from mr.paths import AnchorGraphPath
from tests.paths.problems import alone, columns, digits, refitted

WEIGHTS = [1e-4, 0.01, 1.0, 100.0]


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("n_classes", [2, 10])
def test_path_is_the_estimator_at_every_cell(n_classes, normalize):
    X, y = digits(1000, n_classes, 6)  # there are 360 images of two digits
    X, X_new, y = X[:-60], X[-60:], y[:-60]
    template = mr.AnchorGraph(n_anchors=80, normalize=normalize)
    path = AnchorGraphPath(template, X, X_new)
    for cell, fit in path.grid(y, graph_weight=WEIGHTS):
        machine = alone(template, cell, X, y)
        # The same m x m system in another order of additions: its condition is up to 1e10.
        assert np.allclose(columns(machine.decision_function(X)), fit.values, rtol=0, atol=1e-7), cell
        assert np.allclose(columns(machine.decision_function(X_new)), fit.new_values, rtol=0, atol=1e-7), cell
        assert fit.info["residual"] < 1e-6


def test_gaussian_weights_and_sparse_points():
    X, y = digits(600, 3, 6)
    template = mr.AnchorGraph(n_anchors=60, weights="nadaraya-watson", normalize=False)
    dense = AnchorGraphPath(template, X[:500], X[500:])
    thin = AnchorGraphPath(template, sparse.csr_array(X[:500]), sparse.csr_array(X[500:]))
    for weight in WEIGHTS:
        machine = alone(template, {"graph_weight": weight}, X[:500], y[:500])
        fit = dense.fit(y[:500], graph_weight=weight)
        assert np.allclose(machine.decision_function(X[500:]), fit.new_values, rtol=0, atol=1e-7)
        assert np.allclose(thin.fit(y[:500], graph_weight=weight).new_values, fit.new_values, rtol=0, atol=1e-7)


def test_anchors_of_one_path_serve_another():
    X, y = digits(600, 3, 6)
    first = AnchorGraphPath(mr.AnchorGraph(n_anchors=60), X)
    second = AnchorGraphPath(mr.AnchorGraph(anchors=first.anchors), X)
    assert np.allclose(first.fit(y, graph_weight=0.1).values, second.fit(y, graph_weight=0.1).values, rtol=0, atol=1e-9)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("n_classes", [2, 10])
def test_held_out_values_are_those_of_refits(n_classes, normalize):
    X, y = digits(1000, n_classes, 6)
    path = AnchorGraphPath(mr.AnchorGraph(n_anchors=80, normalize=normalize), X)
    l = int((y >= 0).sum())
    for folds in (None, np.arange(l) % 3):
        for cell, values in path.held_out_grid(y, folds, graph_weight=WEIGHTS):
            expected = refitted(path, y, np.arange(l) if folds is None else folds, cell)
            # The system's condition of up to 1e10 enters with its inverse here: seven digits remain.
            assert np.allclose(values, expected, rtol=0, atol=1e-5 * np.abs(expected).max()), cell
