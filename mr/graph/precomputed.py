"""A graph that the user brings."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from mr.graph.base import FittedGraph, GraphWarning


class PrecomputedGraph(FittedGraph, BaseEstimator):
    """Graph given by its affinity matrix.

    Parameters
    ----------
    affinity : sparse or dense array (n, n)
        Symmetric, non-negative, finite edge weights. Self loops are dropped with a warning: they do not enter D - W,
        and the normalised Laplacian here is that of the graph without them.
    laplacian : "normalized" or "unnormalized", default="normalized"
    power : int, default=1
        ``apply`` multiplies by ``laplacian_`` to this power.

    Attributes
    ----------
    affinity_ : sparse array (n, n), the matrix given, checked, without self loops
    laplacian_ : sparse array (n, n), its Laplacian

    See Also
    --------
    KNNGraph : a graph of nearest neighbours, computed from the points.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.

    Examples
    --------
    >>> import numpy as np, mr
    >>> graph = mr.PrecomputedGraph(np.array([[0.0, 2.0], [2.0, 0.0]]), laplacian="unnormalized").fit()
    >>> graph.apply(np.array([1.0, 0.0]))
    array([ 2., -2.])
    """

    def __init__(self, affinity, laplacian="normalized", power=1):
        self.affinity = affinity
        self.laplacian = laplacian
        self.power = power

    def fit(self, X=None, y=None):
        """Check the matrix, and that it has a row for every row of X if X is given."""
        self._check_laplacian_params()
        W = _checked_affinity(self.affinity)
        if X is not None and (n := _n_rows(X)) != W.shape[0]:
            raise ValueError(
                f"The affinity matrix must have one row for each of the {n} points of X; got shape {W.shape}. "
                "Order its rows as the rows of X. Cross-validation takes rows out of X but not out of the "
                "matrix: hide labels instead, with mr.model_selection.TransductiveSearchCV or cross_val_transductive."
            )
        return self._set_affinity(W)


def _n_rows(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _checked_affinity(affinity) -> sparse.csr_array:
    if not sparse.issparse(affinity):
        affinity = np.asarray(affinity)
    if affinity.ndim != 2 or affinity.shape[0] != affinity.shape[1]:
        raise ValueError(f"affinity must be a square matrix; got shape {affinity.shape}.")
    if affinity.dtype.kind not in "fiub":
        raise ValueError(f"affinity must hold real numbers; got dtype {affinity.dtype}.")
    W = sparse.csr_array(affinity, dtype=np.float64, copy=True)
    W.sum_duplicates()
    if not np.isfinite(W.data).all():
        raise ValueError("affinity must hold finite numbers; got NaN or infinity.")
    if W.nnz and W.data.min() < 0:
        raise ValueError(f"affinity must be non-negative; its smallest entry is {W.data.min():g}.")
    W = _without_self_loops(W)
    largest = W.data.max() if W.nnz else 0.0
    gap = abs(W - W.T)
    gap = gap.data.max() if gap.nnz else 0.0
    if gap > 1e-8 * largest:
        raise ValueError(
            f"affinity must be symmetric; the largest difference between w_ij and w_ji is {gap:g} "
            f"(largest weight {largest:g}). For a union of directed edges use W.maximum(W.T)."
        )
    # rounding differences within the tolerance are removed, so that everything downstream is exactly symmetric
    return W if gap == 0 else ((W + W.T) / 2).tocsr()


def _without_self_loops(W):
    if not W.diagonal().any():
        return W
    warnings.warn("affinity has entries on its diagonal; self loops are dropped.", GraphWarning, stacklevel=4)
    W = W.tocoo()
    off = W.row != W.col
    return sparse.csr_array((W.data[off], (W.row[off], W.col[off])), shape=W.shape)
