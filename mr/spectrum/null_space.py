"""The null space of a Laplacian, which needs no iteration."""

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph


def null_space(L, degrees=None, labels=None) -> sparse.csc_array:
    """Orthonormal null vectors (n, c), one for each connected component, with disjoint supports.

    On component c the null vector is 1_c for D - W and D^1/2 1_c for the normalised Laplacian; an isolated point is its
    own null vector. Which of the two holds is tested, not assumed. Given only a normalised matrix, its degrees are
    unknown; the result then has no columns for components of more than one point, and the eigensolver finds those
    vectors.
    """
    n = L.shape[0]
    if labels is None:
        labels = csgraph.connected_components(L, directed=False)[1]
    scale = abs(L).max()
    for profile in (np.ones(n), degrees):
        if profile is None:
            continue
        weights = np.where(profile > 0, np.sqrt(profile), 1.0)
        N = _indicators(labels, weights)
        if not L.nnz or abs(L @ N).max() <= 1e-10 * scale:
            return N
    alone = np.bincount(labels)[labels] == 1
    zero = np.flatnonzero(alone & (np.abs(L.diagonal()) <= 1e-14 * scale))
    return sparse.csc_array((np.ones(len(zero)), (zero, np.arange(len(zero)))), shape=(n, len(zero)))


def _indicators(labels, weights):
    n, count = len(labels), int(labels.max()) + 1
    norms = np.sqrt(np.bincount(labels, weights**2, minlength=count))
    return sparse.csc_array((weights / norms[labels], (np.arange(n), labels)), shape=(n, count))
