"""The complete graph whose weights are a Gaussian kernel."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import euclidean_distances

from mr._sklearn import check_array
from mr.graph.base import LAPLACIANS, check_choice, check_number


class KernelGraph(BaseEstimator):
    """Complete graph: every pair of points has the weight exp(-gamma ||x_i - x_j||^2) (zhang2015, equations 2 and 3).

    K is dense, so this is for a few thousand points: n^2 numbers, and O(n^2) time per product. With D = diag(K 1) the
    Laplacian is D - K, or normalised I - D^-1/2 K D^-1/2. As in the paper K has ones on its diagonal; they cancel in
    D - K.

    Parameters
    ----------
    gamma : float, default=1.0
        Width of the kernel, above 0.
    laplacian : "normalized" or "unnormalized", default="normalized"

    Attributes
    ----------
    affinity_ : array (n, n)
    degrees_ : array (n,)
    laplacian_ : array (n, n)
    n_components_ : int
    component_labels_ : array (n,)
        All 0: the graph is complete.

    See Also
    --------
    KNNGraph : sparse, and the usual choice.

    References
    ----------
    .. [1] K. Zhang, L. Lan, J. T. Kwok, S. Vucetic, B. Parvin (2015). Scaling up graph-based semisupervised learning
       via prototype vector machines. IEEE Transactions on Neural Networks and Learning Systems 26(3).

    Examples
    --------
    >>> import numpy as np, mr
    >>> graph = mr.graph.KernelGraph(gamma=0.5, laplacian="unnormalized").fit([[0.0], [1.0]])
    >>> graph.apply(np.array([1.0, 1.0]))
    array([0., 0.])
    """

    power = 1

    def __init__(self, gamma=1.0, laplacian="normalized"):
        self.gamma = gamma
        self.laplacian = laplacian

    def fit(self, X, y=None):
        """Compute the weights of all pairs of rows of X."""
        check_number("gamma", self.gamma, above=0.0)
        check_choice("laplacian", self.laplacian, LAPLACIANS)
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
        K = euclidean_distances(X, squared=True)
        K *= -self.gamma
        np.exp(K, out=K)
        self.affinity_ = K
        self.degrees_ = K.sum(axis=1)
        self.n_components_, self.component_labels_ = 1, np.zeros(len(K), dtype=np.int32)
        return self

    @property
    def laplacian_(self) -> np.ndarray:
        """The dense Laplacian (n, n), formed when it is asked for."""
        return self.apply(np.eye(len(self.degrees_)))

    def apply(self, v):
        """L v for a vector (n) or a matrix (n, m)."""
        v = np.asarray(v, dtype=np.float64)
        along = (-1,) + (1,) * (v.ndim - 1)
        if self.laplacian == "unnormalized":
            return self.degrees_.reshape(along) * v - self.affinity_ @ v
        scale = 1.0 / np.sqrt(self.degrees_).reshape(along)
        return v - scale * (self.affinity_ @ (scale * v))
