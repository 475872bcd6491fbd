"""LapESVR and LapERLS against the problems they are defined by."""

import warnings
from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVR

import mr
from mr.estimators._base import UnlabelledComponentWarning
from mr.kernels import Kernel
from mr.solvers.choice import choose_cell
from mr.solvers.embedded_weight import MISFITS, WEIGHTS, Weights, _held_out
from mr.solvers.embedding import FREE, embed
from mr.spectrum import smallest_eigenpairs


@pytest.fixture(scope="module")
def moons():
    X, classes = make_moons(200, noise=0.08, random_state=0)
    y = np.full(200, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:2]] = c
    return X, y, classes


def definition(X, y, graph, n_ev, label_weight, mu):
    """K, G and y~ straight from chen2012's equations 25 to 29, by dense linear algebra."""
    L = graph.laplacian_.toarray()
    sigma, phi = np.linalg.eigh(L)
    phi, sigma = phi[:, :n_ev], np.maximum(sigma[:n_ev], 0)
    Lambda = np.diag(np.where(y >= 0, label_weight, 0.0))
    signed = np.where(y >= 0, 2.0 * y - 1, 0.0)
    G = phi @ np.linalg.solve(phi.T @ Lambda @ phi + mu * np.diag(sigma**graph.power), phi.T)
    return Kernel("rbf", "mean").fit(X)(X), G, G @ Lambda @ signed


@pytest.mark.parametrize(("n_ev", "power"), [(20, 1), (20, 2), (200, 1)])
def test_lapesvr_is_libsvm_on_the_transformed_kernel(moons, n_ev, power):
    X, y, _ = moons
    fitted = mr.LapESVR(5.0, 1.0, 100.0, n_eigenvectors=n_ev, graph=mr.KNNGraph(6, power=power)).fit(X, y)
    K, G, virtual = definition(X, y, fitted.graph_, n_ev, 100.0, 1.0)
    machine = SVR(kernel="precomputed", C=5.0, epsilon=0.1, tol=1e-7).fit(K + G, virtual)
    expected = K[:, machine.support_] @ machine.dual_coef_[0] + machine.intercept_
    assert np.allclose(fitted.decision_function(X), expected, atol=1e-3)  # LIBSVM holds Q in single precision
    assert fitted.dual_gap_ < 1e-6 and fitted.n_support_ == len(fitted.points_) and fitted.n_iter_ > 0


@pytest.mark.parametrize("solver", ["exact", "cg"])
def test_laperls_solves_its_system(moons, solver):
    X, y, _ = moons
    fitted = mr.LapERLS(5.0, 1.0, 100.0, n_eigenvectors=20, solver=solver, n_landmarks=30, random_state=0).fit(X, y)
    K, G, virtual = definition(X, y, fitted.graph_, 20, 100.0, 1.0)
    a = np.linalg.solve(K + G + np.eye(200) / 5.0, virtual)
    assert np.allclose(fitted.dual_coef_[:, 0], a, atol=1e-6 * np.abs(a).max())
    assert fitted.residual_ < 1e-7


def test_landmarks_of_all_points_change_nothing(moons):
    X, y, _ = moons
    common = {"C": 10.0, "mu": 100.0, "n_eigenvectors": 20, "n_landmarks": 200}
    for machine in (mr.LapESVR, mr.LapERLS):
        exact = machine(**common).fit(X, y).decision_function(X)
        assert np.allclose(machine(solver="nystroem", **common).fit(X, y).decision_function(X), exact, atol=5e-3)
    assert mr.LapERLS(10.0, 100.0, solver="nystroem", n_landmarks=20, random_state=0).fit(X, y).residual_ > 1e-6


def test_rows_on_demand_agree_with_memory(moons, monkeypatch):
    X, y, _ = moons
    exact = mr.LapESVR(10.0, 100.0, n_eigenvectors=20).fit(X, y).decision_function(X)
    monkeypatch.setattr("mr.estimators.lapesvr.IN_MEMORY", 100)
    fitted = mr.LapESVR(10.0, 100.0, n_eigenvectors=20, tol=1e-4, cache_size=0.01).fit(X, y)
    assert np.allclose(fitted.decision_function(X), exact, atol=5e-3)


def test_mu_zero_is_svr_on_the_labelled_points(moons):
    X, y, _ = moons
    fitted = mr.LapESVR(C=10.0, mu=0.0, label_weight=1e9).fit(X, y)
    rows = y >= 0
    machine = SVR(C=10.0, epsilon=0.1, gamma=fitted.kernel_.gamma_, tol=1e-8).fit(X[rows], 2.0 * y[rows] - 1)
    assert np.allclose(fitted.decision_function(X), machine.predict(X), atol=1e-5)


