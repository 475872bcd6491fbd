"""The kernel deformed by a graph: one factorisation for a whole experiment.

Manifold regularisation with ambient weight gamma_A and intrinsic weight gamma_I is ordinary regularisation in the RKHS
of the deformed kernel (Sindhwani, Niyogi, Belkin 2005)

    K~ = (K^-1 + r L)^-1 = K (I + r L K)^-1,        r = gamma_I / (gamma_A n^2),

where L stands for the graph's Laplacian, already raised to its power.
"""

import numpy as np
from scipy import linalg
from scipy.linalg import blas

from mr.resources import available_memory, interruptible, lapack_routine


def pivoted_cholesky(K) -> np.ndarray:
    """R with K = R R' up to rounding, R of n x rank(K).

    LAPACK's rank-revealing Cholesky stops when the remaining diagonal is below n eps max(diag), so Gram matrices that
    are singular to working precision (smooth kernels on low-dimensional data) need no jitter and give a thin R.

    See Also
    --------
    mr.kernels.thin_factor : the same without forming K.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.kernels import pivoted_cholesky
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> R = pivoted_cholesky(X @ X.T)
    >>> R.shape, bool(np.allclose(R @ R.T, X @ X.T))
    ((3, 2), True)
    """
    n = K.shape[0]
    factor, pivots, rank, info = np.array(K, dtype=float, order="F"), *np.zeros((3, max(n, 1)), dtype=np.intc)
    tolerance = np.array(-1.0)
    arguments = "L", n, factor, n, pivots, rank, tolerance, np.empty(2 * n), info
    interruptible(lapack_routine("dpstrf"), *arguments)
    if info[0] < 0:
        raise ValueError(f"dpstrf rejected argument {-info[0]}")
    R = np.empty((n, rank[0]))
    R[pivots - 1] = np.tril(factor)[:, : rank[0]]
    return R


