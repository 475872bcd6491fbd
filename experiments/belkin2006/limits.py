"""The algorithms that belkin2006's Table 2 names, solved on their own: closed forms and general quadratic programs."""

import numpy as np
import osqp
from scipy import linalg, sparse


def square_on_graph(L, rows, y, weight):
    """min 1/l sum (y_i - f_i)^2 + weight f'Lf over f in R^n (Belkin, Matveeva and Niyogi 2004)."""
    H = weight * L
    H[rows, rows] += 1.0 / len(rows)
    right = np.zeros(len(L))
    right[rows] = y / len(rows)
    return np.linalg.solve(H, right)


def hinge_on_graph(L, rows, y, weight):
    """min 1/l sum max(0, 1 - y_i (f_i + b)) + weight f'Lf over f in R^n: f is known up to a constant, f + b is not.

    On a connected graph constants cost nothing, so b is put to zero.
    """
    n, l = len(L), len(rows)
    return _program(2.0 * weight * L, np.zeros(n), np.eye(n)[rows] * y[:, None], np.ones(l) / l, np.zeros((l, 0)))[:n]


def label_propagation(L, rows, y, margin):
    """min f'Lf subject to f_i = y_i (Zhu, Ghahramani and Lafferty 2003), or to y_i f_i >= 1 with ``margin``."""
    hidden = np.setdiff1d(np.arange(len(L)), rows)
    if not margin:
        f = np.zeros(len(L))
        f[rows] = y
        f[hidden] = -np.linalg.solve(L[np.ix_(hidden, hidden)], L[np.ix_(hidden, rows)] @ y)
        return f
    return _program(2.0 * L, np.zeros(len(L)), np.eye(len(L))[rows] * y[:, None], None, np.zeros((len(rows), 0)))


def hinge_primal(K, L, rows, y, gamma_A, smoothness, evaluate=None):
    """min 1/l sum max(0, 1 - y_i (f_i + b)) + gamma_A ||f||^2 + smoothness f'Lf, f = K alpha, in the primal.

    In the coordinates w of K = R R', f = R w. ``gamma_A`` None is the hard margin. Returns f + b on the points, or at
    the points whose kernel block with them is ``evaluate``.
    """
    scales, axes = linalg.eigh(K)
    keep = scales > len(K) * np.finfo(float).eps * scales[-1]
    factor = axes[:, keep] * np.sqrt(scales[keep])
    H = 2.0 * (gamma_A or 1.0) * np.eye(factor.shape[1])
    if L is not None:
        H += 2.0 * smoothness * factor.T @ L @ factor
    cost = None if gamma_A is None else np.ones(len(rows)) / len(rows)
    solution = _program(H, np.zeros(len(H)), factor[rows] * y[:, None], cost, y[:, None])
    w, b = solution[: len(H)], solution[len(H)]
    values = factor @ w if evaluate is None else evaluate @ (axes[:, keep] @ (w / np.sqrt(scales[keep])))
    return values + b


def _program(H, linear, margins, cost, free):
    """min 1/2 w'Hw + linear'w + cost'xi, margins w + free b + xi >= 1, xi >= 0 (no xi if cost is None): w, b."""
    l, m, k = len(margins), H.shape[0], free.shape[1]
    slack = 0 if cost is None else l
    P = np.zeros((m + k + slack, m + k + slack))
    P[:m, :m] = H
    q = np.concatenate([linear, np.zeros(k), np.zeros(0) if cost is None else cost])
    A = np.zeros((l + slack, m + k + slack))
    A[:l, :m], A[:l, m : m + k] = margins, free
    if slack:
        A[:l, m + k :] = A[l:, m + k :] = np.eye(l)
    lower = np.concatenate([np.ones(l), np.zeros(slack)])
    solver = osqp.OSQP()
    # Scaling the objective changes no minimiser; OSQP's tolerances are absolute in its gradient.
    scale = 1.0 / max(np.abs(P).max(), np.abs(q).max())
    solver.setup(P=sparse.csc_matrix(np.triu(P) * scale), q=q * scale, A=sparse.csc_matrix(A), l=lower,
                 u=np.full(len(lower), np.inf), eps_abs=1e-9, eps_rel=1e-9, max_iter=50_000, polishing=True,
                 verbose=False)  # fmt: skip
    # "Solved inaccurately" (to 1e-8 or so) is good enough for a reference; the table shows the difference that is left.
    return solver.solve(raise_error=False).x[: m + k]
