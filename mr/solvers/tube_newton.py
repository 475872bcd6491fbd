"""The sparsified Laplacian SVM in the primal, to rounding: semismooth Newton on :mod:`mr.solvers.enclosing_ball`.

With K = R R' a function is f = R w + b, and every constraint k of the ball problem has an excess that is linear in
(w, b, t): e = 1 - t - y_i f_i for labels (of regression, d - t - s f_i), e = -t -+ f_e for both signs of an edge. Half
the objective of :class:`mr.SLapCVM` is then

    P(w, b, t) = 1/2 (||w||^2 + b^2) + C t + 1/2 sum_k cost_k max(0, e_k)^2,        cost_k = 1 / ridge_k,

convex and piecewise quadratic. A Newton step minimises the piece at hand (the constraints with e_k > 0, the *active*
ones); an exact line search (:func:`mr.solvers.squared_hinge.exact_step`) makes it a descent; a full step that keeps its
piece is the optimum. The first piece has every constraint active: least squares, the solution as long as t < 0 and all
labels have loss, and common to all classes.

A piece's system is A = I + sum_j weight_j v_j v_j' over the labels and edges j, with v_j their rows of R. Neighbouring
pieces, also those of the next class, differ in few weights, so A^-1 follows from a factorised neighbour by a system in
the changed ones (Woodbury); with few active constraints that neighbour is the identity. Conjugate gradient removes what
rounding leaves, and where too many weights changed it tries the neighbour as it is. Only then A itself is factorised.

The dual point a_k = cost_k e_k / C of the solution gives its sparse expansion, and the certificate that core sets have:
radius, achieved epsilon and duality gap.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from mr.solvers.core_set import BallSolution
from mr.solvers.enclosing_ball import best_tube, certify
from mr.solvers.squared_hinge import exact_step

CHANGED = 4
"""Woodbury's formula is used while at most one weight per CHANGED directions of R has changed."""
CG_STEPS, CG_TOL = 30, 1e-11
"""Steps before a new factorisation, and their relative residual."""
NEGLIGIBLE = 1e-12
"""Weights of the dual point below this share of the mean one are rounding."""


@dataclass(frozen=True)
class NewtonSolution(BallSolution):
    """A ball's solution found in the primal; its core are the active constraints."""

    coordinates: np.ndarray | None = None
    """w of f = R w + bias."""
    gradient_norm: float = 0.0
    """Norm of P's gradient relative to that at zero."""
    converged: bool = True


