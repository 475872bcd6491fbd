"""Newton steps on the free coefficients of an epsilon-insensitive regression, between stretches of SMO.

SMO finds the support quickly and then creeps when Q is ill conditioned (chen2012's graph kernel at small mu: condition
1e8, a million iterations). With the support known the problem is one symmetric system, so a few Newton steps, each with
an exact search along the piecewise quadratic, replace the creep. Nothing is lost where they do not help: every step
descends, and SMO's own stopping rule decides.
"""

import numpy as np
from scipy import linalg

from mr.solvers.epsilon_smo import EpsilonSolution, certify, descend_in_box, feasible

SWEEPS = 2  # SMO iterations between Newton rounds, in units of n
STEPS = 30  # Newton steps on one factorisation: most of them end at a kink or bound and drop a coefficient


def solve_epsilon_svr_newton(Q, y, C, epsilon=0.1, tol=1e-3, start=None, max_iter=100_000_000) -> EpsilonSolution:
    """The problem of :func:`mr.solvers.epsilon_smo.solve_epsilon_svr`, SMO and Newton by turns."""
    a = feasible(start, len(y), C)
    gradient = Q @ a - y
    n_iter, violation = reduce_violation(Q, a, gradient, C, epsilon, tol, max_iter)
    gradient = Q @ a - y  # without the rounding errors of many updates
    return certify(a, gradient, y, C, epsilon, n_iter, violation, violation <= tol)


def reduce_violation(Q, a, gradient, C, epsilon, tol, max_iter):
    """SMO and Newton by turns until the violation is at most tol; a and gradient change in place."""
    diagonal = np.ascontiguousarray(np.diagonal(Q))
    n_iter, stretch = 0, SWEEPS * len(a)
    while True:
        limit = min(stretch, max_iter - n_iter)
        steps, violation = descend_in_box(Q, diagonal, a, gradient, C, epsilon, tol, limit)
        n_iter += steps
        if violation <= tol or n_iter >= max_iter:
            return n_iter, violation
        newton_steps(Q, a, gradient, C, epsilon)


def newton_steps(Q, a, gradient, C, epsilon, steps=STEPS):
    """Steps in place until a full one: the free set is then optimal. One factorisation serves them all.

    A step that ends at a kink or bound takes its coefficient out of the free set. To the factorised system that is one
    more equation d_i = 0 beside 1'd = 0, one more right-hand side.
    """
    free = np.flatnonzero((a != 0) & (np.abs(a) < C))
    if len(free) < 2:
        return
    rows = Q[free]
    directions = _Directions(rows[:, free])
    inner = a[free]
    while directions.possible and steps:
        steps -= 1
        slope = gradient[free] + epsilon * np.sign(inner)
        direction = directions(slope)
        decrease = -float(slope @ direction)
        if not decrease > 0:
            break
        t, hit = _search(inner, direction, decrease, C, epsilon)
        moved = inner + t * direction
        if hit >= 0:  # exactly on the kink or bound, so that it leaves the free set
            moved[hit] = 0.0 if abs(moved[hit]) < 0.5 * C else np.copysign(C, moved[hit])
        np.clip(moved, -C, C, out=moved)
        _rebalance(moved, inner.sum(), C)
        gradient += (moved - inner) @ rows
        a[free] = inner = moved
        if hit < 0:
            break
        directions.hold(hit)


class _Directions:
    """d minimising slope'd + 1/2 d'Qd subject to 1'd = 0 and d_i = 0 for every coefficient held."""

    def __init__(self, Q):
        n = len(Q)
        Q.flat[:: n + 1] += 1e-12 * Q.diagonal().mean()
        self._constraints, self._held = np.ones((n, 1)), []
        try:
            # the transpose of a C-ordered array is a Fortran-ordered view: LAPACK works in place, without a copy
            self._factor = linalg.cho_factor(Q.T, lower=True, overwrite_a=True, check_finite=False)
            self._solved = linalg.cho_solve(self._factor, self._constraints, check_finite=False)
        except linalg.LinAlgError:
            self._factor = None

    @property
    def possible(self) -> bool:
        """Whether the system could be factorised, and is not all held."""
        return self._factor is not None and len(self._held) + 2 <= len(self._constraints)

    def hold(self, i):
        unit = np.zeros((len(self._constraints), 1))
        unit[i] = 1.0
        self._held.append(i)
        self._constraints = np.hstack([self._constraints, unit])
        self._solved = np.hstack([self._solved, linalg.cho_solve(self._factor, unit, check_finite=False)])

    def __call__(self, slope):
        x = linalg.cho_solve(self._factor, slope, check_finite=False)
        system, right = self._constraints.T @ self._solved, self._constraints.T @ x
        try:
            multipliers = linalg.solve(system, right, assume_a="pos", check_finite=False)
        except linalg.LinAlgError:
            return np.zeros(len(slope))
        direction = self._solved @ multipliers - x
        direction[self._held] = 0.0
        return direction


def _search(a, d, decrease, C, epsilon):
    """Minimiser t along d of the objective, which has slope -decrease (1 - t) plus 2 epsilon |d_i| after every kink
    passed.

    Returns t and the coefficient whose kink or bound ends the step, -1 if none does.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        kinks = np.where(a * d < 0, -a / d, np.inf)
        bounds = np.where(d != 0, (np.copysign(C, d) - a) / d, np.inf)
    end = int(bounds.argmin())
    extra = 0.0
    for i in np.argsort(kinks):
        t = 1.0 - extra / decrease  # minimiser of the current piece
        if min(t, bounds[end]) <= kinks[i]:
            break
        extra += 2.0 * epsilon * abs(d[i])
        if 1.0 - extra / decrease <= kinks[i]:
            return float(kinks[i]), int(i)
    t = 1.0 - extra / decrease
    return (float(t), -1) if t < bounds[end] else (float(bounds[end]), end)


def _rebalance(moved, total, C):
    """Restore the sum that rounding (the exact landing on a kink) has changed, on the coefficient with most room."""
    roomy = int(np.argmax(np.minimum(C - np.abs(moved), np.abs(moved))))
    moved[roomy] += total - moved.sum()
