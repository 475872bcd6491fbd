"""LGCPath and NystromLGCPath are their estimators fitted alone; held-out values are those of refits."""

import numpy as np
import pytest
from scipy import sparse

import mr
from mr.paths import LGCPath, NystromLGCPath
from tests.paths.problems import alone, columns, digits, refitted

ETAS = [0.1, 0.9, 0.999, 0.99999]
CASES = {
    "Gaussian": (LGCPath, mr.LGC(graph="gaussian", gamma=0.5)),
    "nearest neighbours": (LGCPath, mr.LGC(graph=mr.KNNGraph(n_neighbors=6))),
    "balanced": (LGCPath, mr.LGC(graph=mr.KNNGraph(n_neighbors=6), class_weight="balanced")),
    "each label alike": (LGCPath, mr.LGC(graph=mr.KNNGraph(n_neighbors=6), class_weight=None)),
    "Nystroem": (NystromLGCPath, mr.baselines.NystromLGC(70, gamma=0.5, random_state=0)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_path_is_the_estimator_at_every_cell(name, n_classes):
    cls, template = CASES[name]
    X, y = digits(760, n_classes, 8)  # there are 360 images of two digits
    X, X_new, y = X[:-60], X[-60:], y[:-60]
    path = cls(template, X, X_new)
    for cell, fit in path.grid(y, eta=ETAS):
        machine = alone(template, cell, X, y)
        # (I - eta Q) has condition 2 / (1 - eta), up to 2e5.
        atol = 1e-10 * np.abs(fit.values).max() / (1.0 - cell["eta"])
        assert np.allclose(columns(machine.decision_function(X)), fit.values, rtol=0, atol=atol), cell
        assert np.allclose(columns(machine.decision_function(X_new)), fit.new_values, rtol=0, atol=atol), cell


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_held_out_values_are_those_of_refits(name, n_classes):
    cls, template = CASES[name]
    X, y = digits(500, n_classes, 6)
    path = cls(template, X)
    l = int((y >= 0).sum())
    for folds in (None, np.arange(l) % 3):
        for cell, values in path.held_out_grid(y, folds, eta=ETAS):
            expected = refitted(path, y, np.arange(l) if folds is None else folds, cell)
            assert np.allclose(values, expected, rtol=0, atol=1e-9 * np.abs(expected).max()), cell


@pytest.mark.parametrize("name", ["Gaussian", "Nystroem"])
def test_sparse_points(name):
    cls, template = CASES[name]
    X, y = digits(400, 3, 6)
    dense, thin = cls(template, X), cls(template, sparse.csr_array(X))
    assert np.allclose(dense.fit(y, eta=0.9).values, thin.fit(y, eta=0.9).values, rtol=0, atol=1e-9)
