"""Hypotheses expanded over a few basis points only: O(n r^2) time, O(n r) memory, never n x n."""

import numbers
from dataclasses import dataclass

import numpy as np
from scipy import linalg
from sklearn.utils import check_random_state

from mr._sklearn import check_array
from mr.graph.scale import sound_points
from mr.kernels.products import diagonalise, multiply

METHODS = ("rows", "kmeans", "leverage")


@dataclass(frozen=True)
class Basis:
    """How to choose the points that functions are expanded over.

    Parameters
    ----------
    size : int
        Number of points.
    method : {"rows", "kmeans", "leverage"}, default="rows"
        Rows drawn evenly; k-means centres (five Lloyd iterations), which lie where the data is; or rows drawn by
        approximate ridge leverage scores, which also reach sparse regions.

    See Also
    --------
    mr.kernels.choose_basis : draws the points.

    Examples
    --------
    >>> import mr
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(300, noise=0.05, random_state=0)
    >>> mr.LapRLS(basis=mr.kernels.Basis(20, "kmeans"), random_state=0).fit(X, y).points_.shape
    (20, 2)
    """

    size: int
    method: str = "rows"

    def __post_init__(self):
        if isinstance(self.size, bool) or not isinstance(self.size, numbers.Integral) or self.size < 1:
            raise ValueError(f"size must be an integer of at least 1; got {self.size!r}.")
        if self.method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}; got {self.method!r}.")


def choose_basis(X, basis, random_state=None):
    """Basis points: ``basis`` rows of X drawn without replacement, or the array given.

    See Also
    --------
    mr.kernels.reduced_factor : the functions on these points.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.kernels import choose_basis
    >>> choose_basis(np.arange(20.0).reshape(10, 2), 3, random_state=0).shape
    (3, 2)
    """
    if isinstance(basis, numbers.Integral):
        if basis > X.shape[0]:
            raise ValueError(f"basis={basis} points were asked for, but X has only {X.shape[0]} rows.")
        rows = check_random_state(random_state).choice(X.shape[0], basis, replace=False)
        return X[np.sort(rows)]
    if basis.ndim != 2 or basis.shape[1] != X.shape[1]:
        raise ValueError(f"basis must be an int or an array of points with {X.shape[1]} columns, got {basis.shape}.")
    return sound_points(check_array(basis, dtype=np.float64), smallest=False)


def reduced_factor(kernel, X, points):
    """Features R (n x m) and map T of the functions f = sum_j alpha_j k(points_j, .).

    ||f||^2 = alpha' K_bb alpha. With K_bb = V diag(v) V' and T = V diag(v)^-1/2, alpha = T w gives ||f|| = ||w|| and
    f = R w on the data, R = K_nb T: an ordinary linear machine in w. Directions of K_bb below rounding are dropped.

    See Also
    --------
    mr.kernels.choose_basis : chooses the points.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.kernels import Kernel, reduced_factor
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> R, T = reduced_factor(Kernel(gamma=1.0).fit(X), X, X[:2])
    >>> R.shape, T.shape
    ((3, 2), (2, 2))
    """
    transform = basis_map(kernel, points)
    return kernel(X, points) @ transform, transform


def basis_map(kernel, points):
    """T alone."""
    values, vectors = diagonalise(kernel(points))
    keep = values > len(values) * np.finfo(float).eps * values[-1]
    return vectors[:, keep] / np.sqrt(values[keep])


def deform_factor(factor, graph, r, rows):
    """Columns J R' deformed: A (m x l) with R A = K~[:, rows] for the kernel K = R R' (see ``deform_once``).

    See Also
    --------
    mr.kernels.deform_once : the same for a whole Gram matrix.

    References
    ----------
    V. Sindhwani, P. Niyogi, M. Belkin (2005). Beyond the point cloud: from transductive to semi-supervised
    learning. ICML.

    Examples
    --------
    >>> import mr
    >>> from mr.kernels import Kernel, deform_factor, reduced_factor
    >>> X = mr.datasets.load("two_moons", n=40, seed=0).X
    >>> kernel, graph = Kernel(gamma=1.0).fit(X), mr.KNNGraph().fit(X)
    >>> R, T = reduced_factor(kernel, X, X[:5])
    >>> deform_factor(R, graph, 10.0, [0, 1]).shape
    (5, 2)
    """
    return deform_features(factor[rows], multiply(factor.T, graph.apply(factor)) if r else None, r)


def deform_features(labelled, smoothness, r):
    """As :func:`deform_factor`, from R[rows] and R'LR (None where r is 0)."""
    if r == 0:
        return labelled.T.copy()
    # scipy's BLAS, as in the solution: see ``multiply``
    system = r * smoothness
    system += system.T
    system *= 0.5
    system.flat[:: system.shape[0] + 1] += 1.0
    return linalg.solve(system, labelled.T, assume_a="pos", overwrite_a=True, check_finite=False)
