"""LinearLapRLSPath is LinearLapRLS fitted alone, and its held-out values are those of refits."""

import numpy as np
import pytest
from scipy import sparse

import mr
from mr.paths import LinearLapRLSPath
from tests.paths.problems import alone, columns, digits, refitted

pytestmark = pytest.mark.filterwarnings("ignore::mr.estimators._base.UnlabelledComponentWarning")
GRAPH = mr.KNNGraph(n_neighbors=6)
NORMS = {"gamma_A": [1e-4, 1e-2, 1.0], "gamma_I": [0.0, 1.0, 1e4]}


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("n_classes", [2, 10])
def test_path_is_the_estimator_at_every_cell(n_classes, fit_intercept):
    X, y = digits(1200, n_classes, 6)  # there are 360 images of two digits
    X, X_new, y = X[:-60], X[-60:], y[:-60]
    template = mr.LinearLapRLS(graph=GRAPH, fit_intercept=fit_intercept)
    path = LinearLapRLSPath(template, X, X_new)
    for cell, fit in path.grid(y, **NORMS):
        machine = alone(template, cell, X, y)
        assert np.allclose(columns(machine.decision_function(X)), fit.values, rtol=0, atol=1e-9), cell
        assert np.allclose(columns(machine.decision_function(X_new)), fit.new_values, rtol=0, atol=1e-9), cell
        assert fit.info["residual"] < 1e-9


def test_sparse_points_take_conjugate_gradient_as_the_estimator_does():
    X, y = digits(600, 4, 6)
    template, thin = mr.LinearLapRLS(graph=GRAPH, fit_intercept=True), sparse.csr_array(X)
    path = LinearLapRLSPath(template, thin)
    for cell, fit in path.grid(y, gamma_A=[1e-3, 1e-1], gamma_I=[1.0]):
        assert fit.info["n_iter"] > 0
        # conjugate gradient stops at a relative residual of 1e-10
        assert np.allclose(fit.values, alone(template, cell, X, y).decision_function(X), rtol=0, atol=1e-6)
        direct = LinearLapRLSPath(mr.LinearLapRLS(graph=GRAPH, fit_intercept=True, solver="cholesky"), thin)
        assert np.allclose(path.held_out(y, **cell), direct.held_out(y, **cell), rtol=0, atol=1e-6)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("cell", [{"gamma_A": 1e-3, "gamma_I": 10.0}, {"ridge": 0.1, "smoothness": 1e-3}])
def test_held_out_values_are_those_of_refits(cell, fit_intercept):
    X, y = digits(600, 3, 6)
    path = LinearLapRLSPath(mr.LinearLapRLS(graph=GRAPH, fit_intercept=fit_intercept), X)
    for folds in (None, np.arange(18) % 4):  # folds of 5 and of 4 labels: the scale of gamma_A differs
        values = path.held_out(y, folds, **cell)
        assert np.allclose(values, refitted(path, y, np.arange(18) if folds is None else folds, cell), atol=1e-8)


def test_weights_that_choose_themselves_do_so_in_a_path_as_well():
    X, y = digits(300, 3, 6)
    for points in (X, sparse.csr_array(X)):
        template = mr.LinearLapRLS(graph=GRAPH)
        path = LinearLapRLSPath(template, points)
        alike = {"rtol": 0, "atol": 1e-6}
        assert np.allclose(path.fit(y).values, alone(template, {}, points, y).decision_function(points), **alike)
        folds = np.arange(18) % 3
        assert np.allclose(path.held_out(y, folds), refitted(path, y, folds, {}), **alike)
        assert path.fit(y, ridge=0.1, smoothness=1e-3).values.shape == (300, 3)
