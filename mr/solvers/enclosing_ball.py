"""The sparsified Laplacian SVM as a minimum enclosing ball (tsang2006, sections 3.1 and 3.2).

An edge e = (u, v) of weight w_e is seen through psi_e = sqrt(w_e) (phi(x_u)/s_u - phi(x_v)/s_v) and tau_e = sqrt(w_e)
(1/s_u - 1/s_v), with s = 1 (unnormalised) or the square root of the degree. Primal, m labelled points:

    min ||w||^2 + b^2 + 2 C t + C/(m mu) sum_i xi_i^2 + C theta/(|E| mu) sum_e (zeta_e^2 + zeta*_e^2)
    y_i (w'phi(x_i) + b) >= 1 - t - xi_i,    -(w'psi_e + b tau_e) <= t + zeta_e,    w'psi_e + b tau_e <= t + zeta*_e.

Every constraint belongs to one vector z_k of the feature space (y_i (phi(x_i), 1), or plus or minus (psi_e, tau_e)), a
combination of at most two data points and the constant. The dual over the simplex is

    max c'a - a'K~a,    K~ = Z'Z + diag(ridge),    c = 2/C on labelled points, else 0,

with (w, b) = C sum_k a_k z_k and primal optimum = C^2 dual optimum. Adding a constant eta with Delta_k = eta - K~_kk
+ c_k >= 0 makes it the minimum enclosing ball of the points (z_k, sqrt(ridge_k) e_k, sqrt(Delta_k)): its squared
radius is the dual objective plus eta, and a point's squared distance from the centre is a'K~a + eta - 2 g_k with g =
K~a - c/2.

Regression needs no other problem. |y_i - f(x_i)| <= t + xi_i is two constraints of the first kind, s f(x_i) >= d - t -
xi with (s, d) = (1, y_i) and (-1, -y_i): a *demand* d in place of 1, and c = 2 d/C.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from mr.solvers.certificates import relative_gap

EDGE_BLOCK = 2**16


@dataclass(frozen=True)
class Edges:
    """Edges of a graph as linear functionals: e takes f to at_u f(x_u) + at_v f(x_v) + tau b (f without bias b)."""

    u: np.ndarray
    v: np.ndarray
    at_u: np.ndarray
    at_v: np.ndarray

    @classmethod
    def of(cls, affinity, normalized: bool) -> "Edges":
        """Each undirected edge once; ``affinity`` symmetric, sparse, without self loops."""
        upper = sparse.triu(affinity, k=1, format="coo")
        root = np.sqrt(upper.data)
        u, v = upper.row.astype(np.int32), upper.col.astype(np.int32)
        if not normalized:
            return cls(u, v, root, -root)
        scale = 1.0 / np.sqrt(np.maximum(np.asarray(affinity.sum(axis=1)).ravel(), np.finfo(float).tiny))
        return cls(u, v, root * scale[u], -root * scale[v])

    @classmethod
    def none(cls) -> "Edges":
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0), np.zeros(0))

    def __len__(self):
        return len(self.u)

    def matrix(self, n) -> sparse.csr_array:
        """The functionals as rows over n points: :meth:`differences` as a product."""
        e = np.arange(len(self))
        entries = np.concatenate([self.at_u, self.at_v])
        return sparse.csr_array((entries, (np.tile(e, 2), np.concatenate([self.u, self.v]))), shape=(len(self), n))

    def differences(self, values) -> np.ndarray:
        """w'psi_e + b tau_e for all edges, from ``values`` = w'phi + b on the data."""
        out = self.at_u * values[self.u]
        out += self.at_v * values[self.v]
        return out


class BallProblem:
    """The points of the ball, made on demand. Ids: 0..m-1 labelled, then m + e for edge e, then m + |E| + e for minus
    e.

    ``y`` are the signs s of the labelled constraints, ``demand`` their d (None: all 1), ``n_labels`` is m in C/(m mu)
    (None: the number of labelled constraints).
    """

    def __init__(self, X, kernel, rows, y, edges: Edges, C, mu, theta, demand=None, n_labels=None):
        self.X, self.kernel, self.rows, self.y = X, kernel, np.asarray(rows), np.asarray(y, dtype=float)
        self.demand = np.ones(len(self.rows)) if demand is None else np.asarray(demand, dtype=float)
        self.edges = edges if theta > 0 else Edges.none()
        self.C, self.mu, self.theta = float(C), float(mu), float(theta)
        self.m, self.n_edges = len(self.rows), len(self.edges)
        self.size = self.m + 2 * self.n_edges
        self.ridge_labelled = self.mu * (self.m if n_labels is None else n_labels) / self.C
        self.ridge_edge = self.n_edges * self.mu / (self.C * self.theta) if self.n_edges else 0.0
        self.eta = self._smallest_eta()

    def parts(self, ids):
        """z_k = first_k phi(x_left) + second_k phi(x_right) + constant_k: arrays (left, right, first, second,
        constant)."""
        ids = np.asarray(ids)
        left, right = np.empty(len(ids), np.int64), np.empty(len(ids), np.int64)
        first, second = np.empty(len(ids)), np.zeros(len(ids))
        labelled = ids < self.m
        left[labelled] = right[labelled] = self.rows[ids[labelled]]
        first[labelled] = self.y[ids[labelled]]
        e = ids[~labelled] - self.m
        sign = np.where(e < self.n_edges, 1.0, -1.0)
        if len(e):
            e = e % self.n_edges
            left[~labelled], right[~labelled] = self.edges.u[e], self.edges.v[e]
            first[~labelled], second[~labelled] = sign * self.edges.at_u[e], sign * self.edges.at_v[e]
        return left, right, first, second, first + second

    def gram(self, ids, others) -> np.ndarray:
        """Z'Z block (without the ridge), four kernel evaluations an entry."""
        l, r, a, b, c = self.parts(ids)
        l2, r2, a2, b2, c2 = self.parts(others)
        points, inverse = np.unique(np.concatenate([l2, r2]), return_inverse=True)
        mine, inverse_mine = np.unique(np.concatenate([l, r]), return_inverse=True)
        K = self.kernel(self.X[mine], self.X[points])
        l, r = np.split(inverse_mine, 2)
        l2, r2 = np.split(inverse, 2)
        columns = K[:, l2] * a2 + K[:, r2] * b2
        return columns[l] * a[:, None] + columns[r] * b[:, None] + np.outer(c, c2)

    def ridge(self, ids) -> np.ndarray:
        return np.where(np.asarray(ids) < self.m, self.ridge_labelled, self.ridge_edge)

    def linear(self, ids) -> np.ndarray:
        """c_k: 2 d/C on labelled points."""
        return 2.0 * self.demands(ids) / self.C

    def demands(self, ids) -> np.ndarray:
        """d_k of labelled constraints, 0 of edges."""
        ids = np.asarray(ids)
        out = np.zeros(len(ids))
        labelled = ids < self.m
        out[labelled] = self.demand[ids[labelled]]
        return out

    def expansion(self, ids, a):
        """C sum_k a_k z_k as (rows of X, their coefficients, bias): the kernel expansion of the function."""
        left, right, first, second, constant = self.parts(ids)
        points, inverse = np.unique(np.concatenate([left, right]), return_inverse=True)
        coefficients = self.C * np.bincount(inverse, np.concatenate([a * first, a * second]), minlength=len(points))
        keep = coefficients != 0
        return points[keep], coefficients[keep], self.C * float(a @ constant)

    def _smallest_eta(self) -> float:
        """max_k K~_kk - c_k, so that every Delta_k is non-negative."""
        diagonal = self.kernel.diagonal(self.X[self.rows])
        eta = float((diagonal + 1.0 + self.ridge_labelled - 2.0 * self.demand / self.C).max())
        E = self.edges
        for start in range(0, len(E), EDGE_BLOCK):
            part = slice(start, start + EDGE_BLOCK)
            U, V, a, b = self.X[E.u[part]], self.X[E.v[part]], E.at_u[part], E.at_v[part]
            squares = a * a * self.kernel.diagonal(U) + b * b * self.kernel.diagonal(V)
            squares += 2.0 * a * b * paired(self.kernel, U, V) + (a + b) ** 2
            eta = max(eta, float(squares.max()) + self.ridge_edge)
        return eta


