"""The smoothest functions of an RKHS along a graph: regularised spectral clustering and eigenmaps."""

from dataclasses import dataclass

import numpy as np

from mr.kernels.products import multiply
from mr.resources import eigenpairs


@dataclass(frozen=True)
class Eigenfunctions:
    """Solutions of (14), smoothest first."""

    values: np.ndarray
    """lambda, ascending."""
    coefficients: np.ndarray
    """alpha (n x k): f = K alpha on the points, sum_i alpha_i k(x_i, .) anywhere."""
    functions: np.ndarray
    """f on the n points (n x k): mean zero, orthonormal, the largest entry of each positive."""
    residual: float
    """Largest entry of R'R w - (gamma I + R'LR) w / lambda over the largest of R'R w (see ``solve_eigenmap``)."""


def solve_eigenmap(K, graph, ambient_weight, n_components=1) -> Eigenfunctions:
    """min gamma ||f||^2 + f'Lf over f in the RKHS with sum_i f_i = 0, sum_i f_i^2 = 1: belkin2006, equations 13 and 14.

    Its gamma is ``ambient_weight`` here.

    The paper's P (gamma K + K L K) P v = lambda P K^2 P v has singular matrices on both sides (P is a projection, and
    smooth kernels are singular to working precision). With K = R R' from its eigenvalues and w = R'alpha the same
    problem is

        (gamma I + R'LR) w = lambda R'R w,    1'R w = 0,

    and, with the roles of the sides exchanged, R'R w = (1/lambda) (gamma I + R'LR) w: the matrix on the right is
    positive definite, its smallest eigenvalue is at least gamma, and the wanted functions belong to the largest
    eigenvalues. The constraint is removed by a Householder basis of the complement of R'1. alpha = V S^-1/2 w inverts
    nothing that evaluation does not multiply back: |k_x'v_j| <= sqrt(s_j k(x, x)).
    """
    scales, axes = eigenpairs(K)
    keep = scales > len(scales) * np.finfo(float).eps * scales[-1]
    roots, axes = np.sqrt(scales[keep]), axes[:, keep]
    factor = axes * roots
    if n_components >= factor.shape[1]:
        raise ValueError(
            f"n_components={n_components} functions were asked for, but the kernel matrix has rank {factor.shape[1]}, "
            f"which leaves {max(factor.shape[1] - 1, 0)} with mean zero."
        )
    smoothness = multiply(factor.T, graph.apply(factor))
    smoothness = 0.5 * (smoothness + smoothness.T)
    smoothness.flat[:: len(roots) + 1] += ambient_weight
    basis = _complement(factor.sum(axis=0))
    left = basis.T @ (basis * (roots**2)[:, None])
    right = multiply(basis.T, multiply(smoothness, basis))
    inverse, w = eigenpairs(left, right, largest=n_components)
    inverse, w = inverse[::-1], w[:, ::-1]
    residual = np.abs(left @ w - right @ w * inverse).max() / np.abs(left @ w).max()
    w = basis @ w
    functions = factor @ w
    signed = np.linalg.norm(functions, axis=0)
    signed *= np.sign(functions[np.abs(functions).argmax(axis=0), np.arange(n_components)])
    return Eigenfunctions(1.0 / inverse, axes @ (w / roots[:, None] / signed), functions / signed, float(residual))


def _complement(direction):
    """Orthonormal basis (m x m-1) of the vectors orthogonal to ``direction``, by one Householder reflection."""
    v = direction / np.linalg.norm(direction)
    v[0] += np.copysign(1.0, v[0])
    v /= np.linalg.norm(v)
    return np.eye(len(v))[:, 1:] - 2.0 * np.outer(v, v[1:])
