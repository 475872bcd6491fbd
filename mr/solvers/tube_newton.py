"""The sparsified Laplacian SVM in the primal, to rounding: semismooth Newton on :mod:`mr.solvers.enclosing_ball`.

With K = R R' a function is f = R w + b, and every constraint k of the ball problem has an excess that is linear in
(w, b, t): e = 1 - t - y_i f_i for labels (of regression, d - t - s f_i), e = -t -+ f_e for both signs of an edge. Half
the objective of :class:`mr.SLapCVM` is then

    P(w, b, t) = 1/2 (||w||^2 + b^2) + C t + 1/2 sum_k cost_k max(0, e_k)^2,        cost_k = 1 / ridge_k,

convex and piecewise quadratic. A Newton step minimises the piece at hand (the constraints with e_k > 0, the *active*
ones); an exact line search (:func:`mr.solvers.squared_hinge.exact_step`) makes it a descent; a full step that keeps its
piece is the optimum. The first piece has every constraint active: least squares, the solution as long as t < 0 and all
labels have loss.

A piece's system is A = I + sum_j weight_j v_j v_j' over the labels and edges j, with v_j their rows of R. The classes
of one fit differ in the signs of their labels only, so all of them begin on the same piece. While t < 0 every edge is
active with one sign or both, and its weight falls by half at most. The edges of the first piece are then within a
factor of two of those of all others. Their system is factorised once, each class adds its few labels with loss
(Woodbury), and conjugate gradient with that as preconditioner solves the systems of all classes at once, as products
of matrices. Classes that leave its reach go on one by one: A^-1 follows from a factorised neighbour by a system in the
changed weights; with few active constraints that neighbour is the identity. Conjugate gradient removes what rounding
leaves. Only then A itself is factorised.

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
TOGETHER_BYTES = 2**27
"""Of an array with one entry per constraint and class: more classes are solved in groups."""
BLOCK = 512
"""Columns of a symmetric product that are made at once."""
TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class NewtonSolution(BallSolution):
    """A ball's solution found in the primal; its core are the active constraints."""

    coordinates: np.ndarray | None = None
    """w of f = R w + bias."""
    gradient_norm: float = 0.0
    """Norm of P's gradient relative to that at zero."""
    converged: bool = True


