"""The Laplacian embedding of chen2012: a graph kernel of low rank, and virtual labels for every point.

On it stands Laplacian embedded regularised least squares (section III-D):  (K + G + I/C) a = y~,  G = Phi~ Phi~'.
Printed equation 34 lacks the term I/C and has a factor 1/2 too many; this is the system its problem 33 leads to.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, cg

FREE = 1e-6
"""Eigenvalue of S in directions where g is free. Zero would make G infinite, and far smaller ones make it so large that
rounding hides K. At this value the weight on g moves the optimality conditions by FREE times the coefficient of g, some
1e-5 in units of the labels: below the tolerance of 1e-3 at which the regression stops."""


HELD = 1e-9
"""An eigenvalue of the smoothness matrix above this is no rounded zero."""
LEAST_LABEL_WEIGHT = 1e-150
"""Its reciprocal stands beside the kernel where mu is 0; squares of it must stay in range."""


def check_label_weight(label_weight):
    """Refuse a weight of the labels whose reciprocal is beyond double precision."""
    least = float(np.min(label_weight))
    if least < LEAST_LABEL_WEIGHT:
        raise ValueError(
            f"label_weight, times the weights of the labels, must be at least {LEAST_LABEL_WEIGHT:g} where mu is 0; "
            f"got {least:g}."
        )


@dataclass(frozen=True)
class Embedding:
    """G = features features' is the graph kernel, targets = G Lambda y the virtual labels."""

    features: np.ndarray
    """(n, r): chen2012's Phi~, equation 28."""
    targets: np.ndarray
    """(n, k): y~, equation 26."""
    n_singular: int
    """Directions of S that neither a label nor the graph holds."""


def embed(values, vectors, rows, targets, label_weight, mu, free=False) -> Embedding:
    """S = Phi'Lambda Phi + mu diag(sigma), G = Phi S^-1 Phi', y~ = G Lambda y (chen2012, equations 25 to 29).

    Parameters
    ----------
    values, vectors : (n_ev,), (n, n_ev)
        Smallest eigenpairs of the smoothness matrix, L^p or L^p plus a multiple of the identity.
    rows, targets : labelled rows and their targets (l, k)
    label_weight : lambda, the entries of Lambda on labelled rows: a number, or a column (l, 1) of them
    mu : > 0, weight of the smoothness of g

    A connected component without labels puts its constant vector into the null space of S. The caller should leave such
    components out before; what is left of them is counted, and dropped from G (g has no part in these directions) or,
    with ``free``, kept: g is free there. Directions that are free, or that a small mu leaves all but free, get the
    eigenvalue FREE, unless a multiple of the identity holds them (all of ``values`` are positive).
    """
    labelled = vectors[rows]
    S = weighted_gram(labelled, label_weight)
    S.flat[:: len(S) + 1] += mu * values
    eigenvalues, rotation = linalg.eigh(S)
    keep = eigenvalues > len(S) * np.finfo(float).eps * eigenvalues[-1]
    if free:
        rounding = len(S) * np.finfo(float).eps * eigenvalues[-1]
        floor = rounding if values.min() > HELD else max(FREE, rounding)
        basis = rotation / np.sqrt(np.maximum(eigenvalues, floor))
    else:
        basis = rotation[:, keep] / np.sqrt(eigenvalues[keep])
    features = vectors @ basis
    return Embedding(features, features @ (features[rows].T @ (label_weight * targets)), int((~keep).sum()))


def weighted_gram(labelled, label_weight) -> np.ndarray:
    """Phi_l'Lambda Phi_l, for a number lambda or a column (l, 1) of them."""
    if np.ndim(label_weight) == 0:
        return label_weight * (labelled.T @ labelled)
    return labelled.T @ (label_weight * labelled)


@dataclass(frozen=True)
class ERLSSolution:
    coefficients: np.ndarray
    """a (n, k)"""
    residual: float
    """|(K + G + I/C) a - y~| / |y~|, the largest over columns."""
    n_iter: int


