"""Epsilon-insensitive regression with a bias: one dual problem, in n signed variables.

    min_a D(a) = 1/2 a'Qa + epsilon ||a||_1 - y'a      subject to      1'a = 0,    |a| <= C

is the dual of chen2012's LapESVR (equation 18 with a = beta* - beta), of LapSVR and of every support vector regression
with a bias. LIBSVM splits a into 2n non-negative variables; here the kink of |a| stays in the problem and a step may
cross it. Three layers, each on the one below:

- pair steps (:mod:`mr.pair_descent`) find the support quickly, and then creep when Q is ill conditioned (chen2012's
  graph kernel at small mu: condition 1e8, a million iterations);
- Newton steps on the free coefficients, by turns with them, replace the creep: with the support known the problem is
  one symmetric system. Every step descends, and the pair steps' own stopping rule decides;
- when Q does not fit into memory, working sets of hundreds of rows (Joachims 1999), computed together by BLAS: the
  worst violators of both kinds and half of the last set, as in ThunderSVM (Wen et al. 2018).

For many rows and few features ``solve_linear_svr`` solves the primal instead. All share one certificate.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from mr.graph.threads import serial_blas
from mr.pair_descent import descend
from mr.solvers.certificates import epsilon_gap
from mr.solvers.row_cache import EmbeddedMatrix
from mr.solvers.svm import DualSolution

SWEEPS = 2
"""Pair steps between Newton rounds, in units of n."""
STEPS = 30
"""Newton steps on one factorisation: most of them end at a kink or bound and drop a coefficient."""
MAX_STEPS = 100_000_000
MAX_ROUNDS = 10_000
PATIENCE = 8
"""One round in PATIENCE may ask for new rows: requests are fewer and larger, and fewer rows go unused later."""


@dataclass(frozen=True)
class EpsilonSolution:
    """Minimiser of the problem above, with its certificate."""

    coefficients: np.ndarray
    """a"""
    products: np.ndarray
    """Q a"""
    bias: float
    """Multiplier of 1'a = 0; y - Qa - bias is within epsilon wherever a = 0."""
    violation: float
    """Largest violation of the optimality conditions, in units of y (LIBSVM's stopping value)."""
    gap: float
    """Primal minus dual objective, relative to the primal one."""
    n_iter: int
    converged: bool

    @property
    def n_support(self) -> int:
        return int(np.count_nonzero(self.coefficients))


ROUNDING = 4 * np.finfo(float).eps


def solve_epsilon_svr(
    Q, y, C, epsilon=0.1, tol=1e-3, start=None, max_iter=MAX_STEPS, working_set=512
) -> EpsilonSolution:
    """Solve to a violation of at most ``tol``.

    Parameters
    ----------
    Q : array (n, n) of doubles in C order, or EmbeddedMatrix
        The matrix itself, or rows of its kernel on demand in single precision.
    y : array (n,)
    C, epsilon : bounds |a| <= C, and half-width of the tube
        For a matrix in memory C may be one bound per point: the weights of the losses.
    start : array (n,), default=None
        Any a with 1'a = 0; it is scaled into the box. Along an ascending sequence of C a solution for a smaller box is
        feasible in a larger one.
    max_iter : int
        Pair steps for a matrix in memory.
    working_set : int
        Rows worked on at a time, for a cache.
    """
    a = _feasible(start, len(y), C)
    # Products (NumPy) and factorisations (SciPy) by turns: two thread pools, which spin on each other's cores.
    with serial_blas():
        if isinstance(Q, EmbeddedMatrix):
            gradient, n_iter, violation = _solve_by_rows(Q, y, a, C, epsilon, tol, min(working_set, len(y)))
        else:
            gradient = Q @ a - y
            n_iter, violation = reduce_violation(Q, a, gradient, C, epsilon, tol, max_iter)
            gradient = Q @ a - y  # without the rounding errors of many updates
    return solution_at(a, gradient, y, C, epsilon, n_iter, violation, violation <= tol)


