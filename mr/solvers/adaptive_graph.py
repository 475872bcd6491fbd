"""Manifold regularisation with an adaptive graph (AGMR): alternating minimisation over f and W (wang2017, section 3).

    min_{f, W}  sum_ij w_ij (f_i - f_j)^2 + gamma_1 sum_labelled (f_i - y_i)^2 + gamma_2 ||f||_K^2 + eta R(W),

rows of W on the simplex. Several functions (one per class) share one graph: (f_i - f_j)^2 is then ||F_i - F_j||^2.

Functions are F = R w, where K = R R' (the data itself for a linear kernel, so the f-step is d x d); W is one of
the classes of weights below, which answer what the alternation asks: ``update(F)`` (the W-step), ``quadratic(R)`` and
``apply(F)`` for the smoothness term, ``penalty`` (eta R(W)), ``directed()`` (W as CSR).

The smoothness sum_ij w_ij ||F_i - F_j||^2 of a
*directed* W is tr F'(D_r + D_c - W - W')F, with row and column sums: 2 L of the symmetrised (W + W')/2. Equation 7 of
the paper prints K'LK there, half of it and not symmetric; with that the alternation is no descent on (6).
"""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from scipy import sparse
from scipy.special import ive

from mr.graph.union import neighbor_matrix
from mr.solvers import row_descent
from mr.solvers.rls import smoothness_matrix, solve_in_features
from mr.solvers.row_descent import costs

THIN = 1e-3
"""Below this kernel sum, rows are computed exactly: the transform's absolute error of 1e-13 would show in them."""
ROUNDING = 1e-15
MAX_DEGREE = 1024
"""Of the Chebyshev expansion on a line; beyond it the dense matrix is used."""


@dataclass(frozen=True)
class AdaptiveSolution:
    """Where the alternation stopped."""

    weights: np.ndarray
    """w with F = R w."""
    values: np.ndarray
    """F on all points."""
    coefficients: np.ndarray
    """alpha with w = R' alpha: the expansion over all points, for kernels without a finite R."""
    objective: np.ndarray
    """J after every half step: first W-step, f-step, W-step, f-step, ..."""
    n_iter: int
    converged: bool


def fit_on_graph(R, rows, targets, gamma_1, gamma_2, smoothness):
    """f-step: (gamma_1 R_l'R_l + gamma_2 I + S) w = gamma_1 R_l' y, where w'Sw is the smoothness of R w.

    In coefficients alpha this is (gamma_1 K_l'K_l + gamma_2 K + 2 K L_s K) alpha = gamma_1 K_l' y, equation 7 with the
    factor 2 of equation 2 and the symmetrised Laplacian. A column (l, 1) of gamma_1 weighs the labels.
    """
    if np.ndim(gamma_1):
        roots = np.sqrt(gamma_1)
        return solve_in_features(roots * R[rows], roots * targets, smoothness, ridge=gamma_2)
    return solve_in_features(R[rows], targets, smoothness, ridge=gamma_2, weight=gamma_1)


def graph_smoothness(R, graph):
    """Matrix S of 2 f'Lf for a fixed graph (equation 2): the initial f is MR on it."""
    return 2.0 * smoothness_matrix(R, graph)


