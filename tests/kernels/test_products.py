"""Products by scipy's BLAS."""

import gc
import weakref

import numpy as np
import pytest

from mr.kernels import multiply, products


@pytest.fixture
def long_products(monkeypatch):
    monkeypatch.setattr(products, "LONG_PRODUCT", 0)


def test_long_products_are_those_of_numpy(long_products):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(30, 20)), rng.normal(size=(20, 10))
    for left in (A, np.asfortranarray(A)):
        for right in (B, np.asfortranarray(B)):
            assert np.allclose(multiply(left, right), A @ B, rtol=1e-13)


def test_a_long_product_keeps_no_array(long_products):
    """Factors of hundreds of megabytes must be free when their last name is gone, not when cycles are looked for."""
    gc.collect()
    gc.disable()
    try:
        A, B = np.ones((30, 20)), np.ones((20, 10))
        product = multiply(A, B)
        alive = [weakref.ref(array) for array in (A, B, product)]
        del A, B, product
        assert [reference() for reference in alive] == [None, None, None]
    finally:
        gc.enable()
