"""The l1-penalised kernel regressor on a low-rank kernel (zhang2015, equation 31).

    min over a of ||y_l - K_l a||^2 + lambda1 (K a)'S(K a) + lambda2 ||a||_1,        K = F F' of rank r.

With b = F'a the first two terms are ||c - P b||^2 + constant for P'P = F_l'F_l + lambda1 F'SF, P'c = F_l'y: a lasso
with the r x n design P F'. The paper brings the problem to lasso form in O(n^3) time and O(n^2) memory; through F it
is O(n r^2), O(n r).

The columns of the design are nearly collinear: coordinate descent over all of them takes thousands of passes. So an
active set with signs solves the problem on a working set exactly, and points that violate the optimality conditions
enter, until the duality gap over all points is small, or rounding lets nothing more be gained. The gap is returned: the
caller judges.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy import linalg

FIRST_ENTER = 10  # points that enter a working set at once; with many in the model, half as many as there are
MOST_STEPS = 500  # on one working set
PIVOTS = 200  # after which the inverse is computed anew
STUCK = 20  # steps on one working set that rounding may spoil
ROUNDING = 1e-13  # relative change that counts as none
RIDGE = 1e-12  # holds the inverse where columns are collinear; no part of the objective
RANK_TOLERANCE = 1e-10  # directions below this share of the largest eigenvalue are left out: they cannot be computed


@dataclass(frozen=True)
class LassoForm:
    """min ||c - Z a||^2 + lambda2 ||a||_1, one column of ``c`` a function."""

    design: np.ndarray
    """Z = P F', r x n."""
    c: np.ndarray

    @property
    def lambda_max(self) -> float:
        """Smallest lambda2 at which every coefficient is zero."""
        return 2.0 * float(np.abs(self.design.T @ self.c).max())


def lasso_form(F, smoothness, rows, targets, lambda1) -> LassoForm:
    """The problem above for every column of ``targets``; ``smoothness`` is F'SF."""
    N = F[rows].T @ F[rows] + lambda1 * smoothness
    values, vectors = linalg.eigh(N)
    keep = values > RANK_TOLERANCE * values[-1]
    roots, vectors = np.sqrt(values[keep]), vectors[:, keep]
    return LassoForm((roots[:, None] * vectors.T) @ F.T, (vectors / roots).T @ (F[rows].T @ targets))


def solve_l1(form: LassoForm, lambda2s, tol=1e-4, max_iter=1000, start=None):
    """a (n x k x len(lambda2s)) along a decreasing sequence of lambda2; relative duality gaps and iterations (k x len).

    ``start`` (n x k) is where the first one begins. An iteration solves one working set.
    """
    points = np.ascontiguousarray(form.design.T)
    shape = form.c.shape[1], len(lambda2s)
    path, gaps, iterations = np.zeros((len(points), *shape)), np.zeros(shape), np.zeros(shape, dtype=int)
    for k, c in enumerate(form.c.T):
        a = np.zeros(len(points)) if start is None else start[:, k]
        for i, lambda2 in enumerate(lambda2s):
            a, gaps[k, i], iterations[k, i] = _solve(points, c, float(lambda2), a, tol, max_iter)
            path[:, k, i] = a
    return path, gaps, iterations


