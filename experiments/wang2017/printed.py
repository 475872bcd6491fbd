"""Algorithm 1 of wang2017 by the letter: equations 7, 9 and 13 as printed, without the corrections that ``mr`` makes.

No user of the library would want this machine; it is here to find out whether the printed tables come from it.

- Equation 7, alpha = (gamma_1 K_l'K_l + gamma_2 K + K'LK)^-1 gamma_1 K_l'Y with L = D - W of the *directed* W and the
  factor 1. With a linear kernel of d features the matrix has rank at most d: for n > d points there is no inverse.
  ``solver="inverse"`` calls ``numpy.linalg.inv`` all the same, as a program with ``inv`` would. What comes out is
  rounding error blown up by a condition number of 1e16 and more, so it differs between machines.
  ``solver="primal"`` solves the same equation for the weights of the features, where it has one solution.
- Equation 9 as printed: the sum runs over all j, i itself included.
- Equation 13 with eta_2, from the nearest-neighbour graph (a weight of 0 stays 0) or from equal weights; negative
  weights are cut off and rows are scaled to 1 (the constraint of equation 12, which equation 13 drops).
- ``signed``: MR_SP on the coefficients of equation 14 with their signs (a lasso with coefficients that sum to 1).

Every step is written for speed, since Table 2 fits each draw 625 times: inner products of points are kept, what the
first graph and the first f-step give is shared by the cells, and W X of one step serves equation 7, the objective and
the next step of equation 13. Tests compare it with the equations by the letter.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy import sparse

import mr
from experiments.wang2017.methods import Without, grid, on_test, shape_of
from experiments.wang2017.protocol import partly_labelled, points

LASSO = 0.1
"""Weight of the l1 norm of the signed coefficients, in units of half the mean squared distance. Not varied."""
TINY = 1e-300
"""Stands for a sum of 0 in a denominator."""


@dataclass
class Graph:
    """What equation 7 and the objective need of W: W R, the sums of its rows and columns, and its penalty."""

    WR: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    penalty: float

    def smoothness(self, f, w) -> float:
        """The sum of w_ij (f_i - f_j)^2, for f = R w."""
        return float((self.rows + self.columns) @ np.square(f) - 2.0 * (f @ (self.WR @ w)))


class Printed:
    """The printed machine of one method on one set of points.

    Parameters
    ----------
    method : {"MR_LP", "MR_SP", "AGMR_entropy", "AGMR_sparse"}
    X, X_new : arrays (n, d), (m, d) or None
        Training points with their constant feature, and new points.
    solver : {"inverse", "primal"}
    start : {"neighbours", "equal"}
        Where equation 13 starts.
    signed : bool
        Coefficients of MR_SP with their signs, symmetrised and with the factor 2, so that nothing else changes.
    max_iter, tol : int, float
        The stopping rule of Algorithm 1, whose Maxiter and epsilon are not printed.
    """

    def __init__(self, method, X, X_new=None, solver="primal", start="neighbours", signed=False, max_iter=10, tol=1e-3):
        self.method, self.X, self.R, self.R_new = method, X, X, X_new
        self.inverse, self.signed, self.max_iter, self.tol = solver == "inverse", signed, max_iter, tol
        if not self.inverse and X.shape[1] > X.shape[0]:
            # coordinates in the span of the points: the same inner products from fewer features
            Q, T = np.linalg.qr(X.T)
            self.R, self.R_new = np.ascontiguousarray(T.T), None if X_new is None else X_new @ Q
        self.W = self._graph()
        self.smooth = self.R.T @ _laplacian(self.W, self.R, signed) * (2.0 if signed else 1.0)
        self.weights = {"neighbours": Neighbours, "equal": Pairs}[start](self) if method == "AGMR_sparse" else None
        self.known = {}

    def _graph(self):
        if self.signed:
            return mr.SparseRepresentationGraph(alpha=LASSO, tol=1e-4).fit(self.X).coefficients_
        if self.method == "MR_SP":
            return mr.SparseRepresentationGraph(tol=1e-4).fit(self.X).affinity_
        return mr.KNNGraph(10, laplacian="unnormalized").fit(self.X).affinity_

    def fit(self, rows, targets, gamma_1, gamma_2, eta=1.0, eta_1=1.0, eta_2=1.0) -> dict:
        """Values on training and new points, iterations, the condition number of the last matrix; the objective.

        The objective is that of equations 5 and 10 after every half step (W, f, W, f, ...), for AGMR.
        """
        fit = self._first(rows, targets, gamma_1, gamma_2)
        if not self.method.startswith("AGMR"):
            return fit | {"iterations": 1}
        entropy = self.method == "AGMR_entropy"
        step = Entropy(self.R, eta) if entropy else self.weights.step(eta_1, eta_2)
        history, iteration = [], 0

        def note():  # the objective of equations 5 and 10, after every half step
            f, w = fit["values"], fit["weights"]
            loss = gamma_1 * np.square(f[rows] - targets).sum() + gamma_2 * (w @ w)
            history.append(graph.smoothness(f, w) + loss + graph.penalty)

        while iteration < self.max_iter:
            iteration += 1
            graph = step(fit["values"])
            note()
            smooth = self.R.T @ (graph.rows[:, None] * self.R - graph.WR)
            fit = self._function_step(smooth, rows, targets, gamma_1, gamma_2)
            note()
            # "not greater" also ends a fit whose numbers are no numbers
            if iteration > 1 and not abs(history[-1] - history[-3]) > self.tol * abs(history[-3]):
                break
        return fit | {"iterations": iteration, "objective": np.array(history)}

    def _first(self, rows, targets, gamma_1, gamma_2):
        """Equation 7 on the first graph; cells that differ in eta only have it in common."""
        key = rows.tobytes(), targets.tobytes(), gamma_1, gamma_2
        if key not in self.known:
            self.known = {key: self._function_step(self.smooth, rows, targets, gamma_1, gamma_2)}
        return self.known[key]

    def _matrix(self, smooth, rows, gamma_1, gamma_2):
        R = self.R
        return gamma_1 * R[rows].T @ R[rows] + gamma_2 * np.eye(R.shape[1]) + smooth

    def _function_step(self, smooth, rows, targets, gamma_1, gamma_2):
        """Equation 7; ``smooth`` is R'LR."""
        R, condition = self.R, np.nan
        A = self._matrix(smooth, rows, gamma_1, gamma_2)
        if self.inverse:
            M = R @ A @ R.T  # gamma_1 K_l'K_l + gamma_2 K + K'LK, since K = RR'
            try:
                inverse = np.linalg.inv(M)
            except np.linalg.LinAlgError:  # an exact 0 among the pivots: no numbers, so no answer
                inverse = np.zeros_like(M)
            w = R.T @ (inverse @ (gamma_1 * R @ (R[rows].T @ targets)))
            condition = float(np.abs(M).sum(axis=0).max() * np.abs(inverse).sum(axis=0).max())
        else:
            w = np.linalg.solve(A, gamma_1 * R[rows].T @ targets)
        new = None if self.R_new is None else self.R_new @ w
        return {"values": R @ w, "new_values": new, "weights": w, "condition": condition}

    def rank(self, rows, gamma_1, gamma_2) -> int:
        """Numerical rank of the matrix of equation 7 on the first graph."""
        A = self._matrix(self.smooth, rows, gamma_1, gamma_2)
        return int(np.linalg.matrix_rank(self.R @ A @ self.R.T, hermitian=True))


