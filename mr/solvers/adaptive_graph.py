"""Manifold regularisation with an adaptive graph (AGMR): alternating minimisation over f and W (wang2017, section 3).

    min_{f, W}  sum_ij w_ij (f_i - f_j)^2 + gamma_1 sum_labelled (f_i - y_i)^2 + gamma_2 ||f||_K^2 + eta R(W),

rows of W on the simplex. Several functions (one per class) share one graph: (f_i - f_j)^2 is then ||F_i - F_j||^2.

Functions are F = R w, where K = R R' (the data itself for a linear kernel, so the f-step is d x d); W is one of
:mod:`mr.solvers.adaptive_weights`.
"""

from dataclasses import dataclass

import numpy as np

from mr.solvers.rls import smoothness_matrix, solve_in_features


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
    factor 2 of equation 2 and the symmetrised Laplacian.
    """
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
    return smoothness + gamma_1 * float(np.square(values[rows] - targets).sum()) + norm + penalty
