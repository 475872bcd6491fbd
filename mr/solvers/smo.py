"""Sequential minimal optimisation in double precision, with warm starts.

The duals of the SVC and of the transductive SVM are one problem in signed coefficients:

    min 1/2 v'Kv + p'v    subject to    1'v = 0,    lower <= v <= upper.

The pair steps are those of :mod:`mr.pair_descent`. LIBSVM caches kernel rows in single precision and cannot start from
a given point; certificates below 1e-6 need the first, label switching needs the second.
"""

from dataclasses import dataclass

import numpy as np

from mr.pair_descent import descend


@dataclass(frozen=True)
class BoxSolution:
    """Minimiser of the problem above."""

    coefficients: np.ndarray
    """v"""
    products: np.ndarray
    """K v: the function's values without bias."""
    bias: float
    """Multiplier of 1'v = 0: mean of -(Kv + p) over variables off their bounds, or the middle of its interval."""
    violation: float
    """Largest violation of the optimality conditions, in units of the decision value."""
    n_iter: int


def minimise(K, linear, lower, upper, start=None, tol=1e-6, max_iter=None) -> BoxSolution:
    """Solve the box problem to a violation below ``tol``; ``start`` must be feasible (default: zero)."""
    m = len(linear)
    v = np.zeros(m) if start is None else np.array(start, dtype=float)
    products = K @ v if v.any() else np.zeros(m)
    if max_iter is None:
        max_iter = max(1_000_000, 100 * m)
    diagonal = np.ascontiguousarray(np.diagonal(K))
    n_iter, violation = descend(K, diagonal, 1.0, v, products, linear, 0.0, lower, upper, float(tol), int(max_iter))
    if v.any():
        products = K @ v  # without the rounding errors of many updates
    return BoxSolution(v, products, _bias(products + linear, v, lower, upper), violation, n_iter)


def _bias(gradient, v, lower, upper):
    free = (v > lower) & (v < upper)
    if free.any():
        return float(-gradient[free].mean())
    rising, falling = -gradient[v < upper], -gradient[v > lower]
    if len(rising) == 0 or len(falling) == 0:
        return float(rising.max() if len(rising) else falling.min())
    return float((rising.max() + falling.min()) / 2)
