"""PVMPath and NFIPath are their estimators fitted alone; held-out values are those of refits with hidden labels."""

import numpy as np
import pytest
from scipy import sparse

import mr
from mr.paths import NFIPath, PVMPath, kmeans_centres
from tests.paths.problems import alone, columns, digits, refitted

C1S = [1e-3, 1e-1, 10.0, 1e3, 1e5]
PVM = {"n_prototypes": 70, "gamma": 0.3, "C2": 0.0, "random_state": 0}
SQUARE = {
    "PVM": (PVMPath, mr.PVM(**PVM), {"C1": C1S}),
    "PVM, C2 on the unlabelled": (
        PVMPath,
        mr.PVM(**PVM, regularizer="unlabeled"),
        {"C1": [0.1, 10.0], "C2": [0.0, 0.1, 1.0]},
    ),
    "PVM, C2 in the RKHS": (PVMPath, mr.PVM(**PVM, regularizer="rkhs"), {"C1": C1S, "C2": [0.0, 0.1, 1.0]}),
    "PVM, C2 on the coefficients": (PVMPath, mr.PVM(**PVM, regularizer="coefficients"), {"C1": C1S, "C2": [0.01]}),
    "PVM, a constant": (
        PVMPath,
        mr.PVM(**PVM),
        {"C1": C1S, "C2": [0.0, 1.0], "fit_intercept": [False, True]},
    ),
    "PVM, unnormalised": (PVMPath, mr.PVM(**PVM, laplacian="unnormalized"), {"C1": C1S}),
    "NFI": (NFIPath, mr.baselines.NFI(70, gamma=0.3, random_state=0), {"C1": C1S}),
}
# A smaller tolerance than the tables use, so that machines from different starts agree to its root.
HINGE = {
    "C2 = 0": (mr.PVM(**PVM, loss="hinge", tol=1e-8), {"C1": [0.1, 1.0, 100.0]}),
    "rkhs": (mr.PVM(**PVM, loss="hinge", tol=1e-8, regularizer="rkhs"), {"C1": [0.1, 100.0], "C2": [0.1, 1.0]}),
    "unlabelled": (
        mr.PVM(**PVM, loss="hinge", tol=1e-8, regularizer="unlabeled"),
        {"C1": [0.1, 100.0], "C2": [0.1]},
    ),
}


def split(n_classes):
    X, y = digits(760, n_classes, 8)  # there are 360 images of two digits
    return X[:-60], X[-60:], y[:-60]


@pytest.mark.parametrize("name", SQUARE)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_squared_loss_is_the_estimator_at_every_cell(name, n_classes):
    cls, template, lists = SQUARE[name]
    X, X_new, y = split(n_classes)
    path = cls(template, X, X_new)
    for cell, fit in path.grid(y, **lists):
        machine = alone(template, cell, X, y)
        # One system, solved from the same matrices: only the order of additions differs.
        atol = 1e-9 * np.abs(fit.values).max()
        assert np.allclose(columns(machine.decision_function(X)), fit.values, rtol=0, atol=atol), cell
        assert np.allclose(columns(machine.decision_function(X_new)), fit.new_values, rtol=0, atol=atol), cell


@pytest.mark.parametrize("name", SQUARE)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_held_out_values_of_the_squared_loss_are_those_of_refits(name, n_classes):
    cls, template, lists = SQUARE[name]
    X, _, y = split(n_classes)
    path = cls(template, X)
    l = int((y >= 0).sum())
    for folds in (None, np.arange(l) % 5):
        for cell, values in path.held_out_grid(y, folds, **lists):
            expected = refitted(path, y, np.arange(l) if folds is None else folds, cell)
            # The refits solve normal equations of condition up to C1 times that of the smoothness: six digits remain.
            assert np.allclose(values, expected, rtol=0, atol=1e-6 * np.abs(expected).max()), cell


