"""Support vector classification in the dual, with a duality gap."""

from dataclasses import dataclass

import numpy as np

from mr.solvers import smo
from mr.solvers.box_qp import minimise_in_box
from mr.solvers.certificates import hinge_gap, warn_gap
from mr.solvers.general_qp import solve_with_libsvm, solve_with_osqp

SOLVERS = ("smo", "libsvm", "osqp")


@dataclass(frozen=True)
class DualSolution:
    """Solutions of several machines on one kernel, one per column."""

    coefficients: np.ndarray
    """beta (l x k): f = K beta + intercept."""
    intercepts: np.ndarray
    gaps: np.ndarray
    """Relative duality gap (P - D) / P of each machine: how far from optimal its objective can be at most."""
    n_iter: np.ndarray


def solve_svc(K, targets, C, solver="smo", tol=1e-7, fit_intercept=True) -> DualSolution:
    """max 1'a - 1/2 a'(yy' o K)a,  y'a = 0,  0 <= a <= C, for every column y of ``targets`` in {-1, +1}.

    The dual of min 1/2 ||f||^2 + C sum hinge(y_i (f_i + b)) with an unpenalised bias b. On the labelled block of the
    deformed kernel with C = 1 / (2 gamma_A l) it is LapSVM (belkin2006, equations 9-11). ``tol`` bounds the relative
    duality gap. ``fit_intercept=False`` puts b = 0, which drops y'a = 0: bounds are left, and their own solver.
    """
    if not fit_intercept and solver != "smo":
        raise ValueError(f"solver={solver!r} takes fit_intercept=True only; without an intercept leave solver='smo'.")
    K = np.ascontiguousarray(K, dtype=float)
    solve = {"smo": _solve_by_smo, "libsvm": solve_with_libsvm, "osqp": solve_with_osqp}[solver]
    if not fit_intercept:
        solve = _solve_without_intercept
    columns = [solve(K, y, C, tol) for y in np.ascontiguousarray(targets.T)]
    beta = np.column_stack([column[0] for column in columns])
    intercepts = np.array([column[1] for column in columns])
    K_beta = K @ beta
    gaps = np.array([hinge_gap(K_beta[:, c], beta[:, c], intercepts[c], y, C) for c, y in enumerate(targets.T)])
    warn_gap(solver, gaps, tol, "A smaller C (larger gamma_A) makes the problem easier.")
    return DualSolution(beta, intercepts, gaps, np.array([column[2] for column in columns]))


def _solve_without_intercept(K, y, C, tol):
    solution = minimise_in_box(np.ascontiguousarray(K * np.outer(y, y)), np.ones(len(y)), C, tol=tol)
    return solution.b * y, 0.0, solution.n_iter


def _solve_by_smo(K, y, C, tol):
    bound = C * y
    lower, upper = np.minimum(bound, 0.0), np.maximum(bound, 0.0)
    start, violation, iterations = None, 1e-4, 0
    while True:
        solution = smo.minimise(K, -y, lower, upper, start=start, tol=violation)
        iterations += solution.n_iter
        start = solution.coefficients
        gap = hinge_gap(solution.products, start, solution.bias, y, C)
        # The violation that gives a certain gap is not known beforehand: tighten it until the certificate is there.
        if gap <= tol or violation < 1e-13 or solution.violation > violation:
            return start, solution.bias, iterations
        violation *= 0.01
