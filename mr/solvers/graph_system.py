"""The sparse systems behind label propagation: a graph Laplacian and conductances g >= 0 to the ground.

    (L + diag(g)) x = b,    that is    sum_j w_ij (x_i - x_j) + g_i x_i = b_i    for every point i.

For harmonic functions g_i is the weight between i and the labelled points, for local and global consistency it is
(1 - eta) d_i. The inverse is non-negative: labels spread along paths. A solution has to be accurate at every
point, also at those far from any label, where values are small, and in parts of the graph that are joined to the rest
by small weights. The norm of a residual does not show that, so the last right side measures the error at every
point. Either it is g itself, whose solution is known to be 1; or it is any non-negative one, and the residual of every
row has to be small against its solution there.

Points on a curve or a surface have small sparse factors, and many steps lie between them: they are solved directly.
Neighbour graphs in many dimensions fill up when they are factorised (:mod:`mr.spectrum.fill`), but few steps lie
between any two points: conjugate gradients with Jacobi's preconditioner need about a hundred products with L, for all
columns at once. The loop is in Python, so it can be interrupted. Products are sums of differences w_ij (x_i - x_j), in
which small weights are not lost to the rounding of a degree. Parts that are joined to the rest by weights below
that, such as groups of outliers under heat weights, are solved again by themselves.
"""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from numba import njit
from scipy import sparse
from scipy.sparse import csgraph
from sklearn.exceptions import ConvergenceWarning

from mr.graph.threads import blas_threads, team
from mr.solvers.progress import silent
from mr.spectrum.fill import factorise, predicted_fill, worth_factorising

SOLVERS = ("auto", "direct", "cg")
DIRECT_POINTS = 3000
"""Up to this many points a factorisation takes less than a tenth of a second, whatever its fill."""
FALLBACK_FACTORS = 3e7
"""Predicted non-zeros of the factors up to which they are tried after conjugate gradients failed: about ten seconds."""
SMALLEST_GOAL = 1e-15
"""Relative residual that rounding lets conjugate gradients reach."""
RIDGES = (0.0, 1e-15, 1e-14, 1e-13, 1e-12)
"""Added to the unit diagonal of the scaled system, one after the other, until its factors give a sound solution."""
REFINEMENTS = 10
ELIMINATED_POINTS = 1000
"""Up to this many points are solved again by dense elimination: a second."""
CHUNKS = 32
"""Blocks of rows whose sums are added in order, so that they do not depend on the number of threads."""
REPORT_EVERY = 25


@dataclass(frozen=True)
class GraphSolution:
    """Solutions of one system for several right sides, one per column."""

    values: np.ndarray
    residual: float
    """Largest relative residual of a column, in the norm sum_i r_i^2 / d_i of the scaled system."""
    n_iter: int
    """Iterations of conjugate gradients; 1 for a direct solution."""
    solver: str
    """"direct" or "cg"."""