@pytest.mark.parametrize("name", HINGE)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_hinge_loss_is_the_estimator_at_every_cell(name, n_classes):
    template, lists = HINGE[name]
    X, X_new, y = split(n_classes)
    path = PVMPath(template, X, X_new)
    for cell, fit in path.grid(y, **lists):
        machine = alone(template, cell, X, y)
        assert fit.info["dual_gap"] < 1e-7
        # Both are optimal to a gap of 1e-8, whose root is the accuracy of their values.
        atol = 1e-3 * np.abs(fit.values).max()
        assert np.allclose(columns(machine.decision_function(X)), fit.values, rtol=0, atol=atol), cell
        assert np.allclose(columns(machine.decision_function(X_new)), fit.new_values, rtol=0, atol=atol), cell


@pytest.mark.parametrize("name", HINGE)
def test_held_out_values_of_the_hinge_loss_are_those_of_refits(name):
    template, lists = HINGE[name]
    X, _, y = split(3)
    path = PVMPath(template, X)
    folds = np.arange(int((y >= 0).sum())) % 4
    for cell, values in path.held_out_grid(y, folds, **lists):
        expected = refitted(path, y, folds, cell)
        assert np.allclose(values, expected, rtol=0, atol=1e-3 * np.abs(expected).max()), cell


def test_cells_come_with_C1_ascending_within_C2():
    X, _, y = split(2)
    path = PVMPath(mr.PVM(**PVM, regularizer="rkhs"), X)
    cells = [tuple(cell.values()) for cell, _ in path.grid(y, C1=[10.0, 0.1], C2=[1.0, 0.0])]
    assert cells == [(0.1, 0.0), (10.0, 0.0), (0.1, 1.0), (10.0, 1.0)]


def test_sparse_points_and_given_prototypes():
    X, X_new, y = split(3)
    centres = kmeans_centres(X, 70, random_state=0)
    own = PVMPath(mr.PVM(**PVM), X)
    assert np.array_equal(own.prototypes, centres)
    given = PVMPath(mr.PVM(gamma=0.3, C2=0.0, prototypes=centres), sparse.csr_array(X), sparse.csr_array(X_new))
    fit = given.fit(y, C1=10.0)
    assert np.allclose(own.fit(y, C1=10.0).values, fit.values, rtol=0, atol=1e-8)
    assert np.allclose(alone(mr.PVM(**PVM), {"C1": 10.0}, X, y).decision_function(X_new), fit.new_values, atol=1e-8)
    dense = NFIPath(mr.baselines.NFI(70, gamma=0.3, random_state=0), X).fit(y, C1=10.0).values
    thin = NFIPath(mr.baselines.NFI(70, gamma=0.3, random_state=0), sparse.csr_array(X)).fit(y, C1=10.0).values
    assert np.allclose(dense, thin, rtol=0, atol=1e-8)


def test_a_free_direction_costs_no_digits():
    """The smoothness does not see constants, so the labelled features hold entries of 1e7 beside others of order 1."""
    X, _, y = split(2)
    path = PVMPath(mr.PVM(70, C2=0.0, gamma=0.01, random_state=0), X)
    folds = np.arange(int((y >= 0).sum())) % 5
    values = path.held_out(y, folds, C1=1e3)
    expected = refitted(path, y, folds, {"C1": 1e3})
    assert np.allclose(values, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_more_centres_than_rows_are_refused():
    with pytest.raises(ValueError, match="between 1 and the 3 rows of X; got 4"):
        kmeans_centres(np.zeros((3, 2)), 4)


@pytest.mark.parametrize("loss", ["square", "hinge"])
def test_weights_that_choose_themselves_do_so_in_a_path_as_well(loss):
    X, X_new, y = split(2)
    template = mr.PVM(70, loss, gamma="local", random_state=0)
    path = PVMPath(template, X, X_new)
    for cell, fit in path.grid(y, C2=["auto", 1.0]):
        machine = alone(template, cell, X, y)
        assert np.allclose(columns(machine.decision_function(X_new)), fit.new_values, rtol=0, atol=1e-3), cell
    folds = np.arange(int((y >= 0).sum())) % 4
    assert np.allclose(path.held_out(y, folds), refitted(path, y, folds, {}), rtol=0, atol=1e-6)
    with pytest.raises(ValueError, match="PVMPath takes one kernel width"):
        PVMPath(mr.PVM(), X)
