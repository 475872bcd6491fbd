"""Preconditioned conjugate gradient with early stopping for the primal LapSVM (Melacci and Belkin 2011)."""

import numpy as np

from mr.solvers.primal_svm import PrimalSolution, exact_step


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
