"""Squared-hinge machines in the primal (Melacci and Belkin 2011): Newton, and conjugate gradient with early stopping.

With ridge = gamma_A l and smoothness = gamma_I l / n^2 both minimise l/2 times belkin2006's objective with squared
hinge,

    1/2 [ sum_i max(0, 1 - y_i (f_i + b))^2 + ridge alpha'K alpha + smoothness f'Lf ],      f = K alpha.

The bias b is optional and stays out of f'Lf. (For L = D - W that makes no difference; for a normalised Laplacian the
authors' own code refuses a bias.)
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from mr.solvers.rls import inverse_rls

FULL_STEPS = 25
"""Newton steps without a line search from a warm start."""
KEPT_FACTORS = 8
"""Cholesky factors that the columns of one problem share."""
SOUND_RIDGE = 1e-7
"""Ridge, as a share of the trace of K, from which the inverse of K + ridge I keeps nine digits."""


@dataclass(frozen=True)
class PrimalSolution:
    """Solutions of several machines, one per column."""

    coefficients: np.ndarray
    intercepts: np.ndarray
    n_iter: np.ndarray
    gradient_norms: np.ndarray
    """RKHS norm of the final gradient (and bias derivative), relative to that at zero."""
    stop_reasons: list
    """"optimal" (no error vector changed), "gradient", "stability" or "max_iter", for each column."""
    lossy: np.ndarray | None = None
    """Which labelled points have loss (l x k): the start of a neighbouring problem. Newton's method only."""
    values: np.ndarray | None = None
    """Decision values at the rows of K (l x k). Newton's method only."""


