"""Prototypes, the graph Laplacian seen through them, and prototype vector machines (zhang2015, sections II-C to IV).

With prototypes V, H = K(X, V) and W = K(V, V), the kernel matrix of the graph is approximated by K^ = H W^-1 H'
(equation 11). W can be singular to working precision (a wide kernel, centres that coincide), so W^-1 is taken on its
numerical range: W = U diag(v) U', T = U diag(v)^-1/2 over v > 1e-10 v_max, F = H T. Then K^ = F F', functions H f_v
are F w with f_v = T w, and everything below happens in the r = rank(W) coordinates w.

In a prototype vector machine both losses share one quadratic form on the features F,

    A = F'SF + C2 R,        R = F_u'F_u (||f_u||^2, equation 22), I (||f||_K^2 = f_v' W f_v) or T'T (||f_v||^2),

    square:  min w'Aw + C1 ||F_l w - y||^2,                  (A + C1 F_l'F_l) w = C1 F_l'y        (equation 23)
    hinge:   min 1/2 w'Aw + C1 sum max(0, 1 - y_i F_i w),    box QP in Q = F_l A^-1 F_l'          (equations 24 to 29).

That is ridge regression and a support vector machine without bias in the features Phi = F A^-1/2, which serve every C1,
labelled set and fold of one kernel width.
"""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy import linalg, sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from mr.graph.blocks import resolve_gamma
from mr.kernels.products import diagonalise
from mr.solvers.box_qp import solve_unbiased_svc
from mr.solvers.feature_ridge import FeatureRidge
from mr.solvers.progress import silent
from mr.solvers.svm import solve_svc

REGULARIZERS = ("unlabeled", "rkhs", "coefficients")

# Kernel values carry rounding errors of 1e-16, and a direction of W with eigenvalue v amplifies them by v_max / v.
# Nothing else in a PVM with C2 = 0 holds those directions back, so what cannot be computed to about six digits is left
# out.
RANK_TOLERANCE = 1e-10

LOCAL = 8.0
"""Of the width "local", see :func:`local_gamma`."""


def kmeans(blocks, n_prototypes, n_rows, rng, n_iter=5, report=silent) -> np.ndarray:
    """Centres after ``n_iter`` Lloyd iterations from random rows; one pass over the blocks each, O(n d m) time.

    zhang2015 fixes five iterations. A centre that loses all its points stays where it was. ``report``, a function of a
    text, is told of every iteration.
    """
    first = np.sort(rng.choice(n_rows, n_prototypes, replace=False))
    centres = blocks.take(first)
    centres = centres.toarray() if sparse.issparse(centres) else np.array(centres, dtype=float)
    for number in range(1, n_iter + 1):
        sums, counts = blocks.sum(partial(_members, centres))
        kept = counts > 0
        moved = sums[kept] / counts[kept, None]
        report(f"k-means: iteration {number} of {n_iter}")
        if np.array_equal(moved, centres[kept]):
            break  # every further iteration would repeat this one
        centres[kept] = moved
    return centres


def _members(centres, block):
    """Sum and number of the rows of a block that are nearest to each centre."""
    nearest = (block @ centres.T - 0.5 * np.einsum("ij,ij->i", centres, centres)).argmax(axis=1)
    m, b = len(centres), len(nearest)
    sums = sparse.csr_array((np.ones(b), (nearest, np.arange(b))), shape=(m, b)) @ block
    return sums.toarray() if sparse.issparse(sums) else sums, np.bincount(nearest, minlength=m)


def local_gamma(blocks, prototypes, n) -> float:
    """Width of a Gaussian that sees little beyond the next prototypes, LOCAL / mean d^2; one pass over the n rows.

    d is the distance of a row to its second nearest prototype (the nearest one may be the row itself), where the
    Gaussian has fallen to exp(-LOCAL). The graph of such a kernel joins points around the same prototypes. Where
    prototypes are nearly as many as rows, hardly any points are: then the prototype that has LOCAL rows within its
    distance, on average, takes the place of the second.
    """
    m = prototypes.shape[0]
    order = min(max(1, int(LOCAL * m / n)), m - 1)

    def distances(block):
        squares = euclidean_distances(block, prototypes, squared=True)
        return (float(np.partition(squares, order, axis=1)[:, order].sum()),)

    (total,) = blocks.sum(distances)
    # Distances of 0 up to rounding: any width gives the same kernel.
    rounding = 1e-12 * n * float(row_norms(prototypes, squared=True).mean())
    return LOCAL * n / total if total > rounding else 1.0


