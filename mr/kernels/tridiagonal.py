"""The kernel deformed by a graph, for every r, from one tridiagonalisation.

:class:`mr.kernels.SharedDeformation` diagonalises R'LR, and what it has then serves any labels at once. For the labels
of one fit that is more than is needed: R'LR = Q T Q' with a tridiagonal T takes a third of the time, and I + r T is
solved in time linear in its size,

    K~(r) = (R Q) (I + r T)^-1 (R Q)'.
"""

import numpy as np
from scipy.linalg import lapack

from mr.kernels.products import multiply
from mr.resources import interruptible, lapack_routine


class TridiagonalDeformation:
    """K~(r) for every r, on the few rows that are labelled.

    Takes the place of :class:`mr.kernels.SharedDeformation` in a path, with the same ``block``, ``columns``,
    ``weights`` and ``coefficients``.

    Parameters
    ----------
    factor : array (n, m)
        R with K = R R'.
    graph : fitted graph
        Its ``apply`` is L.

    See Also
    --------
    mr.kernels.SharedDeformation : every row.

    References
    ----------
    V. Sindhwani, P. Niyogi, M. Belkin (2005). Beyond the point cloud: from transductive to semi-supervised
    learning. ICML.

    Examples
    --------
    >>> import numpy as np, mr
    >>> from mr.kernels import Kernel, TridiagonalDeformation, pivoted_cholesky
    >>> X = np.arange(6.0)[:, None]
    >>> K, graph = Kernel("rbf", 0.5).fit(X)(X), mr.KNNGraph(2).fit(X)
    >>> deformed = TridiagonalDeformation(pivoted_cholesky(K), graph).columns(np.arange(6), r=10.0)
    >>> bool(np.allclose(deformed, K @ np.linalg.inv(np.eye(6) + 10.0 * graph.apply(K))))
    True
    """

    def __init__(self, factor, graph):
        self._factor, self._graph = factor, graph
        smoothness = multiply(factor.T, np.ascontiguousarray(graph.apply(factor)))
        self._reflectors, self._diagonal, self._beside, self._tau = _tridiagonalise(smoothness)
        self._rotated = (None, None)

    def block(self, rows, cols, r) -> np.ndarray:
        """K~(r)[rows, cols]."""
        right = self._rotated_rows(rows)
        left = right if rows is cols else self._rotate(self._factor[cols].T, transposed=True)
        block = multiply(self._solve(right, r).T, left)
        return 0.5 * (block + block.T) if rows is cols else block

    def columns(self, rows, r) -> np.ndarray:
        """K~(r)[:, rows]."""
        return multiply(self._factor, self._rotate(self._solve(self._rotated_rows(rows), r)))

    def weights(self, rows, beta, r) -> np.ndarray:
        """w with f = R w on the data, for f = sum_i beta_i k~(x_i, .)."""
        return self._rotate(self._solve(multiply(self._rotated_rows(rows), np.ascontiguousarray(beta)), r))

    def coefficients(self, rows, beta, r) -> np.ndarray:
        """alpha over all n points with sum_j alpha_j k(x_j, .) = sum_i beta_i k~(x_i, .), on and off the data."""
        alpha = -r * self._graph.apply(multiply(self._factor, self.weights(rows, beta, r)))
        alpha[rows] += beta
        return alpha

    def _rotated_rows(self, rows):
        """Q'R' at these rows, (m, l); the cells of a grid share it."""
        key = rows.tobytes()
        if self._rotated[0] != key:
            self._rotated = key, self._rotate(self._factor[rows].T, transposed=True)
        return self._rotated[1]

    def _rotate(self, right, transposed=False):
        """Q right, or Q'right."""
        right = np.array(right, order="F")
        if self._reflectors.size:
            lower = np.asfortranarray(right[1:])
            arguments = "L", "T" if transposed else "N", self._reflectors, self._tau
            work = lapack.dormqr(*arguments, lower, -1)[1][0]
            right[1:] = lapack.dormqr(*arguments, lower, int(work), overwrite_c=1)[0]
        return right

    def _solve(self, right, r):
        """(I + r T)^-1 right. T is positive semi-definite up to rounding, so I + r T is positive definite."""
        if len(self._diagonal) < 2:
            return right / (1.0 + r * self._diagonal)[:, None]
        diagonal, beside, failed = lapack.dpttrf(1.0 + r * self._diagonal, r * self._beside)
        if failed:
            raise ValueError(
                f"r = {r:g} is beyond double precision; expected r times the largest eigenvalue of LK "
                "to stay below 1e15."
            )
        return lapack.dpttrs(diagonal, beside, right)[0]


def _tridiagonalise(A):
    """Reflectors, diagonal, secondary diagonal and factors of the reflectors of A = Q T Q', in the memory of A."""
    if len(A) < 2:
        return A[:0], A.diagonal().copy(), np.empty(0), np.empty(0)
    n, work = len(A), int(lapack.dsytrd_lwork(len(A), lower=1)[0])
    # Only the lower triangle is read: what rounding leaves unsymmetric does not matter.
    reduced, diagonal, beside, tau = np.asfortranarray(A), np.empty(n), np.empty(n - 1), np.empty(n - 1)
    arguments = "L", n, reduced, n, diagonal, beside, tau, np.empty(work), work, np.zeros(1, dtype=np.intc)
    interruptible(lapack_routine("dsytrd"), *arguments)
    # Q fixes the first coordinate; on the others it is the product of these reflectors, as in a QR decomposition.
    return np.asfortranarray(reduced[1:, :-1]), diagonal, beside, tau
