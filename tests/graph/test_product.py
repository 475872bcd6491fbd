"""The blocked product is scipy's product."""

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from mr.graph import product

rng = np.random.default_rng(0)


@pytest.mark.parametrize("threads", [1, 3])
def test_equals_scipy(monkeypatch, threads):
    monkeypatch.setattr(product, "LARGE", 1)
    monkeypatch.setattr(product, "blas_threads", lambda: threads)
    matrix = sparse.random(40, 40, density=0.1, random_state=0, format="csr")
    matrix = sparse.csr_array(matrix)
    for columns in (1, 7, 1500):
        dense = rng.standard_normal((40, columns))
        assert np.allclose(product.sparse_product(matrix, dense), matrix @ dense, rtol=1e-14, atol=1e-14)


def test_other_inputs_go_to_scipy(monkeypatch):
    monkeypatch.setattr(product, "LARGE", 1)
    matrix = sparse.csr_array(np.eye(5))
    columns = np.asfortranarray(rng.standard_normal((5, 3)))
    for other in (rng.standard_normal(5), columns, sparse.eye_array(5, format="csr")):
        difference = product.sparse_product(matrix, other) - other
        assert abs(difference).max() == 0


def test_threads_follow_blas():
    with threadpool_limits(1, user_api="blas"):
        assert product.blas_threads() == 1
