"""The graph of AGMR as an unknown: rows of W on the simplex, re-estimated from the function values (wang2017).

Each class answers what the alternation asks: ``update(F)`` (the W-step), ``quadratic(R)`` and ``apply(F)`` for the
smoothness term, ``penalty`` (eta R(W)), ``directed()`` (W as CSR). The smoothness sum_ij w_ij ||F_i - F_j||^2 of a
*directed* W is tr F'(D_r + D_c - W - W')F, with row and column sums: 2 L of the symmetrised (W + W')/2. Equation 7 of
the paper prints K'LK there, half of it and not symmetric; with that the alternation is no descent on (6).
"""

import warnings

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances

from mr.graph.union import neighbor_matrix
from mr.solvers import row_descent
from mr.solvers.gauss_transform import GaussTransform, degree_needed

THIN = 1e-3
"""Below this kernel sum, rows are computed exactly: the transform's absolute error of 1e-13 would show in them."""


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

    ``penalty`` is eta sum_ij w_ij ln(m w_ij), m candidates a row: the paper's term plus the constant eta n ln m. So it
    is not negative, which the paper's proof of convergence takes for granted, and a relative tolerance means something.
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
            self.rows = step(self.problem, self.rows, costs(F, self.candidates))
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


def costs(F, candidates=None):
    """||F_i - F_j||^2 for all pairs (n x n), or for the candidates of each row (n x k)."""
    if candidates is not None:
        return np.square(F[:, None, :] - F[candidates]).sum(axis=2)
    if F.shape[1] == 1:
        return np.square(F - F[:, 0])
    return euclidean_distances(F, squared=True)


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
