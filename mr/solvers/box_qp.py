"""Quadratic programs over a box: the dual of a support vector machine without bias.

    min 1/2 b'Qb - p'b    subject to    0 <= b <= C,        Q positive semi-definite.

Coordinates of largest gain find the bounds; Newton steps on the free coordinates, projected into the box, finish where
descent would crawl. Both only descend, and both are compiled: the problems are small (hundreds of points) and there are
many (widths x weights x folds x classes). On an ill-conditioned Q with a large C they may crawl as well, because the
bounds that they find keep changing; a primal-dual interior point, which does not mind either, then takes over. The
certificate is a duality gap: with w'w = b'Qb the primal value is 1/2 b'Qb + C sum max(0, p - Qb).
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.linalg import lapack

from mr.resources import interruptible_loop
from mr.solvers.certificates import box_gap

MOST_INSIDE = 2000
"""Variables up to which a step of the interior point, a Cholesky factor, takes a fraction of a second."""
INTERIOR_STEPS = 60
"""Most steps of the interior point, which needs 5 to 25."""
INSIDE = 1e-3
"""Share of the tolerance asked of a solution away from the upper bounds: it then serves larger C unchanged."""
TO_BOUNDARY = 0.995
"""Share of the way to the nearest bound that an interior step takes at most."""


@dataclass(frozen=True)
class BoxSolution:
    b: np.ndarray
    gap: float
    """(primal - dual) / primal: how far from optimal the objective can be at most, relatively."""
    n_iter: int


def minimise_in_box(Q, p, C, start=None, tol=1e-8, max_rounds=100, tol_inside=None) -> BoxSolution:
    """Solve to a relative duality gap below ``tol``, or as far as rounding allows; ``start`` is clipped to the box.

    ``tol_inside`` is asked of the interior point in place of ``tol`` where its solution stays away from the upper
    bounds: such a solution is that of every larger C too, and the gap that the same b has there grows with C.
    """
    b, C = np.zeros(len(p)) if start is None else np.clip(start, 0.0, C), float(C)
    b, gap, iterations = _descend_to(tol, Q, b, p, C, max_rounds)
    if gap > tol and len(p) <= MOST_INSIDE:
        inside, steps = _interior_point(Q, p, C, tol, tol if tol_inside is None else tol_inside)
        inside, found, more = _descend_to(tol, Q, inside, p, C, max_rounds)
        iterations += steps + more
        if found < gap:
            b, gap = inside, found
    return BoxSolution(b, gap, iterations)


def _descend_to(tol, Q, b, p, C, max_rounds):
    """Rounds of descent and Newton steps until the gap is below ``tol`` or nothing moves: b, its gap, the steps."""
    gradient = Q @ b - p
    gap, iterations = box_gap(b, gradient, p, C), 0
    descend, newton = (interruptible_loop(loop, len(p)) for loop in (_descend, _newton))
    for _ in range(max_rounds):
        if gap <= tol:
            break
        before = b.copy()
        iterations += descend(Q, b, gradient, C, len(p) // 2 + 20)
        iterations += newton(Q, b, gradient, C, 100)
        gradient = Q @ b - p  # without the rounding errors of the updates
        last, gap = gap, box_gap(b, gradient, p, C)
        if gap >= last and np.array_equal(b, before):
            break
    return b, gap, iterations


def solve_unbiased_svc(Q, targets, C, tol=1e-8):
    """beta = b o y for every column y of ``targets``: f = Q beta minimises 1/2 ||f||^2 + C sum hinge(y_i f_i).

    Returns beta (l x k), and the gap of each column. zhang2015, equations 27 to 29.
    """
    beta, gaps = unbiased_svc_path(Q, targets, [C], tol)
    return beta[0], gaps[0]


def unbiased_svc_path(Q, targets, Cs, tol=1e-8):
    """The same for every C of an ascending list, each started from the last: beta (len(Cs) x l x k) and gaps."""
    Q, targets = np.asarray(Q, dtype=float), np.asarray(targets, dtype=float)
    beta, gaps = np.empty((len(Cs), *targets.shape)), np.empty((len(Cs), targets.shape[1]))
    for k, y in enumerate(targets.T):
        signed, b, last = np.ascontiguousarray(Q * np.outer(y, y)), np.zeros(len(y)), np.inf
        for c, C in enumerate(Cs):
            # what stood at the bound starts at the new bound: the face is nearly the same
            start, ones = np.where(b >= last, C, b), np.ones(len(y))
            solution = minimise_in_box(signed, ones, C, start, tol, tol_inside=tol * max(C / Cs[-1], INSIDE))
            b, last = solution.b, C
            beta[c, :, k], gaps[c, k] = b * y, solution.gap
    return beta, gaps


def _interior_point(Q, p, C, tol, tol_inside):
    """Mehrotra's predictor and corrector in x = b / C: the best b it met, and the number of its steps.

    With u = 1 - x, multipliers z of x >= 0 and v of u >= 0 and the gradient g = Q x - p / C, every iterate keeps
    z - v = g, so that x'z + u'v is the distance between the two objectives. A step costs a Cholesky factor of
    Q + diag(z / x + v / u), which is positive definite for any Q of this problem.
    """
    x, u = np.full(len(p), 0.5), np.full(len(p), 0.5)
    gradient = Q @ x - p / C
    apart = max(float(np.abs(gradient).mean()), np.finfo(float).tiny)
    z, v = np.maximum(gradient, 0.0) + apart, np.maximum(-gradient, 0.0) + apart
    best, lowest = C * x, np.inf
    for step in range(1, INTERIOR_STEPS + 1):
        system = Q.copy()
        system.flat[:: len(p) + 1] += z / x + v / u
        factor = _cholesky(system)
        if factor is None:
            return best, step
        to_x, to_u = 0.0, 0.0  # where the products x z and u v are to go, beyond zero
        for corrected in (False, True):
            dx = lapack.dpotrs(factor, to_x - to_u - gradient, lower=1)[0]
            dz, dv = to_x - z - z / x * dx, to_u - v + v / u * dx
            length = _longest(x, dx, u, -dx, z, dz, v, dv)
            if not corrected:
                now = x @ z + u @ v
                length = min(length, 1.0)
                then = (x + length * dx) @ (z + length * dz) + (u - length * dx) @ (v + length * dv)
                centre = (then / now) ** 3 * now / (2 * len(p))
                to_x, to_u = (centre - dx * dz) / x, (centre + dx * dv) / u
        length = min(1.0, TO_BOUNDARY * length)
        x, u, z, v = x + length * dx, u - length * dx, z + length * dz, v + length * dv
        if not (np.isfinite(x).all() and min(x.min(), u.min(), z.min(), v.min()) > 0.0):
            return best, step
        gradient = Q @ x - p / C
        gap = box_gap(C * x, C * gradient, p, C)
        if gap < lowest:
            best, lowest = C * x, gap
        elif lowest <= tol:  # rounding has the last word on tol_inside
            break
        if gap <= (tol if x.max() > 0.5 else tol_inside):
            break
    # a coordinate that its multiplier outweighs belongs at its bound, if the certificate agrees
    curvature = np.diag(Q)
    sharp = C * np.where(curvature * x < z, 0.0, np.where(curvature * u < v, 1.0, x))
    return sharp if box_gap(sharp, Q @ sharp - p, p, C) <= tol else best, step


def _cholesky(system):
    """Lower factor, or None where rounding has left none; ``system`` is used up."""
    # The transpose of a C-ordered array is a Fortran-ordered view: LAPACK works in place.
    factor, failed = lapack.dpotrf(system.T, lower=1, overwrite_a=1)
    return None if failed else factor


def _longest(*pairs) -> float:
    """Largest step for which every vector of the pairs (vector, change) stays positive; infinite if any does."""
    rates = [(change / vector).min() for vector, change in zip(pairs[::2], pairs[1::2], strict=True)]
    return -1.0 / min(rates) if min(rates) < 0.0 else np.inf


@njit(cache=True, nogil=True)
def _descend(Q, b, gradient, C, max_iter):
    """Exact steps along the coordinate of largest gain; ``b`` and ``gradient`` change in place."""
    n = b.shape[0]
    for step in range(max_iter):
        best, gain, move = -1, 0.0, 0.0
        for i in range(n):
            curvature = max(Q[i, i], 1e-300)
            length = min(max(b[i] - gradient[i] / curvature, 0.0), C) - b[i]
            decrease = -length * (gradient[i] + 0.5 * curvature * length)
            if decrease > gain:
                best, gain, move = i, decrease, length
        if best < 0:
            return step
        value = b[best] + move
        b[best] = 0.0 if value < 1e-15 * C else (C if value > C * (1.0 - 1e-15) else value)
        for i in range(n):
            gradient[i] += move * Q[best, i]
    return max_iter


@njit(cache=True, nogil=True)
def _newton(Q, b, gradient, C, max_iter):
    """Newton steps on the free coordinates until one ends inside the box; ``b`` and ``gradient`` change in place.

    A step that would leave the box is projected into it and shortened until it descends, so that many coordinates may
    meet a bound (and leave the free set) at once.
    """
    n = b.shape[0]
    for iteration in range(max_iter):
        free = np.flatnonzero((b > 0.0) & (b < C))
        if len(free) == 0:
            return iteration
        block = Q[free][:, free]
        system = block.copy()
        # Q may have lower rank than the face: a ridge below rounding of its trace keeps the step finite.
        ridge = 1e-14 * np.trace(block) + 1e-300
        for i in range(len(free)):
            system[i, i] += ridge
        here, slope = b[free], gradient[free]
        direction = np.linalg.solve(system, -slope)
        steepness = np.dot(direction, slope)
        if not steepness < 0.0:  # optimal on the face, or not a number
            return iteration
        first, hit = _first_bound(here, direction, C)
        there = here + direction
        if hit >= 0:
            there = _projected(block, here, slope, direction, first, hit, steepness, C)
        for i in range(len(free)):
            change = there[i] - here[i]
            if change != 0.0:
                b[free[i]] = there[i]
                for k in range(n):
                    gradient[k] += change * Q[free[i], k]
        if hit < 0:
            return iteration + 1
    return max_iter


@njit(cache=True, nogil=True)
def _first_bound(here, direction, C):
    """Step length at which the first coordinate meets a bound, and which; (1, -1) when a full step stays inside."""
    first, hit = 1.0, -1
    for i in range(len(here)):
        room = np.inf
        if direction[i] > 0.0:
            room = (C - here[i]) / direction[i]
        elif direction[i] < 0.0:
            room = -here[i] / direction[i]
        if room < first:
            first, hit = room, i
    return first, hit


@njit(cache=True, nogil=True)
def _projected(block, here, slope, direction, first, hit, steepness, C):
    """Best of the step to the first bound and projected steps of length 1, 1/2, 1/4 ... down to that."""
    best = here + first * direction
    best[hit] = C if direction[hit] > 0.0 else 0.0  # exactly, so that it leaves the free set
    lowest = first * steepness * (1.0 - 0.5 * first)
    length = 1.0
    while length > first:
        there = np.minimum(np.maximum(here + length * direction, 0.0), C)
        change = there - here
        value = np.dot(change, slope) + 0.5 * np.dot(change, np.dot(block, change))
        if value < lowest:
            return there
        length *= 0.5
    return best