def solve_grounded(W, ground, right, solver="auto", tol=1e-8, max_iter=2000, report=silent) -> GraphSolution:
    """(L + diag(ground)) x = b for every column b of ``right``, L the Laplacian D - W.

    Parameters
    ----------
    W : sparse array (n, n)
        Symmetric, non-negative weights.
    ground : array (n,)
        Conductances, non-negative; every component of W needs a positive one.
    right : array (n, k)
        The last column measures the error at the points: ``ground`` itself, or any non-negative one.
    solver : {"auto", "direct", "cg"}, default="auto"
        Sparse factors, conjugate gradients, or the one that is expected to be faster. "auto" factorises also after
        conjugate gradients failed, if the factors are not too large.
    tol : float, default=1e-8
        Largest relative residual of a column, and largest error at a point.
    max_iter : int, default=2000
        Largest number of iterations.
    report : function of a text, default=silent
        Is told how far the iteration is.
    """
    with team(blas_threads()) as share:
        system = _System(W, ground, right, share)
        direct = solver == "direct" or (solver == "auto" and system.has_small_factors())
        solved = _factorised(system) if direct else _iterated(system, tol, max_iter, report)
        found, reached = solved if solved[0].n_iter == max_iter else _mended(system, solved, tol)
        if reached > tol and solver == "auto" and not direct and system.predicted_factors() <= FALLBACK_FACTORS:
            found, reached = _mended(system, _factorised(system), tol)
    if reached > tol:
        iterated = f"Conjugate gradients ended after {found.n_iter} iterations"
        how = iterated if found.solver == "cg" else "Sparse factors ended"
        worst = f"an error of {reached:.1e} at a point" if np.isfinite(reached) else "points that no label reaches"
        warnings.warn(
            f"{how} at a relative residual of {found.residual:.1e} and with {worst}; {tol:.1e} was asked for. A larger "
            f'max_iter (now {max_iter}) or solver="direct" may help; weights that differ by many orders of magnitude, '
            "and very many steps between labels and other points, make the system hard.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return found


class _System:
    """The matrix, and what an iteration does to all rows, shared among threads by chunks of rows."""

    def __init__(self, W, ground, right, share):
        W = sparse.csr_array(W, dtype=np.float64)
        # built from its parts scipy takes the smallest type of index that fits: one compilation of the loops
        self.W = sparse.csr_array((W.data, W.indices, W.indptr), shape=W.shape)
        self.ground, self.right, self.share = ground, right, share
        self.constant_is_known = np.array_equal(right[:, -1], ground)
        self.diagonal = np.asarray(W.sum(axis=1)).ravel() + ground
        self._inverse = 1.0 / np.maximum(self.diagonal, np.finfo(float).tiny)
        self._edges = np.linspace(0, len(right), CHUNKS + 1).astype(np.int64)
        self._scale = self._squares(right)

    def multiply(self, p, q):
        """q = (L + diag(g)) p; returns the sums of p o q."""
        W = self.W
        return self._sums(lambda *part: _multiply(W.indptr, W.indices, W.data, self.ground, p, q, self._edges, *part))

    def step(self, x, r, p, q, lengths):
        """x += p lengths, r -= q lengths; returns the sums of r o r / d."""
        return self._sums(lambda *part: _step(x, r, p, q, lengths, self._inverse, self._edges, *part))

    def turn(self, p, r, factors):
        """p = r / d + p factors"""
        self.share(lambda low, high: _turn(p, r, factors, self._inverse, self._edges, low, high), CHUNKS)

    def preconditioned(self, r):
        return r * self._inverse[:, None]

    def residual(self, x):
        """b - (L + diag(g)) x"""
        product = np.empty_like(x)
        self.multiply(x, product)
        return self.right - product

    def relative(self, squares) -> float:
        """Largest norm of a column relative to that of the right side, from sums of r o r / d."""
        return float(np.sqrt(_ratio(squares, self._scale).max()))

    def judge(self, x, residual):
        """Relative residual, and the larger of that and the error at the points."""
        relative = self.relative(self._squares(residual))
        return relative, max(relative, float(self.errors(x, residual).max()))

    def errors(self, x, residual):
        """The error of every point (n,), as the last column tells it."""
        if self.constant_is_known:
            return np.abs(x[:, -1] - 1.0)
        mass = self.diagonal * x[:, -1]
        return np.divide(np.abs(residual).max(axis=1), mass, out=np.full(len(x), np.inf), where=mass > 0)

    def scaled(self) -> sparse.csr_array:
        """D^-1/2 (L + diag(g)) D^-1/2, D its diagonal."""
        W, roots = self.W, np.sqrt(self._inverse)
        rows = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
        S = sparse.csr_array((roots[rows] * W.data * roots[W.indices], W.indices, W.indptr), shape=W.shape)
        return sparse.eye_array(W.shape[0], format="csr") - S

    def bound(self) -> float:
        """max b / g of the last right side: no value of its solution is larger, because L x <= 0 at its maximum."""
        grounded = self.ground > 0
        return float((self.right[grounded, -1] / self.ground[grounded]).max(initial=0.0))

    def has_small_factors(self) -> bool:
        return len(self.right) <= DIRECT_POINTS or worth_factorising(self.scaled(), self._components(), 0.0)

    def predicted_factors(self) -> float:
        A = self.scaled()
        return predicted_fill(A, self._components(), 0.0) * A.nnz

    def _components(self):
        return csgraph.connected_components(self.W, directed=False)[1]

    def _squares(self, r):
        return np.einsum("ij,ij,i->j", r, r, self._inverse)

    def _sums(self, work):
        parts = np.zeros((CHUNKS, self.right.shape[1]))
        self.share(lambda low, high: work(parts, low, high), CHUNKS)
        return parts.sum(axis=0)


def _ratio(a, b):
    """a / b; 0 where b is 0, in columns that are solved."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def _factorised(system):
    """Sparse factors of the scaled system, refined: residuals see small weights that the factors lost to rounding."""
    roots = np.sqrt(np.maximum(system.diagonal, np.finfo(float).tiny))[:, None]
    solve, x = _sound_factors(system, roots)
    rest, last = system.residual(x), np.inf
    for _ in range(REFINEMENTS):
        change = solve(rest / roots) / roots
        size = float((np.abs(change).max(axis=0) / np.abs(x).max(axis=0).clip(np.finfo(float).tiny)).max())
        if not size < 0.5 * last:
            break
        x, last = x + change, size
        rest = system.residual(x)
        if size <= np.finfo(float).eps:
            break
    residual, reached = system.judge(x, rest)
    return GraphSolution(x, residual, 1, "direct"), reached


def _sound_factors(system, roots):
    """Factors whose solution x of the last right side b lies where the maximum principle puts it: 0 <= x <= max b / g.

    A pivot that is nothing but rounding breaks that, upwards as well as downwards. A positive solution is kept for the
    case that no ridge gives a sound one.
    """
    A, right = system.scaled(), system.right
    largest, kept = 2.0 * system.bound(), None
    for ridge in RIDGES:
        try:
            solve = factorise(A, ridge).solve
        except RuntimeError:  # a pivot is exactly zero
            continue
        x = solve(right / roots) / roots
        if np.isfinite(x).all() and x[:, -1].min() >= 0:
            kept = solve, x
            if x[:, -1].max() <= largest:
                break
    if kept is None:
        raise np.linalg.LinAlgError(
            "The graph's system could not be factorised: expected finite weights with a label in every component."
        )
    return kept


def _mended(system, solved, tol):
    """Solve again at the points where the known constant comes out wrong, by an elimination that subtracts nothing.

    These are parts of the graph whose links to the rest were lost to the rounding of the links inside, few points as a
    rule. Whatever is right at the others does not depend on them, and is given.
    """
    found, reached = solved
    if reached <= tol or not system.constant_is_known:
        return solved
    wrong = system.errors(found.values, None) > tol
    if np.count_nonzero(wrong) > ELIMINATED_POINTS:
        return solved
    links, x = system.W[wrong], found.values.copy()
    ground = system.ground[wrong] + links @ (~wrong).astype(float)
    right = system.right[wrong] + links @ np.where(wrong[:, None], 0.0, x)
    right[:, -1] = ground
    x[wrong] = _eliminate(links[:, wrong].toarray(), ground, right)
    residual, reached = system.judge(x, system.residual(x))
    return replace(found, values=x, residual=residual), reached


@njit(cache=True, nogil=True)
def _eliminate(W, ground, right):
    """x of the system with dense weights, exact to rounding for weights of any size; the arguments change in place.

    Point k is taken out of the graph: its neighbours are joined to each other, and to the ground, by w_ik w_kj / d_k
    (the algorithm of Grassmann, Taksar and Heyman 1985). Degrees are sums of what is left, never differences.
    """
    n = W.shape[0]
    degrees, x = np.empty(n), np.zeros_like(right)
    for k in range(n):
        degrees[k] = ground[k] + W[k, k + 1 :].sum()
        if degrees[k] == 0.0:
            continue
        for i in range(k + 1, n):
            share = W[i, k] / degrees[k]
            if share > 0.0:
                W[i, k + 1 :] += share * W[k, k + 1 :]
                W[i, i] = 0.0
                ground[i] += share * ground[k]
                right[i] += share * right[k]
    for k in range(n - 1, -1, -1):
        if degrees[k] > 0.0:
            for t in range(x.shape[1]):
                x[k, t] = (right[k, t] + (W[k, k + 1 :] * x[k + 1 :, t]).sum()) / degrees[k]
    return x


def _iterated(system, tol, max_iter, report):
    x, n_iter = np.zeros_like(system.right), 0
    goal = max(tol, SMALLEST_GOAL)
    search = _conjugate_gradients(system, x)
    while True:
        n_iter, residual = n_iter + 1, next(search)
        if n_iter % REPORT_EVERY == 0:
            report(f"iteration {n_iter}: relative residual {residual:.1e}")
        if residual <= goal or n_iter == max_iter:
            rest = system.residual(x)
            residual, reached = system.judge(x, rest)
            goal *= 0.1
            if reached <= tol or n_iter == max_iter or goal < SMALLEST_GOAL:
                break
    # Rounding errors of conjugate gradients are relative to the largest values, those of a mean of neighbours to the
    # values next to each point: where the ground is near, means correct the small values far away.
    while reached > tol and n_iter < max_iter:
        following = x + system.preconditioned(rest)
        n_iter, rest, last = n_iter + 1, system.residual(following), reached
        new, reached = system.judge(following, rest)
        if reached > 0.95 * last:
            reached = last
            break
        x, residual = following, new
    return GraphSolution(x, residual, n_iter, "cg"), reached


def _conjugate_gradients(system, x):
    """Change x, of zeros, in place; yield the largest relative residual (by recursion) after every step."""
    residual, direction, product = system.right.copy(), system.preconditioned(system.right), np.empty_like(x)
    squares = np.einsum("ij,ij->j", residual, direction)
    while True:
        curvature = system.multiply(direction, product)
        new = system.step(x, residual, direction, product, _ratio(squares, curvature))
        yield system.relative(new)
        system.turn(direction, residual, _ratio(new, squares))
        squares = new


@njit(cache=True, nogil=True)
def _multiply(indptr, indices, data, ground, p, q, edges, sums, low, high):
    k = p.shape[1]
    row, own = np.empty(k), np.empty(k)
    for chunk in range(low, high):
        for i in range(edges[chunk], edges[chunk + 1]):
            for t in range(k):
                own[t] = p[i, t]
                row[t] = ground[i] * own[t]
            for e in range(indptr[i], indptr[i + 1]):
                weight, j = data[e], indices[e]
                for t in range(k):
                    row[t] += weight * (own[t] - p[j, t])
            for t in range(k):
                q[i, t] = row[t]
                sums[chunk, t] += row[t] * own[t]


@njit(cache=True, nogil=True)
def _step(x, r, p, q, lengths, inverse, edges, sums, low, high):
    k = p.shape[1]
    for chunk in range(low, high):
        for i in range(edges[chunk], edges[chunk + 1]):
            for t in range(k):
                x[i, t] += lengths[t] * p[i, t]
                value = r[i, t] - lengths[t] * q[i, t]
                r[i, t] = value
                sums[chunk, t] += value * (value * inverse[i])


@njit(cache=True, nogil=True)
def _turn(p, r, factors, inverse, edges, low, high):
    k = p.shape[1]
    for i in range(edges[low], edges[high]):
        for t in range(k):
            p[i, t] = r[i, t] * inverse[i] + factors[t] * p[i, t]
