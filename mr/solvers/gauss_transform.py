"""Products with the matrix exp(-(f_i - f_j)^2 / eta) of points on a line, in O(n p) instead of O(n^2).

The adaptive graph of AGMR with the entropy penalty (wang2017, equation 9) is this matrix with its rows normalised. On a
line it has low rank: interpolating the Gaussian at p Chebyshev nodes gives exp(-(f_i - f_j)^2 / eta) = T_i M T_j' to
rounding, with T the Chebyshev polynomials at the points. p grows like range / sqrt(eta), and does not depend on n.
"""

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from scipy.special import ive

ROUNDING = 1e-15
MAX_DEGREE = 1024


def degree_needed(half_range, eta) -> int | None:
    """Degree at which the Chebyshev coefficients of exp(-s u^2) on [-1, 1], s = half_range^2 / eta, reach rounding.

    The coefficient of T_2k is 2 exp(-s/2) I_k(s/2) in absolute value. None when ``MAX_DEGREE`` is not enough.
    """
    s = half_range**2 / eta
    orders = np.arange(MAX_DEGREE // 2 + 1)
    small = np.flatnonzero(2.0 * ive(orders, s / 2.0) < ROUNDING)
    return None if len(small) == 0 else max(4, 2 * int(small[0]) + 2)


class GaussTransform:
    """K = exp(-(f_i - f_j)^2 / eta) as T M T'; ``K @ v`` without K."""

    def __init__(self, f, eta, degree):
        low, high = f.min(), f.max()
        half = 0.5 * (high - low) or 1.0
        self.vander = chebvander(np.clip((f - 0.5 * (low + high)) / half, -1.0, 1.0), degree)
        p = degree + 1
        angles = (np.arange(p) + 0.5) * np.pi / p
        nodes = half * np.cos(angles)
        at_nodes = np.exp(-np.square(nodes[:, None] - nodes) / eta)
        to_coefficients = np.cos(np.outer(np.arange(p), angles)) * (2.0 / p)
        to_coefficients[0] *= 0.5
        self.core = to_coefficients @ at_nodes @ to_coefficients.T

    def __matmul__(self, v):
        return self.vander @ (self.core @ (self.vander.T @ v))

    def between(self, left, right):
        """left' K right for matrices of few columns, without an n x n or n x d product with K."""
        return (left.T @ self.vander) @ self.core @ (self.vander.T @ right)
