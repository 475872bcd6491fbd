"""LinearLapRLS is LapRLS with a linear kernel, solved in d dimensions and without dense copies of sparse data."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mr import KNNGraph, LapRLS, LinearLapRLS, PrecomputedGraph
from mr.estimators import linear_laprls
from mr.labels import encode_labels
from mr.solvers.choice import choose_cell
from mr.solvers.rls import penalised_features


@pytest.fixture
def text():
    rng = np.random.default_rng(0)
    X = sparse.random(120, 60, density=0.2, random_state=1, format="csr")
    w = rng.normal(size=(60, 3))
    return X, np.where(np.arange(120) < 40, (X @ w).argmax(axis=1), -1)


@pytest.mark.parametrize("gamma_I", [0.0, 20.0])
@pytest.mark.parametrize("solver", ["cholesky", "cg"])
@pytest.mark.parametrize("dense", [True, False])
def test_equals_the_kernel_machine(text, gamma_I, solver, dense):
    X, y = text
    X = X.toarray() if dense else X
    graph = KNNGraph(8, metric="cosine", weights="cosine", power=2)
    kernel = LapRLS(gamma_A=1e-3, gamma_I=gamma_I, kernel="linear", graph=graph).fit(X, y)
    weights = {"gamma_A": 1e-3, "gamma_I": gamma_I, "fit_intercept": False}
    linear = LinearLapRLS(**weights, graph=graph, solver=solver).fit(X, y)
    assert np.allclose(linear.decision_function(X), kernel.decision_function(X), atol=1e-7)
    assert linear.residual_ < 1e-8


@pytest.mark.parametrize("solver", ["cholesky", "cg"])
@pytest.mark.parametrize("dense", [True, False])
def test_gradient_of_the_objective_is_zero_with_intercept(text, solver, dense):
    X, y = text
    y = np.where(y == 2, 1, y)
    rows, n = np.flatnonzero(y != -1), 120
    model = LinearLapRLS(1e-3, 5.0, fit_intercept=True, solver=solver).fit(X.toarray() if dense else X, y)
    A, w, b = X.toarray(), model.coef_[0], model.intercept_[0]
    residual = A[rows] @ w + b - (2.0 * y[rows] - 1)
    gradient = A[rows].T @ residual / len(rows) + 1e-3 * w + 5.0 / n**2 * A.T @ model.graph_.apply(A @ w)
    assert np.abs(gradient).max() < 1e-9 and abs(residual.sum()) < 1e-8


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_sparse_data_stay_sparse():
    X = sparse.random(800, 10_000, density=1e-3, random_state=0, format="csr")
    affinity = sparse.random(800, 800, density=4e-3, random_state=1)
    affinity = affinity + affinity.T
    affinity.setdiag(0)
    y = np.where(np.arange(800) < 50, np.arange(800) % 2, -1)
    tracemalloc.start()
    LinearLapRLS(graph=affinity.tocsr()).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * 8 * X.shape[0] * X.shape[1]


def test_unfinished_conjugate_gradient_is_said(text):
    with pytest.warns(ConvergenceWarning, match="after 2 iterations"):
        LinearLapRLS(gamma_A=1e-8, gamma_I=1.0, max_iter=2).fit(*text)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("dense", [False, True])
def test_auto_is_the_choice_among_refits_without_each_label(text, fit_intercept, dense):
    X, y = text
    rows = np.flatnonzero(y != -1)
    A = X.toarray()
    scale = np.square(A - A.mean(axis=0) if fit_intercept else A).sum(axis=1).mean()
    tried = [(ridge, strength) for strength in (0.1, 1e3) for ridge in (1e-2, 1e-3)]
    cells = [(ridge * scale, ridge * strength * len(y)) for ridge, strength in tried]
    held_out = []
    for gamma_A, gamma_I in cells:
        values = []
        for row in rows:
            hidden = y.copy()
            hidden[row] = -1
            share = len(rows) / (len(rows) - 1)  # the ridge gamma_A l of all labels
            model = LinearLapRLS(gamma_A * share, gamma_I * share, fit_intercept)
            values.append(model.fit(A, hidden).decision_function(A[[row]])[0])
        held_out.append(np.array(values))
    best = cells[choose_cell(held_out, encode_labels(y).signed, 0)]
    model = LinearLapRLS(fit_intercept=fit_intercept).fit(A if dense else X, y)
    assert (model.gamma_A_, model.gamma_I_) == pytest.approx(best)


def test_auto_means_the_same_for_other_units_and_heavier_edges(text):
    X, y = text
    X = X.toarray()
    W = KNNGraph().fit(X).affinity_
    plain, heavier = (
        LinearLapRLS(graph=PrecomputedGraph(c * W, laplacian="unnormalized")).fit(c * X, y) for c in (1.0, 100.0)
    )
    assert np.allclose(plain.decision_function(X), heavier.decision_function(100 * X), atol=1e-8)
    assert LinearLapRLS(gamma_A=0.3).fit(X, y).gamma_A_ == 0.3 and LinearLapRLS(gamma_I=2.0).fit(X, y).gamma_I_ == 2.0


def test_many_labels_choose_by_a_thousand_of_them(monkeypatch):
    rng = np.random.default_rng(0)
    X = sparse.random(400, 30, density=0.3, random_state=0, format="csr")
    y = (X @ rng.normal(size=30) > 0).astype(int)
    seen = []

    def watched(X, graph, rows, *rest, **named):
        seen.append(rows)
        return penalised_features(X, graph, rows, *rest, **named)

    monkeypatch.setattr(linear_laprls, "CHOOSING_LABELS", 50)
    monkeypatch.setattr(linear_laprls, "penalised_features", watched)
    model = LinearLapRLS().fit(X, y)
    assert len(seen) == 2 and len(seen[0]) == 50 and abs(y[seen[0]].mean() - y.mean()) < 0.03
    assert model.score(X, y) > 0.9


def test_features_under_the_penalty(text):
    X, y = text
    rows, graph = np.flatnonzero(y != -1), KNNGraph().fit(X)
    A = X.toarray()
    expected = A[rows] @ np.linalg.solve(np.eye(60) + 0.5 * A.T @ (graph.laplacian_ @ A), A[rows].T)
    for method in ("cholesky", "cg"):
        found = penalised_features(X, graph, rows, 0.5, method, tol=1e-10)
        assert np.allclose(found @ found.T, expected, atol=1e-8)
