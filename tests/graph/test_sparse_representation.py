"""The sparse-representation graph against OSQP, and as a graph like any other."""

import numpy as np
import osqp
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_moons

import mr
from mr.graph import SparseRepresentationGraph


def reference(X, i, l1):
    """w+ and w- of row i: min 1/2 ||x_i - (w+ - w-)X||^2 + l1 1'(w+ + w-), sum (w+ - w-) = 1."""
    others = np.delete(np.arange(len(X)), i)
    Z = np.vstack([X[others], -X[others]])
    m = len(others)
    signs = np.r_[np.ones(m), -np.ones(m)]
    solver = osqp.OSQP()
    solver.setup(
        sparse.csc_matrix(np.triu(Z @ Z.T)), l1 - Z @ X[i], sparse.csc_matrix(np.vstack([signs, np.eye(2 * m)])),
        np.r_[1, np.zeros(2 * m)], np.r_[1, np.full(2 * m, np.inf)],
        verbose=False, eps_abs=1e-9, eps_rel=1e-9, max_iter=200_000, polishing=True,
    )  # fmt: skip
    return solver.solve().info.obj_val + 0.5 * X[i] @ X[i]


@pytest.mark.parametrize("alpha", [0.01, 0.3, None])
def test_rows_are_optimal(alpha):
    X = np.random.default_rng(0).normal(size=(16, 4)) + 0.5
    graph = SparseRepresentationGraph(alpha=alpha, tol=1e-9).fit(X)
    W = graph.coefficients_.toarray()
    scale = 0.5 * np.square(X[:, None] - X).sum(axis=2).mean()
    l1 = 1e3 * scale if alpha is None else alpha * scale  # convex combinations are the limit of large alpha
    assert np.allclose(W.sum(axis=1), 1) and not W.diagonal().any()
    for i in (0, 7):
        ours = 0.5 * np.square(X[i] - W[i] @ X).sum() + l1 * np.abs(W[i]).sum()
        assert ours == pytest.approx(reference(X, i, l1), rel=1e-5)
    if alpha is None:
        assert W.min() >= 0


def test_the_contract_of_a_graph():
    X, _ = make_moons(60, noise=0.05, random_state=0)
    graph = SparseRepresentationGraph().fit(X)
    W = graph.affinity_
    assert abs(W - W.T).max() == 0 and W.data.min() > 0 and not W.diagonal().any()
    assert np.allclose(graph.apply(np.ones(60)), 0, atol=1e-12)
    assert graph.violation_ <= graph.tol
    assert clone(graph).get_params() == graph.get_params()


def test_candidates_and_sparse_input():
    X, _ = make_moons(50, noise=0.1, random_state=1)
    full = SparseRepresentationGraph(alpha=0.05, tol=1e-10).fit(X)
    near = SparseRepresentationGraph(alpha=0.05, tol=1e-10, n_candidates=48).fit(X)
    for graph in (near, SparseRepresentationGraph(alpha=0.05, tol=1e-10, n_candidates=48).fit(sparse.csr_array(X))):
        assert np.diff(graph.coefficients_.indptr).max() <= 48
        errors = [np.square(X - g.coefficients_ @ X).sum() for g in (full, graph)]
        assert errors[1] == pytest.approx(errors[0], rel=0.05)
    same = SparseRepresentationGraph(alpha=0.05, n_candidates=49).fit(X)
    assert np.allclose(same.affinity_.toarray(), SparseRepresentationGraph(alpha=0.05).fit(X).affinity_.toarray())


def test_duplicates_and_two_points():
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 2)), 3, axis=0)
    assert np.isfinite(SparseRepresentationGraph().fit(X).affinity_.data).all()
    assert SparseRepresentationGraph().fit([[0.0], [1.0]]).affinity_.nnz == 2


def test_it_serves_every_estimator():
    X, classes = make_moons(80, noise=0.05, random_state=0)
    y = np.full(80, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:3]] = c
    for estimator in (mr.LapRLS, mr.LapSVM, mr.AGMR):
        fitted = estimator(graph=SparseRepresentationGraph(), kernel="rbf").fit(X, y)
        assert (fitted.predict(X) == classes).mean() > 0.7


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="alpha must be None"):
        SparseRepresentationGraph(alpha=-1).fit(np.eye(4))
