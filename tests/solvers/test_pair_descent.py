"""The shared pair loop on its whole problem: any bounds, any weight of the l1 norm, against a general solver."""

import numpy as np
import pytest
from scipy.optimize import minimize

from mr.pair_descent import descend


def general(Q, linear, l1, lower, upper, start):
    """The same minimum by SLSQP, with a = p - q, p and q not negative, so that the l1 norm is linear."""
    n = len(linear)

    def value(v):
        a = v[:n] - v[n:]
        return 0.5 * a @ Q @ a + linear @ a + l1 * v.sum()

    bounds = [(0, max(u, 0)) for u in upper] + [(0, max(-b, 0)) for b in lower]
    balance = {"type": "eq", "fun": lambda v: v[:n].sum() - v[n:].sum() - start.sum()}
    first = np.concatenate([np.maximum(start, 0), np.maximum(-start, 0)])
    options = {"maxiter": 2000, "ftol": 1e-14}
    return minimize(value, first, bounds=bounds, constraints=balance, method="SLSQP", options=options).fun


@pytest.mark.parametrize("l1", [0.0, 0.3])
@pytest.mark.parametrize("scale", [1.0, 0.2])
@pytest.mark.parametrize("seed", range(4))
def test_equals_a_general_solver(l1, scale, seed):
    rng = np.random.default_rng(seed)
    n = 12
    root, linear = rng.normal(size=(n, 15)), rng.normal(size=n)
    Q = root @ root.T / 15
    lower, upper = -rng.uniform(0, 0.5, n), rng.uniform(0, 0.5, n)
    lower[:2], upper[1:3] = -3.0, 3.0
    lower[5] = upper[5] = 0.0  # takes no part
    a = np.zeros(n)
    a[2] = 1.0
    start = a.copy()
    products = scale * Q @ a
    _, violation = descend(Q, np.diag(Q).copy(), scale, a, products, linear, l1, lower, upper, 1e-10, 100_000)
    assert violation <= 1e-10
    assert a.sum() == pytest.approx(1.0) and (a >= lower).all() and (a <= upper).all() and a[5] == 0
    assert np.allclose(products, scale * Q @ a, atol=1e-12)
    value = 0.5 * scale * a @ Q @ a + linear @ a + l1 * np.abs(a).sum()
    # SLSQP stops at a relative decrease of 1e-14, which leaves about the root of it in the objective's error
    assert value == pytest.approx(general(scale * Q, linear, l1, lower, upper, start), abs=1e-7)


def test_nothing_can_move():
    a = np.ones(3)
    bounds = np.zeros(3), np.ones(3)
    assert descend(np.eye(3), np.ones(3), 1.0, a, np.ones(3), np.zeros(3), 0.0, *bounds, 1e-8, 10) == (0, 0.0)