def width_rule(kernel, gamma):
    """``gamma`` as the kernel understands it: rules of distance are for "rbf", others than "poly" have no width."""
    if kernel == "rbf":
        return gamma
    if kernel == "poly":
        return "scale" if gamma in ("auto", "local") else gamma
    return 1.0


def resolve_width(gamma, blocks, prototypes, moments=None) -> float:
    """The number that ``gamma`` stands for: itself, or by the rule "scale", "mean" or "local"; ``moments`` if known."""
    if not isinstance(gamma, str):
        return float(gamma)
    moments = blocks.moments() if moments is None else moments
    return local_gamma(blocks, prototypes, moments[0]) if gamma == "local" else resolve_gamma(gamma, moments)


def nystrom_map(W) -> np.ndarray:
    """T (m x r) with W^+ = T T' on the numerical range of W; r is the rank decision."""
    values, vectors = diagonalise(W)
    keep = values > RANK_TOLERANCE * values[-1]
    if not keep.any():
        raise ValueError("The kernel must be positive at some prototype; got none: no function but zero is left.")
    return vectors[:, keep] / np.sqrt(values[keep])


@dataclass(frozen=True)
class PrototypeGraph:
    """What one kernel width needs to know of all n points: r x r matrices, whatever n is."""

    kernel: object
    prototypes: np.ndarray
    transform: np.ndarray
    """T (m x r): features F = K(X, V) T."""
    smoothness: np.ndarray
    """F'SF for the Laplacian S of the graph K^ (equations 13, 14 with D^-1/2 on both sides)."""
    gram: np.ndarray
    """F'F."""
    total: np.ndarray
    """F'1, from which the degree of any point is F(x) . total."""
    kernel_scale: float
    """Mean of k(x, x) over the points: 1 for kernels whose diagonal is 1."""
    n_floored: int
    """Points whose Nystroem degree was below their own self-similarity (or negative) and was raised to it."""

    @property
    def rank(self) -> int:
        return self.transform.shape[1]

    def features(self, X) -> np.ndarray:
        return self.kernel(X, self.prototypes) @ self.transform

    def scaled(self, X) -> np.ndarray:
        """G = D^-1/2 F: the normalised affinity matrix is G G'."""
        F = self.features(X)
        return F * _weights(raised_degrees(F, self.total)[0], "normalized")[:, None]


def raised_degrees(F, total):
    """Degrees d = K^ 1 = F (F'1), and how many had to be raised.

    K^ approximates non-negative similarities but may hold negative entries, so a row sum can be smaller than the
    diagonal entry K^_ii = |F_i|^2, or negative, where D^-1/2 does not exist. No graph has d_i < w_ii: such degrees
    become K^_ii.
    """
    degrees, own = F @ total, np.einsum("ij,ij->i", F, F)
    low = degrees < own
    return np.where(low, own, degrees), int((degrees < own * (1 - 1e-9)).sum())


def prototype_graph(blocks, kernel, prototypes, laplacian="normalized") -> PrototypeGraph:
    """The graph of one kernel; see :func:`prototype_graphs`."""
    (graph,) = prototype_graphs(blocks, [kernel], prototypes, laplacian)
    return graph


def prototype_graphs(blocks, kernels, prototypes, laplacian="normalized") -> list[PrototypeGraph]:
    """Two passes over the rows for all kernels: sums of features, then F'SF.

    O(n m (d + m)) time per kernel, O(block m + m^2) memory.
    """
    sums = [_GraphSums(kernel, prototypes, laplacian) for kernel in kernels]
    for part, terms in zip(sums, _one_pass(blocks, [part.of_features for part in sums]), strict=True):
        part.n, part.diagonal, part.columns = terms
    for part, terms in zip(sums, _one_pass(blocks, [part.of_products for part in sums]), strict=True):
        part.n_floored, part.gram, part.weighted = terms
    return [part.graph() for part in sums]


def _one_pass(blocks, functions):
    """Sums over the blocks of several functions that return three terms each."""
    found = blocks.sum(lambda block: tuple(term for function in functions for term in function(block)))
    return [found[first : first + 3] for first in range(0, len(found), 3)]


