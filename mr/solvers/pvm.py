"""Prototype vector machines (zhang2015, section IV).

On the features F of :mod:`mr.solvers.prototypes` both losses share one quadratic form,

    A = F'SF + C2 R,        R = F_u'F_u (||f_u||^2, equation 22), I (||f||_K^2 = f_v' W f_v) or T'T (||f_v||^2),

    square:  min w'Aw + C1 ||F_l w - y||^2,                  (A + C1 F_l'F_l) w = C1 F_l'y        (equation 23)
    hinge:   min 1/2 w'Aw + C1 sum max(0, 1 - y_i F_i w),    box QP in Q = F_l A^-1 F_l'          (equations 24 to 29).

That is ridge regression and a support vector machine without bias in the features Phi = F A^-1/2, which serve every C1,
labelled set and fold of one kernel width.
"""

import numpy as np
from scipy import linalg

from mr.solvers.box_qp import solve_unbiased_svc

REGULARIZERS = ("unlabeled", "rkhs", "coefficients")


def quadratic_form(graph, F_labelled, C2=0.0, regularizer="unlabeled") -> np.ndarray:
    """A in the coordinates of F."""
    if C2 == 0:
        return graph.smoothness
    if regularizer == "rkhs":
        return graph.smoothness + C2 * np.eye(graph.rank)
    if regularizer == "coefficients":
        return graph.smoothness + C2 * (graph.transform.T @ graph.transform)
    return graph.smoothness + C2 * (graph.gram - F_labelled.T @ F_labelled)


def inverse_root(A):
    """P with P'AP = I on the part of A above rounding, and the number of directions that were raised to rounding.

    S of an approximated graph can be indefinite by a little, and has a null vector anyway; along those directions A is
    taken as m eps max(A): free to rounding, as the exact problem has them.
    """
    values, vectors = linalg.eigh(A)
    floor = max(len(values) * np.finfo(float).eps * values[-1], np.finfo(float).tiny)
    return vectors / np.sqrt(np.maximum(values, floor)), int((values < floor).sum())


def solve_square(A, F_labelled, targets, C1) -> np.ndarray:
    """w (r x k) for the square loss; one factorisation for all columns of ``targets``."""
    system = A + C1 * (F_labelled.T @ F_labelled)
    right = C1 * (F_labelled.T @ targets)
    try:
        factor = linalg.cho_factor(system, check_finite=False)
        w = linalg.cho_solve(factor, right, check_finite=False)
        if np.linalg.norm(system @ w - right) <= 1e-8 * np.linalg.norm(right):
            return w
    except linalg.LinAlgError:
        pass
    # Singular to working precision: the ridge form in the features Phi never squares the conditioning of F.
    P, _ = inverse_root(A)
    return P @ ridge_path(F_labelled @ P, targets, [C1])[0]


def ridge_path(features, targets, C1s) -> np.ndarray:
    """(Phi'Phi + I / C1)^-1 Phi'y for every C1 from one singular value decomposition: len(C1s) x r x k."""
    left, values, right = linalg.svd(features, full_matrices=False, check_finite=False)
    inner = left.T @ targets
    shrunk = [(values / (values**2 + 1.0 / C1))[:, None] * inner for C1 in C1s]
    return np.array([right.T @ part for part in shrunk])


def solve_hinge(A, F_labelled, targets, C1, tol=1e-8):
    """w (r x k) for the hinge loss, one column a one-versus-rest problem, and the duality gap of each."""
    P, _ = inverse_root(A)
    features = F_labelled @ P
    beta, gaps = solve_unbiased_svc(features @ features.T, targets, C1, tol)
    return P @ (features.T @ beta), gaps
