"""How far from optimal an objective can be at most: duality gaps, relative, of every dual solved here."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning


def relative_gap(primal, dual) -> float:
    """(primal - dual) / max(|primal|, |dual|): the optimum lies between the two values."""
    return float((primal - dual) / max(abs(primal), abs(dual), np.finfo(float).tiny))


def hinge_gap(K_beta, beta, intercept, y, C) -> float:
    """Of an SVC with coefficients beta = y o a, 0 <= a <= C (a number, or one per point).

    P = 1/2 beta'K beta + sum_i C_i max(0, 1 - y_i f_i),   D = y'beta - 1/2 beta'K beta.
    """
    norm = float(beta @ K_beta)
    loss = float((C * np.maximum(0.0, 1.0 - y * (K_beta + intercept))).sum())
    return relative_gap(0.5 * norm + loss, float(y @ beta) - 0.5 * norm)


def box_gap(b, gradient, p, C) -> float:
    """Of min 1/2 b'Qb - p'b, 0 <= b <= C, at a feasible b; ``gradient`` is Qb - p.

    P = 1/2 b'Qb + C sum max(0, p - Qb),   D = p'b - 1/2 b'Qb.
    """
    norm = float(b @ (gradient + p))
    loss = float(C * np.maximum(0.0, -gradient).sum())
    return relative_gap(0.5 * norm + loss, float(p @ b) - 0.5 * norm)


def epsilon_gap(y, a, norm, residual, C, epsilon, dual_norm=None) -> float:
    """Of an epsilon-insensitive regression at a with 1'a = 0, |a| <= C (a number, or one per point).

    P = 1/2 ||f||^2 + sum_i C_i max(0, |residual_i| - epsilon),   D = y'a - epsilon ||a||_1 - 1/2 a'Qa; ``norm`` is
    ||f||^2, ``dual_norm`` a'Qa where it is not the same number.
    """
    primal = 0.5 * norm + float((C * np.maximum(np.abs(residual) - epsilon, 0.0)).sum())
    dual = float(y @ a) - epsilon * float(np.abs(a).sum()) - 0.5 * (norm if dual_norm is None else dual_norm)
    return relative_gap(primal, dual)


def warn_gap(solver, gaps, tol, advice, stacklevel=3):
    """Say so when the largest gap is more than ten times what was asked for."""
    worst = np.max(gaps)
    if worst > 10 * tol:
        warnings.warn(
            f"{solver} stopped at a relative duality gap of {worst:.1e}; {tol:.1e} was asked for. {advice}",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )
