"""AGMR as an estimator: primal and dual, support, the printed update, and what it does to a graph."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons

import mr
from mr.solvers.adaptive_graph import PaperUpdateWarning


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
    primal = mr.AGMR(penalty, max_iter=5, tol=0.0).fit(X, y)
    dual = mr.AGMR(penalty, kernel="poly", degree=1, gamma=1.0, max_iter=5, tol=0.0).fit(X, y)
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
    fitted = mr.AGMR().fit(X, y)
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
    fitted = mr.AGMR(gamma_1=g1, gamma_2=g2, eta=0.4, graph=graph, max_iter=1).fit(X, y)
    assert np.allclose(fitted.weights_.toarray(), W, atol=1e-8)


@pytest.mark.parametrize("penalty", ["entropy", "sparse"])
@pytest.mark.parametrize("support", [None, 12])
def test_the_adapted_graph(moons, penalty, support):
    X, y, _ = moons
    fitted = mr.AGMR(penalty, kernel="rbf", gamma=5.0, support=support).fit(X, y)
    W, A = fitted.weights_, fitted.affinity_
    assert np.allclose(W.sum(axis=1), 1) and W.data.min() >= 0 and not W.diagonal().any()
    assert abs(A - A.T).max() == 0
    assert support is None or np.diff(W.indptr).max() <= support
    assert np.diff(fitted.objective_).max() <= 1e-10 * abs(fitted.objective_[0])
    assert fitted.converged_ and fitted.n_iter_ <= 50


@pytest.mark.parametrize("penalty", ["entropy", "sparse"])
def test_full_support_is_the_dense_method(moons, penalty):
    X, y, _ = moons
    dense = mr.AGMR(penalty, gamma_2=0.1).fit(X, y)
    full = mr.AGMR(penalty, gamma_2=0.1, support=99).fit(X, y)
    near = mr.AGMR(penalty, gamma_2=0.1, support=98).fit(X, y)
    assert np.allclose(full.decision_function(X), dense.decision_function(X))
    assert np.allclose(near.decision_function(X), dense.decision_function(X), atol=0.05)


def test_eta_2_is_idle_on_the_simplex(moons):
    X, y, _ = moons
    values = [mr.AGMR("sparse", eta_2=eta_2).fit(X, y).decision_function(X) for eta_2 in (0.01, 100.0)]
    assert (values[0] == values[1]).all()


def test_several_classes_share_a_graph():
    X, classes = load_digits(n_class=3, return_X_y=True)
    X, classes = X[:150] / 16, classes[:150]
    y = np.where(np.arange(150) < 30, classes, -1)
    for penalty in ("entropy", "sparse"):
        fitted = mr.AGMR(penalty, gamma_1=10.0, gamma_2=0.1, support=15).fit(X, y)
        assert (fitted.predict(X) == classes).mean() > 0.95
        assert fitted.weights_.shape == (150, 150)
        assert np.diff(fitted.objective_).max() <= 1e-10 * abs(fitted.objective_[0])


def test_the_printed_update_warns(moons):
    X, y, _ = moons
    with pytest.warns(PaperUpdateWarning, match="some entries are negative"):
        fitted = mr.AGMR("sparse", kernel="rbf", gamma=5.0, update="paper").fit(X, y)
    assert np.diff(fitted.objective_).max() > 0
    with pytest.raises(ValueError, match="takes support=None"):
        mr.AGMR("sparse", update="paper", support=5).fit(X, y)


def test_two_moons_with_few_labels(moons):
    X, y, classes = moons
    for penalty in ("entropy", "sparse"):
        assert (mr.AGMR(penalty, kernel="rbf", gamma=5.0, eta=0.1, gamma_2=0.1).fit(X, y).predict(X) == classes).all()
