"""The SVC dual by other people's solvers: independent checks of our own, and alternatives to it."""

import numpy as np
from scipy import sparse
from sklearn.svm import SVC

from mr.extras import require


def solve_with_libsvm(K, y, C, tol):
    """LIBSVM on the precomputed kernel. Returns beta = y o a, bias, iterations.

    LIBSVM caches kernel rows in single precision, which bounds the gap it can reach.
    """
    machine = SVC(C=C, kernel="precomputed", tol=min(1e-3, 10 * tol), cache_size=500).fit(K, y)
    beta = np.zeros(len(y))
    beta[machine.support_] = machine.dual_coef_[0]
    return beta, float(machine.intercept_[0]), int(machine.n_iter_[0])


def solve_with_osqp(K, y, C, tol):
    """OSQP (operator splitting) on min 1/2 b'Kb - y'b, 1'b = 0, b_i between 0 and C y_i, with polishing."""
    osqp = require("osqp", extra="qp", purpose='solver="osqp"')
    l = len(y)
    bound = C * y
    solver = osqp.OSQP()
    solver.setup(
        P=sparse.csc_matrix(np.triu(K)),
        q=-y,
        A=sparse.vstack([sparse.csc_matrix(np.ones((1, l))), sparse.eye(l)], format="csc"),
        l=np.concatenate([[0.0], np.minimum(bound, 0.0)]),
        u=np.concatenate([[0.0], np.maximum(bound, 0.0)]),
        eps_abs=min(1e-6, tol),
        eps_rel=min(1e-6, tol),
        max_iter=200_000,
        polishing=True,
        verbose=False,
    )
    result = solver.solve(raise_error=False)
    beta = np.clip(result.x, np.minimum(bound, 0.0), np.maximum(bound, 0.0))
    return beta, float(result.y[0]), int(result.info.iter)