def alternate(R, rows, targets, graph_weights, values, gamma_1, gamma_2, max_iter, tol) -> AdaptiveSolution:
    """Algorithm 1 of the paper from the initial ``values``, until an iteration lowers J by less than ``tol`` J."""
    history = []
    w = None
    converged = False
    norm = 0.0
    for _ in range(max_iter):
        graph_weights.update(values)
        Q = graph_weights.quadratic(R)
        if w is not None:
            history.append(_objective(Q, w, values, rows, targets, gamma_1, norm, graph_weights.penalty))
        w = fit_on_graph(R, rows, targets, gamma_1, gamma_2, Q)
        values = np.asarray(R @ w)
        norm = gamma_2 * float(np.square(w).sum())
        history.append(_objective(Q, w, values, rows, targets, gamma_1, norm, graph_weights.penalty))
        if len(history) > 2 and abs(history[-3] - history[-1]) <= tol * abs(history[-3]):
            converged = True
            break
    alpha = -graph_weights.apply(values)
    alpha[rows] += gamma_1 * (targets - values[rows])
    return AdaptiveSolution(w, values, alpha / gamma_2, np.array(history), (len(history) + 1) // 2, converged)


def _objective(Q, w, values, rows, targets, gamma_1, norm, penalty):
    smoothness = float(np.einsum("ij,ik,kj->", w, Q, w, optimize=True))
    return smoothness + float((gamma_1 * np.square(values[rows] - targets)).sum()) + norm + penalty


class PaperUpdateWarning(UserWarning):
    """The conditions of wang2017's equation 13 do not hold: the printed update may raise the objective."""


class DirectedWeights:
    """W (dense, or CSR on a support), with rows that sum to 1."""

    W = None
    penalty = 0.0

    def quadratic(self, R):
        """The matrix of w -> sum_ij w_ij ||(Rw)_i - (Rw)_j||^2."""
        smooth = _dense(R.T @ (self.W @ R))
        return _dense(R.T @ _scale_rows(R, self._degrees())) - smooth - smooth.T

    def apply(self, F):
        """(D_r + D_c - W - W') F, that is 2 L F."""
        return self._degrees()[:, None] * F - self.W @ F - self.W.T @ F

    def directed(self):
        return sparse.csr_array(self.W)

    def _degrees(self):
        return np.asarray(self.W.sum(axis=0)).ravel() + np.asarray(self.W.sum(axis=1)).ravel()


class EntropyWeights(DirectedWeights):
    """W-step of the entropy penalty, equation 9: w_ij = exp(-(f_i - f_j)^2 / eta), rows normalised, w_ii = 0.

    ``penalty`` is eta sum_ij w_ij ln(m w_ij), m candidates per row: the paper's term plus the constant eta n ln m. So
    it is not negative, as the paper's proof of convergence takes for granted, and a relative tolerance means something.
    """

    def __init__(self, eta, candidates=None):
        self.eta = eta
        self.candidates = candidates

    def update(self, F):
        cost = costs(F, self.candidates)
        exponent = cost / -self.eta
        if self.candidates is None:
            np.fill_diagonal(exponent, -np.inf)
        log_sum, weights = _softmax(exponent)
        smoothness = float(np.einsum("ij,ij->", weights, cost))
        n, k = cost.shape
        m = k if self.candidates is not None else max(k - 1, 1)
        self.penalty = -smoothness - self.eta * float(log_sum.sum()) + self.eta * n * np.log(m)
        self.W = weights if self.candidates is None else neighbor_matrix(self.candidates, weights)


class LineEntropyWeights(DirectedWeights):
    """The same graph for one function: W = diag(1 / Z)(K - I), K of low rank, never n x n.

    Rows with almost no kernel mass (outliers on the line) are kept dense and exact. Where the rank is not small, one
    update uses the dense W.
    """

    def __init__(self, eta):
        self.eta = eta

    def update(self, F):
        f = F[:, 0]
        degree = degree_needed(0.5 * (f.max() - f.min()), self.eta)
        self.K = None
        if degree is not None and 3 * degree < len(f):
            self._update_transform(f, degree)
        if self.K is None:
            dense = EntropyWeights(self.eta)
            dense.update(F)
            self.W, self.penalty = dense.W, dense.penalty

    def _update_transform(self, f, degree):
        K = GaussTransform(f, self.eta, degree)
        n = len(f)
        sums = K @ np.ones(n) - 1.0
        thin = np.flatnonzero(sums < THIN)
        if len(thin) > n // 8:
            return
        exponent = np.square(f[thin, None] - f) / -self.eta
        exponent[np.arange(len(thin)), thin] = -np.inf
        log_sum, self.exact = _softmax(exponent)
        self.K, self.thin = K, thin
        self.scale = 1.0 / np.where(sums < THIN, np.inf, sums)
        logs = np.log(np.maximum(sums, THIN))
        logs[thin] = log_sum
        self.columns = K @ self.scale - self.scale + self.exact.sum(axis=0)
        smoothness = float(f @ self.apply(f[:, None])[:, 0])
        self.penalty = -smoothness - self.eta * float(logs.sum()) + self.eta * n * np.log(max(n - 1, 1))

    def quadratic(self, R):
        if self.K is None:
            return super().quadratic(R)
        scaled = _scale_rows(R, self.scale)
        smooth = self.K.between(scaled, R) + R[self.thin].T @ (self.exact @ R)
        # W = diag(scale) K - diag(scale) + exact rows: its diagonal part joins the degrees
        return R.T @ _scale_rows(R, 1.0 + self.columns + 2.0 * self.scale) - smooth - smooth.T

    def apply(self, F):
        if self.K is None:
            return super().apply(F)
        scale = self.scale[:, None]
        result = (1.0 + self.columns + 2.0 * self.scale)[:, None] * F - scale * (self.K @ F) - self.K @ (scale * F)
        result[self.thin] -= self.exact @ F
        return result - self.exact.T @ F[self.thin]

    def directed(self):
        if self.K is None:
            return super().directed()
        W = self.scale[:, None] * (self.K @ np.eye(len(self.scale)))
        W[self.thin] = self.exact
        np.fill_diagonal(W, 0.0)
        return sparse.csr_array(np.maximum(W, 0.0))


class SparseWeights(DirectedWeights):
    """W-step of the sparse penalty, equation 12: eta_1 sum_i ||x_i - sum_j w_ij x_j||^2 + eta_2 sum_i ||w_i||_1."""

    def __init__(self, problem, eta_2, update="pairwise", candidates=None, start=None):
        self.problem = problem
        self.eta_2 = eta_2
        self.method = update
        self.candidates = candidates
        if start is not None:
            self.rows = start.copy()
        else:
            self.rows = problem.uniform()
            if update == "pairwise":
                self.rows[:] = 0.0  # start each row at its best single candidate
        self._warned = False

    def update(self, F):
        if self.method == "paper":
            self.rows, valid = row_descent.printed(self.problem, self.rows, F, self.eta_2)
            self._warn(valid)
        else:
            step = getattr(row_descent, self.method)
            self.rows = step(self.problem, self.rows, F, self.candidates)
        errors = self.problem.errors(self.rows)
        # less its minimum eta_2 n: what is left is 0 on the simplex, and a relative tolerance means something
        excess = float(self.rows.sum()) - len(self.rows)
        self.penalty = self.problem.eta_1 * float(errors.sum()) + self.eta_2 * excess
        self.W = sparse.csr_array(self.rows) if self.candidates is None else neighbor_matrix(self.candidates, self.rows)

    def _warn(self, valid):
        if not valid and not self._warned:
            self._warned = True
            warnings.warn(
                "update='paper' needs eta_1 XX' + FF'/2 >= 0 (wang2017, equation 13); some entries are negative. "
                "The objective may rise. update='pairwise' solves the same problem and never raises it.",
                PaperUpdateWarning,
                stacklevel=2,
            )


def mean_cost(F, candidates=None) -> float:
    """Mean of :func:`costs` over the pairs that W may join, without the n x n matrix."""
    if candidates is not None:
        return float(costs(F, candidates).mean())
    n = len(F)
    return 2.0 * n * float(F.var(axis=0).sum()) / max(n - 1, 1)


def _softmax(exponent):
    """Logarithm of the row sums of exp(exponent), and the normalised rows; a row of -inf gives zeros."""
    top = exponent.max(axis=1, keepdims=True) if exponent.size else np.zeros((len(exponent), 1))
    top = np.where(np.isfinite(top), top, 0.0)
    weights = np.exp(exponent - top)
    sums = weights.sum(axis=1, keepdims=True)
    weights /= np.where(sums > 0, sums, 1.0)
    return (np.log(np.where(sums > 0, sums, 1.0)) + top)[:, 0], weights


def _scale_rows(R, scale):
    return R.multiply(scale[:, None]).tocsr() if sparse.issparse(R) else R * scale[:, None]


def _dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def degree_needed(half_range, eta) -> int | None:
    """Degree at which the Chebyshev coefficients of exp(-s u^2) on [-1, 1], s = half_range^2 / eta, reach rounding.

    The coefficient of T_2k is 2 exp(-s/2) I_k(s/2) in absolute value. None when ``MAX_DEGREE`` is not enough.
    """
    s = half_range**2 / eta
    orders = np.arange(MAX_DEGREE // 2 + 1)
    small = np.flatnonzero(2.0 * ive(orders, s / 2.0) < ROUNDING)
    return None if len(small) == 0 else max(4, 2 * int(small[0]) + 2)


class GaussTransform:
    """Products with K = exp(-(f_i - f_j)^2 / eta) of points on a line, in O(n p) instead of O(n^2).

    The adaptive graph with the entropy penalty (wang2017, equation 9) is this matrix with its rows normalised. On a
    line it has low rank: interpolating the Gaussian at p Chebyshev nodes gives K = T M T' to rounding, with T the
    Chebyshev polynomials at the points. p grows like range / sqrt(eta), and does not depend on n.
    """

    def __init__(self, f, eta, degree):
        low, high = f.min(), f.max()
        half = 0.5 * (high - low) or 1.0
        self.vander = chebvander(np.clip((f - 0.5 * (low + high)) / half, -1.0, 1.0), degree)
        p = degree + 1
        angles = (np.arange(p) + 0.5) * np.pi / p
        nodes = half * np.cos(angles)
        at_nodes = np.exp(-np.square(nodes[:, None] - nodes) / eta)
        to_coefficients = np.cos(np.outer(np.arange(p), angles)) * (2.0 / p)
        to_coefficients[0] *= 0.5
        self.core = to_coefficients @ at_nodes @ to_coefficients.T

    def __matmul__(self, v):
        return self.vander @ (self.core @ (self.vander.T @ v))

    def between(self, left, right):
        """left' K right for matrices of few columns, without an n x n or n x d product with K."""
        return (left.T @ self.vander) @ self.core @ (self.vander.T @ right)