def test_one_label_a_class_separates_the_moons(moons):
    X, _, classes = moons
    y = np.full(200, -1)
    y[[np.flatnonzero(classes == c)[0] for c in (0, 1)]] = 0, 1
    for machine in (mr.LapESVR, mr.LapERLS):
        fitted = machine(10.0, 100.0, n_eigenvectors=2).fit(X, y)
        assert (fitted.transduction_ == classes).mean() > 0.85


def test_a_component_without_labels_is_named_and_left_out(moons):
    X, y, _ = moons
    far = np.vstack([X, X[:20] + 100.0])
    labels = np.concatenate([y, np.full(20, -1)])
    common = {"C": 10.0, "mu": 100.0, "n_eigenvectors": 20, "gamma": 1.0, "graph": mr.KNNGraph(weights="binary")}
    for machine in (mr.LapESVR, mr.LapERLS):
        with pytest.warns(UnlabelledComponentWarning, match=r"largest: \[20\]"):
            fitted = machine(**common).fit(far, labels)
        assert fitted.n_members_ == 200
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            alone = machine(**common).fit(X, y)
        assert np.allclose(fitted.decision_function(X), alone.decision_function(X), atol=1e-6)


def test_directions_without_label_are_dropped_or_almost_free():
    values, vectors = np.array([0.0, 0.0, 0.5]), np.eye(6)[:, :3]
    dropped = embed(values, vectors, np.array([0]), np.ones((1, 1)), 10.0, 1.0)
    free = embed(values, vectors, np.array([0]), np.ones((1, 1)), 10.0, 1.0, free=True)
    assert dropped.n_singular == free.n_singular == 1
    assert dropped.features.shape == (6, 2) and (dropped.features[1] == 0).all()
    assert np.square(free.features[1]).sum() == pytest.approx(1 / FREE)
    assert np.allclose(dropped.targets, free.targets)


def test_several_classes_share_one_graph_kernel():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.standard_normal((30, 2)) + centre for centre in ((0, 0), (6, 0), (0, 6))])
    y = np.full(90, -1)
    y[[0, 30, 60]] = 0, 1, 2
    affinity = sparse.csr_matrix(np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(-1)) * (1 - np.eye(90)))
    for machine in (mr.LapESVR, mr.LapERLS):
        fitted = machine(10.0, 100.0, n_eigenvectors=5, graph=affinity).fit(X, y)
        assert fitted.decision_function(X).shape == (90, 3)
        assert (fitted.transduction_ == np.repeat([0, 1, 2], 30)).mean() > 0.95


