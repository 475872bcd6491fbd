"""The sparse W-step of AGMR (wang2017, equation 12), three ways.

With f fixed, every row of W solves its own quadratic problem on the simplex,

    min_w  sum_j w_j (f_i - f_j)^2 + eta_1 ||x_i - sum_j w_j x_j||^2,      w >= 0, 1'w = 1, w_i = 0.

(The l1 norm of (12) is 1 on the simplex, so eta_2 moves nothing. Without w_i = 0 the identity would be optimal whatever
f is: no error, no smoothness cost, no graph.) ``pairwise`` is exact, by active sets over all pairs and by pair steps
on a support; it and ``multiplicative`` never raise the objective. ``printed`` is equation 13 as it stands.
"""

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances

from mr.graph.simplex_rows import simplex_rows
from mr.graph.sparse_coding import code_local

TINY = 1e-300


class SharedRows:
    """Rows over all other points: G = XX'."""

    def __init__(self, X, eta_1):
        self.eta_1 = eta_1
        self.X = X
        self.G = np.asarray((X @ X.T).toarray() if hasattr(X, "toarray") else X @ X.T, dtype=float)
        # Differences of points on the simplex sum to 0, so only the centred Gram matrix bends the problem.
        centred = self.G - self.G.mean(axis=0) - self.G.mean(axis=1)[:, None] + self.G.mean()
        self.spread = max(float(np.trace(centred)) / len(centred), TINY)

    def uniform(self):
        n = len(self.G)
        W = np.full((n, n), 1.0 / max(n - 1, 1))
        np.fill_diagonal(W, 0.0)
        return W

    def linear(self, cost):
        return cost - 2.0 * self.eta_1 * self.G

    def errors(self, W):
        """||x_i - sum_j w_ij x_j||^2 of every row."""
        W = sparse.csr_array(W)  # few weights of an exact step are not 0
        left = self.X - W @ self.X
        return np.asarray((left.multiply(left) if sparse.issparse(left) else np.square(left)).sum(axis=1)).ravel()

    def split(self, W):
        """eta_1 G+ w and eta_1 G- w for every row: the non-negative parts of the quadratic term."""
        positive = self.eta_1 * (W @ np.maximum(self.G, 0.0))
        return positive, positive - self.eta_1 * (W @ self.G)

    def pairwise(self, W, F, candidates, tol, max_steps):
        scale = 2.0 * self.eta_1
        typical = scale * self.spread + 2.0 * float(F.var(axis=0).sum())
        return simplex_rows(self.G, scale, F, W, tol * typical, max_steps)

    def ban(self, V, value):
        np.fill_diagonal(V, value)
        return V


class LocalRows:
    """Rows over the given candidates only; the local Gram matrices make the linear term of the error vanish."""

    def __init__(self, grams, eta_1):
        self.eta_1 = eta_1
        self.G = grams
        n, k = grams.shape[:2]
        self.shape = n, k
        self.spread = max(float(np.trace(grams, axis1=1, axis2=2).mean()) / k, TINY)

    def uniform(self):
        return np.full(self.shape, 1.0 / self.shape[1])

    def linear(self, cost):
        return cost

    def errors(self, W):
        return (W * _times(self.G, W)).sum(axis=1)

    def split(self, W):
        positive = self.eta_1 * _times(np.maximum(self.G, 0.0), W)
        return positive, positive - self.eta_1 * _times(self.G, W)

    def pairwise(self, W, F, candidates, tol, max_steps):
        scale, cost = 2.0 * self.eta_1, costs(F, candidates)
        typical = scale * self.spread + float(np.mean(cost))
        return code_local(self.G, scale, cost, 0.0, W, True, tol * typical, max_steps)

    def ban(self, V, value):
        return V


def pairwise(problem, W, F, candidates=None, tol=1e-5, max_steps=2000):
    """The exact step: until no row violates optimality by more than tol, relative to typical slopes.

    Over all pairs by active sets (:mod:`mr.graph.simplex_rows`), on a support by pair steps
    (:mod:`mr.graph.sparse_coding`). W is improved in place.
    """
    problem.pairwise(W, F, candidates, tol, max_steps)
    return W


def multiplicative(problem, W, F, candidates=None, tol=1e-6, max_steps=200):
    """The auxiliary-function update of the paper's Appendix B, made right.

    Equation 13 needs G >= 0 and drops the constraint. With G = G+ - G-, p = eta_1 G+ w, q = eta_1 G- w and b the linear
    term, the bounds of Ding, Li, Jordan (2010) separate the coordinates, and on the simplex the minimiser is

        w_j <- w_j (lambda - b_j + sqrt((lambda - b_j)^2 + 16 p_j q_j)) / (4 p_j),

    with the multiplier lambda of each row chosen so that the row sums to 1. Weights that are 0 stay 0.
    """
    b = problem.ban(problem.linear(costs(F, candidates)), 0.0)
    for _ in range(max_steps):
        p, q = problem.split(W)
        V = _normalised_roots(W, b, np.maximum(p, TINY), np.maximum(q, 0.0))
        moved = np.abs(V - W).max()
        W = V
        if moved <= tol:
            break
    return W


def printed(problem, W, F, eta_2):
    """Equation 13 as printed, then clipped at 0 and rows scaled to 1; second value: do its conditions hold?

    One update; rows here are the paper's columns. The numerator eta_1 X'X + FF'/2 must not be negative, or weights
    change their sign: with two classes FF' always has negative entries.
    """
    numerator = problem.eta_1 * problem.G + 0.5 * (F @ F.T)
    squares = np.square(F).sum(axis=1)
    denominator = problem.eta_1 * (W @ problem.G) + 0.25 * (squares[:, None] + squares) + 0.5 * eta_2
    valid = numerator.min() >= 0 and denominator.min() > 0
    V = np.maximum(W * numerator / np.where(denominator == 0, TINY, denominator), 0.0)
    total = V.sum(axis=1, keepdims=True)
    return np.where(total > 0, V / np.where(total > 0, total, 1.0), W), valid


def _normalised_roots(W, b, p, q, steps=60):
    """Rows of the multiplicative update, lambda by safeguarded Newton on the convex, increasing row sum."""
    ratio = W / (4.0 * p)
    product = 16.0 * p * q
    # At this lambda one coordinate alone reaches its share of 1: an upper bound of the root in every row.
    shift = np.where(W > 0, b + 2.0 * p / np.maximum(W, TINY), np.inf).min(axis=1, keepdims=True)
    level = shift
    for _ in range(steps):
        gap = level - b
        root = np.sqrt(gap * gap + product)
        V = ratio * (gap + root)
        excess = V.sum(axis=1, keepdims=True) - 1.0
        if np.abs(excess).max() < 1e-13:
            break
        slope = (ratio * (1.0 + gap / np.maximum(root, TINY))).sum(axis=1, keepdims=True)
        level = level - excess / np.maximum(slope, TINY)
    V = np.maximum(V, 0.0)
    return V / V.sum(axis=1, keepdims=True)


def _times(G, W):
    return np.matmul(G, W[:, :, None])[:, :, 0]


def costs(F, candidates=None):
    """||F_i - F_j||^2 for all pairs (n x n), or for the candidates of each row (n x k)."""
    if candidates is not None:
        return np.square(F[:, None, :] - F[candidates]).sum(axis=2)
    if F.shape[1] == 1:
        return np.square(F - F[:, 0])
    return euclidean_distances(F, squared=True)
