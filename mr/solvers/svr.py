"""Support vector regression in the dual, with a duality gap."""

import numpy as np

from mr.solvers.epsilon_newton import solve_epsilon_svr_newton
from mr.solvers.svm import DualSolution


def solve_svr(K, targets, C, epsilon, tol=1e-7) -> DualSolution:
    """min 1/2 b'Kb - y'b + epsilon ||b||_1,  1'b = 0,  |b| <= C, for every column y of ``targets``.

    The dual of min 1/2 ||f||^2 + C sum max(0, |y_i - f_i - b0| - epsilon) with an unpenalised bias b0. On the labelled
    block of the kernel deformed with r = mu it is LapSVR (chen2012). ``tol`` bounds the relative duality gap.
    """
    K = np.ascontiguousarray(K, dtype=float)
    columns = [_solve_column(K, y, C, epsilon, tol) for y in np.ascontiguousarray(targets.T)]
    beta, intercepts, gaps, n_iter = zip(*columns, strict=True)
    return DualSolution(np.column_stack(beta), np.array(intercepts), np.array(gaps), np.array(n_iter))


def _solve_column(K, y, C, epsilon, tol):
    start, violation, iterations = None, 1e-4, 0
    # Targets set the unit of the problem, and a constant target has an objective of zero.
    scale = max(np.ptp(y), np.finfo(float).tiny)
    while True:
        solution = solve_epsilon_svr_newton(K, y, C, epsilon, tol=violation * scale, start=start, max_iter=10_000_000)
        iterations += solution.n_iter
        start = solution.coefficients
        # The violation that gives a certain gap is not known beforehand: tighten it until the certificate is there.
        if solution.gap <= tol or violation < 1e-13 or not solution.converged:
            return start, solution.bias, solution.gap, iterations
        violation *= 0.01
