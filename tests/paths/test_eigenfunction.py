"""EigenfunctionPath is Eigenfunction fitted alone, and its held-out values are those of refits."""

import numpy as np
import pytest
from scipy import sparse

import mr
from mr.paths import EigenfunctionPath
from tests.paths.problems import alone, columns, digits, refitted

GRID = {"label_weight": [1.0, 100.0], "bandwidth": ["auto", 0.5], "n_bins": [50, 100]}


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("n_classes", [2, 10])
def test_path_is_the_estimator_at_every_cell(n_classes, intercept):
    X, y = digits(1000, n_classes, 6)  # there are 360 images of two digits
    X, X_new, y = X[:-60], X[-60:], y[:-60]
    # The last coordinates of digits are pixels that are almost never set; their functions have eigenvalues of rounding.
    template = mr.baselines.Eigenfunction(intercept=intercept, n_components=30)
    path = EigenfunctionPath(template, X, X_new)
    for cell, fit in path.grid(y, **GRID):
        machine = alone(template, cell, X, y)
        scale = 1e-6 * np.abs(fit.values).max()
        assert np.abs(columns(machine.decision_function(X)) - fit.values).max() < scale, cell
        assert np.abs(columns(machine.decision_function(X_new)) - fit.new_values).max() < scale, cell


@pytest.mark.parametrize("intercept", [False, True])
def test_held_out_values_are_those_of_refits(intercept):
    X, y = digits(500, 3, 6)
    path = EigenfunctionPath(mr.baselines.Eigenfunction(intercept=intercept, n_components=20), X)
    for folds in (None, np.arange(18) % 4):
        for cell, values in path.held_out_grid(y, folds, **GRID):
            expected = refitted(path, y, np.arange(18) if folds is None else folds, cell)
            assert np.allclose(values, expected, rtol=0, atol=1e-7), cell


def test_sparse_points_and_coordinates():
    X, y = digits(500, 3, 6)
    template = mr.baselines.Eigenfunction(n_components=20)
    dense, thin = EigenfunctionPath(template, X), EigenfunctionPath(template, sparse.csr_array(X))
    assert np.allclose(dense.scores, thin.scores, atol=1e-8)
    assert np.allclose(dense.fit(y).values, thin.fit(y).values, rtol=0, atol=1e-6)
    width = 0.1 * dense.scores[:, 0].std()
    assert np.allclose(dense.fit(y, bandwidth=width).values, dense.fit(y, bandwidth="auto").values)
