"""Smallest eigenpairs of a graph Laplacian: the entrance."""

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackNoConvergence

from mr.spectrum.lanczos import lanczos
from mr.spectrum.null_space import null_space

DENSE_POINTS = 1000
DENSE_SHARE = 5
"""Dense eigh up to DENSE_POINTS points, or when more than 1 / DENSE_SHARE of all pairs are wanted."""


class EigenpairsNotFound(RuntimeError):
    """The eigensolver did not reach the residual that was asked for.

    See Also
    --------
    mr.spectrum.smallest_eigenpairs : raises it.

    Examples
    --------
    >>> import mr
    >>> issubclass(mr.spectrum.EigenpairsNotFound, Exception)
    True
    """


@dataclass(frozen=True)
class Eigenpairs:
    """The k smallest eigenpairs of L.

    See Also
    --------
    mr.spectrum.smallest_eigenpairs : computes them.

    Examples
    --------
    >>> import mr
    >>> X = mr.datasets.load("two_moons", n=60, seed=0).X
    >>> pairs = mr.spectrum.smallest_eigenpairs(mr.KNNGraph().fit(X), 3)
    >>> pairs.values.shape, pairs.vectors.shape
    ((3,), (60, 3))
    """

    values: np.ndarray
    """(k,) ascending; exactly 0.0 once for every connected component, positive otherwise."""
    vectors: np.ndarray
    """(n, k) orthonormal columns; the largest entry in magnitude of each is positive."""
    residual: float
    """max |L v - value v| over the pairs."""


def smallest_eigenpairs(graph_or_laplacian, k, tol=1e-9) -> Eigenpairs:
    """The k smallest eigenpairs of the first power of a graph's Laplacian.

    The null space is written down (one vector for each connected component), the rest computed in its complement:
    densely for small problems, by Lanczos iteration with a fixed start vector for large ones. Results are the same on
    every run.

    Parameters
    ----------
    graph_or_laplacian : fitted graph, or symmetric positive semi-definite matrix (sparse or dense)
        With a graph the zero eigenvalues are known exactly; so they are for a matrix D - W. Of a normalised Laplacian
        given as a bare matrix the null vectors are computed like the others, and their values, one per component, set
        to 0.
    k : int, 1 <= k <= n
    tol : float
        Accuracy of the iteration. Raises EigenpairsNotFound if the residual exceeds 10 tol |L|.

    Returns
    -------
    Eigenpairs
        With ``values``, ``vectors`` and ``residual``.

    See Also
    --------
    mr.graph.laplacian : The matrix.
    mr.RegularizedEigenmap : Eigenvectors that extend to new points.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.spectrum import smallest_eigenpairs
    >>> smallest_eigenpairs(np.array([[1.0, -1.0], [-1.0, 1.0]]), 2).values
    array([0., 2.])
    """
    L, degrees, labels = _parts(graph_or_laplacian)
    n = L.shape[0]
    if not 1 <= k <= n:
        raise ValueError(f"k must be between 1 and the number of points, {n}; got {k}.")
    norm = float(abs(L).sum(axis=1).max()) or 1.0
    N = null_space(L, degrees, labels)[:, :k]
    rest = k - N.shape[1]
    vectors = N.toarray()
    values = np.zeros(N.shape[1])
    if rest:
        ritz, V = _complement(L, norm, N, labels, rest, tol)
        # rounding may leave a tiny eigenvalue of a connected graph at or below 0, which is kept for null vectors
        ritz = np.maximum(ritz, np.finfo(float).tiny)
        unwritten = max(0, int(labels.max()) + 1 - N.shape[1])
        ritz[:unwritten] = np.where(ritz[:unwritten] <= 10 * tol * norm, 0.0, ritz[:unwritten])
        values, vectors = np.concatenate([values, ritz]), np.hstack([vectors, V])
    vectors = _signed(vectors)
    residual = float(np.linalg.norm(L @ vectors - vectors * values, axis=0).max())
    if not residual <= 10 * tol * norm:
        raise EigenpairsNotFound(
            f"The {k} smallest eigenpairs of this {n} x {n} Laplacian have residual {residual:.1e}, more than the "
            f"{10 * tol * norm:.1e} that tol={tol:g} allows."
        )
    return Eigenpairs(values, vectors, residual)


def _parts(given):
    """The matrix, degrees (None if unknown) and component labels."""
    if hasattr(given, "laplacian_"):
        return given.laplacian_, given.degrees_, given.component_labels_
    L = sparse.csr_array(given, dtype=float)
    if L.ndim != 2 or L.shape[0] != L.shape[1]:
        raise ValueError(f"Expected a fitted graph or a square Laplacian matrix; got shape {L.shape}.")
    if L.nnz and abs(L - L.T).max() > 1e-10 * abs(L).max():
        raise ValueError("Expected a symmetric Laplacian matrix; this one is not.")
    return L, None, csgraph.connected_components(L, directed=False)[1]


def _complement(L, norm, N, labels, k, tol):
    """Values and vectors of the k smallest eigenpairs orthogonal to N."""
    n = L.shape[0]
    if n <= DENSE_POINTS or DENSE_SHARE * (k + N.shape[1]) > n:
        # null vectors are moved to the far end of the spectrum
        A = L.toarray() + (2 * norm) * (N @ N.T).toarray()
        return scipy.linalg.eigh(A, subset_by_index=[0, k - 1], overwrite_a=True, check_finite=False)
    try:
        return lanczos(L, norm, N, labels, k, tol)
    except ArpackNoConvergence as error:
        raise EigenpairsNotFound(
            f"Lanczos found {len(error.eigenvalues)} of {k} eigenpairs of a {n} x {n} Laplacian outside its null space "
            f"and then stopped converging at tol={tol:g}. Ask for a looser tol or fewer pairs."
        ) from error


def _signed(vectors):
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
    return vectors * signs