def solve_svr(K, targets, C, epsilon, tol=1e-7, weights=None) -> DualSolution:
    """min 1/2 b'Kb - y'b + epsilon ||b||_1,  1'b = 0,  |b| <= C, for every column y of ``targets``.

    The dual of min 1/2 ||f||^2 + C sum max(0, |y_i - f_i - b0| - epsilon) with an unpenalised bias b0. On the labelled
    block of the kernel deformed with r = mu it is LapSVR (chen2012). ``tol`` bounds the relative duality gap.
    ``weights`` (l,) of the losses multiply the bounds C.
    """
    K = np.ascontiguousarray(K, dtype=float)
    C = C if weights is None else C * weights
    columns = [_solve_column(K, y, C, epsilon, tol) for y in np.ascontiguousarray(targets.T)]
    beta, intercepts, gaps, n_iter = zip(*columns, strict=True)
    return DualSolution(np.column_stack(beta), np.array(intercepts), np.array(gaps), np.array(n_iter))


def _solve_column(K, y, C, epsilon, tol):
    start, violation, iterations = None, 1e-4, 0
    # Targets set the unit of the problem, and a constant target has an objective of zero.
    scale = max(np.ptp(y), np.finfo(float).tiny)
    while True:
        solution = solve_epsilon_svr(K, y, C, epsilon, tol=violation * scale, start=start, max_iter=1000 * len(y))
        iterations += solution.n_iter
        start = solution.coefficients
        # The violation that gives a certain gap is not known beforehand: tighten it until the certificate is there.
        if solution.gap <= tol or violation < 1e-13 or not solution.converged:
            return start, solution.bias, solution.gap, iterations
        violation *= 0.01


def solution_at(a, gradient, y, C, epsilon, n_iter, violation, converged) -> EpsilonSolution:
    """The solution at a feasible a with its bias and gap; ``gradient`` is Qa - y."""
    products = gradient + y
    bias = _bias(a, gradient, C, epsilon)
    gap = epsilon_gap(y, a, float(a @ products), gradient + bias, C, epsilon)
    return EpsilonSolution(a, products, bias, float(violation), gap, n_iter, bool(converged))


def _bias(a, gradient, C, epsilon) -> float:
    """b from the free coefficients (their mean), or the middle of its interval without any: LIBSVM's rule."""
    free = (a != 0) & (np.abs(a) < C)
    if free.any():
        return float(-(gradient[free] + epsilon * np.sign(a[free])).mean())
    rising = np.where(a < C, gradient + np.where(a >= 0, epsilon, -epsilon), np.inf)
    falling = np.where(a > -C, gradient + np.where(a > 0, epsilon, -epsilon), -np.inf)
    return float(-0.5 * (rising.min() + falling.max()))


def _feasible(start, n, C) -> np.ndarray:
    """``start`` scaled into the box (1'a = 0 is kept); zeros without one."""
    if start is None:
        return np.zeros(n)
    a = np.array(start, dtype=float)
    largest = (np.abs(a) / C).max(initial=0.0)
    return a / largest if largest > 1 else a


def reduce_violation(Q, a, gradient, C, epsilon, tol, max_iter):
    """Pair steps and Newton by turns until the violation is at most tol; a and gradient change in place."""
    n = len(a)
    diagonal = np.ascontiguousarray(np.diagonal(Q))
    upper, zeros = np.full(n, C, dtype=float), np.zeros(n)
    lower = -upper
    n_iter = 0
    while True:
        limit = min(SWEEPS * n, max_iter - n_iter)
        steps, violation = descend(
            Q, diagonal, 1.0, a, gradient, zeros, float(epsilon), lower, upper, float(tol), limit
        )
        n_iter += steps
        # a violation within the rounding of the products Qa cannot be told from zero, whatever tol asks for
        rounding = ROUNDING * np.abs(a).sum() * diagonal.max()
        if violation <= max(tol, rounding) or n_iter >= max_iter:
            return n_iter, violation
        newton_steps(Q, a, gradient, upper, epsilon)


