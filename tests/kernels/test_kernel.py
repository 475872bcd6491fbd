import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import cosine_similarity, polynomial_kernel

from mr.kernels import KERNELS, Kernel, mean_gamma

rng = np.random.default_rng(0)
A, B = rng.standard_normal((7, 4)), rng.standard_normal((5, 4))


def test_blocks_equal_independent_formulas():
    assert np.allclose(Kernel("rbf", 0.3).fit(A)(A, B), np.exp(-0.3 * cdist(A, B) ** 2))
    assert np.allclose(Kernel("linear").fit(A)(A, B), A @ B.T)
    assert np.allclose(Kernel("poly", 0.5, 2, 1.0).fit(A)(A, B), polynomial_kernel(A, B, 2, 0.5, 1.0))
    assert np.allclose(Kernel("cosine").fit(A)(A, B), cosine_similarity(A, B))


@pytest.mark.parametrize("features", [2, 20])
def test_gaussian_does_not_depend_on_threads_and_blocks(monkeypatch, features):
    room = sys.modules["mr.kernels.kernel"]
    P, Q = rng.standard_normal((30, features)), rng.standard_normal((11, features))
    whole = Kernel("rbf", 0.3).fit(P)(P, Q)
    assert np.allclose(whole, np.exp(-0.3 * cdist(P, Q) ** 2), rtol=1e-12)
    monkeypatch.setattr(room, "LARGE", 1)
    monkeypatch.setattr(room, "ROWS_BY_COORDINATES", 4)
    monkeypatch.setattr(room, "ROWS_BY_PRODUCTS", 4)
    monkeypatch.setattr(room, "blas_threads", lambda: 3)
    assert np.array_equal(Kernel("rbf", 0.3).fit(P)(P, Q), whole)


@pytest.mark.parametrize("name", KERNELS)
def test_sparse_diagonal_and_expansion_agree_with_dense(name):
    kernel = Kernel(name, "mean", 2, 1.0).fit(A)
    K = kernel(A)
    assert np.allclose(Kernel(name, "mean", 2, 1.0).fit(sparse.csr_matrix(A))(sparse.csr_matrix(A)), K)
    assert np.allclose(kernel.diagonal(A), np.diag(K))
    coefficients = rng.standard_normal((7, 2))
    by_rows = kernel.expand(B, A, coefficients, block_bytes=1)  # one row at a time
    assert np.allclose(by_rows, kernel(B, A) @ coefficients)


def test_mean_gamma_is_the_double_sum():
    assert np.isclose(mean_gamma(A), len(A) ** 2 / (cdist(A, A) ** 2).sum())
    assert np.isclose(mean_gamma(sparse.csr_matrix(A)), mean_gamma(A))
    assert mean_gamma(np.ones((5, 2))) == 1.0


def test_unknown_names_say_what_was_expected():
    with pytest.raises(ValueError, match="Unknown kernel 'rbg'; expected one of"):
        Kernel("rbg").fit(A)
    with pytest.raises(ValueError, match="Unknown gamma 'median'"):
        Kernel("rbf", "median").fit(A)