def thin_factor(kernel, X, largest_rank, first=16) -> np.ndarray | None:
    """R (n, m) with K = R R' up to rounding, from m columns of the kernel; None where K is not of such low rank.

    Cholesky with diagonal pivots, stopped like :func:`pivoted_cholesky`, but K itself is never formed: smooth kernels
    on low-dimensional data have a few hundred directions above rounding, whatever n is. The pivots come in batches that
    double. After each batch the remaining trace must have fallen in proportion, or the attempt ends: on data without
    such structure it costs a few columns only. The factor and a copy of it must fit into memory.

    See Also
    --------
    mr.kernels.pivoted_cholesky : from K itself.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.kernels import Kernel, thin_factor
    >>> X = np.linspace(0.0, 1.0, 200)[:, None]
    >>> R = thin_factor(Kernel(gamma=0.1).fit(X), X, largest_rank=100)
    >>> len(R), R.shape[1] < 30
    (200, True)
    """
    n, available = X.shape[0], available_memory()
    largest_rank = min(largest_rank, largest_rank if available is None else available // (2 * 8 * n))
    R = np.zeros((n, largest_rank), order="F")
    remaining = kernel.diagonal(X)
    rounding, trace = n * np.finfo(float).eps, remaining.sum()
    stop, rank, checkpoint = rounding * remaining.max(), 0, first
    while rank < largest_rank:
        pivot = int(np.argmax(remaining))
        if remaining[pivot] <= stop:
            return R[:, :rank]
        column = kernel(X[pivot : pivot + 1], X)[0]  # a row: kernels work along rows
        if rank:  # scipy's BLAS, as in what follows: see mr.kernels.products
            column = blas.dgemv(-1.0, R[:, :rank], R[pivot, :rank], beta=1.0, y=column, overwrite_y=True)
        column /= np.sqrt(remaining[pivot])
        R[:, rank] = column
        remaining -= column * column
        np.maximum(remaining, 0.0, out=remaining)
        remaining[pivot] = 0.0
        rank += 1
        if rank == checkpoint:
            # A geometric decay that reaches rounding at the largest rank would be below this by now, and spectra of
            # smooth kernels fall faster than that at first.
            if remaining.sum() > trace * rounding ** (0.7 * rank / largest_rank):
                return None
            checkpoint *= 2
    return None


def deform_once(K, graph, r, rows):
    """Columns ``rows`` of (I + r L K)^-1, by one LU factorisation.

    Returns A (n x len(rows)): K A are the columns ``rows`` of K~, and A beta are the coefficients over all n points of
    the function sum_i beta_i k~(x_i, .).

    See Also
    --------
    mr.kernels.SharedDeformation : every r at once.

    References
    ----------
    V. Sindhwani, P. Niyogi, M. Belkin (2005). Beyond the point cloud: from transductive to semi-supervised
    learning. ICML.

    Examples
    --------
    >>> import mr
    >>> from mr.kernels import Kernel, deform_once
    >>> X = mr.datasets.load("two_moons", n=40, seed=0).X
    >>> kernel, graph = Kernel(gamma=1.0).fit(X), mr.KNNGraph().fit(X)
    >>> deform_once(kernel(X, X), graph, 10.0, [0, 1]).shape
    (40, 2)
    """
    n = K.shape[0]
    selector = np.zeros((n, len(rows)), order="F")
    if r < 1e-100:
        selector[rows, np.arange(len(rows))] = 1.0
        return selector
    # (L K + I / r) A = J' / r: no pass over n x n numbers but the product L K itself.
    selector[rows, np.arange(len(rows))] = 1.0 / r
    system = graph.apply(K)
    system.flat[:: n + 1] += 1.0 / r
    # The transpose of a C-ordered array is a Fortran-ordered view: LAPACK works in place, without a copy.
    lu = interruptible(linalg.lu_factor, system.T, overwrite_a=True, check_finite=False)
    return linalg.lu_solve(lu, selector, trans=1, overwrite_b=True, check_finite=False)


class SharedDeformation:
    """K~(r) for every r at once.

    With K = R R' and R' L R = U diag(s) U', B = R U:

        K~(r) = B diag(1 / (1 + r s)) B'.

    One eigendecomposition of the size of R's width serves every gamma_A, gamma_I, every split and every fold. R may be
    thin: the data matrix for a linear kernel, Nystroem features for a reduced basis.

    Parameters
    ----------
    factor : array n x m
        R with K = R R'; see :meth:`from_gram` for a Gram matrix.
    graph : fitted graph
        Its ``apply`` is L.

    See Also
    --------
    mr.kernels.deform_once : one r only, by one factorisation.
    mr.kernels.TridiagonalDeformation : the labelled rows only.

    References
    ----------
    V. Sindhwani, P. Niyogi, M. Belkin (2005). Beyond the point cloud: from transductive to semi-supervised
    learning. ICML.

    Examples
    --------
    >>> import mr
    >>> X = mr.datasets.load("two_moons", n=40, seed=0).X
    >>> shared = mr.kernels.SharedDeformation(X, mr.KNNGraph().fit(X))  # a linear kernel: K = X X'
    >>> shared.columns([0, 1], r=1.0).shape
    (40, 2)
    """

    def __init__(self, factor, graph):
        graph_factor = graph.apply(factor)
        smoothness = factor.T @ graph_factor
        smoothness += smoothness.T
        smoothness *= 0.5
        eigenvalues, rotation = linalg.eigh(smoothness, overwrite_a=True, check_finite=False, driver="evd")
        # L is positive semi-definite; what is below zero is rounding.
        self.eigenvalues = np.maximum(eigenvalues, 0.0)
        self.rotation = rotation
        self.features = factor @ rotation
        self._graph = graph

    @classmethod
    def from_gram(cls, K, graph) -> "SharedDeformation":
        return cls(pivoted_cholesky(K), graph)

    def shrinkage(self, r) -> np.ndarray:
        """1 / (1 + r s): how much of each direction the graph leaves."""
        return 1.0 / (1.0 + r * self.eigenvalues)

    def columns(self, rows, r) -> np.ndarray:
        """K~(r)[:, rows]."""
        return self.features @ (self.features[rows] * self.shrinkage(r)).T

    def block(self, rows, cols, r) -> np.ndarray:
        """K~(r)[rows, cols]."""
        return (self.features[rows] * self.shrinkage(r)) @ self.features[cols].T

    def weights(self, rows, beta, r) -> np.ndarray:
        """w with f = R w on the data, for f = sum_i beta_i k~(x_i, .): the expansion in the factor's own features."""
        inner = self.features[rows].T @ beta
        return self.rotation @ (inner.T * self.shrinkage(r)).T

    def coefficients(self, rows, beta, r) -> np.ndarray:
        """alpha over all n points with sum_j alpha_j k(x_j, .) = sum_i beta_i k~(x_i, .), on and off the data.

        alpha = J'beta - r L K~ J'beta, without forming K~ or inverting K.
        """
        alpha = -r * self._graph.apply(self.columns(rows, r) @ beta)
        alpha[rows] += beta
        return alpha