def exact_step(f, direction, y, slope, curvature) -> float:
    """argmin over t >= 0 of slope t + 1/2 curvature t^2 + 1/2 sum max(0, 1 - y_i (f_i + t direction_i))^2.

    The derivative is piecewise linear and increasing; its pieces change where a point enters or leaves the loss.
    """
    residual = f - y
    margin, change = 1.0 - y * f, -y * direction
    active = (margin > 0) | ((margin == 0) & (change > 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = -margin / change
    crosses = np.flatnonzero((change != 0) & (crossing > 0) & np.isfinite(crossing))
    order = crosses[np.argsort(crossing[crosses], kind="stable")]
    toggles = np.where(change[order] > 0, 1.0, -1.0)
    at_zero = slope + residual[active] @ direction[active]
    growth = curvature + direction[active] @ direction[active]
    level = at_zero + np.concatenate([[0.0], np.cumsum(toggles * residual[order] * direction[order])])
    steepness = growth + np.concatenate([[0.0], np.cumsum(toggles * direction[order] ** 2)])
    # Derivative at the right end of each piece; the minimum is on the first piece where it is not negative.
    ends = level[:-1] + steepness[:-1] * crossing[order]
    piece = int(np.argmax(ends >= 0)) if (ends >= 0).any() else len(order)
    if steepness[piece] <= 0:
        return 0.0
    return max(0.0, -level[piece] / steepness[piece])


def solve_newton(K, targets, ridge, fit_intercept=False, max_iter=100, lossy=None) -> PrimalSolution:
    """Newton's method on a (deformed) labelled Gram matrix K, l x l.

    On the labelled block of K~ = K (I + r L K)^-1 this is Melacci and Belkin's Newton method for the whole problem: by
    the representer theorem its iterates have alpha = (I + r L K)^-1 J'beta, so that the n x n system is factorised once
    and a step is a system in the points with loss only. A step that lands on another set of such points is shortened by
    exact line search; one that lands on its own set is the optimum.

    ``lossy`` (l x k) is a guess of the points with loss, the warm start: that set fixes the solution, and it changes
    little from one ridge to the next and when a fold is left out, so two or three full steps from a neighbour's set end
    at the optimum. Where they do not, the method begins at zero.
    """
    return newton_in(Regularised(K, ridge), targets, fit_intercept, max_iter, lossy)


def newton_in(system, targets, fit_intercept=False, max_iter=100, lossy=None, held=None) -> PrimalSolution:
    """The same in a :class:`Regularised` system, which the folds of one labelled set share.

    The labels of the rows ``held`` (a mask, l) take no part: their coefficients are 0, and ``values`` of the solution
    are what the machine of the other labels gives there.
    """
    k, free = targets.shape[1], np.ones(len(targets), dtype=bool) if held is None else ~held
    guesses = [None] * k if lossy is None else np.ascontiguousarray((lossy & free[:, None]).T)
    columns = []
    for y, guess in zip(np.ascontiguousarray(targets.T, dtype=float), guesses, strict=True):
        found = None if guess is None else _full_steps(system, y, fit_intercept, guess, free)
        columns.append(found or _damped_steps(system, y, fit_intercept, max_iter, free))
    beta, intercepts, values, masks, n_iter, norms, reasons = zip(*columns, strict=True)
    return PrimalSolution(
        np.column_stack(beta), np.array(intercepts), np.array(n_iter), np.array(norms), list(reasons),
        np.column_stack(masks), np.column_stack(values),
    )  # fmt: skip


def _full_steps(system, y, fit_intercept, active, free):
    """From set to set without a line search until one reproduces itself; None if that does not happen.

    Full steps may cycle, though it was never seen. An empty guess has nothing to begin with.
    """
    if not active.any():
        return None
    for iteration in range(1, FULL_STEPS + 1):
        beta, b, f = system.ridge_solution(y, active, fit_intercept)
        reached = (y * (f + b) < 1) & free
        if (reached == active).all():
            return _finished(system, y, fit_intercept, beta, b, f, free, iteration, "optimal")
        if not reached.any():
            return None
        active = reached
    return None


def _damped_steps(system, y, fit_intercept, max_iter, free):
    ridge = system.ridge
    beta, b = np.zeros(len(y)), 0.0
    f = np.zeros(len(y))
    # At f = 0 every labelled point has loss.
    active = free
    reason, iteration = "max_iter", 0
    while iteration < max_iter:
        iteration += 1
        target, target_b, target_f = system.ridge_solution(y, active, fit_intercept)
        reached = (y * (target_f + target_b) < 1) & free
        if (reached == active).all():
            beta, b, f, reason = target, target_b, target_f, "optimal"
            break
        step, step_b, step_f = target - beta, target_b - b, target_f - f
        slope, curvature = ridge * (beta @ step_f), ridge * (step @ step_f)
        t = exact_step((f + b)[free], (step_f + step_b)[free], y[free], slope, curvature)
        beta, b, f = beta + t * step, b + t * step_b, f + t * step_f
        new = (y * (f + b) < 1) & free
        if t == 0 or not new.any():
            break
        active = new
    return _finished(system, y, fit_intercept, beta, b, f, free, iteration, reason)


class Regularised:
    """K + ridge I, and least squares in any subset of its rows.

    A subset A costs a Cholesky factor of its block, which machines of several classes often share. Where A holds most
    rows, the inverse M = (K + ridge I)^-1 of the whole is cheaper, once more than one subset is asked for: with B the
    other rows,

        beta = M y - M_B v,    M_BB v = (M y)_B,    beta_B = 0,    f_A = y_A - ridge beta_A,    f_B = y_B - v.
    """

    def __init__(self, gram, ridge):
        self.gram, self.ridge = np.ascontiguousarray(gram), ridge
        self._factors, self._products, self._large = {}, {}, 0
        self._sound = ridge >= SOUND_RIDGE * np.trace(self.gram)

    @cached_property
    def inverse(self) -> np.ndarray:
        return inverse_rls(self.gram, self.ridge)

    def ridge_solution(self, y, active, fit_intercept):
        """beta, b and K beta of the least squares problem in the points with loss."""
        rows = np.flatnonzero(active)
        if self._sound and 2 * len(rows) > len(y) and rows.tobytes() not in self._factors:
            self._large += 1
            if self._large > 1:
                return self._by_the_others(y, np.flatnonzero(~active), fit_intercept)
        right = np.column_stack([y[rows], np.ones(len(rows))]) if fit_intercept else y[rows]
        solved = self._solve(rows, right)
        b = 0.0
        if fit_intercept:  # 1'beta = 0 is the optimality condition of the bias
            b = float(solved[:, 0].sum() / solved[:, 1].sum())
            solved = solved[:, 0] - b * solved[:, 1]
        beta = np.zeros(len(y))
        beta[rows] = solved
        return beta, b, solved @ self.gram[rows]

    def _by_the_others(self, y, others, fit_intercept):
        """The same from the inverse of the whole, by a system in the points without loss."""
        solved = self._inverse_times(y, fit_intercept)
        part = np.zeros((len(others), solved.shape[1]))
        if len(others):
            columns = self.inverse[others]
            factor, _ = lapack.dpotrf(columns.take(others, axis=1).T, lower=1, overwrite_a=1)
            part = lapack.dpotrs(factor, solved[others], lower=1)[0]
            solved = solved - columns.T @ part
            solved[others] = 0.0
        b = 0.0
        if fit_intercept:
            b = float(solved[:, 0].sum() / solved[:, 1].sum())
            solved, part = solved[:, :1] - b * solved[:, 1:], part[:, :1] - b * part[:, 1:]
        beta = solved[:, 0]
        f = y - b - self.ridge * beta
        f[others] -= part[:, 0]
        return beta, b, f

    def _inverse_times(self, y, fit_intercept):
        """M y, beside it M 1 for the bias; all folds of a class share them."""
        key = y.tobytes()
        if key not in self._products:
            right = np.column_stack([y, np.ones(len(y))]) if fit_intercept else y[:, None]
            self._products[key] = self.inverse @ right
        return self._products[key]

    def _solve(self, rows, right):
        key = rows.tobytes()
        if key not in self._factors:
            if len(self._factors) >= KEPT_FACTORS:
                self._factors.clear()
            # The transpose of a C-ordered array is a Fortran-ordered view: LAPACK works in place.
            self._factors[key] = lapack.dpotrf(self._block(rows).T, lower=1, overwrite_a=1)
        factor, failed = self._factors[key]
        if failed:
            return linalg.lstsq(self._block(rows), right)[0]
        return lapack.dpotrs(factor, right, lower=1)[0]

    def _block(self, rows):
        system = self.gram.take(rows, axis=0).take(rows, axis=1).astype(float, copy=False)
        system.flat[:: len(rows) + 1] += self.ridge
        return system


def _finished(system, y, fit_intercept, beta, b, f, free, n_iter, reason):
    """One column of a solution; its gradient's norm is relative to that at zero."""
    K, lossy = system.gram, (y * (f + b) < 1) & free
    loss = np.where(lossy, f + b - y, 0.0)
    gradient = system.ridge * beta + loss
    bias = loss.sum() if fit_intercept else 0.0
    seen = np.where(free, y, 0.0)
    start = np.sqrt(seen @ K @ seen + (seen.sum() ** 2 if fit_intercept else 0.0))
    norm = float(np.sqrt(max(gradient @ K @ gradient, 0.0) + bias**2) / max(start, np.finfo(float).tiny))
    # labels of one class are met by the bias alone: no point has loss, and no step reproduces an empty set
    return beta, b, f + b, lossy, n_iter, norm, "optimal" if norm == 0.0 else reason


def solve_pcg(
    K, graph, rows, targets, ridge, smoothness, fit_intercept=False, stop="stability", tol=1e-8,
    stability_tol=0.015, check_every=None, max_iter=1000,
) -> PrimalSolution:  # fmt: skip
    """Conjugate gradient on (alpha, b), preconditioned by K: O(n^2) an iteration, all columns in one product.

    Preconditioning costs nothing: the preconditioned gradient K^-1 grad = ridge alpha + smoothness L f + (f - y on
    points with loss) is computed first, and one product with K gives grad itself. Directions are Polak-Ribiere's with
    restarts, steps exact.

    stop="stability": every ``check_every`` iterations (default round(sqrt(n) / 2)) compare the decisions on unlabelled
    points with those at the last check; stop when less than ``stability_tol`` of them changed. stop="gradient": only
    when the gradient's RKHS norm is below ``tol`` times its first value (which ends both).
    """
    n, k = len(K), targets.shape[1]
    check_every = max(1, round(np.sqrt(n) / 2)) if check_every is None else check_every
    state = _State(K, graph, rows, targets, ridge, smoothness, fit_intercept)
    unlabelled = np.setdiff1d(np.arange(n), rows)
    watched = unlabelled if len(unlabelled) else np.arange(n)
    alpha, intercepts = np.zeros((n, k)), np.zeros(k)
    norms, reasons, n_iter = np.zeros(k), ["max_iter"] * k, np.full(k, max_iter)
    live = np.arange(k)
    decisions = None
    for iteration in range(1, max_iter + 1):
        moved = state.step()
        finished = {c: "gradient" for c in np.flatnonzero(~moved | (state.relative_norm() <= tol))}
        if stop == "stability" and iteration % check_every == 0:
            now = state.f[watched] + state.b > 0
            if decisions is not None:
                changed = (now != decisions).mean(axis=0)
                finished |= {c: "stability" for c in np.flatnonzero(changed < stability_tol) if c not in finished}
            decisions = now
        if not finished and iteration < max_iter:
            continue
        last = range(len(live)) if iteration == max_iter else finished
        for c in last:
            column = live[c]
            alpha[:, column], intercepts[column] = state.alpha[:, c], state.b[c]
            norms[column] = state.relative_norm()[c]
            n_iter[column], reasons[column] = iteration, finished.get(c, "max_iter")
        keep = np.setdiff1d(np.arange(len(live)), list(last))
        if len(keep) == 0:
            break
        live, decisions = live[keep], None if decisions is None else decisions[:, keep]
        state.keep(keep)
    return PrimalSolution(alpha, intercepts, n_iter, norms, reasons)


class _State:
    """Iterates of all unfinished columns: alpha, f = K alpha, smoothness L f, and the same for the direction."""

    COLUMNS = ("alpha", "f", "Lf", "gradient", "K_gradient", "direction", "K_direction", "y")
    VALUES = ("b", "gradient_b", "direction_b", "norm2", "first_norm2")

    def __init__(self, K, graph, rows, targets, ridge, smoothness, fit_intercept):
        n, k = len(K), targets.shape[1]
        self.K, self.graph, self.rows = K, graph, rows
        self.ridge, self.smoothness, self.fit_intercept = ridge, smoothness, fit_intercept
        self.y = targets.astype(float)
        self.alpha, self.f, self.Lf = np.zeros((n, k)), np.zeros((n, k)), np.zeros((n, k))
        self.b = np.zeros(k)
        self._differentiate()
        self.first_norm2 = np.maximum(self.norm2, np.finfo(float).tiny)
        self.direction, self.K_direction, self.direction_b = -self.gradient, -self.K_gradient, -self.gradient_b

    def _differentiate(self):
        loss = self.f[self.rows] + self.b - self.y
        loss[self.y * (self.f[self.rows] + self.b) >= 1] = 0.0
        self.gradient = self.ridge * self.alpha + self.Lf
        self.gradient[self.rows] += loss
        self.gradient_b = loss.sum(axis=0) if self.fit_intercept else np.zeros(len(self.b))
        self.K_gradient = self.K @ self.gradient
        self.norm2 = np.maximum((self.gradient * self.K_gradient).sum(axis=0), 0.0) + self.gradient_b**2

    def relative_norm(self):
        return np.sqrt(self.norm2 / self.first_norm2)

    def step(self):
        """One iteration; False for columns where no step along the direction lowers the objective."""
        L_direction = self.smoothness * self.graph.apply(self.K_direction) if self.smoothness else 0.0 * self.Lf
        slope = self.ridge * (self.direction * self.f).sum(axis=0) + (self.K_direction * self.Lf).sum(axis=0)
        curvature = self.ridge * (self.direction * self.K_direction).sum(axis=0)
        curvature += (self.K_direction * L_direction).sum(axis=0)
        f, d = self.f[self.rows] + self.b, self.K_direction[self.rows] + self.direction_b
        t = np.array([exact_step(f[:, c], d[:, c], self.y[:, c], slope[c], curvature[c]) for c in range(f.shape[1])])
        self.alpha += t * self.direction
        self.f += t * self.K_direction
        self.Lf += t * L_direction
        self.b = self.b + t * self.direction_b
        old, old_b, old_norm2 = self.gradient, self.gradient_b, self.norm2
        self._differentiate()
        change = (self.K_gradient * (self.gradient - old)).sum(axis=0) + self.gradient_b * (self.gradient_b - old_b)
        mix = np.maximum(0.0, change / np.maximum(old_norm2, np.finfo(float).tiny))
        self.direction = mix * self.direction - self.gradient
        self.K_direction = mix * self.K_direction - self.K_gradient
        self.direction_b = mix * self.direction_b - self.gradient_b
        return t > 0

    def keep(self, columns):
        for name in self.COLUMNS:
            setattr(self, name, getattr(self, name)[:, columns])
        for name in self.VALUES:
            setattr(self, name, getattr(self, name)[columns])