class TestChosenWeights:
    """mu="auto" and C="auto": the cells of mr.solvers.embedded_weight, told apart by leave-one-out."""

    @pytest.fixture
    def blobs(self):
        rng = np.random.default_rng(3)
        truth = np.arange(150) % 3
        X = rng.standard_normal((150, 4)) + 1.5 * np.eye(4)[truth]
        return X, np.where(np.arange(150) < 24, truth, -1), truth

    @pytest.mark.parametrize("power", [1, 2])
    def test_the_choice_is_that_of_refits(self, blobs, power):
        X, y, _ = blobs
        graph = mr.KNNGraph(5, power=power)
        fitted = mr.LapERLS(n_eigenvectors=15, graph=graph).fit(X, y)
        rows, signed = np.flatnonzero(y >= 0), np.where(y[y >= 0, None] == np.arange(3), 1.0, -1.0)
        sigma = np.linalg.eigvalsh(fitted.graph_.laplacian_.toarray())[:15] ** power
        cells, held_out = [], []
        for weight, C in product(WEIGHTS, MISFITS):
            mu = weight * 1e3 * C * len(rows) / 150 / sigma.mean()
            cells.append((weight, C, mu))
            values = []
            for row in rows:
                hidden = y.copy()
                hidden[row] = -1
                machine = mr.LapERLS(C, mu, n_eigenvectors=15, graph=graph, components="all").fit(X, hidden)
                values.append(machine.decision_function(X[[row]])[0])
            held_out.append(np.array(values))
        chosen = cells[choose_cell(held_out, signed, 0, [weight for weight, _, _ in cells])]
        assert (fitted.C_, fitted.mu_) == (chosen[1], pytest.approx(chosen[2], rel=1e-6))

    def test_the_support_vector_machine_takes_the_weights_of_its_twin(self, blobs):
        X, y, _ = blobs
        twin, fitted = mr.LapERLS().fit(X, y), mr.LapESVR().fit(X, y)
        assert (fitted.C_, fitted.mu_, fitted.epsilon_) == (twin.C_, twin.mu_, 0.1)
        alone = mr.LapESVR(fitted.C_, fitted.mu_, epsilon=0.1).fit(X, y)
        assert np.array_equal(alone.decision_function(X), fitted.decision_function(X))

    @pytest.mark.parametrize("machine", [mr.LapERLS, mr.LapESVR])
    def test_a_graph_that_misleads_is_left_out(self, blobs, machine):
        X, y, _ = blobs
        rng = np.random.default_rng(0)
        affinity = sparse.triu(sparse.random(150, 150, 0.05, random_state=rng), k=1)
        fitted = machine(graph=affinity + affinity.T).fit(X, y)
        assert fitted.mu_ == 0 and fitted.n_members_ == 24
        assert np.allclose(machine(fitted.C_, 0.0).fit(X, y).decision_function(X), fitted.decision_function(X))

    def test_weights_are_free_of_scale(self, blobs):
        X, y, _ = blobs
        common = {"n_eigenvectors": 20, "kernel": "linear"}
        W = mr.KNNGraph(5).fit(X).affinity_
        first = mr.LapERLS(graph=mr.PrecomputedGraph(W, laplacian="unnormalized"), **common).fit(X, y)
        second = mr.LapERLS(graph=mr.PrecomputedGraph(1e3 * W, laplacian="unnormalized"), **common).fit(100 * X, y)
        assert second.C_ == pytest.approx(1e-4 * first.C_) and second.mu_ == pytest.approx(1e-7 * first.mu_)
        assert np.allclose(first.decision_function(X), second.decision_function(100 * X), atol=1e-8)

    def test_too_few_labels_to_tell(self, blobs):
        X, y, _ = blobs
        y = np.where(np.arange(150) < 3, y, -1)
        fitted = mr.LapERLS(n_eigenvectors=10).fit(X, y)
        assert fitted.C_ == MISFITS[0] and fitted.mu_ == pytest.approx(1e4 * 3 / 150 / fitted.eigenvalues_.mean())

    def test_many_points_choose_over_a_sample(self, blobs, monkeypatch):
        X, y, _ = blobs
        exact = mr.LapERLS().fit(X, y)
        monkeypatch.setattr("mr.estimators._embedded.EXACT_CHOICE", 100)  # the sample of 1000 is all points here
        sampled = mr.LapERLS().fit(X, y)
        assert (exact.C_, exact.mu_) == (sampled.C_, pytest.approx(sampled.mu_))

    @pytest.mark.parametrize("machine", [mr.LapERLSRegressor, mr.LapESVRRegressor])
    def test_regressions_follow_the_unit_of_their_targets(self, machine):
        t = np.linspace(0, 1, 120)
        X = np.column_stack([np.cos(5 * t), np.sin(5 * t)])
        y = np.where(np.arange(120) % 8 == 0, t, np.nan)
        small, large = machine().fit(X, y), machine().fit(X, np.column_stack([1e6 * y, y]))
        assert np.abs(small.predict(X) - t).mean() < 0.05
        assert np.allclose(large.predict(X) / [1e6, 1.0], small.predict(X)[:, None], atol=1e-6)


def test_a_solver_that_runs_out_of_rounds_says_so(moons, monkeypatch):
    X, y, _ = moons
    monkeypatch.setattr("mr.estimators.lapesvr.IN_MEMORY", 100)
    monkeypatch.setattr("mr.solvers.epsilon_svr.MAX_ROUNDS", 1)
    with pytest.warns(ConvergenceWarning, match="LapESVR stopped at a violation"):
        mr.LapESVR(10.0, 100.0, cache_size=0.01).fit(X, y)


@pytest.mark.parametrize("mu", [0.0, 1.0])
def test_weighted_labels_are_left_out_as_refits_say(mu):
    X, truth = make_moons(60, noise=0.1, random_state=0)
    graph = mr.KNNGraph(10).fit(X)
    rows, weights = np.arange(10), np.random.default_rng(0).uniform(0.2, 3.0, 60)
    y, targets = np.where(np.arange(60) < 10, truth, -1), np.where(truth[:10] == 1, 1.0, -1.0)[:, None]
    machine = mr.LapERLS(C=10.0, mu=mu, label_weight=100.0, gamma=2.0, n_eigenvectors=10, graph=graph.affinity_)
    pairs, K = smallest_eigenpairs(graph, 10), rbf_kernel(X, gamma=2.0)

    def inverse(C, V):
        return np.linalg.solve(K + np.eye(60) / C, V)

    cells = [Weights(10.0, mu, 100.0)]
    (values,) = _held_out(
        inverse, pairs.values, pairs.vectors, rows, targets, K[np.ix_(rows, rows)], cells, weights[rows], False
    )
    for row in rows:
        hidden = y.copy()
        hidden[row] = -1
        refitted = clone(machine).fit(X, hidden, sample_weight=weights).decision_function(X[row : row + 1])
        assert refitted[0] == pytest.approx(values[row, 0], abs=1e-7)
