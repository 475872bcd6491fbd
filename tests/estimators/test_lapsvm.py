"""LapSVM against its own definition, scikit-learn's SVC and a general QP solver."""

import tracemalloc

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.datasets import load_digits, make_moons
from sklearn.svm import SVC

from mr import KNNGraph, LapSVM
from mr.solvers.svm import SOLVERS


@pytest.fixture
def moons():
    X, classes = make_moons(200, noise=0.05, random_state=0)
    y = np.full(200, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:4]] = c
    return X, y, classes


def primal(model, X, y):
    """belkin2006's objective at the fitted function, with L = D - W or normalised, from first principles."""
    rows, n = np.flatnonzero(y != -1), len(X)
    signed = 2.0 * y[rows] - 1
    K = np.exp(-model.kernel_.gamma_ * np.square(X[:, None] - X).sum(-1))
    alpha = model.dual_coef_[:, 0]
    f = K @ alpha
    L = np.linalg.matrix_power(model.graph_.laplacian_.toarray(), model.graph_.power)
    hinge = np.maximum(0, 1 - signed * (f[rows] + model.intercept_[0])).mean()
    return hinge + model.gamma_A * alpha @ f + model.gamma_I / n**2 * f @ L @ f, K, L, signed, rows


@pytest.mark.parametrize("gamma_A, gamma_I", [(1e-2, 1.0), (1e-3, 1e3), (1e-4, 10.0)])
def test_primal_equals_the_dual_of_section_4_4(moons, gamma_A, gamma_I):
    X, y, _ = moons
    model = LapSVM(gamma_A=gamma_A, gamma_I=gamma_I, gamma=2.0, graph=KNNGraph(6, power=2), fit_intercept=True)
    model.fit(X, y)
    value, K, L, signed, rows = primal(model, X, y)
    n, l = len(X), len(rows)
    # Q of belkin2006 and the multipliers recovered from alpha = (2 gA I + 2 gI/n^2 LK)^-1 J'Y b
    A = 2 * gamma_A * np.eye(n) + 2 * gamma_I / n**2 * L @ K
    b = signed * (A @ model.dual_coef_[:, 0])[rows]
    Q = signed[:, None] * (K @ linalg.inv(A))[np.ix_(rows, rows)] * signed
    assert (b >= -1e-9).all() and (b <= 1 / l + 1e-9).all() and abs(signed @ b) < 1e-9
    dual = b.sum() - 0.5 * b @ Q @ b
    assert abs(value - dual) < 1e-6 * value
    assert model.dual_gap_ < 1e-6


def test_gamma_I_zero_is_scikit_learns_svc(moons):
    X, y, _ = moons
    labelled = y != -1
    model = LapSVM(gamma_A=0.01, gamma_I=0.0, gamma=2.0, fit_intercept=True).fit(X, y)
    svc = SVC(C=1 / (2 * 0.01 * 8), gamma=2.0, tol=1e-8).fit(X[labelled], y[labelled])
    assert np.abs(model.decision_function(X) - svc.decision_function(X)).max() < 1e-5


@pytest.mark.filterwarnings("ignore:libsvm stopped")
def test_all_solvers_agree(moons):
    X, y, _ = moons
    weights = np.linspace(1, 3, len(X))
    for fit_intercept, solvers in ((True, SOLVERS), (False, ["smo", "osqp"])):
        for weighted in (False, True):
            values = [
                LapSVM(1e-2, 1.0, gamma=2.0, solver=solver, fit_intercept=fit_intercept)
                .fit(X, y, sample_weight=weights if weighted else None)
                .decision_function(X)
                for solver in solvers
            ]
            assert all(np.abs(values[0] - other).max() < 1e-4 for other in values[1:])


def test_moons_are_separated_from_one_label_each():
    X, classes = make_moons(200, noise=0.05, random_state=0)
    y = np.full(200, -1)
    y[[np.flatnonzero(classes == 0)[0], np.flatnonzero(classes == 1)[0]]] = 0, 1
    model = LapSVM(gamma_A=1e-3, gamma_I=1e5, gamma=20.0, graph=KNNGraph(6)).fit(X, y)
    assert (model.transduction_ == classes).mean() == 1.0


