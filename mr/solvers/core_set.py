"""The (1 + epsilon) core-set algorithm (tsang2006; Tsang, Kwok, Cheung 2005) for :mod:`mr.solvers.enclosing_ball`.

Keep the ball of a few points, the core; look for a point more than (1 + epsilon) radii from the centre; add it; solve
again on the core. The search has three stages of growing cost:

1. the furthest of ``sampling`` random points (59: with probability 0.95 one of the furthest 5 %);
2. when the sample lies inside, every point (``exact``): the function is evaluated once on the n data points and
   differences follow from the edge list, so this costs O(n support + |E|) and not O(|E| core);
3. the worst violators of such a pass form a pool whose kernel rows are kept, and is emptied before the next pass.

Without ``exact`` the algorithm stops at stage 1, as core vector machines do; the certificate is computed all the same.

The inner problem of every step is a quadratic program over the simplex, warm-started:

    min 1/2 a'Qa - p'a    subject to    a >= 0,  1'a = 1,        Q positive definite.

Pairs of coordinates (:mod:`mr.pair_descent`) find the support; where they become slow, a solve on the support (an
active-set step) finishes to rounding. Both only descend, so a feasible start never gets worse.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from mr.pair_descent import descend
from mr.solvers.enclosing_ball import certify

FIRST = 100
"""Labelled points in the first core."""
POOL = 1000
LOOK = 1500
"""Core size at which an exact search looks at all points, whether the samples are clean or not; again when it doubles.
While t < 0 every edge is outside the ball, and a sample of few does not find those that would end that."""
BLOCK_BYTES = 2**21
DROPPED = 10
"""A factorisation serves until one of DROPPED points has left the support."""
GROWTH = 50
"""Adds one extra point per step for every GROWTH core points."""
TUBE_SHARE, SMALLEST_SLACK, GAP = 0.05, 1e-4, 1e-3
"""epsilon="auto": constraints hold up to this share of the tube (at least this decision value), or the relative
duality gap is below GAP."""


@dataclass(frozen=True)
class BallSolution:
    """A function f = sum_j coefficients_j k(x_points_j, .) + bias, and how far from optimal it is at most."""

    points: np.ndarray
    """Rows of X in the expansion."""
    coefficients: np.ndarray
    bias: float
    values: np.ndarray
    """f on all rows of X."""
    core_size: int
    support_size: int
    """Core points (labelled points and signed edges) of positive weight."""
    n_iter: int
    """Points of time at which the core grew."""
    n_passes: int
    """Evaluations on all data points."""
    achieved_epsilon: float
    """Every point lies within (1 + achieved_epsilon) radii of the centre."""
    radius: float
    tube: float
    """Half-width t of the insensitive tube of the smoothness loss."""
    objective: float
    """Primal objective at the best tube."""
    gap: float
    """Relative duality gap (P - D) / |P|."""


def solve_ball(
    problem, epsilon="auto", sampling=59, exact=True, max_core=2000, random_state=None, max_iter=None, verbose=0
) -> BallSolution:
    """Core-set solution of ``problem`` (a :class:`mr.solvers.enclosing_ball.BallProblem`).

    ``max_core`` bounds the memory of a step, ``max_iter`` the work of all: rounds of pair descent and factorisations on
    the core (None: no bound). ``verbose`` > 0 prints a line per pass over the data, > 1 also one per growth.
    """
    search = _Search(problem, epsilon, sampling, max_core, random_state, max_iter, verbose)
    search.next_look = LOOK if exact else np.inf
    search.grow(search.first_core())
    converged = search.sample_until_clean()
    values = search.evaluate()
    while exact and converged and not search.close_enough(values):
        violators = search.violators(values)
        if len(violators) == 0:
            break
        converged = search.empty_pool(violators) and search.sample_until_clean()
        values = search.evaluate()
    if not converged:
        limit = "max_iter" if search.exhausted else "max_core"
        reached = f"max_iter={max_iter} solves" if search.exhausted else f"max_core={max_core} points"
        warnings.warn(
            f"The core reached {reached} before all points lay within epsilon={epsilon!r}; see "
            f"achieved_epsilon_ and dual_gap_ for what was reached. Raise {limit} or epsilon, or lower C or theta.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return search.finish(values)


class _Search:
    """The core, its Gram matrix and its ball."""

    def __init__(self, problem, epsilon, sampling, max_core, rng, max_iter=None, verbose=0):
        self.problem, self.epsilon, self.sampling, self.rng = problem, epsilon, sampling, rng
        self.max_core = min(max_core, problem.size)
        self.ids = np.zeros(0, np.int64)
        self.members = set()
        self.a = np.zeros(0)
        self.Q = np.zeros((64, 64))
        self.n_iter = self.n_passes = self.work = 0
        self.max_work, self.verbose = np.inf if max_iter is None else max_iter, verbose
        self.level, self.square, self.next_look = 1.0 / problem.C, problem.eta, np.inf

    def first_core(self):
        """Labelled points: all if there are few, else equally many of either sign."""
        m, y = self.problem.m, self.problem.y
        if m <= FIRST:
            return np.arange(m)
        chosen = [np.flatnonzero(y == sign) for sign in (-1.0, 1.0)]
        return np.concatenate([self.rng.permutation(group)[: FIRST // 2] for group in chosen])

    def grow(self, new):
        """Add points to the core and solve on it, starting from the last solution."""
        new = np.asarray(new)[: max(self.max_core - len(self.ids), 0)]
        s, size = len(self.ids), len(self.ids) + len(new)
        if size > len(self.Q):
            larger = np.zeros((max(size, 2 * len(self.Q)),) * 2)
            larger[:s, :s] = self.Q[:s, :s]
            self.Q = larger
        self.ids = np.concatenate([self.ids, new])
        self.members.update(new.tolist())
        block = self.problem.gram(new, self.ids)
        self.Q[s:size, :size], self.Q[:size, s:size] = block, block.T
        self.Q[np.arange(s, size), np.arange(s, size)] += self.problem.ridge(new)
        self.linear = self.problem.linear(self.ids)
        start = np.concatenate([self.a, np.zeros(len(new))]) if s else None
        self._solve(start)
        self.n_iter += 1
        if self.verbose > 1:
            print(f"[core set] step {self.n_iter}: core {size}, {self.work} solves, level {self.level:.3e}")

    def _solve(self, start):
        size = len(self.ids)
        # a fraction of the slack of the stopping rule: the core itself must lie inside the ball that is claimed
        left = max(self.max_work - self.work, 1)
        solution = minimise_on_simplex(self.Q[:size, :size], 0.5 * self.linear, start, 0.1 * self.slack, left)
        self.work += solution.n_solves
        self.a = solution.a
        self.norm = float(self.a @ (solution.gradient + 0.5 * self.linear))
        self.square = self.problem.eta + float(self.linear @ self.a) - self.norm
        self.level = solution.level
        self.points, self.coefficients, self.bias = self.problem.expansion(self.ids, self.a)

    @property
    def slack(self) -> float:
        """How far g_k may lie below the level before point k is outside."""
        if self.epsilon == "auto":
            return max(TUBE_SHARE * abs(self.level), SMALLEST_SLACK / self.problem.C)
        return 0.5 * ((1.0 + self.epsilon) ** 2 - 1.0) * self.square

    @property
    def bound(self) -> float:
        """g_k below this value puts point k outside (1 + epsilon) radii."""
        return self.level - self.slack

    @property
    def exhausted(self) -> bool:
        return self.work >= self.max_work

    @property
    def full(self) -> bool:
        """No room or no work left."""
        return len(self.ids) >= self.max_core or self.exhausted

    @property
    def complete(self) -> bool:
        """All points are in the core, whose ball is therefore the solution."""
        return len(self.ids) >= self.problem.size and not self.exhausted

    def sample_until_clean(self) -> bool:
        """Stage 1; False when the core is full. A large core is looked at by the next stage first."""
        while not self.full:
            if len(self.ids) >= self.next_look:
                return True
            ids, g = self._sample()
            if len(ids) == 0 or g.min() >= self.bound or self._little_to_gain(ids, g):
                return True
            self.grow(self._worst(ids, g))
        return self.complete

    def _worst(self, ids, g):
        """The furthest violator; of a large core a few more, so that solves do not outnumber its size."""
        count = 1 + len(self.ids) // GROWTH
        order = np.argsort(g, kind="stable")[:count]
        return ids[order[g[order] < self.bound]]

    def _little_to_gain(self, ids, g) -> bool:
        """For "auto": the sample's estimate of the gap. A point k can add at most (level - g_k)^2 / ridge_k to the
        dual."""
        if self.epsilon != "auto":
            return False
        problem = self.problem
        gains = np.maximum(self.level - g, 0.0) ** 2 / problem.ridge(ids)
        edge = ids >= problem.m
        total = sum(
            gains[part].mean() * size for part, size in ((~edge, problem.m), (edge, 2 * problem.n_edges)) if part.any()
        )
        return total <= 0.1 * GAP * self.norm

    def close_enough(self, values) -> bool:
        """For "auto": the relative duality gap is small, whatever single points still violate."""
        return self.epsilon == "auto" and self._certificate(values)["gap"] <= GAP

    def _certificate(self, values):
        return certify(self.problem, self.ids, self.a, self.norm, self.square, self.level, values)

    def _sample(self):
        """Random labelled points and edges, these with both signs, outside the core; and their g."""
        problem = self.problem
        labelled = np.unique(self.rng.randint(problem.m, size=min(self.sampling, problem.m)))
        edges = np.zeros(0, np.int64)
        if problem.n_edges:
            edges = np.unique(self.rng.randint(problem.n_edges, size=min(self.sampling, problem.n_edges)))
        ids = np.concatenate([labelled, problem.m + edges])
        left, right, first, second, constant = problem.parts(ids)
        rows = problem.X[np.concatenate([left, right])]
        f = problem.kernel.expand(rows, problem.X[self.points], self.coefficients, BLOCK_BYTES)
        g = (first * f[: len(ids)] + second * f[len(ids) :] + constant * self.bias - problem.demands(ids)) / problem.C
        minus = ids >= problem.m
        return self._outside(np.concatenate([ids, ids[minus] + problem.n_edges]), np.concatenate([g, -g[minus]]))

    def _outside(self, ids, g):
        keep = np.array([k not in self.members for k in ids.tolist()], dtype=bool)
        return ids[keep], g[keep]

    def evaluate(self) -> np.ndarray:
        """f on all data points."""
        X = self.problem.X
        self.n_passes += 1
        self.next_look = max(self.next_look, 2 * len(self.ids))
        values = self.problem.kernel.expand(X, X[self.points], self.coefficients, BLOCK_BYTES) + self.bias
        if self.verbose:
            gap = self._certificate(values)["gap"]
            print(f"[core set] pass {self.n_passes}: core {len(self.ids)}, {self.work} solves, gap {gap:.1e}")
        return values

    def violators(self, values):
        """Stage 2: the worst points outside (1 + epsilon) radii, at most POOL."""
        problem = self.problem
        ids, g = _below((problem.y * values[problem.rows] - problem.demand) / problem.C, self.bound)
        if problem.n_edges:
            differences = problem.edges.differences(values) / problem.C
            for first in (problem.m, problem.m + problem.n_edges):
                more, g_more = _below(differences, self.bound)
                ids, g = np.concatenate([ids, first + more]), np.concatenate([g, g_more])
                np.negative(differences, out=differences)
        ids, g = self._outside(*_smallest(ids, g, POOL + len(self.ids)))
        return _smallest(ids, g, POOL)[0]

    def empty_pool(self, pool) -> bool:
        """Stage 3: add violators of the pool until it has none; False when the core is full."""
        problem = self.problem
        rows = problem.gram(pool, self.ids)
        linear = 0.5 * problem.linear(pool)
        alive = np.ones(len(pool), dtype=bool)
        while not self.full:
            g = np.where(alive, rows @ self.a - linear, np.inf)
            worst = self._worst(np.arange(len(pool)), g)
            if len(worst) == 0:
                return True
            alive[worst] = False
            before = len(self.ids)
            self.grow(pool[worst])
            rows = np.column_stack([rows, problem.gram(pool, self.ids[before:])])
        return self.complete

    def finish(self, values) -> BallSolution:
        certificate = self._certificate(values)
        return BallSolution(
            self.points, self.coefficients, self.bias, values, len(self.ids), int((self.a > 0).sum()), self.n_iter,
            self.n_passes, radius=float(np.sqrt(self.square)), **certificate,
        )  # fmt: skip


def _below(g, bound):
    ids = np.flatnonzero(g < bound)
    return ids, g[ids]


def _smallest(ids, g, count):
    if len(ids) > count:
        chosen = np.argpartition(g, count)[:count]
        return ids[chosen], g[chosen]
    return ids, g


@dataclass(frozen=True)
class SimplexSolution:
    """Minimiser on the simplex."""

    a: np.ndarray
    gradient: np.ndarray
    """Q a - p: at the optimum equal to ``level`` where a > 0, and not below it elsewhere."""
    level: float
    """Multiplier of 1'a = 1: a'(Q a - p)."""
    violation: float
    """Largest gradient on the support minus smallest gradient."""
    n_iter: int
    """Steps of pair descent."""
    n_solves: int
    """Rounds of pair descent and factorisations."""


def minimise_on_simplex(Q, p, start=None, tol=1e-10, max_solves=np.inf, max_rounds=1000) -> SimplexSolution:
    """Solve to a violation below ``tol`` (in the units of the gradient) or to rounding; ``start`` must be feasible.

    ``max_solves`` bounds the rounds of pair descent and the factorisations of active-set steps, counted together,
    ``max_rounds`` the first alone.
    """
    a = _first_vertex(Q, p) if start is None else np.array(start, dtype=float)
    gradient = Q @ a - p
    diagonal = np.ascontiguousarray(np.diagonal(Q))
    zeros, infinity = np.zeros(len(a)), np.full(len(a), np.inf)
    iterations = solves = 0
    for _ in range(max_rounds):
        limit = 30 + len(a) // 10
        steps, violation = descend(Q, diagonal, 1.0, a, gradient, zeros, 0.0, zeros, infinity, float(tol), limit)
        iterations, solves = iterations + steps, solves + 1
        if violation <= tol:
            break
        solved, factorisations = _solve_on_support(Q, p, a, max_solves - solves)
        solves += factorisations
        if not solved or solves >= max_solves:
            break
        gradient = Q @ a - p
        if _violation(a, gradient) <= tol:
            break
    a /= a.sum()
    gradient = Q @ a - p
    return SimplexSolution(a, gradient, float(a @ gradient), _violation(a, gradient), iterations, solves)


def _first_vertex(Q, p):
    a = np.zeros(len(p))
    a[np.argmin(0.5 * np.diag(Q) - p)] = 1.0
    return a


def _violation(a, gradient) -> float:
    return float(gradient[a > 0].max() - gradient.min())


def _solve_on_support(Q, p, a, most) -> tuple[bool, int]:
    """Move ``a`` to the minimiser on the face of its support, dropping coordinates that would turn negative.

    Returns whether it got there, and the number of factorisations, at most ``most``. It does not where the face's
    system is singular to working precision; ``a`` is then left where it is.
    """
    count, face = 0, None
    while count < most:
        count += 1
        support = np.flatnonzero(a > 0)
        if face is None or not face.reaches(support):
            try:
                face = _Face(Q, p, support)
            except linalg.LinAlgError:
                return False, count
        x, ones = face.solve(support)
        target = x + ones * (1.0 - x.sum()) / ones.sum()
        if not np.isfinite(target).all():
            return False, count
        if (target > 0).all():
            a[support] = target
            return True, count
        now = a[support]
        falling = target <= 0
        steps = np.full(len(support), np.inf)
        steps[falling] = now[falling] / (now[falling] - target[falling])
        now = now + min(steps.min(), 1.0) * (target - now)
        now[steps <= steps.min()] = 0.0
        a[support] = np.maximum(now, 0.0)
    return False, count


class _Face:
    """Q^-1 p and Q^-1 1 on a support and on its subsets, from one factorisation.

    Without the coordinates D, x becomes x - Z (Z_D)^-1 x_D, with Z the columns D of Q^-1.
    """

    def __init__(self, Q, p, support):
        self.support = support
        self.factor = linalg.cho_factor(Q[np.ix_(support, support)], lower=True, overwrite_a=True, check_finite=False)
        self.solved = self._solve(np.column_stack([p[support], np.ones(len(support))]))
        self.dropped, self.columns = np.zeros(0, int), np.zeros((len(support), 0))

    def _solve(self, right):
        return linalg.cho_solve(self.factor, right, check_finite=False)

    def reaches(self, subset) -> bool:
        """Whether a new factorisation of the subset would cost more."""
        return len(self.support) - len(subset) <= len(self.support) // DROPPED

    def solve(self, subset):
        """Q^-1 p and Q^-1 1 on a subset that does not gain from call to call."""
        keep = np.isin(self.support, subset, assume_unique=True)
        new = np.setdiff1d(np.flatnonzero(~keep), self.dropped)
        if len(new):
            units = np.zeros((len(self.support), len(new)))
            units[new, np.arange(len(new))] = 1.0
            self.dropped = np.concatenate([self.dropped, new])
            self.columns = np.column_stack([self.columns, self._solve(units)])
        solved = self.solved
        if len(self.dropped):
            shares = linalg.solve(self.columns[self.dropped], solved[self.dropped], assume_a="pos")
            solved = solved - self.columns @ shares
        return solved[keep].T
