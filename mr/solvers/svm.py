"""Support vector classification in the dual, with a duality gap.

The duals of the SVC and of the transductive SVM are one problem in signed coefficients,

    min 1/2 v'Kv + p'v    subject to    1'v = 0,    lower <= v <= upper,

solved by the pair steps of :mod:`mr.pair_descent` in double precision, with warm starts. LIBSVM caches kernel rows in
single precision and cannot start from a given point; certificates below 1e-6 need the first, label switching needs the
second. Other people's solvers are alternatives, and independent checks.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse
from sklearn.svm import SVC

from mr.extras import require
from mr.pair_descent import descend
from mr.resources import interruptible_loop
from mr.solvers.box_qp import minimise_in_box
from mr.solvers.certificates import hinge_gap, warn_gap

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


def check_loss_weight(C):
    """Refuse a C that has become 0 or infinite in double precision: its box has no inside."""
    if not 0 < C < np.inf:
        raise ValueError(f"The weight C of the losses must be positive and finite; got {C:g}: gamma_A is out of range.")


def solve_svc(K, targets, C, solver="smo", tol=1e-7, fit_intercept=True, weights=None) -> DualSolution:
    """max 1'a - 1/2 a'(yy' o K)a,  y'a = 0,  0 <= a <= C, for every column y of ``targets`` in {-1, +1}.

    The dual of min 1/2 ||f||^2 + C sum hinge(y_i (f_i + b)) with an unpenalised bias b. On the labelled block of the
    deformed kernel with C = 1 / (2 gamma_A l) it is LapSVM (belkin2006, equations 9-11). ``tol`` bounds the relative
    duality gap. ``fit_intercept=False`` puts b = 0, which drops y'a = 0: bounds are left, and their own solver.
    ``weights`` (l,) of the losses multiply the bounds C.
    """
    if not fit_intercept and solver == "libsvm":
        raise ValueError("solver='libsvm' takes fit_intercept=True only; without an intercept choose 'smo' or 'osqp'.")
    check_loss_weight(C)
    K = np.ascontiguousarray(K, dtype=float)
    C = C if weights is None else C * weights
    solve = {"smo": _solve_by_smo, "libsvm": solve_with_libsvm, "osqp": solve_with_osqp}[solver]
    if not fit_intercept:
        solve = _solve_without_intercept if solver == "smo" else partial(solve_with_osqp, fit_intercept=False)
    columns = [solve(K, y, C, tol) for y in np.ascontiguousarray(targets.T)]
    beta = np.column_stack([column[0] for column in columns])
    intercepts = np.array([column[1] for column in columns])
    K_beta = K @ beta
    gaps = np.array([hinge_gap(K_beta[:, c], beta[:, c], intercepts[c], y, C) for c, y in enumerate(targets.T)])
    warn_gap(solver, gaps, tol, "A smaller C (larger gamma_A) makes the problem easier.")
    return DualSolution(beta, intercepts, gaps, np.array([column[2] for column in columns]))


def _solve_without_intercept(K, y, C, tol):
    # In units of their bounds, all variables have the same one.
    largest = float(np.max(C))
    units = np.broadcast_to(C, len(y)) / largest
    signed = units * y
    solution = minimise_in_box(np.ascontiguousarray(K * np.outer(signed, signed)), units.copy(), largest, tol=tol)
    return solution.b * signed, 0.0, solution.n_iter


def _solve_by_smo(K, y, C, tol):
    bound = C * y
    lower, upper = np.minimum(bound, 0.0), np.maximum(bound, 0.0)
    start, violation, iterations = None, 1e-4, 0
    while True:
        solution = minimise_balanced(K, -y, lower, upper, start=start, tol=violation)
        iterations += solution.n_iter
        start = solution.coefficients
        gap = hinge_gap(solution.products, start, solution.bias, y, C)
        # The violation that gives a certain gap is not known beforehand: tighten it until the certificate is there.
        if gap <= tol or violation < 1e-13 or solution.violation > violation:
            return start, solution.bias, iterations
        violation *= 0.01


@dataclass(frozen=True)
class BalancedSolution:
    """Minimiser of the problem in signed coefficients."""

    coefficients: np.ndarray
    """v"""
    products: np.ndarray
    """K v: the function's values without bias."""
    bias: float
    """Multiplier of 1'v = 0: mean of -(Kv + p) over variables off their bounds, or the middle of its interval."""
    violation: float
    """Largest violation of the optimality conditions, in units of the decision value."""
    n_iter: int


def minimise_balanced(
    K, linear, lower, upper, start=None, tol=1e-6, max_iter=None, products=None
) -> BalancedSolution:  # fmt: skip
    """The problem in signed coefficients, to a violation below ``tol``; ``start`` must be feasible (default: zero).

    ``products`` is K start if it is known already.
    """
    m = len(linear)
    check_loss_weight(np.max(upper - lower))
    v = np.zeros(m) if start is None else np.array(start, dtype=float)
    if products is None:
        products = K @ v if v.any() else np.zeros(m)
    else:
        products = products.copy()
    if max_iter is None:
        max_iter = max(1_000_000, 100 * m)
    diagonal = np.ascontiguousarray(np.diagonal(K))
    n_iter, violation = interruptible_loop(descend, m)(
        K, diagonal, 1.0, v, products, linear, 0.0, lower, upper, float(tol), int(max_iter)
    )
    if v.any():
        products = K @ v  # without the rounding errors of many updates
    return BalancedSolution(v, products, _bias(products + linear, v, lower, upper), violation, n_iter)


def _bias(gradient, v, lower, upper):
    free = (v > lower) & (v < upper)
    if free.any():
        return float(-gradient[free].mean())
    rising, falling = -gradient[v < upper], -gradient[v > lower]
    if len(rising) == 0 or len(falling) == 0:
        return float(rising.max() if len(rising) else falling.min())
    return float((rising.max() + falling.min()) / 2)


def solve_with_libsvm(K, y, C, tol):
    """LIBSVM on the precomputed kernel. Returns beta = y o a, bias, iterations.

    LIBSVM caches kernel rows in single precision, which bounds the gap it can reach. It refuses targets of one sign,
    which a fold without a class has; the constant is their optimum.
    """
    if (y == y[0]).all():
        return np.zeros(len(y)), float(y[0]), 0
    largest = float(np.max(C))
    # the limit of LIBSVM itself, which scikit-learn lifts: a gap below rounding would be sought for ever; less for few
    # points, since a path with folds fits many machines
    limit = max(min(10_000_000, 100_000 * len(y)), 100 * len(y))
    machine = SVC(C=largest, kernel="precomputed", tol=min(1e-3, 10 * tol), cache_size=500, max_iter=limit)
    machine.fit(K, y, sample_weight=None if np.ndim(C) == 0 else C / largest)
    beta = np.zeros(len(y))
    beta[machine.support_] = machine.dual_coef_[0]
    return beta, float(machine.intercept_[0]), int(machine.n_iter_[0])


def solve_with_osqp(K, y, C, tol, fit_intercept=True):
    """OSQP (operator splitting) on min 1/2 b'Kb - y'b, 1'b = 0 (with an intercept), b_i between 0 and C y_i.

    With polishing.
    """
    osqp = require("osqp", extra="qp", purpose='solver="osqp"')
    l = len(y)
    bound, first = C * y, 1 if fit_intercept else 0
    solver = osqp.OSQP()
    solver.setup(
        P=sparse.csc_matrix(np.triu(K)),
        q=-y,
        A=sparse.vstack([sparse.csc_matrix(np.ones((first, l))), sparse.eye(l)], format="csc"),
        l=np.concatenate([np.zeros(first), np.minimum(bound, 0.0)]),
        u=np.concatenate([np.zeros(first), np.maximum(bound, 0.0)]),
        eps_abs=min(1e-6, tol),
        eps_rel=min(1e-6, tol),
        max_iter=200_000,
        polishing=True,
        verbose=False,
    )
    result = solver.solve(raise_error=False)
    beta = np.clip(result.x, np.minimum(bound, 0.0), np.maximum(bound, 0.0))
    return beta, float(result.y[0]) if fit_intercept else 0.0, int(result.info.iter)
