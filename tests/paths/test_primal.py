"""PrimalLapSVMPath is PrimalLapSVM fitted alone, for both solvers, and its held-out values are those of refits."""

import numpy as np
import pytest
from scipy import sparse

import mr
from mr.paths import PrimalLapSVMPath
from tests.paths.problems import alone, columns, digits, refitted

pytestmark = pytest.mark.filterwarnings("ignore::mr.estimators._base.UnlabelledComponentWarning")
GRAPH = mr.KNNGraph(n_neighbors=6)
TEMPLATE = mr.PrimalLapSVM(gamma=0.5, graph=GRAPH)
NORMS = {"gamma_A": [1e-5, 1e-3, 1e-1], "gamma_I": [0.0, 1.0, 1e4]}


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("n_classes", [2, 10])
def test_newton_is_the_estimator_at_every_cell(n_classes, fit_intercept):
    X, y = digits(900, n_classes, 6)  # there are 360 images of two digits
    X, X_new, y = X[:-60], X[-60:], y[:-60]
    path = PrimalLapSVMPath(TEMPLATE, X, X_new)
    for cell, fit in path.grid(y, **NORMS, fit_intercept=[fit_intercept]):
        machine = alone(TEMPLATE, cell, X, y)
        scale = max(np.abs(fit.values).max(), 1e-3)
        assert np.abs(columns(machine.decision_function(X)) - fit.values).max() < 1e-6 * scale, cell
        assert np.abs(columns(machine.decision_function(X_new)) - fit.new_values).max() < 1e-6 * scale, cell
        assert set(fit.info["stop_reasons"]) == {"optimal"}


@pytest.mark.parametrize("stop", ["stability", "gradient"])
def test_conjugate_gradient_is_the_estimator_at_every_cell(stop):
    X, y = digits(600, 4, 6)
    path = PrimalLapSVMPath(TEMPLATE, X[:500], X[500:])
    for cell, fit in path.grid(
        y[:500], gamma_A=[1e-4, 1e-2], gamma_I=[1.0, 1e3], solver=["pcg"], stop=[stop], fit_intercept=[True]
    ):
        machine = alone(TEMPLATE, cell, X[:500], y[:500])
        # The same iterations on the same matrix: only the order of additions in the last product differs.
        assert np.allclose(machine.decision_function(X[:500]), fit.values, rtol=0, atol=1e-9)
        assert np.allclose(machine.decision_function(X[500:]), fit.new_values, rtol=0, atol=1e-9)
        assert fit.info["n_iter"] == machine.n_iter_.sum()


def test_a_neighbours_start_does_not_change_the_machine():
    X, y = digits(800, 10, 8)
    path = PrimalLapSVMPath(TEMPLATE, X)
    walked = {tuple(cell.values()): fit.values for cell, fit in path.grid(y, **NORMS)}
    for (gamma_A, gamma_I), values in walked.items():
        cold = PrimalLapSVMPath(TEMPLATE, X)
        cold.__dict__.update({name: path.__dict__[name] for name in ("deformation", "graph", "kernel")})
        assert np.allclose(cold.fit(y, gamma_A=gamma_A, gamma_I=gamma_I).values, values, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("cell", [
    {"gamma_A": 1e-3, "gamma_I": 10.0}, {"gamma_A": 1e-3, "gamma_I": 10.0, "fit_intercept": True},
    {"ridge": 1e-2, "smoothness": 1e-2}, {"gamma_A": 1e-3, "gamma_I": 10.0, "solver": "pcg"},
])  # fmt: skip
def test_held_out_values_are_those_of_refits(cell):
    X, y = digits(400, 3, 5)
    path = PrimalLapSVMPath(TEMPLATE, X)
    for folds in (None, np.arange(15) % 4):
        values = path.held_out(y, folds, **cell)
        expected = refitted(path, y, np.arange(15) if folds is None else folds, cell)
        assert np.allclose(values, expected, rtol=0, atol=1e-7 * max(np.abs(expected).max(), 1e-3))


def test_sparse_points_and_a_reduced_basis():
    X, y = digits(500, 3, 5)
    linear = mr.PrimalLapSVM(gamma_I=1.0, kernel="linear", graph=GRAPH)
    dense = PrimalLapSVMPath(linear, X).fit(y, gamma_A=1e-2).values
    assert np.allclose(dense, PrimalLapSVMPath(linear, sparse.csr_array(X)).fit(y, gamma_A=1e-2).values, atol=1e-8)
    reduced = mr.PrimalLapSVM(gamma_I=1.0, gamma=0.5, graph=GRAPH, basis=120, random_state=0)
    path = PrimalLapSVMPath(reduced, X)
    assert np.allclose(path.fit(y).values, alone(reduced, {}, X, y).decision_function(X), rtol=0, atol=1e-7)
    with pytest.raises(ValueError, match='basis needs solver="newton"'):
        path.fit(y, solver="pcg")


def test_single_precision_is_for_the_estimator_only():
    X, y = digits(300, 2, 5)
    single = mr.PrimalLapSVM(gamma=0.5, graph=GRAPH, solver="pcg", precision="single")
    double = alone(single, {"precision": "double"}, X, y).decision_function(X)
    # seven digits of a sum over 300 coefficients
    assert np.allclose(single.fit(X, y).decision_function(X), double, rtol=0, atol=1e-4 * np.abs(double).max())
    with pytest.raises(ValueError, match="precision='double' only"):
        PrimalLapSVMPath(single, X)