class Entropy:
    """Equation 9, with j = i in the sum; the penalty is eta sum w ln w."""

    def __init__(self, R, eta):
        self.R, self.eta = R, eta

    def __call__(self, f) -> Graph:
        E = np.subtract.outer(f, f)
        np.multiply(E, E, out=E)
        E *= -1.0 / self.eta
        np.exp(E, out=E)
        sums = E.sum(axis=1)
        graph = Graph(E @ self.R / sums[:, None], np.ones(len(f)), E @ (1.0 / sums), 0.0)
        # ln w_ij = -(f_i - f_j)^2 / eta - ln sum_i
        difference = (1.0 + graph.columns) @ np.square(f) - 2.0 * (f @ (E @ f / sums))
        graph.penalty = float(-difference - self.eta * np.log(sums).sum())
        return graph


class _Reconstruction:
    """Equation 13 (rows here are the paper's columns); the penalty is eta_1 times the errors plus eta_2 sum w."""

    def step(self, eta_1, eta_2):
        """A function from f to the next W, from the first one on."""
        state = self._start()

        def step(f):
            WR, rows, columns = self._next(state, f, eta_1, eta_2)
            return Graph(WR, rows, columns, float(eta_1 * np.square(self.R - WR).sum() + eta_2 * rows.sum()))

        return step


class Neighbours(_Reconstruction):
    """From the nearest-neighbour graph, rows scaled to 1: a weight of 0 stays 0, so W has no other edges."""

    def __init__(self, machine):
        self.R = machine.R
        W = sparse.csr_array(machine.W / np.maximum(machine.W.sum(axis=1), TINY)[:, None])
        self.W, self.WR = W, W @ self.R
        self.gram = np.einsum("ij,ij->i", self.R[W.tocoo().row], self.R[W.indices])

    def _start(self):
        return self.W.data.copy(), self.WR.copy()

    def _next(self, state, f, eta_1, eta_2):
        weights, WR = state
        rows, columns = _edges(self.W.indptr, self.W.indices, weights, self.gram, WR, self.R, f, eta_1, eta_2)
        return WR, rows, columns