def newton_steps(Q, a, gradient, C, epsilon, steps=STEPS):
    """Steps in place until a full one: the free set is then optimal. One factorisation serves them all.

    A step that ends at a kink or bound takes its coefficient out of the free set. To the factorised system that is one
    more equation d_i = 0 beside 1'd = 0, one more right-hand side. ``C`` may hold one bound per
    coefficient.
    """
    free = np.flatnonzero((a != 0) & (np.abs(a) < C))
    if len(free) < 2:
        return
    C = np.broadcast_to(C, a.shape)[free]
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
            moved[hit] = 0.0 if abs(moved[hit]) < 0.5 * C[hit] else np.copysign(C[hit], moved[hit])
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


def _solve_by_rows(cache, y, a, C, epsilon, tol, size):
    """Working sets until the violation is at most tol; ``a`` changes in place. Returns gradient, n_iter, violation."""
    gradient, fresh = _gradient(cache, a, y, size), True
    working, n_iter, violation = np.array([], dtype=int), 0, np.inf
    for number in range(MAX_ROUNDS):
        violation, rise, fall = _violation(a, gradient, C, epsilon)
        if violation <= tol:
            if fresh:
                break
            gradient, fresh = _gradient(cache, a, y, size), True  # stop only on a gradient without drift
            continue
        if number % PATIENCE:
            known_rise, known_fall = np.where(cache.held, rise, np.inf), np.where(cache.held, fall, -np.inf)
            if known_fall.max() - known_rise.min() > max(0.1 * violation, tol):
                rise, fall = known_rise, known_fall
        working = _choose(rise, fall, working, size)
        n_iter += _improve(cache, working, a, gradient, C, epsilon, max(0.1 * violation, 0.5 * tol))
        fresh = False
    return gradient, n_iter, violation


def _violation(a, gradient, C, epsilon):
    """How far the conditions are from holding, and the slopes of rises and falls."""
    rise = gradient + np.where(a >= 0, epsilon, -epsilon)
    fall = gradient + np.where(a > 0, epsilon, -epsilon)
    rise[a >= C] = np.inf
    fall[a <= -C] = -np.inf
    return float(fall.max() - rise.min()), rise, fall


