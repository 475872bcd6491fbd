"""The complete graph of a Gaussian kernel against its explicit Laplacians."""

import numpy as np
import pytest

import mr
from mr.graph import KernelGraph

X = np.random.default_rng(0).normal(size=(12, 3))
K = np.exp(-0.4 * np.square(X[:, None] - X[None]).sum(axis=2))
D = K.sum(axis=1)
EXPLICIT = {"unnormalized": np.diag(D) - K, "normalized": np.eye(12) - K / np.sqrt(np.outer(D, D))}


@pytest.mark.parametrize("laplacian", EXPLICIT)
def test_it_applies_the_explicit_laplacian(laplacian):
    graph = KernelGraph(0.4, laplacian).fit(X)
    v = np.arange(12.0)
    assert np.allclose(graph.apply(np.eye(12)), EXPLICIT[laplacian])
    assert np.allclose(graph.apply(v), EXPLICIT[laplacian] @ v)


def test_lap_rls_on_it_is_equation_6_with_the_number_of_labels():
    y = np.full(12, -1)
    y[[0, 1, 2, 3]] = [0, 1, 0, 1]
    model = mr.LapRLS(gamma_A=0.1, gamma_I=5.0, gamma=0.4, graph=KernelGraph(0.4, "unnormalized")).fit(X, y)
    J, target = np.diag((y >= 0).astype(float)), np.where(y >= 0, 2.0 * y - 1.0, 0.0)
    alpha = np.linalg.solve(J @ K + 0.1 * 4 * np.eye(12) + 5.0 * 4 / 144 * EXPLICIT["unnormalized"] @ K, target)
    assert np.allclose(model.decision_function(X), K @ alpha, atol=1e-8)


@pytest.mark.parametrize("wrong", [{"gamma": 0.0}, {"gamma": "auto"}, {"laplacian": "signed"}])
def test_wrong_parameters_are_named(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        KernelGraph(**wrong).fit(X)
