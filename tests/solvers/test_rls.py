"""The whole inverse of a ridge regression, on which held-out values rest."""

import numpy as np

from mr.solvers.rls import inverse_rls, solve_rls


def test_inverse_is_that_of_the_system():
    factor = np.random.default_rng(0).normal(size=(40, 10))
    K = factor @ factor.T
    M = inverse_rls(K, 0.1)
    assert np.allclose(M @ (K + 0.1 * np.eye(40)), np.eye(40), atol=1e-10)
    assert np.array_equal(M, M.T)


def test_a_singular_system_has_the_minimum_norm_inverse():
    K = np.diag([2.0, 1.0, 0.0])
    assert np.allclose(inverse_rls(K, 0.0), np.diag([0.5, 1.0, 0.0]))
    assert np.allclose(inverse_rls(K, 0.0), solve_rls(K, np.eye(3), 0.0))


def test_the_inverse_of_a_large_matrix_is_found_in_a_thread_that_can_be_left(monkeypatch):
    left = []
    monkeypatch.setattr("mr.resources.ONE_SECOND", 10)
    monkeypatch.setattr("mr.resources.interruptible", lambda call, *arguments: left.append(call) or call(*arguments))
    half = np.random.default_rng(0).normal(size=(150, 40))
    K = half @ half.T
    assert np.allclose(inverse_rls(K, 0.1), np.linalg.inv(K + 0.1 * np.eye(150)))
    assert len(left) == 2