def solve_exact(K, features, targets, C) -> ERLSSolution:
    """One Cholesky factorisation of the n x n system."""
    system = K + features @ features.T
    system.flat[:: len(K) + 1] += 1.0 / C
    solution = linalg.cho_solve(linalg.cho_factor(system, check_finite=False), targets, check_finite=False)
    return ERLSSolution(solution, _residual(K @ solution, features, solution, targets, C), 0)


def solve_cg(K, features, targets, C, factor, tol=1e-8, max_iter=1000) -> ERLSSolution:
    """Conjugate gradient, preconditioned by the same system with K replaced by factor factor' (Nystroem features).

    The preconditioner is applied through Woodbury's identity, O(n m) an iteration. ``K`` only needs ``@``.
    """
    n = len(targets)
    inverse = low_rank_inverse(np.hstack([factor, features]), C)
    system = LinearOperator((n, n), matvec=lambda v: K @ v + features @ (features.T @ v) + v / C, dtype=float)
    preconditioner = LinearOperator((n, n), matvec=inverse, dtype=float)
    columns, iterations = [], 0

    def count(_):
        nonlocal iterations
        iterations += 1

    for y in targets.T:
        a, _ = cg(system, y, rtol=tol, maxiter=max_iter, M=preconditioner, callback=count)
        columns.append(a)
    solution = np.column_stack(columns)
    return ERLSSolution(solution, _residual(K @ solution, features, solution, targets, C), iterations)


def solve_reduced_features(features, embedded, targets, C) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """w, values F w and a of (F F' + Phi~ Phi~' + I/C) a = y~, w = F'a, for features F of few columns.

    With U = [F, Phi~], U'a = (I/C + U'U)^-1 U'y~ and a = C (y~ - U U'a). Of F only F'F, F'[Phi~, y~] and F w are
    needed, so it may be made by blocks of rows. O(n m^2).
    """
    r, k = features.shape[1], embedded.shape[1]
    beside = features.transposed(np.hstack([embedded, targets]))
    inner = np.empty((r + k, r + k))
    inner[:r, :r], inner[:r, r:], inner[r:, :r] = features.gram(), beside[:, :k], beside[:, :k].T
    inner[r:, r:] = embedded.T @ embedded
    inner.flat[:: r + k + 1] += 1.0 / C
    right = np.vstack([beside[:, k:], embedded.T @ targets])
    weights = linalg.cho_solve(linalg.cho_factor(inner, check_finite=False), right, check_finite=False)
    values = features.values(weights[:r])
    return weights[:r], values, C * (targets - values - embedded @ weights[r:])


def feature_inverse(features):
    """(C, v) -> (F F' + I/C)^-1 v, from F'F, F'v and F w alone."""
    gram = features.gram()

    def inverse(C, v):
        inner = gram.copy()
        inner.flat[:: len(inner) + 1] += 1.0 / C
        factor = linalg.cho_factor(inner, check_finite=False)
        return C * (v - features.values(linalg.cho_solve(factor, features.transposed(v), check_finite=False)))

    return inverse


def low_rank_inverse(F, C):
    """v -> (F F' + I/C)^-1 v = C (v - F (I/C + F'F)^-1 F'v)."""
    inner = F.T @ F
    inner.flat[:: len(inner) + 1] += 1.0 / C
    factor = linalg.cho_factor(inner, check_finite=False)
    return lambda v: C * (v - F @ linalg.cho_solve(factor, F.T @ v, check_finite=False))


def with_intercept(solutions):
    """a and b of (K + G + I/C) a + b 1 = y~, 1'a = 0, from the solutions (n, k + 1) for the columns of y~, and for 1.

    The unpenalised constant of f: a = u - b v with (K + G + I/C) [u, v] = [y~, 1] and b = 1'u / 1'v.
    """
    sums = solutions.sum(axis=0)
    intercepts = sums[:-1] / sums[-1]
    return solutions[:, :-1] - solutions[:, -1:] * intercepts, intercepts


def _residual(K_a, features, a, targets, C) -> float:
    rest = K_a + features @ (features.T @ a) + a / C - targets
    norms = np.linalg.norm(targets, axis=0)
    return float((np.linalg.norm(rest, axis=0) / np.where(norms > 0, norms, 1.0)).max())
