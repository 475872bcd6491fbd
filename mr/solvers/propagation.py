"""Label propagation on a graph: local and global consistency, its Nystroem version, harmonic functions, and induction.

In non-parametric function induction (Delalleau, Bengio, Le Roux 2005; zhang2015, section II-B3) the function is known
on a subset S of m points and induced elsewhere as a Parzen regressor, f(x) = sum_S k(x, x_j) f_j / sum_S k(x, x_j)
(equation 9): f = P f_S with the rows of P = W_XS normalised. Smoothness counts between S and all points, not among the
points outside S:

    M = sum over i in X, j in S of w_ij (f(x_i) - f_j)^2 = f_S' (diag(W_XS' 1) - W_XS' diag(W_XS 1)^-1 W_XS) f_S,

    min f_S'M f_S + C1 ||P_l f_S - y_l||^2 + ridge ||f_S||^2.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from mr.solvers.rls import solve_in_features

INDUCTION_RIDGE = 1e-6
"""Delalleau's epsilon, relative to the mean diagonal of M: constants have no smoothness cost."""


def normalized_affinity(W):
    """Q = D^-1/2 W D^-1/2 of a dense or sparse affinity matrix; points without edges have a zero row."""
    degrees = np.asarray(W.sum(axis=1), dtype=float).ravel()
    scale = np.zeros_like(degrees)
    np.divide(1.0, np.sqrt(degrees), out=scale, where=degrees > 0)
    if sparse.issparse(W):
        D = sparse.diags_array(scale)
        return (D @ W @ D).tocsc()
    return scale[:, None] * W * scale


def gaussian_affinity(kernel, X) -> np.ndarray:
    """Dense kernel weights without self loops, as Zhou et al. (2003) build their graph."""
    W = kernel(X)
    np.fill_diagonal(W, 0.0)
    return W


def solve_lgc(Q, rows, targets, eta) -> np.ndarray:
    """(I - eta Q)^-1 y, y zero off ``rows`` (zhang2015, equation 8), for every column of ``targets``.

    The minimiser of f'Sf + C ||f - y||^2 with S = I - Q and eta = 1 / (1 + C), up to a positive factor.
    """
    n = Q.shape[0]
    y = np.zeros((n, targets.shape[1]))
    y[rows] = targets
    if sparse.issparse(Q):
        return splu((sparse.eye_array(n, format="csc") - eta * Q).tocsc()).solve(y)
    system = -eta * Q
    system.flat[:: n + 1] += 1.0
    return linalg.solve(system, y, assume_a="pos", overwrite_a=True, check_finite=False)


class SpectralLGC:
    """(I - eta Q)^-1 for every eta, labelled set and fold, from one eigendecomposition Q = U diag(q) U'."""

    def __init__(self, Q):
        self.values, self.vectors = linalg.eigh(Q, overwrite_a=True, check_finite=False, driver="evd")

    def solve(self, rows, targets, eta, at=None) -> np.ndarray:
        """f at the points ``at`` (all of them by default)."""
        inner = (self.vectors[rows].T @ targets) / (1.0 - eta * self.values)[:, None]
        return (self.vectors if at is None else self.vectors[at]) @ inner


class NystromLGC:
    """(I - eta Q^)^-1 y with Q^ = G G', G = D^-1/2 F of n x r: Woodbury's formula (zhang2015, section II-B1).

    f = y + eta G (I - eta G'G)^-1 G'y. One eigendecomposition of G'G serves every eta, labelled set and fold. With
    raised degrees (see :mod:`mr.solvers.prototypes`) the eigenvalues of Q^ stay below 1 up to the negative entries of
    K^; those above are taken as 1.
    """

    def __init__(self, gram):
        values, self.vectors = linalg.eigh(gram)
        self.values = np.clip(values, 0.0, 1.0)

    def weights(self, G_labelled, targets, eta) -> np.ndarray:
        """c with f = y + G c."""
        inner = self.vectors.T @ (G_labelled.T @ targets)
        return self.vectors @ (inner * (eta / (1.0 - eta * self.values))[:, None])


def solve_harmonic(W, rows, targets, components):
    """Harmonic functions (Zhu, Ghahramani, Lafferty 2003): L_uu f_u = W_ul y_l, f_l = y_l.

    Points of components without a label have no solution; they get the mean of the targets.
    """
    n = W.shape[0]
    f = np.tile(targets.mean(axis=0), (n, 1))
    f[rows] = targets
    reached = np.isin(components, components[rows])
    reached[rows] = False
    inside = np.flatnonzero(reached)
    if len(inside):
        W = sparse.csr_array(W)
        degrees = np.asarray(W.sum(axis=1)).ravel()
        L = (sparse.diags_array(degrees[inside]) - W[inside][:, inside]).tocsc()
        f[inside] = splu(L).solve(W[inside][:, rows] @ targets)
    return f


def class_mass(f, targets):
    """Zhu's class mass normalisation of one-versus-rest values in [-1, 1]: masses become the labelled frequencies.

    (1 + f) / 2 is read as the mass of the class (for two classes also (1 - f) / 2 of the other).
    """
    mass, prior = (1.0 + f) / 2.0, (1.0 + targets.mean(axis=0)) / 2.0
    if f.shape[1] > 1:
        return mass * prior / np.maximum(mass.sum(axis=0), 1e-300)
    up = mass * prior / np.maximum(mass.sum(axis=0), 1e-300)
    down = (1.0 - mass) * (1.0 - prior) / np.maximum((1.0 - mass).sum(axis=0), 1e-300)
    return (up - down) / np.maximum(up + down, 1e-300)


@dataclass(frozen=True)
class InducedGraph:
    """M and the map from points to rows of P, for one subset and kernel width."""

    kernel: object
    subset: object
    smoothness: np.ndarray

    def induction(self, X) -> np.ndarray:
        return _normalised(self.kernel(X, self.subset))


def induced_graph(blocks, kernel, subset) -> InducedGraph:
    """One pass over the rows: O(n m (d + m)) time, O(block m + m^2) memory."""
    m = subset.shape[0]
    joint, degrees = np.zeros((m, m)), np.zeros(m)
    for block in blocks:
        W = kernel(block, subset)
        joint += W.T @ _normalised(W)
        degrees += W.sum(axis=0)
    M = np.diag(degrees) - (joint + joint.T) / 2
    M.flat[:: m + 1] += INDUCTION_RIDGE * max(np.trace(M) / m, np.finfo(float).tiny)
    return InducedGraph(kernel, subset, M)


def solve_nfi(M, P_labelled, targets, C1) -> np.ndarray:
    """f_S (m x k)."""
    return solve_in_features(P_labelled, targets, M, weight=C1)


def _normalised(W):
    """Rows divided by their sums; a point similar to none of S gets the mean of f_S."""
    sums = W.sum(axis=1, keepdims=True)
    P = np.full_like(W, 1.0 / W.shape[1])
    np.divide(W, sums, out=P, where=sums > 0)
    return P
