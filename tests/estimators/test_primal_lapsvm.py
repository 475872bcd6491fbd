"""PrimalLapSVM: Newton against a general optimiser, conjugate gradient against Newton, and its early stop."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_digits, make_moons
from sklearn.exceptions import ConvergenceWarning

from mr import KNNGraph, PrimalLapSVM


def problem(n, labelled, seed=0, noise=0.2):
    X, classes = make_moons(n, noise=noise, random_state=seed)
    return X, np.where(np.arange(n) < labelled, classes, -1), classes


def objective(model, X, y, alpha, b):
    rows, n = np.flatnonzero(y != -1), len(X)
    K = model.kernel_(X)
    f = K @ alpha
    slack = np.maximum(0, 1 - (2 * y[rows] - 1) * (f[rows] + b))
    smooth = f @ model.graph_.apply(f)
    return (slack**2).mean() + model.gamma_A * alpha @ f + model.gamma_I / n**2 * smooth


@pytest.mark.parametrize("laplacian", ["normalized", "unnormalized"])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("gamma_A, gamma_I", [(0.05, 0.0), (0.01, 30.0)])
def test_newton_is_what_a_general_optimiser_finds(laplacian, fit_intercept, gamma_A, gamma_I):
    X, y, _ = problem(40, 16)
    model = PrimalLapSVM(
        gamma_A, gamma_I, gamma=1.0, graph=KNNGraph(5, laplacian=laplacian), fit_intercept=fit_intercept
    ).fit(X, y)
    K = model.kernel_(X)
    # independent: in the coordinates of K's eigenvectors the problem is well scaled
    values, vectors = np.linalg.eigh(K)
    values = np.maximum(values, 1e-14)
    root = vectors * np.sqrt(values)

    def F(z):
        f = root @ z[:-1]
        b = z[-1] if fit_intercept else 0.0
        rows = np.flatnonzero(y != -1)
        signed = 2 * y[rows] - 1
        slack = np.maximum(0, 1 - signed * (f[rows] + b))
        Lf = model.graph_.apply(f)
        gradient_f = 2 * gamma_I / len(X) ** 2 * Lf
        gradient_f[rows] -= 2 * slack * signed / len(rows)
        gradient = np.append(root.T @ gradient_f + 2 * gamma_A * z[:-1], (-2 * slack * signed / len(rows)).sum())
        if not fit_intercept:
            gradient[-1] = 0.0
        return (slack**2).mean() + gamma_A * z[:-1] @ z[:-1] + gamma_I / len(X) ** 2 * f @ Lf, gradient

    precise = {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-10}
    best = minimize(F, np.zeros(41), jac=True, method="L-BFGS-B", options=precise)
    ours = objective(model, X, y, model.dual_coef_[:, 0], model.intercept_[0])
    assert ours == pytest.approx(best.fun, rel=1e-8)
    assert np.allclose(model.decision_function(X), root @ best.x[:-1] + best.x[-1] * fit_intercept, atol=1e-4)
    assert model.stop_reason_ == ["optimal"] and model.gradient_norm_[0] < 1e-9


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_conjugate_gradient_run_to_the_end_is_newton(fit_intercept):
    X, y, _ = problem(150, 20)
    settings = dict(gamma_A=1e-2, gamma_I=10.0, gamma=2.0, fit_intercept=fit_intercept)
    newton = PrimalLapSVM(**settings).fit(X, y)
    pcg = PrimalLapSVM(solver="pcg", stop="gradient", tol=1e-9, **settings).fit(X, y)
    assert pcg.stop_reason_ == ["gradient"] and pcg.gradient_norm_[0] <= 1e-9
    assert np.allclose(pcg.decision_function(X), newton.decision_function(X), atol=1e-6)


def test_stability_stop_is_early_and_close():
    X, y, classes = problem(400, 20, noise=0.1)
    settings = dict(gamma_A=1e-4, gamma_I=100.0, gamma=5.0, solver="pcg")
    early = PrimalLapSVM(**settings).fit(X, y)
    late = PrimalLapSVM(stop="gradient", tol=1e-6, max_iter=5000, **settings).fit(X, y)
    assert early.stop_reason_ == ["stability"]
    assert early.n_iter_[0] % round(np.sqrt(400) / 2) == 0 and early.n_iter_[0] < late.n_iter_[0]
    assert (early.transduction_ == late.transduction_).mean() > 0.95


def test_several_classes_in_one_run_are_separate_problems():
    X, classes = load_digits(n_class=4, return_X_y=True)
    X, classes = X[:150] / 16, classes[:150]
    y = np.where(np.arange(150) < 40, classes, -1)
    for settings in (dict(solver="newton"), dict(solver="pcg"), dict(solver="pcg", stop="gradient", tol=1e-6)):
        model = PrimalLapSVM(gamma_A=1e-3, gamma_I=1.0, gamma=0.1, **settings).fit(X, y)
        assert len(model.n_iter_) == len(model.stop_reason_) == 4
        for c in range(4):
            one = np.where(y == -1, -1, (y == c).astype(int))
            alone = PrimalLapSVM(gamma_A=1e-3, gamma_I=1.0, gamma=0.1, **settings).fit(X, one)
            assert alone.n_iter_[0] == model.n_iter_[c]
            assert np.allclose(alone.decision_function(X), model.decision_function(X)[:, c], atol=1e-8)


def test_reduced_basis_of_all_points_is_exact():
    X, y, _ = problem(100, 20)
    exact = PrimalLapSVM(gamma=20.0).fit(X, y).decision_function(X)
    assert np.allclose(PrimalLapSVM(gamma=20.0, basis=X).fit(X, y).decision_function(X), exact, atol=1e-6)
    with pytest.raises(ValueError, match="newton"):
        PrimalLapSVM(basis=10, solver="pcg").fit(X, y)


def test_running_out_of_iterations_is_said():
    X, y, _ = problem(100, 20)
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        model = PrimalLapSVM(solver="pcg", stop="gradient", max_iter=3).fit(X, y)
    assert model.stop_reason_ == ["max_iter"] and (model.n_iter_ == 3).all()
