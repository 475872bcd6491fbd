"""Points to expand functions over: rows drawn, k-means centres, or rows drawn by their leverage."""

import numbers

import numpy as np
from scipy import linalg, optimize
from sklearn.utils import check_random_state

from mr.graph.blocks import RowBlocks
from mr.kernels import PRECOMPUTED, Basis, choose_basis
from mr.kernels.features import StreamedFeatures
from mr.kernels.reduced import basis_map
from mr.solvers.prototypes import kmeans


def basis_points(kernel, X, basis, random_state=None):
    """The points that ``basis`` (an int, an array of points or a Basis) stands for; X is a matrix or RowBlocks."""
    if isinstance(basis, numbers.Integral):
        basis = Basis(basis)
    if not isinstance(basis, Basis) or (basis.method == "rows" and not isinstance(X, RowBlocks)):
        return choose_basis(X, basis.size if isinstance(basis, Basis) else basis, random_state)
    n, rng = X.shape[0], check_random_state(random_state)
    if basis.size > n:
        raise ValueError(f"basis={basis.size} points were asked for, but X has only {n} rows.")
    if basis.method != "rows" and kernel.name == PRECOMPUTED:
        raise ValueError(f"Basis(method={basis.method!r}) needs the points themselves; got a precomputed kernel.")
    blocks = RowBlocks(X, basis.size)
    if basis.method == "kmeans":
        return kmeans(blocks, basis.size, n, rng)
    chances = leverage_scores(kernel, blocks, basis.size, rng) if basis.method == "leverage" else None
    return blocks.take(np.sort(rng.choice(n, basis.size, replace=False, p=chances)))


def leverage_scores(kernel, blocks, size, rng) -> np.ndarray:
    """Chances proportional to approximate ridge leverage scores (Alaoui and Mahoney 2015), in two passes.

    The score of row i is [K (K + t I)^-1]_ii. K is replaced by F F' over ``size`` rows drawn evenly, and what that
    leaves of k(x_i, x_i) counts with 1 / t, as a direction of its own (Musco and Musco 2017). t is such that the scores
    of F F' sum to half of ``size``, so that about as many directions count as points are drawn.
    """
    n = blocks.shape[0]
    points = blocks.take(np.sort(rng.choice(n, size, replace=False)))
    features = StreamedFeatures(kernel, blocks, points, basis_map(kernel, points))
    (gram,) = blocks.sum(lambda block: (_gram_of(features.of(block)),))
    values, vectors = linalg.eigh(gram)
    values = np.maximum(values, 0.0)
    t = _ridge_of_dimension(values, 0.5 * size)
    scaled = vectors / np.sqrt(values + t)

    def scores(block):
        F = features.of(block)
        left = np.maximum(kernel.diagonal(block) - np.einsum("ij,ij->i", F, F), 0.0)
        return np.square(F @ scaled).sum(axis=1) + left / t

    # no row is excluded: the scores are approximate
    found = np.minimum(blocks.collect(scores), 1.0) + 0.1 * size / n
    return found / found.sum()


def _gram_of(F):
    return F.T @ F


def _ridge_of_dimension(values, dimension) -> float:
    """t with sum v / (v + t) = dimension, or 1e-10 of the largest v where fewer of them are above that."""

    def excess(log_t):
        return float((values / (values + np.exp(log_t))).sum()) - dimension

    low, high = np.log(1e-10 * values[-1]), np.log(len(values) * values[-1])
    return float(np.exp(low if excess(low) <= 0 else high if excess(high) >= 0 else optimize.brentq(excess, low, high)))
