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
"""

import numpy as np
from scipy import sparse

import mr
from experiments.wang2017.methods import Without, grid, on_test, shape_of
from experiments.wang2017.protocol import partly_labelled, points

LASSO = 0.1
"""Weight of the l1 norm of the signed coefficients, in units of half the mean squared distance. Not varied."""


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
        self.method, self.X, self.X_new = method, X, X_new
        self.inverse, self.start, self.signed = solver == "inverse", start, signed
        self.max_iter, self.tol = max_iter, tol
        self.R = X if self.inverse or X.shape[1] <= X.shape[0] else np.linalg.qr(X.T)[1].T
        self.W = self._graph()

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
        fit = self._function_step(self.W, rows, targets, gamma_1, gamma_2)
        if not self.method.startswith("AGMR"):
            return fit | {"iterations": 1}
        W, history = self._first_weights(), []

        def note(penalty):  # the objective of equations 5 and 10, after every half step
            f, norm = fit["values"], fit["norm"]
            smoothness = 2.0 * f @ _laplacian(W, f, symmetric=True)
            history.append(smoothness + gamma_1 * np.square(f[rows] - targets).sum() + gamma_2 * norm + penalty)

        iteration = 0
        while iteration < self.max_iter:
            iteration += 1
            f = fit["values"]
            W, penalty = self._entropy(f, eta) if self.method == "AGMR_entropy" else self._sparse(W, f, eta_1, eta_2)
            note(penalty)
            fit = self._function_step(W, rows, targets, gamma_1, gamma_2)
            note(penalty)
            # "not greater" also ends a fit whose numbers are no numbers
            if iteration > 1 and not abs(history[-1] - history[-3]) > self.tol * abs(history[-3]):
                break
        return fit | {"iterations": iteration, "objective": np.array(history)}

    def _function_step(self, W, rows, targets, gamma_1, gamma_2):
        """Equation 7."""
        R = self.R
        smooth = R.T @ _laplacian(W, R, self.signed) * (2.0 if self.signed else 1.0)
        A = gamma_1 * R[rows].T @ R[rows] + gamma_2 * np.eye(R.shape[1]) + smooth
        if not self.inverse:
            w = np.linalg.solve(A, gamma_1 * R[rows].T @ targets)
            # new points need the weights of the features themselves
            weights = w if R is self.X else np.linalg.lstsq(self.X, R @ w, rcond=None)[0]
            new = None if self.X_new is None else self.X_new @ weights
            return {"values": R @ w, "new_values": new, "norm": float(w @ w), "condition": np.nan}
        M = R @ A @ R.T  # gamma_1 K_l'K_l + gamma_2 K + K'LK, since K = RR'
        try:
            inverse = np.linalg.inv(M)
        except np.linalg.LinAlgError:  # an exact 0 among the pivots: no numbers, so no answer
            inverse = np.zeros_like(M)
        alpha = inverse @ (gamma_1 * R @ (R[rows].T @ targets))
        w = R.T @ alpha
        values, new = R @ w, None if self.X_new is None else self.X_new @ w
        condition = float(np.abs(M).sum(axis=0).max() * np.abs(inverse).sum(axis=0).max())
        return {"values": values, "new_values": new, "norm": float(w @ w), "condition": condition}

    def rank(self, rows, gamma_1, gamma_2) -> int:
        """Numerical rank of the matrix of equation 7 on the first graph."""
        R = self.X
        A = gamma_1 * R[rows].T @ R[rows] + gamma_2 * np.eye(R.shape[1]) + R.T @ _laplacian(self.W, R)
        return int(np.linalg.matrix_rank(R @ A @ R.T, hermitian=True))

    def _entropy(self, f, eta):
        """Equation 9, with j = i in the sum; and eta sum w ln w."""
        exponent = -np.square(f[:, None] - f) / eta
        W = np.exp(exponent)
        sums = W.sum(axis=1, keepdims=True)
        W /= sums
        return W, float(eta * (W * (exponent - np.log(sums))).sum())

    def _first_weights(self):
        """Where equation 13 starts: rows scaled to 1."""
        n = len(self.X)
        if self.start == "equal":
            return np.full((n, n), 1.0 / n)
        return sparse.csr_array(self.W / np.maximum(self.W.sum(axis=1), 1e-300)[:, None])

    def _sparse(self, W, f, eta_1, eta_2):
        """Equation 13 (rows here are the paper's columns), and eta_1 times the errors plus eta_2 times the norms."""
        X, square = self.X, np.square(f)
        if sparse.issparse(W):
            W.eliminate_zeros()  # a weight that was cut off stays 0: equation 13 multiplies
            i, j = W.nonzero()
            gram, product = (np.einsum("ij,ij->i", A[i], X[j]) for A in (X, W @ X))
            weights = W.data * _ratio(eta_1 * gram, eta_1 * product, f[i] * f[j], square[i] + square[j], eta_2)
            V = sparse.csr_array((np.maximum(weights, 0.0), (i, j)), shape=W.shape)
            V = V.multiply(1.0 / np.maximum(V.sum(axis=1), 1e-300)[:, None]).tocsr()
        else:
            both = square[:, None] + square
            V = W * _ratio(eta_1 * (X @ X.T), eta_1 * ((W @ X) @ X.T), np.outer(f, f), both, eta_2)
            V = np.maximum(V, 0.0)
            V /= np.maximum(V.sum(axis=1, keepdims=True), 1e-300)
        return V, float(eta_1 * np.square(X - V @ X).sum() + eta_2 * V.sum())


def _ratio(gram, product, ff, squares, eta_2):
    below = product + 0.25 * squares + 0.5 * eta_2
    return (gram + 0.5 * ff) / np.where(below == 0, 1e-300, below)


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