class TubeNewton:
    """Newton's method for several classes that share kernel, edges and costs; factorisations are kept between them.

    Parameters
    ----------
    factor : array (n, r)
        R with K = R R'.
    max_iter : int, default=100
        Newton steps of a class.
    tol : float, default=1e-10
        A step that promises to lower the objective by less than this share of it is the last.
    """

    def __init__(self, factor, max_iter=100, tol=1e-10):
        self.features = np.column_stack([factor, np.ones(len(factor))])
        self.max_iter, self.tol = max_iter, tol
        self.factorised = None

    def solve(self, problem) -> NewtonSolution:
        """Solution of one :class:`mr.solvers.enclosing_ball.BallProblem`."""
        piece = _Constraints(problem)
        w, t, f = np.zeros(self.features.shape[1]), 0.0, np.zeros(len(self.features))
        excess, active = piece.excess(f, t), np.ones(problem.size, dtype=bool)
        first = self._gradient_norm(piece, w, excess)
        settled, iteration = False, 0
        while iteration < self.max_iter and not settled:
            iteration += 1
            step, step_t, gain = self._step(piece, w, excess, active)
            f_step = self.features @ step
            length = piece.best_length(w, excess, step, step_t, f_step)
            w, t, f = w + length * step, t + length * step_t, f + length * f_step
            excess = piece.excess(f, t)
            if not (excess > 0).any():  # without any loss a smaller tube is better
                t = best_tube(problem, problem.y * f[problem.rows], np.abs(problem.edges.differences(f)), t)
                excess = piece.excess(f, t)
            same = abs(length - 1.0) < 1e-9 and ((excess > 0) == active).all()
            # no length lowers the objective: rounding, which the certificate measures
            settled = same or length == 0.0 or not gain > self.tol * abs(piece.objective(w, t, excess))
            active = excess > 0
        norm = self._gradient_norm(piece, w, excess) / max(first, np.finfo(float).tiny)
        return self._finish(problem, piece, excess, iteration, norm, settled)

    def _gradient(self, piece, w, force):
        return w - self.features.T @ (piece.rows.T @ force), piece.problem.C - force.sum()

    def _gradient_norm(self, piece, w, excess) -> float:
        gradient, gradient_t = self._gradient(piece, w, piece.cost * np.maximum(excess, 0.0))
        return float(np.sqrt(gradient @ gradient + gradient_t**2))

    def _step(self, piece, w, excess, active):
        """Newton step to the minimum of the piece ``active``, and twice what it promises to gain.

        The tube t is the last unknown: a border around the system of (w, b).
        """
        cost = np.where(active, piece.cost, 0.0)
        gradient, gradient_t = self._gradient(piece, w, cost * excess)
        border = self.features.T @ (piece.rows.T @ cost)
        solved = self._invert(piece, cost, np.column_stack([gradient, border]))
        schur = max(float(cost.sum() - border @ solved[:, 1]), np.finfo(float).tiny)
        step_t = -(gradient_t - border @ solved[:, 0]) / schur
        step = -solved[:, 0] - step_t * solved[:, 1]
        return step, step_t, -float(gradient @ step + gradient_t * step_t)

    def _invert(self, piece, cost, right):
        """A^-1 right on the piece with these costs."""
        weights = piece.weights(cost)
        S = piece.functionals.T @ (sparse.diags_array(weights) @ piece.functionals)

        def multiply(x):
            return x + self.features.T @ (S @ (self.features @ x))

        system = self._neighbour(weights)
        if system is not None:
            inverse = system.updated(self.features, piece.functionals, weights)
        else:
            inverse = self.factorised.solve if self._within_reach(weights) else None
        if inverse is not None:
            solved, met = conjugate_gradient(multiply, right, inverse, CG_STEPS, CG_TOL)
            if met or system is not None:
                return solved
        self.factorised = _Factorised(self.features, weights, S)
        return conjugate_gradient(multiply, right, self.factorised.solve, CG_STEPS, CG_TOL)[0]

    def _neighbour(self, weights):
        """A system with a known inverse that differs in few weights, or None."""
        directions = self.features.shape[1]
        if np.count_nonzero(weights) <= directions // 2:
            return _System()
        if self.factorised is not None and self.factorised.n_changed(weights) <= directions // CHANGED:
            return self.factorised
        return None

    def _within_reach(self, weights) -> bool:
        """Whether few constraints came or went: an edge with one sign more or less doubles or halves its weight, which
        conjugate gradient takes in its stride."""
        if self.factorised is None:
            return False
        return np.count_nonzero((weights > 0) != (self.factorised.weights > 0)) <= CG_STEPS

    def _finish(self, problem, piece, excess, n_iter, gradient_norm, converged):
        force = piece.cost * np.maximum(excess, 0.0)
        ids = np.flatnonzero(force > NEGLIGIBLE * force.mean())
        a = force[ids] / force[ids].sum()
        points, coefficients, bias = problem.expansion(ids, a)
        w = self.features[points, :-1].T @ coefficients
        values = self.features[:, :-1] @ w + bias
        norm = float(w @ w + bias**2) / problem.C**2 + float(problem.ridge(ids) @ (a * a))
        linear = float(problem.linear(ids) @ a)
        square = problem.eta + linear - norm
        certificate = certify(problem, ids, a, norm, square, norm - 0.5 * linear, values)
        return NewtonSolution(
            points, coefficients, bias, values, len(ids), len(ids), n_iter, n_passes=n_iter,
            radius=float(np.sqrt(square)), coordinates=w, gradient_norm=gradient_norm, converged=bool(converged),
            **certificate,
        )  # fmt: skip