class TubeNewton:
    """Newton's method for several classes that share kernel, labelled points, edges and costs.

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
        self.common = self.factorised = None

    def solve(self, problems) -> list[NewtonSolution]:
        """Solutions of :class:`mr.solvers.enclosing_ball.BallProblem`, one per class."""
        size = max(TOGETHER_BYTES // (8 * problems[0].size), 1)
        groups = [problems[start : start + size] for start in range(0, len(problems), size)]
        return [solution for group in groups for solution in self._solve_group(group)]

    def _solve_group(self, problems):
        state = _Iterates(problems, self.features.shape)
        first = self._gradient_norms(state)
        apart = self._together(state)
        self.factorised = None if self.common is None else self.common.base
        for j in apart:
            while state.open[j]:
                self._step(state, np.array([j]), self._invert_alone)
        norms = self._gradient_norms(state) / np.maximum(first, TINY)
        return self._finish(problems, state, norms)

    def _together(self, state):
        """Steps of all classes within reach of the first piece; returns the classes that left it, in order."""
        if self.common is None:
            weights = state.constraints.weights(state.costs(np.array([0])))[:, 0]
            if np.count_nonzero(weights) <= self.features.shape[1] // 2:
                return np.arange(state.n_classes)
            self.common = _FirstPiece(self.features, state.constraints, weights)
        apart = np.zeros(state.n_classes, dtype=bool)
        while True:
            which = np.flatnonzero(state.open & ~apart & (state.iterations < self.max_iter))
            weights = state.constraints.weights(state.costs(which))
            near = self.common.within_reach(weights)
            apart[which[~near]] = True
            which = which[near]
            if not len(which):
                return np.flatnonzero(apart)
            apart[which[~self._step(state, which, self._invert_together)]] = True

    def _step(self, state, which, invert):
        """A Newton step to the minimum of its piece for each of some classes, and an exact line search.

        The tube t is the last unknown: a border around the system of (w, b). Returns for which classes ``invert`` found
        the step; the others stay where they are.
        """
        constraints, C = state.constraints, state.C
        cost = state.costs(which)
        force = cost * state.excess[:, which]
        pulled = self.features.T @ np.column_stack([constraints.pull(force, which), constraints.pull(cost, which)])
        pulled_force, border = np.hsplit(pulled, 2)
        gradient, gradient_t = state.w[:, which] - pulled_force, C - force.sum(axis=0)
        solved, met = invert(constraints, constraints.weights(cost), np.column_stack([gradient, border]))
        solved_gradient, solved_border = np.hsplit(solved, 2)
        schur = np.maximum(cost.sum(axis=0) - (border * solved_border).sum(axis=0), TINY)
        step_t = -(gradient_t - (border * solved_gradient).sum(axis=0)) / schur
        step = -solved_gradient - step_t * solved_border
        gain = -((gradient * step).sum(axis=0) + gradient_t * step_t)  # twice what the step promises
        values_step = self.features @ step
        for j in np.flatnonzero(met):
            state.move(which[j], step[:, j], step_t[j], values_step[:, j], gain[j], self.tol)
            if state.iterations[which[j]] >= self.max_iter:
                state.open[which[j]] = False
        return met

    def _gradient_norms(self, state):
        every = np.arange(state.n_classes)
        force = state.constraints.cost[:, None] * np.maximum(state.excess, 0.0)
        gradient = state.w - self.features.T @ state.constraints.pull(force, every)
        return np.sqrt((gradient**2).sum(axis=0) + (state.C - force.sum(axis=0)) ** 2)

    def _multiplier(self, constraints, weights):
        """A x for columns x, each with its own weights."""
        functionals = constraints.functionals

        def multiply(x):
            seen = functionals @ (self.features @ x)
            seen *= weights
            return x + self.features.T @ (functionals.T @ seen)

        return multiply

    def _invert_together(self, constraints, weights, right):
        """A^-1 right for several classes by conjugate gradient, and for which of them it converged."""
        multiply = self._multiplier(constraints, np.column_stack([weights, weights]))
        solved, met = conjugate_gradient(multiply, right, self.common.inverse(weights), CG_STEPS, CG_TOL)
        return solved, met.reshape(2, -1).all(axis=0)

    def _invert_alone(self, constraints, weights, right):
        """A^-1 right for one class."""
        multiply = self._multiplier(constraints, weights)
        weights, met = weights[:, 0], np.array([True])
        system = self._neighbour(weights)
        inverse = None
        if system is not None:
            inverse = system.updated(self.features, constraints.functionals, weights)
        elif self.factorised is not None and few_came_or_went(weights[:, None], self.factorised.weights)[0]:
            inverse = self.factorised.solve
        if inverse is not None:
            solved, close = conjugate_gradient(multiply, right, inverse, CG_STEPS, CG_TOL)
            if close.all() or system is not None:
                return solved, met
        self.factorised = _Factorised(self.features, constraints.functionals, weights)
        return conjugate_gradient(multiply, right, self.factorised.solve, CG_STEPS, CG_TOL)[0], met

    def _neighbour(self, weights):
        """A system with a known inverse that differs in few weights, or None."""
        directions = self.features.shape[1]
        if np.count_nonzero(weights) <= directions // 2:
            return _System()
        if self.factorised is not None and self.factorised.n_changed(weights) <= directions // CHANGED:
            return self.factorised
        return None

    def _finish(self, problems, state, gradient_norms):
        """The dual point of every class, its expansion and certificate."""
        factor = self.features[:, :-1]
        parts, alpha = [], np.zeros((len(factor), len(problems)))
        for j, problem in enumerate(problems):
            force = state.constraints.cost * np.maximum(state.excess[:, j], 0.0)
            ids = np.flatnonzero(force > NEGLIGIBLE * force.mean())
            a = force[ids] / force[ids].sum()
            points, coefficients, bias = problem.expansion(ids, a)
            alpha[points, j] = coefficients
            parts.append((ids, a, points, coefficients, bias))
        w = factor.T @ alpha
        values = factor @ w
        out = []
        for j, (problem, (ids, a, points, coefficients, bias)) in enumerate(zip(problems, parts, strict=True)):
            f = values[:, j] + bias
            norm = float(w[:, j] @ w[:, j] + bias**2) / problem.C**2 + float(problem.ridge(ids) @ (a * a))
            linear = float(problem.linear(ids) @ a)
            square = problem.eta + linear - norm
            certificate = certify(problem, ids, a, norm, square, norm - 0.5 * linear, f)
            n_iter = int(state.iterations[j])
            out.append(NewtonSolution(
                points, coefficients, bias, f, len(ids), len(ids), n_iter, n_passes=n_iter,
                radius=float(np.sqrt(square)), coordinates=w[:, j], gradient_norm=float(gradient_norms[j]),
                converged=bool(state.settled[j]), **certificate,
            ))  # fmt: skip
        return out


class _Iterates:
    """Where Newton's method stands with each class: arrays have one column per class."""

    def __init__(self, problems, shape):
        n, directions = shape
        self.problems, self.C, self.n_classes = problems, problems[0].C, len(problems)
        self.constraints = _Constraints(problems)
        self.w, self.t = np.zeros((directions, self.n_classes)), np.zeros(self.n_classes)
        self.values = np.zeros((n, self.n_classes))
        self.excess = self.constraints.excess(self.values, self.t, np.arange(self.n_classes))
        self.active = np.ones(self.excess.shape, dtype=bool)
        self.iterations = np.zeros(self.n_classes, dtype=int)
        self.open, self.settled = np.ones((2, self.n_classes), dtype=bool)
        self.settled[:] = False

    def costs(self, which):
        """Costs of the active constraints, 0 of the others."""
        return np.where(self.active[:, which], self.constraints.cost[:, None], 0.0)

    def move(self, j, step, step_t, values_step, gain, tol):
        """Go as far along the step as the objective of class j falls."""
        one, problem = np.array([j]), self.problems[j]
        change = self.constraints.change(values_step[:, None], step_t, one)[:, 0]
        length = self._best_length(j, step, step_t, change)
        self.w[:, j] += length * step
        self.t[j] += length * step_t
        self.values[:, j] += length * values_step
        excess = self.constraints.excess(self.values[:, one], self.t[one], one)[:, 0]
        if not (excess > 0).any():  # without any loss a smaller tube is better
            f = self.values[:, j]
            self.t[j] = best_tube(problem, problem.y * f[problem.rows], np.abs(problem.edges.differences(f)), self.t[j])
            excess = self.constraints.excess(self.values[:, one], self.t[one], one)[:, 0]
        same = abs(length - 1.0) < 1e-9 and ((excess > 0) == self.active[:, j]).all()
        loss = np.maximum(excess, 0.0)
        objective = self.w[:, j] @ self.w[:, j] + 2.0 * self.C * self.t[j] + self.constraints.cost @ (loss * loss)
        # no length lowers the objective: rounding, which the certificate measures
        self.settled[j] = same or length == 0.0 or not gain > tol * abs(objective)
        self.open[j] = not self.settled[j]
        self.excess[:, j], self.active[:, j] = excess, excess > 0
        self.iterations[j] += 1

    def _best_length(self, j, step, step_t, change) -> float:
        """Length of the step at which P is least."""
        roots = np.sqrt(self.constraints.cost)
        slope, curvature = self.w[:, j] @ step + self.C * step_t, step @ step
        # a loss c e^2 is the squared hinge of a value 1 - sqrt(c) e with target 1
        margins = 1.0 - roots * self.excess[:, j]
        return exact_step(margins, -roots * change, np.ones(len(margins)), slope, curvature)


