"""Regularised least squares and its Laplacian version, in closed form."""

import numpy as np
from scipy import linalg


def solve_rls(K, targets, ridge):
    """(K + ridge I) beta = targets, for a positive semi-definite K and any number of target columns.

    With ridge = gamma_A l this is regularised least squares, min 1/l sum (y_i - f_i)^2 + gamma_A ||f||^2.
    """
    system = np.array(K, dtype=float, order="F")
    system.flat[:: system.shape[0] + 1] += ridge
    try:
        return linalg.cho_solve(linalg.cho_factor(system, lower=True, check_finite=False), targets)
    except linalg.LinAlgError:
        # A ridge below the rounding of K: the minimum-norm solution is still well defined.
        return linalg.lstsq(system, targets)[0]


def solve_rls_with_intercept(K, targets, ridge):
    """beta and b of min sum (y_i - f_i - b)^2 + ridge ||f||^2, f = K beta, with an unpenalised b.

    (K + ridge I) beta + b 1 = y and 1'beta = 0: with M = (K + ridge I)^-1, b = 1'My / 1'M1 and beta = M (y - b 1).
    """
    solved = solve_rls(K, np.column_stack([targets, np.ones(len(targets))]), ridge)
    sums = solved.sum(axis=0)
    intercepts = sums[:-1] / sums[-1]
    return solved[:, :-1] - solved[:, -1:] * intercepts, intercepts


def solve_lap_rls(K, graph, rows, targets, ridge, smoothness):
    """(J'J K + ridge I + smoothness L K) alpha = J' targets: belkin2006, equation 8.

    ridge = gamma_A l and smoothness = gamma_I l / n^2 give min 1/l sum_labelled (y_i - f_i)^2 + gamma_A ||f||^2 +
    gamma_I / n^2 f'Lf. One LU factorisation serves all columns of ``targets``, that is all classes.
    """
    n = K.shape[0]
    # Divided by the smoothness, the system needs no pass over n x n numbers but the product L K itself.
    scale = smoothness if smoothness > 1e-100 else 1.0
    system = graph.apply(K) if smoothness > 1e-100 else np.zeros((n, n))
    system[rows] += K[rows] / scale
    system.flat[:: n + 1] += ridge / scale
    right = np.zeros((n, targets.shape[1]), order="F")
    right[rows] = targets / scale
    # The transpose of a C-ordered array is a Fortran-ordered view: LAPACK works in place, without a copy.
    lu = linalg.lu_factor(system.T, overwrite_a=True, check_finite=False)
    return linalg.lu_solve(lu, right, trans=1, overwrite_b=True, check_finite=False)
