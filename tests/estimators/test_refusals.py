"""Faults that the fuzzer found: each ends in words that name what was expected."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons

import mr
from mr.estimators._words import in_words
from mr.graph import KNNGraph


@pytest.fixture
def moons():
    X, classes = make_moons(60, noise=0.08, random_state=1)
    y = np.full(60, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:5]] = c
    return X, y


@pytest.mark.parametrize("value", [10**400, True])
def test_numbers_that_are_none_for_a_machine(moons, value):
    with pytest.raises(ValueError, match="'gamma_A' parameter of RLS must be .*float in the range"):
        mr.RLS(gamma_A=value).fit(*moons)


def test_counts_beyond_64_bits(moons):
    with pytest.raises(ValueError, match=r"'max_iter' parameter of AGMR must be an int in the range \[1, 2\*\*63\)"):
        mr.AGMR(max_iter=2**63).fit(*moons)


@pytest.mark.parametrize("machine", [mr.LapSVR(C=10**19, mu=1.0), mr.PVM(C1=10**19, loss="hinge")])
def test_large_integers_are_numbers(moons, machine):
    X, y = moons
    assert np.isin(machine.fit(X, y).predict(X), [0, 1]).all()


@pytest.mark.parametrize(
    "machine",
    [
        mr.RegularizedEigenmap(graph=KNNGraph(power=50, laplacian="unnormalized")),
        mr.RLS(kernel="poly", gamma=1e200, gamma_A=1.0),
        mr.baselines.CVM(epsilon=1e6),
        mr.AGMR(kernel="poly", degree=1.5e7, coef0=61.75),
    ],
    ids=lambda machine: type(machine).__name__,
)
def test_linear_algebra_that_fails_is_put_in_words(moons, machine):
    with pytest.raises(ValueError, match="cannot be computed in double precision.*rescale X"):
        machine.fit(*moons)


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), OverflowError("x"), np.linalg.LinAlgError("x")])
def test_arithmetic_keeps_its_cause(error):
    with pytest.raises(ValueError, match=f"RLS cannot .*{type(error).__name__} inside") as caught, in_words(mr.RLS()):
        raise error
    assert caught.value.__cause__ is error


def test_other_errors_pass():
    with pytest.raises(ValueError, match="^own words$"), in_words(mr.RLS()):
        raise ValueError("own words")


@pytest.mark.parametrize("basis", [np.empty((0, 2)), np.full((2, 2), np.nan), np.full((2, 2), 1e200)])
def test_basis_points_are_checked(moons, basis):
    with pytest.raises(ValueError, match="0 sample|contains NaN|Squared distances overflow"):
        mr.LapRLS(basis=basis).fit(*moons)


def test_weights_must_be_numbers(moons):
    with pytest.raises(ValueError, match="class_gamma_I must hold numbers; got"):
        mr.LapRLS(class_gamma_I=["a", "b"]).fit(*moons)
    with pytest.raises(ValueError, match="positive_fraction must hold numbers; got"):
        mr.TSVM(positive_fraction=["a", "b"]).fit(*moons)


def test_a_weight_that_vanishes_is_named(moons):
    with pytest.raises(ValueError, match="weight C of the losses must be positive and finite; got 0"):
        mr.SVM(gamma_A=1e308).fit(*moons)


def test_a_regressor_has_no_classes_to_reduce_for(moons):
    with pytest.raises(TypeError, match="estimator must be a classifier or None; got RLSRegressor"):
        mr.baselines.CentroidReduced(mr.RLSRegressor()).fit(*moons)


def test_dates_are_no_labels(moons):
    X, y = moons
    with pytest.raises(ValueError, match="Unknown label type: y must hold integers or strings; got datetime64"):
        mr.RLS().fit(X, y.astype("datetime64[D]"))


def test_targets_have_a_scale_too(moons):
    X, y = moons
    with pytest.raises(ValueError, match="Targets of y must be at most 1e\\+150 in size"):
        mr.RLSRegressor().fit(X, 1e200 * y)


@pytest.mark.parametrize("machine", [mr.LGC(), mr.HarmonicFunction()])
def test_sparse_new_points_of_a_dense_fit(moons, machine):
    X, y = moons
    machine.fit(X, y)
    new = X[:5] + 0.01
    assert (machine.predict(sparse.csr_array(new)) == machine.predict(new)).all()


@pytest.mark.parametrize("cell, message", [(1e200, "Squared distances overflow"), (np.nan, "must hold finite numbers")])
def test_blocks_have_a_scale(moons, cell, message):
    X, y = moons
    X = X.copy()
    X[40, 1] = cell
    with pytest.raises(ValueError, match=message):
        mr.PVM(n_prototypes=5).fit_blocks([X[:30], X[30:]], y)
    with pytest.raises(ValueError, match="Squared distances vanish"):
        mr.PVM(n_prototypes=5).fit_blocks([moons[0][:30] * 1e-200, moons[0][30:] * 1e-200], y)


def test_paths_have_a_scale_and_check_their_cells(moons):
    X, y = moons
    template = mr.LapRLS(gamma_A=1.0, gamma_I=1.0)
    with pytest.raises(ValueError, match="Squared distances overflow"):
        mr.paths.LapRLSPath(template, X * 1e200)
    with pytest.raises(ValueError, match="Squared distances overflow"):
        mr.paths.LapRLSPath(template, X, X_new=X * 1e200)
    with pytest.raises(ValueError, match="Squared distances vanish"):
        mr.paths.kmeans_centres(X * 1e-200, 3)
    with pytest.raises(ValueError, match="'gamma_A' parameter of LapRLSPath must be"):
        mr.paths.LapRLSPath(template, X).fit(y, gamma_A=-1.0)


def test_a_tolerance_below_rounding_ends(moons):
    X, y = moons
    exact, usual = (mr.LapESVR(C=10.0, mu=1.0, tol=tol).fit(X, y) for tol in (5e-324, 1e-8))
    assert np.allclose(exact.decision_function(X), usual.decision_function(X), atol=1e-5)


def test_lists_to_choose_from_are_checked(moons):
    with pytest.raises(ValueError, match="gamma_A must be a value or a list of values; got"):
        mr.LapRLSCV(gamma_A=[[1.0, 2.0]]).fit(*moons)
    with pytest.raises(ValueError, match="'gamma_A' parameter of LapRLSCV must be .* Got -1.0 instead"):
        mr.LapRLSCV(gamma_A=[1.0, -1.0]).fit(*moons)
    with pytest.raises(ValueError, match="cv must be None, a number of folds, a splitter or a list of pairs"):
        mr.LapRLSCV(cv=[1.0, 2.0]).fit(*moons)


def test_a_kernel_that_is_zero_everywhere_has_no_functions():
    with pytest.raises(ValueError, match="kernel must be positive at some prototype; got none"):
        mr.PVM(kernel="linear").fit(np.zeros((20, 2)), np.r_[0, 1, 0, 1, np.full(16, -1)])


def test_held_out_values_that_cannot_be_computed_speak_for_caution():
    y = np.r_[0, 1, 0, 1, 0, 1, np.full(14, -1)]
    assert np.isin(mr.LapRLS(kernel="linear").fit(np.zeros((20, 2)), y).predict(np.zeros((3, 2))), [0, 1]).all()


@pytest.mark.parametrize(
    "machine", [mr.RLS(), mr.LapRLS(), mr.AnchorGraph(10), KNNGraph()], ids=lambda m: type(m).__name__
)
def test_integers_beyond_double_precision(moons, machine):
    X, y = moons
    X, expected = X.astype(object), "Expected numbers that double precision can hold.* got a larger integer"
    fitted = machine.fit(X.astype(float), y)
    X[3, 1] = 10**400
    with pytest.raises(ValueError, match=expected):
        machine.fit(X, y)
    if hasattr(fitted, "predict"):
        with pytest.raises(ValueError, match=expected):
            fitted.predict(X)
    with pytest.raises(ValueError, match=expected):
        mr.paths.LapRLSPath(mr.LapRLS(), X)
    numbers = [10**400, *range(59)]
    with pytest.raises(ValueError, match="double precision can hold.* got a larger"):
        mr.LapRLSRegressor().fit(moons[0], numbers)
    with pytest.raises(ValueError, match="Targets of y must be numbers that double precision can hold"):
        mr.labels.encode_targets(numbers)
    with pytest.raises(ValueError, match=expected):
        mr.LapRLS().fit(*moons, sample_weight=numbers)


@pytest.mark.parametrize("machine", [mr.LapRLS, mr.LapRLSRegressor, mr.LapSVM, mr.PrimalLapSVM])
def test_one_weight_in_two_conventions_is_refused(moons, machine):
    # a search over one of them would otherwise change nothing, without a word
    X, y = moons
    with pytest.raises(ValueError, match="at most one of them, got gamma_I=1.0 and graph_weight=10.0"):
        machine(gamma_I=1.0, graph_weight=10.0).fit(X, y)
