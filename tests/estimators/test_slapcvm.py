"""SLapCVM and CVM: limits that are other machines, sparsity, scale without n x n matrices."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import mr
from mr import resources
from mr.kernels import deformation


def moons(n, labelled=1, seed=0):
    X, classes = make_moons(n, noise=0.05, random_state=seed)
    y = np.full(n, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:labelled]] = c
    return X, y, classes


GRAPH = mr.KNNGraph(laplacian="unnormalized")


def test_two_moons_from_two_labels():
    X, y, classes = moons(1000)
    fitted = mr.SLapCVM(C=1e6, theta=4e4, gamma=4.0, graph=GRAPH).fit(X, y)
    assert (fitted.transduction_ == classes).mean() > 0.99
    assert fitted.n_support_ < 400 and fitted.core_size_ < 600
    assert fitted.dual_gap_ < 1e-2


def test_support_is_where_the_expansion_is():
    X, y, _ = moons(200)
    fitted = mr.SLapCVM(graph=GRAPH, theta=1e4).fit(X, y)
    assert fitted.n_support_ == len(fitted.points_) == len(fitted.dual_coef_) < 200
    assert (X[fitted.support_] == fitted.points_).all()


def test_theta_to_zero_is_the_two_norm_svm():
    X, y, _ = moons(100, labelled=10)
    plain = mr.baselines.CVM(C=50.0, epsilon=1e-10).fit(X, y)
    differences = []
    for theta in (1e-1, 1e-6):
        close = mr.SLapCVM(C=50.0, theta=theta, graph=GRAPH, max_core=5000).fit(X, y)
        f, g = plain.decision_function(X) / (1 - plain.tube_[0]), close.decision_function(X) / (1 - close.tube_[0])
        differences.append(np.abs(f - g).max())
        assert close.dual_gap_ <= 1e-3
    assert differences[0] > differences[-1] and differences[-1] < 1e-3
    same = mr.SLapCVM(C=50.0, theta=0.0, epsilon=1e-10, graph=GRAPH).fit(X, y)
    assert np.allclose(same.decision_function(X), plain.decision_function(X), atol=1e-6)


def test_cvm_is_the_squared_hinge_svm():
    X, y = make_blobs(300, centers=2, cluster_std=3.0, random_state=0)
    fitted = mr.baselines.CVM(C=30.0, kernel="linear", epsilon=1e-12).fit(X, y)
    reference = LinearSVC(C=30.0 / 300 / 2, loss="squared_hinge", dual=True, tol=1e-10, max_iter=200_000).fit(X, y)
    # the margin rho = 1 - t only scales the function
    ours = fitted.decision_function(X) / (1 - fitted.tube_[0])
    assert np.allclose(ours, reference.decision_function(X), atol=2e-4)


def test_theta_flattens_the_function_along_its_steepest_edges():
    X, y, _ = moons(200)
    steepest = []
    for theta in (0.0, 1e4):
        fitted = mr.SLapCVM(C=1e4, theta=theta, graph=GRAPH).fit(X, y)
        f = fitted.decision_function(X)
        W = fitted.graph_.affinity_.tocoo()
        steepest.append((np.sqrt(W.data) * np.abs(f[W.row] - f[W.col])).max() / np.abs(f).max())
    assert steepest[1] < 0.7 * steepest[0]


def test_many_labels_and_classes():
    X, classes = make_blobs(400, centers=4, random_state=1)
    y = np.where(np.arange(400) % 2 == 0, classes, -1)
    fitted = mr.SLapCVM().fit(X, y)
    assert fitted.decision_function(X).shape == (400, 4)
    assert (fitted.predict(X) == classes).mean() > 0.95
    assert mr.baselines.CVM().fit(X, y).score(X, classes) > 0.95


def test_sampling_only_is_seeded_and_sparse():
    X, y, classes = moons(3000)
    make = mr.SLapCVM(C=1e7, theta=1e5, gamma=4.0, graph=GRAPH, exact_check=False, max_core=150)
    with pytest.warns(UserWarning, match="max_core"):
        first, second = make.fit(X, y).dual_coef_.copy(), make.fit(X, y).dual_coef_
    assert np.array_equal(first, second)
    assert make.n_passes_ == 1


def test_powers_of_the_laplacian_are_refused():
    X, y, _ = moons(60)
    with pytest.raises(ValueError, match="power must be 1; got power=2"):
        mr.SLapCVM(graph=mr.KNNGraph(power=2)).fit(X, y)


def test_memory_grows_with_the_data_not_with_its_square():
    X, y, _ = moons(20_000)
    graph = GRAPH.fit(X).affinity_
    graph = mr.PrecomputedGraph(graph, laplacian="unnormalized")
    make = mr.SLapCVM(C=1e3, theta=1e3, graph=graph, max_core=100, exact_check=False)
    tracemalloc.start()
    make.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6  # the n x n Gram matrix alone would be 3.2 GB


def edge_count(fitted):
    return fitted.graph_.affinity_.nnz // 2


def test_automatic_weights_are_those_of_least_squares():
    X, y, _ = moons(200, labelled=10)
    least_squares = mr.LapRLS().fit(X, y)
    fitted = mr.SLapCVM().fit(X, y)
    assert fitted.C_ / 20 == pytest.approx(1 / (20 * least_squares.gamma_A_))
    # the unit of graph_weight is 1 for a Gaussian kernel and a normalised Laplacian
    assert fitted.C_ * fitted.theta_ / edge_count(fitted) == pytest.approx(least_squares.graph_weight_, rel=1e-6)
    assert fitted.solver_ == "newton" and fitted.dual_gap_ < 1e-8


def test_one_automatic_weight():
    X, y, _ = moons(200, labelled=10)
    assert mr.SLapCVM(C=50.0).fit(X, y).C_ == 50.0
    fitted = mr.SLapCVM(theta=7.0).fit(X, y)
    assert fitted.theta_ == 7.0 and fitted.C_ == pytest.approx(mr.SLapCVM().fit(X, y).C_)
    alone = mr.SLapCVM(theta=0.0).fit(X, y)
    assert alone.theta_ == 0.0
    same = mr.baselines.CVM(C=alone.C_, epsilon=1e-10).fit(X, y)
    assert np.allclose(alone.decision_function(X), same.decision_function(X), rtol=1e-5, atol=1e-5)


def test_solvers_agree_on_several_classes():
    X, classes = make_blobs(150, centers=3, cluster_std=2.0, random_state=1)
    y = np.where(np.arange(150) % 5 == 0, classes, -1)
    exact = mr.SLapCVM(C=300.0, theta=50.0, solver="newton").fit(X, y)
    ball = mr.SLapCVM(C=300.0, theta=50.0, solver="core-set", epsilon=1e-10, max_core=5000, max_iter=None).fit(X, y)
    assert ball.solver_ == "core-set"
    assert exact.objective_ == pytest.approx(ball.objective_, rel=1e-6)
    assert np.abs(exact.decision_function(X) - ball.decision_function(X)).max() < 1e-4


def test_solver_of_many_points(monkeypatch):
    monkeypatch.setattr("mr.estimators.slapcvm.NEWTON_POINTS", 100)
    monkeypatch.setattr("mr.estimators.slapcvm.CHOICE_POINTS", 60)
    X, y, classes = moons(150, labelled=10)
    numbers = mr.SLapCVM(C=100.0, theta=100.0, graph=GRAPH).fit(X, y)
    assert numbers.solver_ == "core-set"
    automatic = mr.SLapCVM().fit(X, y)
    assert automatic.solver_ == "newton" and automatic.n_support_ == 60
    assert (automatic.transduction_ == classes).mean() > 0.95
    # values of the solver and of the expansion over the basis are the same function
    assert (automatic.predict(X) == automatic.transduction_).all()
    assert mr.SLapCVM(basis=40).fit(X, y).n_support_ == 40
    assert mr.SLapCVM(solver="newton").fit(X, y).n_support_ == 150


def test_full_basis_is_the_machine_itself():
    X, y, _ = moons(120, labelled=5)
    whole, basis = (mr.SLapCVM(C=100.0, theta=100.0, gamma=4.0, basis=size).fit(X, y) for size in (None, 120))
    assert np.allclose(whole.decision_function(X), basis.decision_function(X), atol=1e-5)


def test_limits_are_announced(capsys):
    X, y, _ = moons(300, labelled=3)
    with pytest.warns(ConvergenceWarning, match="of max_iter=1 steps"):
        mr.SLapCVM(C=1e6, theta=1e5, graph=GRAPH, max_iter=1, verbose=1).fit(X, y)
    assert "[newton] problem 1 of 1: 1 steps" in capsys.readouterr().out
    with pytest.warns(ConvergenceWarning, match="max_iter=5 solves"):
        mr.SLapCVM(C=1e6, theta=1e5, graph=GRAPH, solver="core-set", max_iter=5).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="max_iter=2 solves"):
        mr.baselines.CVM(C=1e9, epsilon=1e-12, max_iter=2).fit(X[:100], np.arange(100) % 2)


def test_lapsvm_on_the_full_set_says_why_it_cannot(monkeypatch):
    """266,079 points whose kernel has no thin factor: words, and not NumPy's failure to allocate 66 GiB."""
    monkeypatch.setattr(resources, "available_memory", lambda: 2**30)
    monkeypatch.setattr(deformation, "available_memory", lambda: 2**30)
    n = 266_079
    X, y = np.arange(n, dtype=float)[:, None], np.full(n, -1)
    y[[0, -1]] = 0, 1
    chain = sparse.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1], format="csr")
    machine = mr.LapSVM(gamma_A=1e-4, gamma_I=1.0, gamma=1.0, graph=mr.PrecomputedGraph(chain))
    with pytest.raises(MemoryError, match=r"266079 x 266079 Gram matrix .* needs .* GiB, but 1.0 GiB.*basis=500"):
        machine.fit(X, y)