class _GraphSums:
    """Sums over the rows of which the graph of one kernel is made: first F'1, which gives the degrees, then the rest.

    normalised:   F'SF = F'F - (F' D^-1/2 F)^2;        unnormalised:   F'SF = F' D F - (F'F)^2.
    """

    def __init__(self, kernel, prototypes, laplacian):
        self.kernel, self.prototypes, self.laplacian = kernel, prototypes, laplacian
        self.transform = nystrom_map(kernel(prototypes))

    def of_features(self, block):
        return block.shape[0], float(self.kernel.diagonal(block).sum()), self.kernel(block, self.prototypes).sum(axis=0)

    @cached_property
    def total(self):
        return self.transform.T @ self.columns

    def of_products(self, block):
        F = self.kernel(block, self.prototypes) @ self.transform
        degrees, low = raised_degrees(F, self.total)
        return low, F.T @ F, F.T @ (F * _weights(degrees, self.laplacian)[:, None])

    def graph(self) -> PrototypeGraph:
        gram, weighted = self.gram, self.weighted
        smoothness = gram - weighted @ weighted if self.laplacian == "normalized" else weighted - gram @ gram
        smoothness = (smoothness + smoothness.T) / 2
        return PrototypeGraph(
            kernel=self.kernel, prototypes=self.prototypes, transform=self.transform, smoothness=smoothness, gram=gram,
            total=self.total, kernel_scale=self.diagonal / self.n, n_floored=self.n_floored,
        )  # fmt: skip


def _weights(degrees, laplacian):
    if laplacian == "unnormalized":
        return degrees
    weights = np.zeros_like(degrees)
    np.divide(1.0, np.sqrt(degrees), out=weights, where=degrees > 0)
    return weights


def scaled_gram(graph, blocks) -> np.ndarray:
    """G'G for the normalised affinity matrix G G' (n x n): its non-zero eigenvalues, in r x r."""

    def gram(block):
        G = graph.scaled(block)
        return (G.T @ G,)

    return blocks.sum(gram)[0]


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
    values, vectors = diagonalise(A)
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
    # Where that fails: the ridge form in the features Phi never squares the conditioning of F.
    P, _ = inverse_root(A)
    return P @ ridge_path(F_labelled @ P, targets, [C1])[0]


def held_out_square(graph, F_labelled, targets, pairs, regularizer="unlabeled", weights=None, fit_intercept=False):
    """Leave-one-out values (l, k) of the square loss for every pair (C1, C2), all points staying in the graph.

    Pairs of one C2 share a decomposition. What C2 weighs under "unlabeled" is taken as it is with all labels.
    """
    ridges = {}
    for C1, C2 in pairs:
        if C2 not in ridges:
            root, _ = inverse_root(quadratic_form(graph, F_labelled, C2, regularizer))
            ridges[C2] = FeatureRidge(F_labelled @ root, fit_intercept, weights)
        yield ridges[C2].held_out(targets, None, C1)


def solve_weighted_square(A, F_labelled, targets, C1, weights=None, fit_intercept=False):
    """w (r x k) and b (k,) of min w'Aw + C1 sum_i weight_i (F_i w + b - y_i)^2; b = 0 without a constant.

    With an unpenalised one, features and targets are less their means.
    """
    roots = 1.0 if weights is None else np.sqrt(weights)[:, None]
    if not fit_intercept:
        return solve_square(A, roots * F_labelled, roots * targets, C1), np.zeros(targets.shape[1])
    mean, target_mean = (np.average(array, axis=0, weights=weights) for array in (F_labelled, targets))
    w = solve_square(A, roots * (F_labelled - mean), roots * (targets - target_mean), C1)
    return w, target_mean - mean @ w


def ridge_path(features, targets, C1s) -> np.ndarray:
    """(Phi'Phi + I / C1)^-1 Phi'y for every C1 from one singular value decomposition: len(C1s) x r x k."""
    left, values, right = linalg.svd(features, full_matrices=False, check_finite=False)
    inner = left.T @ targets
    shrunk = [(values / (values**2 + 1.0 / C1))[:, None] * inner for C1 in C1s]
    return np.array([right.T @ part for part in shrunk])


def solve_hinge(A, F_labelled, targets, C1, tol=1e-8, weights=None):
    """w (r x k) for the hinge loss, one column a one-versus-rest problem, and the duality gap of each."""
    P, _ = inverse_root(A)
    features = F_labelled @ P
    K = features @ features.T
    if weights is None:
        beta, gaps = solve_unbiased_svc(K, targets, C1, tol)
    else:
        solution = solve_svc(K, targets, C1, tol=tol, fit_intercept=False, weights=weights)
        beta, gaps = solution.coefficients, solution.gaps
    return P @ (features.T @ beta), gaps