class Pairs(_Reconstruction):
    """From equal weights of all pairs."""

    def __init__(self, machine):
        self.R, n = machine.R, len(machine.R)
        self.gram, self.W = self.R @ self.R.T, np.empty((n, n))
        self.first = np.tile(self.R.mean(axis=0) @ self.R.T, (n, 1))
        self.product = np.empty((n, n))

    def _start(self):
        self.W.fill(1.0 / len(self.W))
        self.product[:] = self.first
        return [None]

    def _next(self, state, f, eta_1, eta_2):
        if state[0] is not None:
            np.dot(state[0], self.R.T, out=self.product)
        rows, columns = _pairs(self.W, self.gram, self.product, f, eta_1, eta_2)
        state[0] = self.W @ self.R
        return state[0], rows, columns


@njit(cache=True, nogil=True, inline="always")
def _ratio(gram, product, f_i, f_j, eta_1, eta_2):
    below = eta_1 * product + 0.25 * (f_i * f_i + f_j * f_j) + 0.5 * eta_2
    return (eta_1 * gram + 0.5 * f_i * f_j) / (TINY if below == 0.0 else below)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _edges(starts, ends, weights, gram, WR, R, f, eta_1, eta_2):
    """Equation 13 on the edges of a graph, and W R; both in place. Returns the sums of rows and columns."""
    n, d = R.shape
    rows, columns = np.zeros(n), np.zeros(n)
    for i in range(n):
        total = 0.0
        for e in range(starts[i], starts[i + 1]):
            if weights[e] != 0.0:
                j, product = ends[e], 0.0
                for k in range(d):
                    product += WR[i, k] * R[j, k]
                value = weights[e] * _ratio(gram[e], product, f[i], f[j], eta_1, eta_2)
                weights[e] = 0.0 if value < 0.0 else value
                total += weights[e]
        WR[i] = 0.0
        scale = 1.0 / (TINY if total < TINY else total)
        for e in range(starts[i], starts[i + 1]):
            weights[e] *= scale
            j, weight = ends[e], weights[e]
            rows[i] += weight
            columns[j] += weight
            for k in range(d):
                WR[i, k] += weight * R[j, k]
    return rows, columns


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _pairs(W, gram, product, f, eta_1, eta_2):
    """Equation 13 on all pairs, in place. Returns the sums of rows and columns."""
    n = len(W)
    rows, columns = np.zeros(n), np.zeros(n)
    for i in range(n):
        total = 0.0
        for j in range(n):
            value = W[i, j] * _ratio(gram[i, j], product[i, j], f[i], f[j], eta_1, eta_2)
            value = 0.0 if value < 0.0 else value
            W[i, j] = value
            total += value
        scale = 1.0 / (TINY if total < TINY else total)
        for j in range(n):
            W[i, j] *= scale
            columns[j] += W[i, j]
        rows[i] = total * scale
    return rows, columns


def _laplacian(W, V, symmetric=False):
    """(D - W) V with the row sums of a directed W; or (D - W) V of (W + W')/2."""
    vector = V.ndim == 1
    V = V[:, None] if vector else V
    out = np.asarray(W.sum(axis=1)).ravel()[:, None] * V - W @ V
    if symmetric:
        out = 0.5 * (out + np.asarray(W.sum(axis=0)).ravel()[:, None] * V - W.T @ V)
    return out[:, 0] if vector else out


def evaluate_printed(method, X, y, draw, params, convention, options) -> list[dict]:
    """The same for the printed machine; ``options`` of :class:`experiments.wang2017.printed.Printed`."""
    Z, Z_new = points(X, draw, convention)
    machine = Printed(method, Z, Z_new, **options)
    labels, truth = partly_labelled(draw, y), y[draw.test] == 1
    rows = np.flatnonzero(labels >= 0)
    targets = np.where(labels[rows] == 1, 1.0, -1.0)
    without, found = Without(labels, draw, Z, Z_new), []
    for number, cell in enumerate(grid(method, params, eta_2=params.get("eta_2", True))):
        fit = machine.fit(rows, targets, **cell)
        positive = on_test(draw, fit["values"], fit["new_values"]) > 0
        row = {"cell": number} | shape_of(positive, truth, without(cell), fit["values"])
        found.append(row | {"iterations": fit["iterations"], "condition": float(f"{fit['condition']:.3g}")})
    if options.get("solver") == "inverse" and len(found) == 1:
        found[0] |= {"rank": machine.rank(rows, **cell_of_ones()), "size": len(Z)}
    return found


def cell_of_ones() -> dict:
    return {"gamma_1": 1.0, "gamma_2": 1.0}