def _choose(rise, fall, previous, size):
    """Worst rises and falls, and the later half of the previous working set."""
    kept = previous[-(size // 2) :] if len(previous) else previous
    room = size - len(kept)
    candidates = np.setdiff1d(
        np.concatenate([_smallest(rise, size), _smallest(-fall, size)]), kept, assume_unique=False
    )
    # A candidate's score is the larger of its two violations against the best partner.
    score = np.maximum(fall.max() - rise[candidates], fall[candidates] - rise.min())
    return np.concatenate([kept, candidates[np.argsort(-score, kind="stable")[:room]]])


def _smallest(values, k):
    return np.argpartition(values, k - 1)[:k] if k < len(values) else np.arange(len(values))


def _improve(cache, working, a, gradient, C, epsilon, tol):
    """Solve the subproblem of the working set, the others fixed; a and gradient change in place."""
    Q = cache.square(working)
    inner, slope = a[working], gradient[working]
    n_iter, _ = reduce_violation(Q, inner, slope, C, epsilon, tol, max_iter=200 * len(working))
    change = inner - a[working]
    changed = np.flatnonzero(change)
    cache.add(gradient, working[changed], change[changed])
    a[working] = inner
    return n_iter


def _gradient(cache, a, y, size):
    """Qa - y from the rows of the support, in double precision; the cache stays as it is."""
    gradient = -np.asarray(y, dtype=float)
    support = np.flatnonzero(a)
    held = cache.held[support]
    for known in (True, False):
        rows = support[held == known]
        for first in range(0, len(rows), size):
            part = rows[first : first + size]
            cache.add(gradient, part, a[part], keep=known)
    return gradient


@dataclass(frozen=True)
class LinearSVRSolution:
    """Minimiser over weights of features, with its certificate."""

    weights: np.ndarray
    bias: float
    coefficients: np.ndarray
    """a (n,): weights = F'a; zero inside the tube."""
    gap: float
    """Relative gap between the primal objective and the dual one at a."""
    n_iter: int


def solve_linear_svr(F, y, C, epsilon=0.1, tol=1e-3, max_iter=500) -> LinearSVRSolution:
    """min_{w, b} 1/2 ||w||^2 + C sum_i max(0, |y_i - f_i'w - b| - epsilon), for many rows and few features.

    With features [landmark features of k, Phi~] it is chen2012's LapESVR on a Nystroem kernel, O(n m) memory. The
    corner of the loss is rounded by a parabola of width h, Newton's method solves the rounded problem (Chapelle 2007),
    and h shrinks from the scale of y to ``tol``; only rows on the parabola enter the Hessian, so the last steps are
    cheap. Rounding moves the optimal residuals by at most h: with h = tol it is the accuracy at which pair steps stop.
    """
    beta = np.zeros(F.shape[1] + 1)
    n_iter, h = 0, max(float(np.std(y)), tol)
    while True:
        beta, steps = _minimise(F, y, C, epsilon, h, beta, max_iter - n_iter)
        n_iter += steps
        if h <= tol or n_iter >= max_iter:
            return _certified(F, y, C, epsilon, h, beta, n_iter)
        h = max(0.1 * h, tol)


def _minimise(F, y, C, epsilon, h, beta, max_iter):
    """Damped Newton until the gradient is small against its terms."""
    residual = y - F @ beta[:-1] - beta[-1]
    for step in range(1, max_iter + 1):
        a, curved = _loss_slope(residual, C, epsilon, h)
        gradient = np.append(beta[:-1] - F.T @ a, -a.sum())
        if np.abs(gradient).max() <= 1e-9 * (C + np.abs(a).sum() * np.abs(F).max(initial=0.0)):
            return beta, step
        direction = -_solve_hessian(F[curved], C / h, gradient)
        moved = F @ direction[:-1] + direction[-1]
        t = _line_search(beta, direction, residual, moved, float(gradient @ direction), C, epsilon, h)
        if t == 0:
            return beta, step
        beta = beta + t * direction
        residual = residual - t * moved
    return beta, max_iter


def _loss_slope(residual, C, epsilon, h):
    """a_i = slope of the loss in f (sign turned), and the rows on the parabola."""
    excess = np.abs(residual) - epsilon
    a = C * np.sign(residual) * np.clip(excess / h, 0.0, 1.0)
    return a, np.flatnonzero((excess > 0) & (excess < h))


def _objective(beta, residual, C, epsilon, h):
    excess = np.maximum(np.abs(residual) - epsilon, 0.0)
    loss = np.where(excess < h, excess**2 / (2.0 * h), excess - 0.5 * h)
    return 0.5 * float(beta[:-1] @ beta[:-1]) + C * float(loss.sum())


def _solve_hessian(F, weight, gradient):
    """(diag(1, ..., 1, 0) + weight [F 1]'[F 1])^-1 gradient; a small ridge where no row determines b."""
    m = F.shape[1]
    H = np.empty((m + 1, m + 1))
    H[:m, :m] = weight * (F.T @ F)
    H[:m, m] = H[m, :m] = weight * F.sum(axis=0)
    H[m, m] = weight * len(F)
    H.flat[:: m + 2] += np.append(np.ones(m), 1e-8 * (1.0 + weight * len(F)))
    return linalg.solve(H, gradient, assume_a="pos")


def _line_search(beta, direction, residual, moved, slope, C, epsilon, h):
    start = _objective(beta, residual, C, epsilon, h)
    t = 1.0
    while t > 1e-10:
        if _objective(beta + t * direction, residual - t * moved, C, epsilon, h) <= start + 1e-4 * t * slope:
            return t
        t *= 0.5
    return 0.0


def _certified(F, y, C, epsilon, h, beta, n_iter):
    """a from the rounded loss is feasible for the dual up to the Newton tolerance; both objectives without rounding."""
    residual = y - F @ beta[:-1] - beta[-1]
    a, _ = _loss_slope(residual, C, epsilon, h)
    norm, dual_norm = float(np.square(beta[:-1]).sum()), float(np.square(F.T @ a).sum())
    gap = epsilon_gap(y, a, norm, residual, C, epsilon, dual_norm)
    return LinearSVRSolution(beta[:-1], float(beta[-1]), a, gap, n_iter)
