"""Mercer kernels and their Gram blocks on demand."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from mr.graph.threads import blas_threads, team
from mr.resources import require_memory

KERNELS = ("rbf", "linear", "poly", "cosine")
PRECOMPUTED = "precomputed"
LARGE = 1_000_000
"""Entries of a Gaussian block below which a second thread is not worth starting."""
ASKED_FOR = 2**26
"""Bytes of a Gram matrix from which the system is asked for memory before they are taken."""
SCALABLE = (
    "Pass basis=500, where the estimator has it, to expand over 500 points only, or take an estimator made for many "
    "points: mr.PVM, mr.AnchorGraph, mr.SLapCVM."
)
FEW = 8
"""Coordinates up to which distances are summed one coordinate at a time."""
ROWS_BY_COORDINATES, ROWS_BY_PRODUCTS = 64, 256
"""Rows of a Gaussian block that are worked on at a time."""


def mean_gamma(X) -> float:
    """chen2012's rho = n^2 / sum_ij ||x_i - x_j||^2, in O(nd).

    The double sum is 2 n sum_i ||x_i||^2 - 2 ||sum_i x_i||^2, so no pairwise distance is ever computed.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)

    Returns
    -------
    float
        1 where all points are equal.

    See Also
    --------
    scale_gamma : scikit-learn's choice.

    References
    ----------
    L. Chen, I. W. Tsang, D. Xu (2012). Laplacian embedded regression for scalable manifold regularization. IEEE
    Transactions on Neural Networks and Learning Systems 23(6), section V.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.kernels import mean_gamma
    >>> mean_gamma(np.array([[0.0], [2.0]]))
    0.5
    """
    n = X.shape[0]
    squares = float(row_norms(X, squared=True).sum())
    total = np.asarray(X.sum(axis=0), dtype=float).ravel()
    spread = 2.0 * n * squares - 2.0 * float(total @ total)
    # All points equal: any width gives the same constant kernel.
    return n**2 / spread if spread > 1e-12 * max(n * squares, 1e-300) else 1.0


def scale_gamma(X) -> float:
    """scikit-learn's "scale": 1 / (d var(X)).

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)

    Returns
    -------
    float
        1 where all entries are equal.

    See Also
    --------
    mean_gamma : chen2012's choice.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.kernels import scale_gamma
    >>> float(scale_gamma(np.array([[0.0], [2.0]])))
    1.0
    """
    if sparse.issparse(X):
        variance = X.multiply(X).mean() - X.mean() ** 2
    else:
        variance = X.var(dtype=float)
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def require_gram(n):
    """Refuse a Gram matrix of n points that the memory cannot hold, before it is taken."""
    if 8 * n**2 >= ASKED_FOR:
        require_memory(2 * 8 * n**2, f"A {n} x {n} Gram matrix and a copy of it", SCALABLE)


@dataclass
class Kernel:
    """k(x, z) for one of

    ========  =====================================
    rbf       exp(-gamma ||x - z||^2)
    linear    <x, z>
    poly      (gamma <x, z> + coef0)^degree
    cosine    <x, z> / (||x|| ||z||)
    ========  =====================================

    or for a function ``name(A, B)`` that returns the Gram block of the rows of two matrices. ``gamma`` is a number,
    ``"scale"`` or ``"mean"`` (chen2012's rho). The two rules need data: ``fit`` resolves them.

    See Also
    --------
    mr.kernels.PrecomputedKernel : a kernel known by its Gram matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.kernels import Kernel
    >>> X = np.array([[0.0], [1.0]])
    >>> Kernel("rbf", gamma=1.0).fit(X)(X, X).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """

    name: str | Callable = "rbf"
    gamma: float | str = "scale"
    degree: float = 3
    coef0: float = 0.0

    def fit(self, X) -> "Kernel":
        if not callable(self.name) and self.name not in KERNELS:
            raise ValueError(f"Unknown kernel {self.name!r}; expected one of {KERNELS} or a function.")
        if isinstance(self.gamma, str):
            rules = {"scale": scale_gamma, "mean": mean_gamma}
            if self.gamma not in rules:
                raise ValueError(f"Unknown gamma {self.gamma!r}; expected a number, 'scale' or 'mean'.")
            self.gamma_ = rules[self.gamma](X) if self.name in ("rbf", "poly") else 1.0
        else:
            self.gamma_ = float(self.gamma)
        return self

    def __call__(self, A, B=None) -> np.ndarray:
        """Gram block k(A, B), dense; ``B=None`` means the symmetric block k(A, A)."""
        if B is None:
            require_gram(A.shape[0])
        if callable(self.name):
            return self._called(A, A if B is None else B)
        if self.name == "cosine":
            A, B = normalize(A), None if B is None else normalize(B)
        A = A.astype(float, copy=False)
        other = A if B is None else B.astype(float, copy=False)
        if self.name == "rbf":
            block = _gaussian(A, other, self.gamma_)
            if B is None:
                np.fill_diagonal(block, 1.0)
            return block
        block = safe_sparse_dot(A, other.T, dense_output=True)
        if self.name == "poly":
            block *= self.gamma_
            block += self.coef0
            block **= self.degree
        return block

    def _called(self, A, B):
        """The user's function, or what is wrong with its answer."""
        block = np.array(self.name(A, B), dtype=float)
        if block.shape != (A.shape[0], B.shape[0]) or not np.isfinite(block).all():
            raise ValueError(
                f"The kernel function must return finite numbers of shape {(A.shape[0], B.shape[0])}, one row for each "
                f"row of its first argument; got shape {block.shape}{'' if block.size else ', empty'}."
            )
        return block

    def diagonal(self, A) -> np.ndarray:
        """k(x, x) for every row x of A, without the Gram matrix."""
        if callable(self.name):
            parts = (A[i : i + 64] for i in range(0, A.shape[0], 64))
            return np.concatenate([np.diagonal(self._called(part, part)) for part in parts])
        if self.name == "rbf":
            return np.ones(A.shape[0])
        squares = row_norms(A, squared=True).astype(float)
        if self.name == "cosine":
            return (squares > 0).astype(float)
        return squares if self.name == "linear" else (self.gamma_ * squares + self.coef0) ** self.degree

    def expand(self, A, points, coefficients, block_bytes=2**28) -> np.ndarray:
        """sum_j coefficients_j k(points_j, x) for the rows x of A, by blocks of rows: memory does not grow with A."""
        rows = max(1, block_bytes // (8 * max(points.shape[0], 1)))
        if A.shape[0] <= rows:
            return self(A, points) @ coefficients
        return np.concatenate([self(A[i : i + rows], points) @ coefficients for i in range(0, A.shape[0], rows)])


class PrecomputedKernel:
    """A kernel known by its Gram matrix on the training points, which stand for themselves by their numbers.

    A training point is its row number, as a column (n, 1); a new point is the row of its kernel values with all
    training points. So machines keep, select and expand over points as with any kernel.

    See Also
    --------
    mr.kernels.Kernel : a kernel with a formula.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.kernels import PrecomputedKernel
    >>> kernel = PrecomputedKernel(np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> kernel(np.array([[0]]), np.array([[1]]))
    array([[0.5]])
    """

    name = PRECOMPUTED

    def __init__(self, gram):
        self.gram = gram

    def numbers(self) -> np.ndarray:
        """The training points: their numbers, (n, 1)."""
        return np.arange(len(self.gram))[:, None]

    def __call__(self, A, B=None) -> np.ndarray:
        columns = (A if B is None else B)[:, 0]
        if A.dtype.kind == "i":
            return self.gram[np.ix_(A[:, 0], columns)]
        return A[:, columns]

    def diagonal(self, A) -> np.ndarray:
        return self.gram[A[:, 0], A[:, 0]]

    def expand(self, A, points, coefficients) -> np.ndarray:
        return self(A, points) @ coefficients

    def distances(self) -> np.ndarray:
        """Distances between the training points in the kernel's feature space."""
        diagonal = np.diagonal(self.gram)
        squares = diagonal[:, None] + diagonal - 2.0 * self.gram
        return np.sqrt(np.maximum((squares + squares.T) / 2, 0.0))


def _gaussian(A, B, gamma) -> np.ndarray:
    """exp(-gamma ||a - b||^2), a few rows at a time, which stay in the cache throughout.

    Large blocks are shared among as many threads as BLAS uses. Few coordinates are subtracted one by one: cheap, and
    free of cancellation.
    """
    rows = ROWS_BY_PRODUCTS
    if sparse.issparse(A) or sparse.issparse(B):
        result = safe_sparse_dot(A, B.T, dense_output=True)
        exponent = _exponent_by_products(A, B, gamma, products_are_there=True)
    else:
        result = np.empty((A.shape[0], B.shape[0]))
        if A.shape[1] <= FEW:
            rows, exponent = ROWS_BY_COORDINATES, _exponent_by_coordinates(A, B, gamma)
        else:
            exponent = _exponent_by_products(A, B, gamma)

    def work(low, high):
        for start in range(low, high, rows):
            part = slice(start, min(start + rows, high))
            exponent(part, result[part])
            np.exp(result[part], out=result[part])

    if result.size < LARGE or (threads := blas_threads()) == 1:
        work(0, len(result))
    else:
        with team(threads) as share:
            share(work, len(result))
    return result


def _exponent_by_coordinates(A, B, gamma):
    """Writes -gamma ||a - b||^2 into a block of rows."""
    columns = np.ascontiguousarray(B.T)

    def fill(part, block):
        block[...] = 0.0
        for a, b in zip(A[part].T, columns, strict=True):
            difference = np.subtract.outer(a, b)
            difference *= difference
            block -= difference
        block *= gamma

    return fill


def _exponent_by_products(A, B, gamma, products_are_there=False):
    """Writes -gamma (|a|^2 + |b|^2 - 2 a.b) into a block of rows, which may hold the products a.b already."""
    rows, shift = gamma * row_norms(A, squared=True), -gamma * row_norms(B, squared=True)

    def fill(part, block):
        if not products_are_there:
            np.matmul(A[part], B.T, out=block)
        block *= 2.0 * gamma
        block += shift
        block -= rows[part, None]
        # Rounding can make a squared distance negative.
        np.minimum(block, 0.0, out=block)

    return fill
