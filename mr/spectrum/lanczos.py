"""Smallest eigenpairs of a large sparse Laplacian outside a known subspace."""

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh
from threadpoolctl import threadpool_limits

from mr.spectrum.fill import factorise, worth_factorising

SHIFT, SMALL_SHIFT = 1e-6, 1e-12
"""Relative to the norm of L: larger than the rounding error of the factors, and small against the eigenvalues of
interest, since the inverse hardly tells apart what is far below the shift. Eigenvalues of graphs in the plane fall as
1 / n, those of groups of outliers much faster: 10 pairs of 100,000 points of two moons took 1684 solves with SHIFT and
49 with SMALL_SHIFT, which is for more than MANY_POINTS points."""
MANY_POINTS = 50_000

CHECK_TOL = 1e-6


def lanczos(L, norm, N, labels, k, tol):
    """Values (k,) and orthonormal vectors (n, k) of the k smallest eigenpairs of L orthogonal to the columns of N.

    Implicitly restarted Lanczos (ARPACK) on (L + s I)^-1 where sparse factors of L are small (``mr.spectrum.fill``):
    the smallest eigenvalues of a graph along a curve crowd at 0, and the inverse spreads them. Otherwise on norm I - L.
    """
    shift = norm * (SHIFT if L.shape[0] <= MANY_POINTS else SMALL_SHIFT)
    apply = factorise(L, shift).solve if worth_factorising(L, labels, shift) else _reversed(L, norm)
    # Lanczos is thousands of short vector products: threads waiting for each other cost more than they save when
    # the cores are shared, and one thread gives the same bits on any number of cores
    with threadpool_limits(limits=1, user_api="blas"):
        V = _largest(apply, N, np.empty((L.shape[0], 0)), k, tol, seed=0)
        return _with_missed_copies(apply, L, N, V, tol)


def _reversed(L, norm):
    return lambda v: norm * v - L @ v


def _largest(apply, N, V, k, tol, seed):
    """Eigenvectors of the k largest eigenvalues of ``apply`` on the complement of [N, V], from a fixed start vector."""
    n = N.shape[0]

    def project(v):
        v = v - N @ (N.T @ v)
        return v - V @ (V.T @ v) if V.shape[1] else v

    operator = LinearOperator((n, n), matvec=lambda v: project(apply(project(v.ravel()))), dtype=float)
    start = project(np.random.default_rng(seed).standard_normal(n))
    room = n - N.shape[1] - V.shape[1]
    # a wider basis than ARPACK's 2k + 1 saves restarts when k is small; it must fit into the complement
    basis = min(max(2 * k + 1, 48), room)
    _, vectors = eigsh(operator, k, which="LA", v0=start, ncv=basis, tol=tol, rng=np.random.default_rng(seed))
    # largest first; the projection removes what rounding has let back in
    return project(vectors[:, ::-1])


def _with_missed_copies(apply, L, N, V, tol):
    """Add copies of multiple eigenvalues that a single start vector may not see.

    In exact arithmetic Lanczos finds one vector of each eigenspace. If the complement of what was found holds a smaller
    eigenvalue than the largest found, it was missed: take it in, drop the largest, look again.
    """
    k = V.shape[1]
    values, V = rayleigh_ritz(L, V)
    if N.shape[1] + k + 2 > L.shape[0]:
        return values, V
    for seed in range(1, k + 1):
        v = _largest(apply, N, V, 1, CHECK_TOL, seed)[:, 0]
        v /= np.linalg.norm(v)
        if v @ (L @ v) >= values[-1] * (1 - CHECK_TOL):
            break
        v = _largest(apply, N, V, 1, tol, seed)
        values, V = rayleigh_ritz(L, np.hstack([V, v]))
        values, V = values[:k], V[:, :k]
    return values, V


def rayleigh_ritz(L, V):
    """Ascending Ritz values and orthonormal Ritz vectors of L in the span of V."""
    Q, _ = np.linalg.qr(V)
    values, rotation = np.linalg.eigh(Q.T @ (L @ Q))
    return values, Q @ rotation