class _Constraints:
    """Constraints of all classes, in the order of a ball problem's ids: labels, edges, edges with the other sign.

    The classes share the ``functionals`` that take values on the points to labelled points and edges; signs and demands
    of the labels are their own (one column per class).
    """

    def __init__(self, problems):
        first = problems[0]
        n, self.m, self.n_edges = first.X.shape[0], first.m, first.n_edges
        labels = sparse.csr_array((np.ones(self.m), (np.arange(self.m), first.rows)), shape=(self.m, n))
        self.functionals = sparse.vstack([labels, first.edges.matrix(n)], format="csr")
        self.cost = 1.0 / first.ridge(np.arange(first.size))
        self.signs = np.column_stack([problem.y for problem in problems])
        self.demands = np.column_stack([problem.demand for problem in problems])

    def excess(self, values, tubes, which):
        excess = self.change(values, tubes, which)
        excess[: self.m] += self.demands[:, which]
        return excess

    def change(self, values, tubes, which):
        """By how much excesses change with the values of some classes and their tubes."""
        seen = self.functionals @ values
        labels, edges = self.signs[:, which] * seen[: self.m], seen[self.m :]
        return np.concatenate([-tubes - labels, -tubes - edges, -tubes + edges])

    def pull(self, force, which):
        """What the constraints' forces do to the points: minus the adjoint of :meth:`change`."""
        first, second = force[self.m : self.m + self.n_edges], force[self.m + self.n_edges :]
        return self.functionals.T @ np.concatenate([self.signs[:, which] * force[: self.m], first - second])

    def weights(self, cost):
        """Costs of labels and of edges, where both signs of an edge add up: they see the same direction."""
        m, E = self.m, self.n_edges
        return np.concatenate([cost[:m], cost[m : m + E] + cost[m + E :]])


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

    def __init__(self, features, functionals, weights):
        self.weights = weights
        directions = features.shape[1]
        S = functionals.T @ (sparse.diags_array(weights) @ functionals)
        system = np.empty((directions, directions), order="F")
        for start in range(0, directions, BLOCK):  # the lower triangle only: half the work
            block = slice(start, start + BLOCK)
            system[start:, block] = features[:, start:].T @ (S @ features[:, block])
        system.flat[:: directions + 1] += 1.0
        self.factor = linalg.cho_factor(system, lower=True, overwrite_a=True, check_finite=False)

    def solve(self, right):
        return linalg.cho_solve(self.factor, right, check_finite=False)


