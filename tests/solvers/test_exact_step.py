"""The exact line search against a bounded scalar minimiser."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from mr.solvers.primal_svm import exact_step


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 15), st.integers(0, 100_000))
def test_minimum_along_a_ray(l, seed):
    rng = np.random.default_rng(seed)
    f, d = 2 * rng.normal(size=l), rng.normal(size=l)
    y = np.where(rng.random(l) < 0.5, 1.0, -1.0)
    slope, curvature = rng.normal() - 0.5, 0.05 + rng.random()

    def phi(t):
        return slope * t + 0.5 * curvature * t**2 + 0.5 * (np.maximum(0, 1 - y * (f + t * d)) ** 2).sum()

    t = exact_step(f, d, y, slope, curvature)
    best = minimize_scalar(phi, bounds=(0, 300), method="bounded", options={"xatol": 1e-10})
    assert t >= 0 and phi(t) <= min(best.fun, phi(0)) + 1e-9
