"""Non-parametric function induction (Delalleau, Bengio, Le Roux 2005; zhang2015, section II-B3).

The function is known on a subset S of m points and induced elsewhere as a Parzen regressor,
f(x) = sum_S k(x, x_j) f_j / sum_S k(x, x_j) (equation 9): f = P f_S with the rows of P = W_XS normalised. Smoothness
counts between S and all points, not among the points outside S:

    M = sum over i in X, j in S of w_ij (f(x_i) - f_j)^2 = f_S' (diag(W_XS' 1) - W_XS' diag(W_XS 1)^-1 W_XS) f_S,

    min f_S'M f_S + C1 ||P_l f_S - y_l||^2 + ridge ||f_S||^2.
"""

from dataclasses import dataclass

import numpy as np

from mr.solvers.rls import solve_in_features

RIDGE = 1e-6  # Delalleau's epsilon, relative to the mean diagonal of M: constants have no smoothness cost


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
    M.flat[:: m + 1] += RIDGE * max(np.trace(M) / m, np.finfo(float).tiny)
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
