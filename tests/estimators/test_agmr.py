"""AGMR as an estimator: primal and dual, support, the printed update, and what it does to a graph."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, make_moons
from sklearn.svm import SVC

import mr
from mr.labels import encode_labels
from mr.solvers.adaptive_graph import PaperUpdateWarning
from mr.solvers.choice import choose_cell

ONES = {"gamma_1": 1.0, "gamma_2": 1.0, "eta": 1.0, "eta_1": 1.0, "basis": None, "support": None}
PAPER = ONES | {"kernel": "linear", "graph": mr.KNNGraph(10, laplacian="unnormalized")}


@pytest.fixture(scope="module")
def moons():
    X, classes = make_moons(100, noise=0.06, random_state=0)
    y = np.full(100, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:4]] = c
    return X, y, classes


@pytest.mark.parametrize("penalty", ["entropy", "sparse"])
def test_primal_equals_dual(moons, penalty):
    X, y, _ = moons
    primal = mr.AGMR(penalty, **PAPER, max_iter=5, tol=0.0).fit(X, y)
    dual = mr.AGMR(penalty, **PAPER | {"kernel": "poly", "degree": 1, "gamma": 1.0}, max_iter=5, tol=0.0).fit(X, y)
    assert np.allclose(
        primal.decision_function(X), dual.decision_function(X), atol=1e-6 if penalty == "entropy" else 1e-3
    )
    assert np.allclose(primal.objective_, dual.objective_, rtol=1e-6 if penalty == "entropy" else 1e-4)
    assert primal.coef_.shape == (2, 1)
    assert np.allclose(X.T @ primal.dual_coef_, primal.coef_, atol=1e-8)


def test_more_features_than_points():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 50)), np.full(20, -1)
    y[:6] = [0, 1, 0, 1, 0, 1]
    fitted = mr.AGMR(**PAPER).fit(X, y)
    assert np.allclose(X @ fitted.coef_[:, 0], fitted.decision_function(X))
    assert fitted.coef_.shape == (50, 1)


def test_one_iteration_starts_from_manifold_regularisation(moons):
    # the initial f is MR on the given graph: LapRLS with gamma_A = g2 / (g1 l), gamma_I = 2 n^2 / (g1 l)
    X, y, _ = moons
    n, l, g1, g2 = 100, 8, 3.0, 0.2
    graph = mr.KNNGraph(5, laplacian="unnormalized")
    mr_f = mr.LapRLS(g2 / (g1 * l), 2 * n**2 / (g1 * l), kernel="linear", graph=graph).fit(X, y).decision_function(X)
    W = np.exp(-np.square(mr_f[:, None] - mr_f) / 0.4)
    np.fill_diagonal(W, 0)
    W /= W.sum(axis=1, keepdims=True)
    fitted = mr.AGMR(**PAPER | {"gamma_1": g1, "gamma_2": g2, "eta": 0.4, "graph": graph}, max_iter=1).fit(X, y)
    assert np.allclose(fitted.weights_.toarray(), W, atol=1e-8)


@pytest.mark.parametrize("penalty", ["entropy", "sparse"])
@pytest.mark.parametrize("support", [None, 12])
def test_the_adapted_graph(moons, penalty, support):
    X, y, _ = moons
    fitted = mr.AGMR(penalty, **ONES | {"support": support}, gamma=5.0).fit(X, y)
    W, A = fitted.weights_, fitted.affinity_
    assert np.allclose(W.sum(axis=1), 1) and W.data.min() >= 0 and not W.diagonal().any()
    assert abs(A - A.T).max() == 0
    assert support is None or np.diff(W.indptr).max() <= support
    assert np.diff(fitted.objective_).max() <= 1e-10 * abs(fitted.objective_[0])
    assert fitted.converged_ and fitted.n_iter_ <= 50


@pytest.mark.parametrize("penalty", ["entropy", "sparse"])
def test_full_support_is_the_dense_method(moons, penalty):
    X, y, _ = moons
    dense = mr.AGMR(penalty, **PAPER | {"gamma_2": 0.1}).fit(X, y)
    full = mr.AGMR(penalty, **PAPER | {"gamma_2": 0.1, "support": 99}).fit(X, y)
    near = mr.AGMR(penalty, **PAPER | {"gamma_2": 0.1, "support": 98}).fit(X, y)
    assert np.allclose(full.decision_function(X), dense.decision_function(X))
    assert np.allclose(near.decision_function(X), dense.decision_function(X), atol=0.05)


def test_eta_2_is_idle_on_the_simplex(moons):
    X, y, _ = moons
    values = [mr.AGMR("sparse", **PAPER, eta_2=eta_2).fit(X, y).decision_function(X) for eta_2 in (0.01, 100.0)]
    assert (values[0] == values[1]).all()


def test_several_classes_share_a_graph():
    X, classes = load_digits(n_class=3, return_X_y=True)
    X, classes = X[:150] / 16, classes[:150]
    y = np.where(np.arange(150) < 30, classes, -1)
    for penalty in ("entropy", "sparse"):
        fitted = mr.AGMR(penalty, **PAPER | {"gamma_1": 10.0, "gamma_2": 0.1, "support": 15}).fit(X, y)
        assert (fitted.predict(X) == classes).mean() > 0.95
        assert fitted.weights_.shape == (150, 150)
        assert np.diff(fitted.objective_).max() <= 1e-10 * abs(fitted.objective_[0])


def test_the_printed_update_warns(moons):
    X, y, _ = moons
    with pytest.warns(PaperUpdateWarning, match="some entries are negative"):
        fitted = mr.AGMR("sparse", **ONES, gamma=5.0, update="paper").fit(X, y)
    assert np.diff(fitted.objective_).max() > 0
    with pytest.raises(ValueError, match="takes support=None"):
        mr.AGMR("sparse", update="paper", support=5).fit(X, y)


def test_two_moons_with_few_labels(moons):
    X, y, classes = moons
    for penalty in ("entropy", "sparse"):
        model = mr.AGMR(penalty, **ONES | {"eta": 0.1, "gamma_2": 0.1}, gamma=5.0)
        assert (model.fit(X, y).predict(X) == classes).all()


@pytest.mark.parametrize("laplacian", ["normalized", "unnormalized"])
def test_auto_is_the_choice_among_refits_without_each_label(moons, laplacian):
    X, y, _ = moons
    n, l, rows = 100, 8, np.flatnonzero(y != -1)
    graph = mr.KNNGraph(laplacian=laplacian)
    degree = graph.fit(X).laplacian_.diagonal().mean()
    distances = np.square(X[:, None] - X).sum(axis=2)
    near = np.sort(distances, axis=1)[:, 8].mean()
    tried = [(1 / distances.mean(), 0.1, ridge) for ridge in (1e-2, 1e-3, 1e-4)]
    tried += [(0.5 / near, strength, 1e-4) for strength in (1e3, 1e4, 1e5)]
    cells = [(gamma, 2 * n / t / (ridge * l), 2 * n / t) for gamma, t, ridge in tried]

    def start(gamma, gamma_1, gamma_2, labels):
        # MR on the graph with mean degree 1, as LapRLS: gamma_A l = g2 / g1, gamma_I l / n^2 = 2 / (g1 degree)
        l = (labels != -1).sum()
        weights = {"gamma_A": gamma_2 / (gamma_1 * l), "gamma_I": 2 * n**2 / (gamma_1 * degree * l)}
        return mr.LapRLS(**weights, gamma=gamma, graph=graph).fit(X, labels).decision_function(X)

    held_out = []
    for cell in cells:
        values = []
        for row in rows:
            hidden = y.copy()
            hidden[row] = -1
            values.append(start(*cell, hidden)[row])
        held_out.append(np.array(values)[:, None])
    best = cells[choose_cell(held_out, encode_labels(y).signed, 1)]
    model = mr.AGMR(graph=graph).fit(X, y)
    assert (model.gamma_, model.gamma_1_, model.gamma_2_) == pytest.approx(best)
    f = start(*best, y)
    neighbours = np.argsort(distances + np.diag(np.full(n, np.inf)), axis=1)[:, :6]
    assert model.eta_ == pytest.approx(np.square(f[:, None] - f[neighbours]).mean(), rel=1e-4)
    assert np.diff(model.weights_.indptr).max() <= 6


def test_what_is_given_stays(moons):
    X, y, _ = moons
    model = mr.AGMR(gamma_1=3.0, gamma="scale", eta=0.2).fit(X, y)
    assert model.gamma_1_ == 3.0 and model.eta_ == 0.2 and 200 / model.gamma_2_ in (0.1, 1e3, 1e4, 1e5)
    assert model.gamma_ == pytest.approx(1 / (2 * X.var()))
    assert mr.AGMR(gamma_2=0.5).fit(X, y).gamma_2_ == 0.5
    assert mr.AGMR(kernel="poly").fit(X, y).gamma_ == model.gamma_


def test_auto_means_the_same_for_heavier_edges_and_for_more_points(moons):
    X, y, _ = moons
    W = mr.KNNGraph().fit(X).affinity_.toarray()

    def fitted(W, copies=1):
        graph = mr.PrecomputedGraph(W, laplacian="unnormalized")
        labels = np.concatenate([y, np.full(100 * (copies - 1), -1)])
        return mr.AGMR(graph=graph, basis=X).fit(np.tile(X, (copies, 1)), labels)

    once, heavier, thrice = fitted(W), fitted(7 * W), fitted(np.tile(W, (3, 3)), 3)
    assert np.allclose(heavier.decision_function(X), once.decision_function(X), atol=1e-8)
    assert (thrice.gamma_1_, thrice.gamma_2_) == pytest.approx((3 * once.gamma_1_, 3 * once.gamma_2_))


def test_eta_1_follows_the_distances(moons):
    X, y, _ = moons
    small, large = (mr.AGMR("sparse").fit(c * X, y) for c in (1.0, 10.0))
    assert small.eta_1_ == pytest.approx(100 * large.eta_1_, rel=1e-6)
    # pair steps stop at a tolerance
    assert np.allclose(small.decision_function(X), large.decision_function(10 * X), atol=1e-2)
    everywhere = mr.AGMR("sparse", support=None).fit(X, y)
    assert everywhere.eta_1_ > 0 and mr.AGMR(support=None).fit(X, y).eta_ > 0


def test_a_basis_holds_the_labelled_points(moons):
    X, y, _ = moons
    labelled = X[y != -1]
    drawn = mr.AGMR(basis=20, random_state=0).fit(X, y)
    assert drawn.points_.shape == (28, 2) and all((drawn.points_ == point).all(axis=1).any() for point in labelled)
    assert np.allclose(drawn.decision_function(X), drawn._fit_functions(X, *encoded(y))[:, 0])
    given = mr.AGMR(basis=drawn.points_).fit(X, y)
    assert np.allclose(given.decision_function(X), drawn.decision_function(X))
    thin = mr.AGMR(basis=20, random_state=0).fit(sparse.csr_array(X), y)
    assert np.allclose(thin.decision_function(X), drawn.decision_function(X), atol=1e-6)
    assert mr.AGMR(basis=4, random_state=0).fit(X, y).points_.shape == (8, 2)  # 4 of the 8 labelled ones
    whole, large = mr.AGMR(basis=None).fit(X, y), mr.AGMR(basis=92).fit(X, y)
    assert (whole.decision_function(X) == large.decision_function(X)).all() and len(large.points_) == 100
    wide = np.random.default_rng(0).normal(size=(100, 150))
    linear = mr.AGMR(kernel="linear", basis=20, random_state=0).fit(wide, y)
    assert np.allclose(wide @ linear.coef_[:, 0], linear.decision_function(wide))
    assert np.allclose(linear.points_.T @ linear.dual_coef_, linear.coef_)
    with pytest.raises(ValueError, match="depends on which rows have labels"):
        mr.paths.AGMRPath(mr.AGMR(basis=20), X).fit(y)


def encoded(y):
    labels = encode_labels(y)
    return labels.rows, labels.signed


@pytest.mark.parametrize("penalty", ["entropy", "sparse"])
def test_digits_by_default_beat_a_support_vector_machine_on_the_labels(penalty):
    X, truth = load_digits(return_X_y=True)
    y = np.where(np.arange(len(truth)) < 50, truth, -1)
    supervised = SVC().fit(X[:50], truth[:50]).score(X[50:], truth[50:])
    model = mr.AGMR(penalty, random_state=0).fit(X, y)
    assert (model.transduction_[50:] == truth[50:]).mean() > supervised + 0.05 and model.converged_