class _FirstPiece:
    """The system of the first piece as preconditioner for pieces of several classes.

    With few labels only the edges are factorised, and each class adds the labels that have loss there: their weights
    are large, and taking one away from a factorised system would cancel almost all digits.
    """

    def __init__(self, features, constraints, weights):
        self.held = constraints.m if constraints.m <= features.shape[1] // CHANGED else 0
        base = weights.copy()
        base[: self.held] = 0.0
        self.base = _Factorised(features, constraints.functionals, base)
        self.rows = constraints.functionals[: self.held] @ features
        self.solved = self.base.solve(self.rows.T)
        self.block = self.rows @ self.solved

    def within_reach(self, weights):
        """For each column of weights (a class) whether conjugate gradient can be expected to converge."""
        return few_came_or_went(weights[self.held :], self.base.weights[self.held :])

    def inverse(self, weights):
        """A function that applies approximate inverses of several systems, whose weights are columns; their right sides
        are columns too, first one for each system, then another."""
        systems = []
        for own in weights[: self.held].T:
            lossy = np.flatnonzero(own)
            small = self.block[np.ix_(lossy, lossy)]
            small.flat[:: len(lossy) + 1] += 1.0 / own[lossy]
            systems.append((lossy, linalg.cho_factor(small, lower=True, check_finite=False)))

        def apply(right):
            x = self.base.solve(right)
            if not systems:
                return x
            seen, shares = self.rows @ x, np.zeros((self.held, right.shape[1]))
            for j, (lossy, factor) in enumerate(systems):
                where = np.ix_(lossy, range(j, right.shape[1], len(systems)))
                shares[where] = linalg.cho_solve(factor, seen[where], check_finite=False)
            return x - self.solved @ shares

        return apply


def few_came_or_went(weights, others):
    """For each column of weights whether at most CG_STEPS became zero or ceased to be; an edge with one sign more or
    less doubles or halves its weight, which conjugate gradient takes in its stride."""
    return np.count_nonzero((weights > 0) != (others > 0)[:, None], axis=0) <= CG_STEPS


def conjugate_gradient(multiply, right, preconditioner, max_iter, tol):
    """Solutions of a positive definite system, one for each column of ``right``, and which of them met ``tol``."""
    x = preconditioner(right)
    residual = right - multiply(x)
    scale = np.maximum(np.linalg.norm(right, axis=0), np.finfo(float).tiny)
    direction, inner = np.zeros_like(right), None
    for _ in range(max_iter):
        met = np.linalg.norm(residual, axis=0) <= tol * scale
        if met.all():
            return x, met
        z = preconditioner(residual)
        previous, inner = inner, np.maximum((residual * z).sum(axis=0), np.finfo(float).tiny)
        direction = z if previous is None else z + direction * (inner / previous)
        product = multiply(direction)
        length = inner / np.maximum((direction * product).sum(axis=0), np.finfo(float).tiny)
        x, residual = x + length * direction, residual - length * product
    return x, np.linalg.norm(residual, axis=0) <= tol * scale
