"""Hypotheses expanded over a few basis points only: O(n r^2) time, O(n r) memory, never n x n."""

import numbers

import numpy as np
from scipy import linalg
from sklearn.utils import check_array, check_random_state

from mr.graph.scale import sound_points
from mr.kernels.products import multiply


def choose_basis(X, basis, random_state=None):
    """Basis points: ``basis`` rows of X drawn without replacement, or the array given."""
    if isinstance(basis, numbers.Integral):
        if basis > X.shape[0]:
            raise ValueError(f"basis={basis} points were asked for, but X has only {X.shape[0]} rows.")
        rows = check_random_state(random_state).choice(X.shape[0], basis, replace=False)
        return X[np.sort(rows)]
    if basis.ndim != 2 or basis.shape[1] != X.shape[1]:
        raise ValueError(f"basis must be an int or an array of points with {X.shape[1]} columns, got {basis.shape}.")
    return sound_points(check_array(basis, dtype=np.float64), smallest=False)


def reduced_factor(kernel, X, points):
    """Features R (n x m) and map T of the functions f = sum_j alpha_j k(points_j, .).

    ||f||^2 = alpha' K_bb alpha. With K_bb = V diag(v) V' and T = V diag(v)^-1/2, alpha = T w gives ||f|| = ||w|| and
    f = R w on the data, R = K_nb T: an ordinary linear machine in w. Directions of K_bb below rounding are dropped.
    """
    values, vectors = linalg.eigh(kernel(points))
    keep = values > len(values) * np.finfo(float).eps * values[-1]
    transform = vectors[:, keep] / np.sqrt(values[keep])
    return kernel(X, points) @ transform, transform


def deform_factor(factor, graph, r, rows):
    """Columns J R' deformed: A (m x l) with R A = K~[:, rows] for the kernel K = R R' (see ``deform_once``)."""
    if r == 0:
        return factor[rows].T.copy()
    # scipy's BLAS, as in the solution: see ``multiply``
    system = multiply(factor.T, graph.apply(factor))
    system *= r
    system += system.T
    system *= 0.5
    system.flat[:: system.shape[0] + 1] += 1.0
    return linalg.solve(system, factor[rows].T, assume_a="pos", overwrite_a=True, check_finite=False)
