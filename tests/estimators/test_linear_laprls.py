"""LinearLapRLS is LapRLS with a linear kernel, solved in d dimensions and without dense copies of sparse data."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mr import KNNGraph, LapRLS, LinearLapRLS


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
    linear = LinearLapRLS(gamma_A=1e-3, gamma_I=gamma_I, graph=graph, solver=solver).fit(X, y)
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
        LinearLapRLS(gamma_A=1e-8, max_iter=2).fit(*text)
