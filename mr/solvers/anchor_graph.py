"""Anchor graphs (Liu, He, Chang 2010): every point is a convex combination of its nearest anchors."""

from functools import partial

import numpy as np
from numba import njit
from scipy import linalg, sparse
from sklearn.metrics.pairwise import euclidean_distances

from mr.graph.threads import blas_threads, team

WEIGHTS = ("nadaraya-watson", "lae")


def nearest_anchors(X, anchors, s, block_bytes=2**26):
    """Squared distances and indices (n, s) of the s nearest anchors, nearest first."""
    rows = max(1, block_bytes // (8 * len(anchors)))
    parts = [_nearest(X[i : i + rows], anchors, s) for i in range(0, X.shape[0], rows)]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def _nearest(X, anchors, s):
    distances = euclidean_distances(X, anchors, squared=True)
    indices = np.argpartition(distances, s - 1, axis=1)[:, :s]
    near = np.take_along_axis(distances, indices, axis=1)
    order = np.argsort(near, axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(indices, order, axis=1)


def kernel_weights(distances, bandwidth):
    """Nadaraya-Watson weights exp(-d^2 / bandwidth^2), rows summing to 1 (equation 2)."""
    z = np.exp(-(distances - distances[:, :1]) / bandwidth**2)  # the shift cancels in the ratio and avoids 0 / 0
    return z / z.sum(axis=1, keepdims=True)


def local_weights(X, anchors, indices, block_bytes=2**23):
    """Local anchor embedding (equation 7): z >= 0, sum z = 1 of least ||x - sum_k z_k u_k||^2 over nearest anchors.

    Rows are dense a block at a time only.
    """
    n, s = indices.shape
    rows = max(1, block_bytes // (8 * (s + 1) * X.shape[1]))
    weights = np.empty((n, s))
    with team(blas_threads()) as share:
        for first in range(0, n, rows):
            points = X[first : first + rows]
            points = points.toarray() if sparse.issparse(points) else np.asarray(points, dtype=float)
            differences = anchors[indices[first : first + rows]] - points[:, None, :]
            # sum z = 1, so the residual is sum_k z_k (u_k - x): only the Gram matrix of differences matters.
            grams = differences @ differences.transpose(0, 2, 1)
            found = weights[first : first + rows]
            share(partial(_simplex_minima, grams, found), len(found))
    return weights


@njit(cache=True, nogil=True)
def _simplex_minima(grams, result, low, high):
    """argmin z'Gz on the simplex for matrices low..high of a stack, by accelerated projected gradient with restarts."""
    s = grams.shape[1]
    z, v, new, ordered = np.empty(s), np.empty(s), np.empty(s), np.empty(s)
    for p in range(low, high):
        G = grams[p]
        step = 0.0
        for i in range(s):
            step += G[i, i]
            z[i] = v[i] = 1.0 / s
        step = 1.0 / step if step > 0 else 0.0
        momentum = 1.0
        for _ in range(1000):
            for i in range(s):
                slope = 0.0
                for j in range(s):
                    slope += G[i, j] * v[j]
                new[i] = v[i] - step * slope
            project_to_simplex(new, ordered)
            change, turned = 0.0, 0.0
            for i in range(s):
                change = max(change, abs(new[i] - z[i]))
                turned += (v[i] - new[i]) * (new[i] - z[i])
            if turned > 0:
                momentum = 1.0
            following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum))
            for i in range(s):
                v[i] = new[i] + (momentum - 1.0) / following * (new[i] - z[i])
                z[i] = new[i]
            momentum = following
            if change < 1e-9:
                break
        result[p] = z


@njit(cache=True, nogil=True)
def project_to_simplex(v, ordered):
    """v becomes its nearest point with non-negative entries that sum to 1 (Duchi et al. 2008); ``ordered`` is room."""
    s = len(v)
    for i in range(s):  # insertion: few entries
        k = i
        while k > 0 and ordered[k - 1] < v[i]:
            ordered[k] = ordered[k - 1]
            k -= 1
        ordered[k] = v[i]
    total, shift = 0.0, 0.0
    for k in range(s):
        total += ordered[k]
        candidate = (total - 1.0) / (k + 1)
        if ordered[k] > candidate:
            shift = candidate
    for i in range(s):
        v[i] = max(v[i] - shift, 0.0)


def anchor_weights(blocks, anchors, s, rule, bandwidth=None) -> sparse.csr_array:
    """Z (n, m): rows that come in blocks as convex combinations of their s nearest anchors."""
    found = blocks.collect(partial(_weigh, anchors, s, rule, bandwidth))
    return weight_matrix(found[:, :s].astype(np.int32), np.ascontiguousarray(found[:, s:]), len(anchors))


def _weigh(anchors, s, rule, bandwidth, block):
    """Numbers of the nearest anchors of each row of a block, and their weights, side by side."""
    distances, indices = nearest_anchors(block, anchors, s)
    weights = local_weights(block, anchors, indices) if rule == "lae" else kernel_weights(distances, bandwidth)
    return np.hstack([indices, weights])


def mean_reach(blocks, anchors, s) -> float:
    """Mean distance of a row to its s-th nearest anchor."""
    n, reach = blocks.sum(partial(_reach, anchors, s))
    return reach / n


def _reach(anchors, s, block):
    return block.shape[0], float(np.sqrt(nearest_anchors(block, anchors, s)[0][:, -1]).sum())


def weight_matrix(indices, weights, n_anchors) -> sparse.csr_array:
    """Z (n, m) from the nearest anchors of each point."""
    n, s = indices.shape
    return sparse.csr_array((weights.ravel(), (np.repeat(np.arange(n), s), indices.ravel())), shape=(n, n_anchors))


def anchor_smoothness(Z) -> np.ndarray:
    """Z'LZ (m, m) with L = I - Z Lambda^-1 Z', Lambda = diag(Z'1): Z'Z - Z'Z Lambda^-1 Z'Z (equation 10)."""
    gram = sparse.csr_array(Z.T @ Z)
    mass = np.asarray(Z.sum(axis=0)).ravel()
    # sparse to the end: an anchor shares points with few others
    smoothness = (gram - gram @ (sparse.diags_array(1.0 / np.where(mass > 0, mass, 1.0)) @ gram)).toarray()
    return 0.5 * (smoothness + smoothness.T)


def anchor_system(labelled, smoothness, graph_weight) -> np.ndarray:
    """Z_l'Z_l + graph_weight Z'LZ (equation 9).

    Anchors that no label reaches would leave it singular. A ridge of 1e-10 of its largest diagonal entry gives them
    the value 0.
    """
    system = labelled.T @ labelled + graph_weight * smoothness
    system.flat[:: len(system) + 1] += 1e-10 * system.diagonal().max()
    return system


def regularise(Z, rows, targets, graph_weight, smoothness=None) -> tuple[np.ndarray, float]:
    """A = (Z_l'Z_l + graph_weight Z'LZ)^-1 Z_l'Y, and its relative residual.

    ``smoothness`` is Z'LZ if it is known already.
    """
    smoothness = anchor_smoothness(Z) if smoothness is None else smoothness
    labelled = Z[rows].toarray()
    right = labelled.T @ targets
    system = anchor_system(labelled, smoothness, graph_weight)
    try:
        A = linalg.solve(system, right, assume_a="pos")
    except linalg.LinAlgError:  # singular but for the ridge, to rounding
        A = linalg.solve(system, right, assume_a="sym")
    return A, float(np.linalg.norm(system @ A - right) / max(np.linalg.norm(right), np.finfo(float).tiny))