def paired(kernel, A, B) -> np.ndarray:
    """k(a_i, b_i) for rows that belong together."""
    if kernel.name == "rbf":
        difference = A - B
        return np.exp(-kernel.gamma_ * _row_dots(difference, difference))
    if kernel.name == "cosine":
        A, B = normalize(A), normalize(B)
    dots = _row_dots(A, B)
    return (kernel.gamma_ * dots + kernel.coef0) ** kernel.degree if kernel.name == "poly" else dots


def _row_dots(A, B):
    if sparse.issparse(A):
        return np.asarray(A.multiply(B).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", A, B)


def certify(problem, ids, a, norm, square, level, values) -> dict:
    """Achieved epsilon, best tube, primal objective and relative duality gap of the dual point (ids, a).

    ``norm`` is a'K~a, ``square`` the squared radius, ``level`` the multiplier of 1'a = 1, ``values`` f on the data.
    """
    f = problem.y * values[problem.rows]
    differences = problem.edges.differences(values)
    lowest = _lowest(problem, ids, a, f, differences)
    size = np.abs(differences)
    furthest = max(norm + problem.eta - 2.0 * lowest, 0.0)
    tube = best_tube(problem, f, size, -problem.C * level)
    smooth = problem.C**2 * (norm - float(problem.ridge(ids) @ (a * a)))
    primal = smooth + 2.0 * problem.C * tube + _losses(problem, f, size, tube)[0]
    dual = problem.C**2 * (float(problem.linear(ids) @ a) - norm)
    return {
        "achieved_epsilon": max(float(np.sqrt(furthest / square)) - 1.0, 0.0),
        "tube": float(tube),
        "objective": float(primal),
        "gap": relative_gap(primal, dual),
    }


def _lowest(problem, ids, a, f, differences) -> float:
    """min_k g_k over all points; those of the core include their ridge term."""
    m, E = problem.m, problem.n_edges
    lowest = np.inf
    for values, first, end in ((f - problem.demand, 0, m), (differences, m, m + E), (-differences, m + E, m + 2 * E)):
        g = values / problem.C
        mine = (ids >= first) & (ids < end)
        g[ids[mine] - first] += problem.ridge(ids[mine]) * a[mine]
        lowest = min(lowest, float(g.min(initial=np.inf)))
    return lowest


def _losses(problem, f, size, tube):
    """Squared losses at a tube, their derivative in the tube, and its slope."""
    total, derivative, slope = 0.0, 0.0, 0.0
    groups = [(problem.demand - tube - f, problem.ridge_labelled)]
    if problem.n_edges:
        groups += [(size - tube, problem.ridge_edge)]
        groups += [(-size - tube, problem.ridge_edge)] if tube < 0 else []
    for excess, ridge in groups:
        excess = excess[excess > 0]
        total += float(excess @ excess) / ridge
        derivative -= 2.0 * float(excess.sum()) / ridge
        slope += 2.0 * len(excess) / ridge
    return total, derivative, slope


def best_tube(problem, f, size, tube):
    """min_t 2 C t + losses(t), convex and piecewise quadratic: Newton, which ends exactly."""
    for _ in range(100):
        _, derivative, slope = _losses(problem, f, size, tube)
        derivative += 2.0 * problem.C
        if slope == 0.0:
            # no loss left: the objective falls with t until the first loss appears
            tube = max(float((problem.demand - f).max()), float(size.max(initial=-np.inf)))
            tube -= 1e-12 * max(abs(tube), 1.0)
            continue
        step = derivative / slope
        tube -= step
        if abs(step) <= 1e-14 * max(abs(tube), 1e-300):
            break
    return tube
