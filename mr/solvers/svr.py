"""Support vector regression in the dual, with a duality gap."""

import numpy as np

from mr.solvers import smo
from mr.solvers.svm import DualSolution


def epsilon_gap(K_beta, beta, intercept, y, C, epsilon) -> float:
    """Relative duality gap of an SVR: P = 1/2 beta'K beta + C sum max(0, |y_i - f_i| - epsilon),
    D = y'beta - epsilon ||beta||_1 - 1/2 beta'K beta.
    """
    norm = float(beta @ K_beta)
    loss = C * float(np.maximum(0.0, np.abs(y - K_beta - intercept) - epsilon).sum())
    gap = norm + loss - float(y @ beta) + epsilon * float(np.abs(beta).sum())
    return gap / max(0.5 * norm + loss, np.finfo(float).tiny)


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
    # b = v+ + v-, 0 <= v+ <= C, -C <= v- <= 0: the l1 norm becomes linear, the Gram matrix is not copied.
    l = len(y)
    index = np.concatenate([np.arange(l), np.arange(l)])
    linear = np.concatenate([epsilon - y, -epsilon - y])
    lower, upper = np.repeat([0.0, -C], l), np.repeat([C, 0.0], l)
    start, violation, iterations = None, 1e-4, 0
    # Targets set the unit of the problem, and a constant target has an objective of zero.
    scale = max(np.ptp(y), np.finfo(float).tiny)
    while True:
        solution = smo.minimise(K, linear, lower, upper, start=start, index=index, tol=violation * scale)
        iterations += solution.n_iter
        start = solution.coefficients
        beta = start[:l] + start[l:]
        gap = epsilon_gap(solution.products, beta, solution.bias, y, C, epsilon)
        if gap <= tol or violation < 1e-13 or solution.violation > violation * scale:
            return beta, solution.bias, gap, iterations
        violation *= 0.01
