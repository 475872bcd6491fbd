"""Least squares over a large basis by conjugate gradients, with a preconditioner that contains the graph.

With features R of r basis points, LapRLS is

    (I + ratio R'LR + R_l'W R_l / ridge) w = R_l'W y / ridge.

Forming R'LR takes O(n r^2) operations; a product with it two passes of O(n r). How many products are needed depends on
the preconditioner. That of Li, Liu, Yin and Wang (IJCAI 2019) leaves the graph out, and iterations grow with its
weight. Here L = sum over edges of z z', z = sqrt(w_ij) (s_i e_i - s_j e_j), with s = degree^-1/2 (normalised) or 1,
and R'LR is replaced by a sample of ``PER_DIRECTION`` r edges. Edges are drawn by their leverage in the preconditioner
found before, which random projections estimate in one pass for all edges (Spielman and Srivastava 2011); the first
sample is drawn by size. See ``benchmarks/graph_preconditioner.py`` for iterations with and without it.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from sklearn.utils import check_random_state

PER_DIRECTION = 10
"""Edges in the sample for each feature."""
ROUNDS = 2
"""Samples drawn by leverage, each from the preconditioner of the one before."""
PROJECTIONS = 16
"""Random directions that estimate leverages."""
EVEN = 0.1
"""Share of the sample that is drawn by size whatever the leverages are."""


@dataclass(frozen=True)
class ReducedSolution:
    """w (r, k), the largest relative residual, and the iterations that it took."""

    weights: np.ndarray
    residual: float
    n_iter: int


def solve_reduced_cg(
    features, graph, rows, targets, ridge, ratio, weights=None, tol=1e-10, max_iter=1000, with_graph=True
) -> ReducedSolution:
    """Solve the system above for all columns of ``targets`` (l, k) at once; see :mod:`mr.kernels.features`.

    ``with_graph=False`` leaves the graph out of the preconditioner, as a comparison. The residual is computed anew at
    the end.
    """
    labelled = features.rows(rows)
    scaled = labelled.T / ridge if weights is None else labelled.T * (weights / ridge)
    right = scaled @ targets
    fixed = scaled @ labelled
    fixed.flat[:: len(fixed) + 1] += 1.0

    def system(w):
        return w + scaled @ (labelled @ w) + ratio * features.transposed(graph.apply(features.values(w)))

    factor = linalg.cho_factor(graph_preconditioner(features, graph, fixed, ratio) if with_graph and ratio else fixed)
    w, n_iter = _conjugate_gradients(system, right, lambda r: linalg.cho_solve(factor, r), tol, max_iter)
    return ReducedSolution(w, _largest(right - system(w), right), n_iter)


def graph_preconditioner(features, graph, fixed, ratio, random_state=0) -> np.ndarray:
    """``fixed`` + ratio R'LR with R'LR from a sample of edges, drawn by leverage."""
    rng = check_random_state(random_state)
    edges = sparse.triu(graph.affinity_, k=1, format="coo")
    scale = 1.0 / np.sqrt(graph.degrees_[edges.coords[0]]), 1.0 / np.sqrt(graph.degrees_[edges.coords[1]])
    if graph.laplacian == "unnormalized":
        scale = np.ones(edges.nnz), np.ones(edges.nnz)
    if edges.nnz == 0:
        return fixed
    size = min(PER_DIRECTION * features.shape[1], edges.nnz)
    by_size = _shares(edges.data * (scale[0] ** 2 + scale[1] ** 2))
    chances, result = by_size, fixed
    for step in range(ROUNDS + 1):
        if step:
            root = linalg.solve_triangular(linalg.cholesky(result), rng.normal(size=(len(fixed), PROJECTIONS)))
            values = features.values(root)
            differences = scale[0][:, None] * values[edges.coords[0]] - scale[1][:, None] * values[edges.coords[1]]
            leverages = edges.data * np.square(differences).sum(axis=1)
            chances = (1.0 - EVEN) * _shares(leverages) + EVEN * by_size
        drawn = rng.choice(edges.nnz, size, p=chances)
        Z = _rows(features, edges.coords[0][drawn]) * scale[0][drawn, None]
        Z -= _rows(features, edges.coords[1][drawn]) * scale[1][drawn, None]
        Z *= np.sqrt(edges.data[drawn] / (size * chances[drawn]))[:, None]
        result = fixed + ratio * (Z.T @ Z)
    return result


def _rows(features, numbers):
    """Features of rows in any order, with repetitions."""
    unique, inverse = np.unique(numbers, return_inverse=True)
    return features.rows(unique)[inverse]


def _shares(sizes):
    total = sizes.sum()
    return sizes / total if total > 0 else np.full(len(sizes), 1.0 / len(sizes))


def _conjugate_gradients(system, right, precondition, tol, max_iter):
    """Independent iterations for the columns, side by side; each stops to move when its residual is small."""
    w, rest = np.zeros_like(right), right.copy()
    step = precondition(rest)
    direction, inner = step, np.einsum("ij,ij->j", rest, step)
    for number in range(max_iter):
        if _largest(rest, right) <= tol:
            return w, number
        product = system(direction)
        curvature = np.einsum("ij,ij->j", direction, product)
        length = np.divide(inner, curvature, out=np.zeros_like(inner), where=curvature > 0)
        w, rest = w + length * direction, rest - length * product
        step = precondition(rest)
        following = np.einsum("ij,ij->j", rest, step)
        direction = step + np.divide(following, inner, out=np.zeros_like(inner), where=inner > 0) * direction
        inner = following
    return w, max_iter


def _largest(rest, right) -> float:
    norms = np.linalg.norm(right, axis=0)
    return float((np.linalg.norm(rest, axis=0) / np.where(norms > 0, norms, 1.0)).max())
