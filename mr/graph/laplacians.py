"""The graph Laplacian."""

import numpy as np
from scipy import sparse


def laplacian(W, normalized: bool = True) -> sparse.csr_array:
    """Laplacian of a symmetric affinity matrix with zero diagonal.

    With D = diag(W 1): ``D - W``, or normalised ``I - D^-1/2 W D^-1/2``. A point without edges (degree 0) has a zero
    row and column in both: it carries no smoothness constraint.

    Parameters
    ----------
    W : sparse or dense matrix of shape (n, n)
        Symmetric and non-negative.
    normalized : bool, default=True

    Returns
    -------
    sparse array of shape (n, n)

    See Also
    --------
    mr.spectrum.smallest_eigenpairs : Its smooth eigenvectors.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.

    Examples
    --------
    >>> from scipy import sparse
    >>> from mr.graph import laplacian
    >>> laplacian(sparse.csr_array([[0.0, 2.0], [2.0, 0.0]])).toarray()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    W = sparse.csr_array(W)
    degrees = degree(W)
    if not normalized:
        return (sparse.diags_array(degrees, format="csr") - W).tocsr()
    connected = degrees > 0
    scale = np.zeros_like(degrees)
    # sqrt first: the reciprocal of a subnormal degree would overflow, that of its root does not
    scale[connected] = 1.0 / np.sqrt(degrees[connected])
    rows = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
    S = sparse.csr_array((scale[rows] * W.data * scale[W.indices], W.indices, W.indptr), shape=W.shape)
    return (sparse.diags_array(connected.astype(float), format="csr") - S).tocsr()


def degree(W) -> np.ndarray:
    """Row sums of an affinity matrix as a vector."""
    return np.asarray(W.sum(axis=1), dtype=float).ravel()
