"""LapERLSPath and LapESVRPath are their estimators fitted alone, also where components of the graph hold no label."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

import mr
from mr.paths import LapERLSPath, LapESVRPath
from tests.paths.problems import alone, columns, digits, refitted

pytestmark = pytest.mark.filterwarnings("ignore::mr.estimators._base.UnlabelledComponentWarning")
GRAPH = mr.KNNGraph(n_neighbors=10, power=2)
GRID = {"C": [0.1, 10.0, 1e4], "mu": [0.0, 0.01, 100.0], "label_weight": [100.0, 1e4]}
CASES = {"LapERLS": (LapERLSPath, mr.LapERLS), "LapESVR": (LapESVRPath, mr.LapESVR)}
# LapERLS: Cholesky of K + G + I/C, G up to 1e4 and more, against a system of the size of S. LapESVR: solved to a
# violation of 1e-8 of the optimality conditions, in units of the targets, and K is singular to rounding.
TOLERANCE = {"LapERLS": 1e-6, "LapESVR": 1e-5}


def islands(n_classes=3, per_class=4):
    """Digits in two copies far apart: the second has no label, so that its components have none."""
    X, y = digits(300, n_classes, per_class)
    return np.vstack([X, X[:200] + 5.0]), np.concatenate([y, np.full(200, -1)])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_path_is_the_estimator_at_every_cell(name, n_classes):
    path_class, estimator = CASES[name]
    X, y = digits(700, n_classes, 5)  # there are 360 images of two digits
    X, X_new, y = X[:-60], X[-60:], y[:-60]
    template = estimator(n_eigenvectors=40, graph=GRAPH)
    path = path_class(template, X, X_new)
    for cell, fit in path.grid(y, **GRID):
        machine = alone(template, cell, X, y)
        scale = max(np.abs(fit.values).max(), 1e-3)
        assert np.abs(columns(machine.decision_function(X)) - fit.values).max() < TOLERANCE[name] * scale, cell
        assert np.abs(columns(machine.decision_function(X_new)) - fit.new_values).max() < TOLERANCE[name] * scale, cell


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("mu", [0.0, 1.0])
def test_a_constant_of_laperls(n_classes, mu):
    """By every solver, by the path, and as the limit of a kernel with a large constant; held out, by refits."""
    X, y = digits(400, n_classes, 5)
    template = mr.LapERLS(C=3.0, mu=mu, label_weight=50.0, n_eigenvectors=30, graph=GRAPH, gamma=0.5)
    path = LapERLSPath(template, X)
    values = path.fit(y, fit_intercept=True).values
    large = 1e6
    graph = mr.graph.PrecomputedGraph(GRAPH.fit(X).affinity_, power=2)
    moved = clone(template).set_params(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.5) + large, graph=graph)
    assert np.allclose(columns(moved.fit(X, y).decision_function(X)), values, rtol=0, atol=1e-4)
    assert not np.allclose(path.fit(y).values, values, rtol=0, atol=1e-2)
    for solver in ("exact", "cg", "nystroem"):
        machine = alone(template, {"fit_intercept": True, "solver": solver}, X, y)
        assert np.allclose(columns(machine.decision_function(X)), values, rtol=0, atol=1e-5), solver
        assert machine.residual_ < 1e-6 and np.abs(machine.intercept_).max() > 1e-3
    l = int((y != -1).sum())
    for folds in (np.arange(l), np.arange(l) % 4):
        held_out = path.held_out(y, folds, fit_intercept=True)
        assert np.allclose(held_out, refitted(path, y, folds, {"fit_intercept": True}), rtol=0, atol=1e-8)


@pytest.mark.parametrize("components", ["labelled", "all"])
@pytest.mark.parametrize("name", CASES)
def test_components_without_a_label(name, components):
    path_class, estimator = CASES[name]
    X, y = islands()
    template = estimator(n_eigenvectors=30, components=components, graph=GRAPH)
    path = path_class(template, X, X[:50] + 0.01)
    for cell, fit in path.grid(y, C=[1.0, 100.0], mu=[1.0, 100.0]):
        machine = alone(template, cell, X, y)
        assert machine.n_members_ == (len(X) if components == "all" else 300)
        # "all": the estimator holds free directions of S at 1e-6, the path of LapERLS leaves them free.
        tolerance = 2e-4 if components == "all" and name == "LapERLS" else 1e-5
        scale = tolerance * np.abs(fit.values).max()
        assert np.abs(machine.decision_function(X) - fit.values).max() < scale, cell
        assert np.abs(machine.decision_function(X[:50] + 0.01) - fit.new_values).max() < scale, cell


@pytest.mark.parametrize("mu", [0.0, 0.1, 100.0])
@pytest.mark.parametrize("components", ["labelled", "all"])
def test_held_out_values_of_laperls_are_those_of_refits(components, mu):
    X, y = islands()
    path = LapERLSPath(mr.LapERLS(n_eigenvectors=30, components=components, graph=GRAPH), X)
    for C, weight in ((0.1, 100.0), (100.0, 1e4)):
        cell = {"C": C, "mu": mu, "label_weight": weight}
        for folds in (None, np.arange(12) % 5):
            expected = refitted(path, y, np.arange(12) if folds is None else folds, cell)
            # 1 - leverage is as small as 1e-5 where lambda is 1e4
            assert np.allclose(path.held_out(y, folds, **cell), expected, rtol=0, atol=1e-6), cell


def test_a_fold_that_empties_a_component():
    """The one label of an island: without it the island is left out of the fit."""
    X, y = islands()
    y[450] = 0
    path = LapERLSPath(mr.LapERLS(n_eigenvectors=30, graph=GRAPH), X)
    cell = {"C": 1.0, "mu": 10.0}
    assert np.allclose(path.held_out(y, **cell), refitted(path, y, np.arange(13), cell), rtol=0, atol=1e-10)


def test_held_out_values_of_lapesvr_are_refits():
    X, y = digits(300, 2, 4)
    path = LapESVRPath(mr.LapESVR(mu=100.0, n_eigenvectors=20, graph=GRAPH), X)
    folds = np.arange(8) % 3
    assert np.allclose(path.held_out(y, folds, C=1.0), refitted(path, y, folds, {"C": 1.0}), rtol=0, atol=1e-7)


def test_known_eigenpairs_and_fewer_of_them():
    X, y = digits(500, 3, 5)
    graph = GRAPH.fit(X)
    pairs = mr.spectrum.smallest_eigenpairs(graph, 40)
    for path_class, estimator in CASES.values():
        given = path_class(estimator(10.0, 100.0, graph=GRAPH), X, eigenpairs=pairs)
        for k in (40, 7):
            found = given.fit(y, n_eigenvectors=k).values
            expected = estimator(10.0, 100.0, graph=GRAPH, n_eigenvectors=k).fit(X, y).decision_function(X)
            assert np.allclose(found, expected, rtol=0, atol=1e-5)
        with pytest.raises(ValueError, match="over the 400 points; got 500 rows"):
            path_class(estimator(), X[:400], eigenpairs=pairs)


def test_warm_starts_along_c_end_where_cold_machines_do():
    X, y = digits(600, 2, 5)
    template = mr.LapESVR(n_eigenvectors=30, graph=GRAPH)
    path = LapESVRPath(template, X)
    Cs = [1e4, 0.01, 1.0, 1e6, 100.0]
    found = dict((cell["C"], fit) for cell, fit in path.grid(y, C=Cs, mu=[1.0]))
    assert list(found) == sorted(Cs)
    assert found[1e6].values is not None and found[1e6].info["n_support"] == found[1e4].info["n_support"]
    for C, fit in found.items():
        cold = LapESVRPath(template, X).fit(y, C=C, mu=1.0)
        assert np.allclose(fit.values, cold.values, rtol=0, atol=1e-5)
        assert fit.info["dual_gap"] < 1e-5


@pytest.mark.parametrize("name", CASES)
def test_sparse_points_and_regression(name):
    path_class, estimator = CASES[name]
    X, y = digits(400, 3, 5)
    template = estimator(10.0, 100.0, n_eigenvectors=20, kernel="linear", graph=GRAPH)
    dense = path_class(template, X).fit(y).values
    assert np.allclose(dense, path_class(template, sparse.csr_array(X)).fit(y).values, rtol=0, atol=1e-5)
    regressor = getattr(mr, name + "Regressor")(10.0, 100.0, n_eigenvectors=20, graph=GRAPH)
    target = np.where(np.arange(400) % 10 == 0, X.sum(axis=1), np.nan)
    expected = regressor.fit(X, target).predict(X)
    fitted = path_class(regressor, X).fit(target).values[:, 0]
    assert np.allclose(fitted, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_weights_must_be_numbers():
    X, y = digits(100, 2, 3)
    for path_class, estimator in CASES.values():
        path = path_class(estimator(n_eigenvectors=10), X)
        with pytest.raises(TypeError, match="a path needs a number for mu; got mu='auto'"):
            path.fit(y, C=1.0)


def test_approximate_solvers_are_refused():
    X, _ = digits(100, 2, 3)
    with pytest.raises(ValueError, match="'auto' or 'exact'; got 'nystroem'"):
        LapERLSPath(mr.LapERLS(solver="nystroem"), X)
    with pytest.raises(ValueError, match="'auto' or 'smo'; got 'nystroem'"):
        LapESVRPath(mr.LapESVR(solver="nystroem"), X)