class _Constraints:
    """Excesses of all constraints, in the order of a ball problem's ids, and their costs."""

    def __init__(self, problem):
        self.problem = problem
        n, m = problem.X.shape[0], problem.m
        labels = sparse.csr_array((problem.y, (np.arange(m), problem.rows)), shape=(m, n))
        edges = problem.edges.matrix(n)
        self.rows = sparse.vstack([labels, edges, -edges], format="csr")
        self.functionals = sparse.vstack([labels, edges], format="csr")
        self.cost = 1.0 / problem.ridge(np.arange(problem.size))
        self.demands = problem.demands(np.arange(problem.size))

    def excess(self, f, t):
        return self.change(f, t) + self.demands

    def change(self, f, t):
        return -t - self.rows @ f

    def best_length(self, w, excess, step, step_t, f_step) -> float:
        """Length of the step at which P is least."""
        roots = np.sqrt(self.cost)
        slope, curvature = w @ step + self.problem.C * step_t, step @ step
        # a loss c e^2 is the squared hinge of a value 1 - sqrt(c) e with target 1
        margins, change = 1.0 - roots * excess, -roots * self.change(f_step, step_t)
        return exact_step(margins, change, np.ones(len(margins)), slope, curvature)

    def weights(self, cost):
        """Costs of labels and of edges, where both signs of an edge add up: they see the same direction."""
        m, E = self.problem.m, self.problem.n_edges
        return np.concatenate([cost[:m], cost[m : m + E] + cost[m + E :]])

    def objective(self, w, t, excess) -> float:
        loss = np.maximum(excess, 0.0)
        return float(w @ w + 2.0 * self.problem.C * t + self.cost @ (loss * loss))


class _System:
    """A system of given weights whose inverse is at hand; here without any constraint, the identity."""

    weights = 0.0

    def solve(self, right):
        return right

    def n_changed(self, weights) -> int:
        return int(np.count_nonzero(weights != self.weights))

    def updated(self, features, functionals, weights):
        """A function that applies the inverse of the system with other weights.

        (B + V'DV)^-1 = B^-1 - B^-1 V' (D^-1 + V B^-1 V')^-1 V B^-1, with D the changes of the weights.
        """
        change = weights - self.weights
        used = np.flatnonzero(change)
        if len(used) == 0:
            return self.solve
        V = functionals[used] @ features
        solved = self.solve(V.T)
        system = V @ solved
        system.flat[:: len(used) + 1] += 1.0 / change[used]
        small = linalg.lu_factor(system, overwrite_a=True, check_finite=False)

        def apply(right):
            x = self.solve(right)
            return x - solved @ linalg.lu_solve(small, V @ x, check_finite=False)

        return apply


class _Factorised(_System):
    """The system with given weights, by Cholesky."""

    def __init__(self, features, weights, S):
        self.weights = weights
        system = features.T @ (S @ features)
        system.flat[:: len(system) + 1] += 1.0
        self.factor = linalg.cho_factor(system, overwrite_a=True, check_finite=False)

    def solve(self, right):
        return linalg.cho_solve(self.factor, right, check_finite=False)


def conjugate_gradient(multiply, right, preconditioner, max_iter, tol):
    """Solutions of a positive definite system, one for each column of ``right``, and whether all met ``tol``."""
    x = preconditioner(right)
    residual = right - multiply(x)
    scale = np.maximum(np.linalg.norm(right, axis=0), np.finfo(float).tiny)
    direction, inner = np.zeros_like(right), None
    for _ in range(max_iter):
        if (np.linalg.norm(residual, axis=0) <= tol * scale).all():
            return x, True
        z = preconditioner(residual)
        previous, inner = inner, np.maximum((residual * z).sum(axis=0), np.finfo(float).tiny)
        direction = z if previous is None else z + direction * (inner / previous)
        product = multiply(direction)
        length = inner / np.maximum((direction * product).sum(axis=0), np.finfo(float).tiny)
        x, residual = x + length * direction, residual - length * product
    return x, bool((np.linalg.norm(residual, axis=0) <= tol * scale).all())