def test_several_classes_are_separate_binary_problems():
    X, classes = load_digits(n_class=4, return_X_y=True)
    X, classes = X[:200] / 16, classes[:200]
    y = np.where(np.arange(200) < 40, classes, -1)
    settings = dict(gamma_A=1e-3, gamma_I=1.0, gamma=0.1)
    together = LapSVM(**settings).fit(X, y).decision_function(X)
    for c in range(4):
        one = np.where(y == -1, -1, (y == c).astype(int))
        assert np.allclose(LapSVM(**settings).fit(X, one).decision_function(X), together[:, c], atol=1e-10)


class TestReducedBasis:
    def test_all_points_as_basis_is_the_exact_machine(self, moons):
        X, y, _ = moons
        exact = LapSVM(1e-2, 1.0, gamma=20.0).fit(X, y).decision_function(X)
        assert np.abs(LapSVM(1e-2, 1.0, gamma=20.0, basis=X).fit(X, y).decision_function(X) - exact).max() < 1e-5

    def test_few_points_do_nearly_as_well(self, moons):
        X, y, classes = moons
        model = LapSVM(gamma_A=1e-3, gamma_I=1e3, gamma=2.0, basis=30, random_state=0).fit(X, y)
        assert model.points_.shape == (30, 2) and model.dual_gap_ < 1e-6
        assert (model.predict(X) == classes).mean() > 0.98

    def test_memory_never_holds_an_n_by_n_matrix(self):
        X, classes = make_moons(6000, noise=0.05, random_state=0)
        y = np.where(np.arange(6000) < 20, classes, -1)
        graph = KNNGraph(6).fit(X).affinity_
        LapSVM(basis=5).fit(X[:50], y[:50])  # compiles outside the measurement
        tracemalloc.start()
        LapSVM(graph=graph, basis=40, random_state=0).fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.1 * 8 * 6000**2


def test_without_intercept_against_osqp(moons):
    """min 1/l sum xi_i + gamma_A ||f||^2 + gamma_I / n^2 f'Lf, y_i f_i >= 1 - xi_i, in the coordinates of K = R R'."""
    osqp = pytest.importorskip("osqp")
    X, y, _ = moons
    gamma_A, gamma_I = 1e-2, 10.0
    model = LapSVM(gamma_A, gamma_I, gamma=2.0, graph=KNNGraph(6), fit_intercept=False, tol=1e-10).fit(X, y)
    _, K, L, signed, rows = primal(model, X, y)
    scales, axes = np.linalg.eigh(K)
    R = axes[:, scales > 1e-12] * np.sqrt(scales[scales > 1e-12])
    m, l = R.shape[1], len(rows)
    P = linalg.block_diag(2 * gamma_A * np.eye(m) + 2 * gamma_I / len(X) ** 2 * R.T @ L @ R, np.zeros((l, l)))
    A = np.block([[signed[:, None] * R[rows], np.eye(l)], [np.zeros((l, m)), np.eye(l)]])
    solver = osqp.OSQP()
    solver.setup(P=sparse.csc_matrix(np.triu(P)), q=np.repeat([0.0, 1.0 / l], [m, l]), A=sparse.csc_matrix(A),
                 l=np.repeat([1.0, 0.0], l), u=np.full(2 * l, np.inf), eps_abs=1e-9, eps_rel=1e-9, max_iter=100_000,
                 polishing=True, verbose=False)  # fmt: skip
    expected = R @ solver.solve(raise_error=False).x[:m]
    # OSQP stops at 1e-9 in its own units; the values of the two functions then agree to about its root.
    assert np.abs(model.decision_function(X) - expected).max() < 1e-4 * np.abs(expected).max()
    assert model.intercept_ == 0.0 and model.dual_gap_ < 1e-9


def test_only_our_solver_goes_without_intercept(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="solver='libsvm' takes fit_intercept=True only"):
        LapSVM(fit_intercept=False, solver="libsvm").fit(X, y)
