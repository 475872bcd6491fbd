"""Label propagation on a graph: local and global consistency, its Nystroem version, harmonic functions, and induction.

In non-parametric function induction (Delalleau, Bengio, Le Roux 2005; zhang2015, section II-B3) the function is known
on a subset S of m points and induced elsewhere as a Parzen regressor, f(x) = sum_S k(x, x_j) f_j / sum_S k(x, x_j)
(equation 9): f = P f_S with the rows of P = W_XS normalised. Smoothness counts between S and all points, not among the
points outside S:

    M = sum over i in X, j in S of w_ij (f(x_i) - f_j)^2 = f_S' (diag(W_XS' 1) - W_XS' diag(W_XS 1)^-1 W_XS) f_S,

    min f_S'M f_S + C1 ||P_l f_S - y_l||^2 + ridge ||f_S||^2.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, sparse

from mr.resources import interruptible
from mr.solvers.graph_system import GraphSolution, solve_grounded
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
        return (D @ W @ D).tocsr()
    return scale[:, None] * W * scale


def gaussian_affinity(kernel, X) -> np.ndarray:
    """Dense kernel weights without self loops, as Zhou et al. (2003) build their graph."""
    W = kernel(X)
    np.fill_diagonal(W, 0.0)
    return W


def solve_lgc(W, rows, targets, eta, components=None, **options) -> GraphSolution:
    """(I - eta Q)^-1 y with Q = D^-1/2 W D^-1/2, y zero off ``rows`` (zhang2015, equation 8), for every target column.

    The minimiser of f'Sf + C ||f - y||^2 with S = I - Q and eta = 1 / (1 + C), up to a positive factor. It is 0 in
    components without a label, which are left out if ``components`` names the component of every point. For a sparse
    W the system is solved in u = D^-1/2 f, where it is (eta (D - W) + (1 - eta) D) u = D^1/2 y.

    Values of points far from every label are small, and a class is decided by their differences all the same. With m =
    (I - eta Q)^-1 1_rows, the labels that reach a point at all, the residual of every row has to be small against m
    there. ``options`` are those of :func:`mr.solvers.graph_system.solve_grounded`; a dense W is factorised.
    """
    n, k = W.shape[0], targets.shape[1]
    if not sparse.issparse(W):
        return _solve_dense_lgc(normalized_affinity(W), rows, targets, eta)
    W = _largest_one(W)
    reached = np.arange(n) if components is None else np.flatnonzero(np.isin(components, components[rows]))
    part = W if len(reached) == n else W[reached][:, reached]
    degrees = np.asarray(part.sum(axis=1)).ravel()
    diagonal = np.where(degrees > 0, degrees, 1.0)  # a labelled point without edges keeps its label
    y = np.zeros((n, k + 1))
    y[rows, :-1], y[rows, -1] = targets, 1.0
    roots = np.sqrt(diagonal)[:, None]
    found = solve_grounded(eta * part, diagonal - eta * degrees, roots * y[reached], **options)
    f = np.zeros((n, k))
    f[reached] = (roots * found.values)[:, :-1]
    return replace(found, values=f)


def _solve_dense_lgc(Q, rows, targets, eta):
    n = len(Q)
    y = np.zeros((n, targets.shape[1]))
    y[rows] = targets
    system = -eta * Q
    system.flat[:: n + 1] += 1.0
    f = interruptible(linalg.solve, system, y, assume_a="pos", overwrite_a=True, check_finite=False)
    residual = np.linalg.norm(y - f + eta * (Q @ f), axis=0) / np.linalg.norm(y, axis=0)
    return GraphSolution(f, float(residual.max()), 1, "direct")


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


def _largest_one(W) -> sparse.csr_array:
    """W over its largest weight, which changes none of the functions: sums of squares then stay in range."""
    W = sparse.csr_array(W)
    return sparse.csr_array((W.data / max(W.data.max(initial=0.0), np.finfo(float).tiny), W.indices, W.indptr), W.shape)


def solve_harmonic(W, rows, targets, components, **options) -> GraphSolution:
    """Harmonic functions (Zhu, Ghahramani, Lafferty 2003): L_uu f_u = W_ul y_l, f_l = y_l.

    Points of components without a label have no solution; they get the mean of the targets.

    A part of the graph that only small weights join to the rest adds little to the residual, however wrong its values
    are. But the function with all labels equal to 1 is known to be 1: it is solved for along with the others, and its
    error at every point has to be small too. ``options`` are those of
    :func:`mr.solvers.graph_system.solve_grounded`.
    """
    f = np.tile(targets.mean(axis=0), (W.shape[0], 1))
    f[rows] = targets
    reached = np.isin(components, components[rows])
    reached[rows] = False
    inside = np.flatnonzero(reached)
    if len(inside) == 0:
        return GraphSolution(f, 0.0, 1, "direct")
    W = _largest_one(W)[inside]
    labelled, among = W[:, rows], W[:, inside]
    right = labelled @ np.column_stack([targets, np.ones(len(rows))])
    found = solve_grounded(among, right[:, -1], right, **options)
    f[inside] = found.values[:, :-1]
    return replace(found, values=f)


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