def _solve(points, c, lambda2, a, tol, max_iter):
    """One function at one lambda2, from a: coefficients, duality gap relative to ||c||^2, working sets solved."""
    half, n_solved, last = lambda2 / 2.0, 0, np.inf
    while True:
        support = np.flatnonzero(a)
        residual = c - a[support] @ points[support]
        slopes = points @ residual
        objective = float(residual @ residual) + lambda2 * float(np.abs(a[support]).sum())
        gap = _relative_gap(c, residual, objective, float(np.abs(slopes).max()), lambda2)
        if gap <= tol or n_solved == max_iter or objective >= last * (1.0 - ROUNDING):
            return a, gap, n_solved
        excess = np.abs(slopes) - half
        excess[support] = -np.inf
        n_enter = min(max(FIRST_ENTER, len(support) // 2), int((excess > 0.0).sum()))
        entering = np.argpartition(-excess, n_enter - 1)[:n_enter] if n_enter else support[:0]
        working = np.concatenate([support, entering])
        rows = points[working]
        solved = solve_working_set(rows @ rows.T, rows @ c, a[working], half, 0.1 * tol)
        a = np.zeros_like(a)
        a[working] = solved
        n_solved, last = n_solved + 1, objective


def _relative_gap(c, residual, objective, steepest, lambda2) -> float:
    """Primal minus dual value over ||c||^2.

    The residual, scaled until |Z'theta| <= lambda2 / 2, is feasible for the dual: max 2 c'theta - ||theta||^2.
    """
    tiny = np.finfo(float).tiny
    squares, along = float(residual @ residual), float(c @ residual)
    scale = min(0.5 * lambda2 / max(steepest, tiny), max(along, 0.0) / max(squares, tiny))
    dual = scale * (2.0 * along - scale * squares)
    return (objective - dual) / max(float(c @ c), tiny)


@njit(cache=True, nogil=True)
def solve_working_set(G, b, start, half, exact):
    """min 1/2 a'Ga - b'a + half ||a||_1 over the working set, by an active set with signs.

    A step solves for the active coefficients at their signs. Those that would change sign become zero together if that
    lowers the objective, else the step ends where the first of them does. At the optimum of the signs the worst
    violators of the conditions become active; only one of them if the last ones brought nothing. It ends when no
    condition is violated by more than the share ``exact`` of ``half``, or when rounding lets no step descend.
    """
    a, signs = start.copy(), np.sign(start)
    slopes = b - G @ a  # minus the gradient of the first two terms
    objective, at_entry = _objective(a, slopes, b, half), np.inf
    allowed = max(exact * half, ROUNDING * np.abs(b).max())
    table, n_pivots, n_stuck = _swept(G, signs), 0, 0
    for _ in range(MOST_STEPS):
        towards = np.where(signs == 0.0, 0.0, slopes - half * signs)
        if np.abs(towards).max() > allowed:
            new = _step(G, a, table, towards, slopes, signs, half)
            new_slopes = b - G @ new
            reached = _objective(new, new_slopes, b, half)
            noise = ROUNDING * (np.abs(new) @ (np.abs(b) + np.abs(new_slopes)))
            failed = not reached <= objective + noise
            if failed and n_pivots > 0:
                table, n_pivots = _swept(G, signs), 0
                continue
            changed = np.flatnonzero((signs != 0.0) & (new == 0.0))
            if failed or (len(changed) == 0 and reached >= objective - noise):
                towards[:] = 0.0  # nothing more to gain at these signs
                n_stuck += 1
            if failed and n_stuck > STUCK:
                break
            if not failed:
                a, slopes, objective = new, new_slopes, reached
                signs[changed] = 0.0
        if np.abs(towards).max() <= allowed:
            excess = np.where(signs == 0.0, np.abs(slopes) - half, 0.0)
            if excess.max() <= allowed:
                break
            brought = objective < at_entry - ROUNDING * abs(at_entry)
            n_enter = min(1 + np.count_nonzero(signs) // 4, len(a)) if brought else 1
            at_entry = objective
            bar = np.sort(excess)[len(a) - n_enter]
            changed = np.flatnonzero((excess >= bar) & (excess > allowed))[:n_enter]
            signs[changed] = np.sign(slopes[changed])
        n_pivots += len(changed)
        if n_pivots > PIVOTS:
            table, n_pivots = _swept(G, signs), 0
        else:
            for j in changed:
                _sweep(table, j)
    return a


@njit(cache=True, nogil=True)
def _objective(a, slopes, b, half):
    return half * np.abs(a).sum() - 0.5 * (a @ (slopes + b))


@njit(cache=True, nogil=True)
def _step(G, a, table, towards, slopes, signs, half):
    """Coefficients after a step."""
    full = np.where(signs == 0.0, 0.0, a + table @ towards)
    kept = full * signs >= 0.0
    if kept.all():
        return full
    clipped = np.where(kept, full, 0.0)
    change = clipped - a
    if change @ (slopes - 0.5 * (G @ change)) - half * (np.abs(clipped) - np.abs(a)).sum() > 0.0:
        return clipped
    shares = np.where(kept, 1.0, a / np.where(kept, 1.0, a - full))
    first = np.argmin(shares)
    aim = a + shares[first] * (full - a)
    aim[first] = 0.0
    return np.where(aim * signs > 0.0, aim, 0.0)


@njit(cache=True, nogil=True)
def _swept(G, signs):
    """The sweep tableau of G and a small ridge: the inverse of the active block, and what the others are without it.

    The ridge holds steps where columns are collinear. It is no part of the objective: a step that it shortens is
    followed by another.
    """
    active, others = np.flatnonzero(signs), np.flatnonzero(signs == 0.0)
    table = G.copy()
    for j in range(len(G)):
        table[j, j] += RIDGE * G[j, j]
    if len(active) == 0:
        return table
    inverse = np.linalg.inv(table[active][:, active])
    crossed = G[others][:, active]
    explained = crossed @ inverse
    rest = table[others][:, others] - explained @ crossed.T
    for i in range(len(active)):
        for j in range(len(active)):
            table[active[i], active[j]] = inverse[i, j]
    for i in range(len(others)):
        for j in range(len(active)):
            table[others[i], active[j]] = explained[i, j]
            table[active[j], others[i]] = -explained[i, j]
        for j in range(len(others)):
            table[others[i], others[j]] = rest[i, j]
    return table


@njit(cache=True, nogil=True)
def _sweep(table, k):
    """Principal pivot: coefficient k becomes active, or ceases to be."""
    pivot = table[k, k]
    row, column = table[k] / pivot, table[:, k].copy()
    for i in range(len(table)):
        if i != k:
            factor = column[i]
            for j in range(len(table)):
                table[i, j] -= factor * row[j]
    table[:, k] = column / pivot
    table[k] = -row
    table[k, k] = 1.0 / pivot
