"""Finite X whose squared distances are no numbers is refused in words; no machine goes on with NaN."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_moons

import mr
from mr import (
    LGC,
    PVM,
    RLS,
    SVM,
    TSVM,
    AnchorGraph,
    HarmonicFunction,
    LapRLS,
    LapRLSRegressor,
    LapSVM,
    LinearLapRLS,
    RegularizedEigenmap,
    RLSRegressor,
)
from mr.baselines import CVM, CentroidReduced, Eigenfunction

MACHINES = [
    TSVM(), LGC(), HarmonicFunction(), LapRLS(), SVM(), RLS(), LapSVM(), CVM(), LinearLapRLS(),
    AnchorGraph(n_anchors=20), Eigenfunction(), PVM(n_prototypes=20), CentroidReduced(n_centroids=20),
    LapRLSRegressor(), RegularizedEigenmap(),
]  # fmt: skip


@pytest.fixture
def moons():
    X, classes = make_moons(60, noise=0.08, random_state=1)
    y = np.full(60, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:5]] = c
    return X, y


def one_bad_cell(X):
    X = X.copy()
    X[7, 1] = 1e200
    return X


FAULTS = {
    "large": (
        lambda X: X * 1e160,
        "Squared distances overflow: expected .* up to 1e\\+150 .* got 2.*e\\+160.*StandardScaler",
    ),
    "small": (
        lambda X: X * 1e-160,
        "Squared distances vanish: expected .* at least 1e-150 .* got 2.*e-160.*StandardScaler",
    ),
    "cell": (one_bad_cell, "Squared distances overflow: expected .* up to 1e\\+150 .* got 1e\\+200.*damaged cells"),
}


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: type(machine).__name__)
def test_fit_refuses(moons, machine, fault, form):
    X, y = moons
    damage, message = FAULTS[fault]
    with pytest.raises(ValueError, match=message):
        clone(machine).fit(form(damage(X)), y)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: type(machine).__name__)
def test_new_points_may_be_small_but_not_large(moons, machine):
    X, y = moons
    model = clone(machine).fit(X, y)
    evaluate = model.transform if hasattr(model, "transform") else model.predict
    with pytest.raises(ValueError, match="Squared distances overflow"):
        evaluate(one_bad_cell(X))
    assert np.isfinite(evaluate(np.full((1, 2), 1e-200))).all()


@pytest.mark.parametrize("number", [np.nan, np.inf])
@pytest.mark.parametrize("machine", [RLS, RLSRegressor])
def test_values_that_are_not_finite_do_not_leave_a_machine(moons, machine, number, monkeypatch):
    X, y = moons
    model = machine().fit(X, y)
    model.dual_coef_ = np.full_like(model.dual_coef_, number)
    message = f"{machine.__name__} expected finite function values, got NaN or infinity at 60 of 60 points"
    for evaluate in ("predict", "decision_function"):
        if hasattr(model, evaluate):
            with pytest.raises(ValueError, match=message):
                getattr(model, evaluate)(X)
    monkeypatch.setattr(
        machine, "_fit_functions", lambda self, X, rows, targets, *weights: np.full((len(X), 1), number)
    )
    with pytest.raises(ValueError, match=message):
        machine().fit(X, y)


def test_blocks_are_checked_too(moons, monkeypatch):
    X, y = moons
    monkeypatch.setattr(PVM, "_fit_functions", lambda self, *args, **kwargs: np.full((60, 1), np.nan))
    with pytest.raises(ValueError, match="PVM expected finite function values"):
        PVM().fit([X[:30], X[30:]], y)


@pytest.mark.parametrize("name", ["C", "mu", "label_weight"])
@pytest.mark.parametrize("machine", [mr.LapESVR, mr.LapERLS])
def test_weights_that_are_integers_beyond_64_bits(machine, name):
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.where(np.arange(40) < 12, np.arange(40) % 2, -1)
    found = machine(**{name: 10**30}).fit(X, y).decision_function(X)
    assert np.array_equal(found, machine(**{name: 1e30}).fit(X, y).decision_function(X))
    assert np.isfinite(mr.paths.LapERLSPath(mr.LapERLS(), X).fit(y, C=1, mu=0, label_weight=10**30).values).all()
