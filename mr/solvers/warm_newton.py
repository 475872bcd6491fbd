"""The squared-hinge machine of :mod:`mr.solvers.primal_svm` (no bias) for many weights and folds of one Gram matrix.

    1/2 sum_i max(0, 1 - y_i f_i)^2 + ridge/2 beta'K beta,      f = K beta.

The solution is fixed by the set of points with loss: on it (K + ridge I) beta = y, elsewhere beta is zero. That set
changes little from one weight to the next and when a fifth of the points is left out, so two or three Newton steps from
a neighbour's set end at the optimum, which is recognised exactly: the set reproduces itself.
"""

import numpy as np
from scipy.linalg import lapack

from mr.solvers.primal_svm import solve_newton

MAX_STEPS = 25  # full steps may cycle, though it was never seen; then Newton with a line search takes over


def solve_from(K, y, ridge, lossy):
    """beta (l,) and the mask of points with loss, from a guess ``lossy`` of that mask."""
    for _ in range(MAX_STEPS):
        rows = np.flatnonzero(lossy)
        system = K[np.ix_(rows, rows)]
        system.flat[:: len(rows) + 1] += ridge
        # the transpose of a C-ordered array is a Fortran-ordered view: LAPACK works in place
        _, solved, failed = lapack.dposv(system.T, y[rows], lower=1, overwrite_a=1)
        if failed:
            break
        reached = y * (K[:, rows] @ solved) < 1
        if np.array_equal(reached, lossy):
            beta = np.zeros(len(y))
            beta[rows] = solved
            return beta, lossy
        if not reached.any():
            break
        lossy = reached
    beta = solve_newton(K, y[:, None], ridge).coefficients[:, 0]
    return beta, y * (K @ beta) < 1
