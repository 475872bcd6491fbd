"""Regularised spectral clustering and its eigenmap (belkin2006, section 6.1), both defined on new points."""

from collections.abc import Callable
from numbers import Integral, Real

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.cluster import KMeans

from mr._sklearn import Interval, fit_context
from mr.estimators._base import (
    GRAPH_CONSTRAINTS,
    KERNEL_CONSTRAINTS,
    GraphMixin,
    KernelMachine,
    check_points,
    check_values,
)
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.estimators._words import in_words
from mr.solvers.eigenmap import solve_eigenmap


class _EigenMachine(GraphMixin, KernelMachine):
    """Functions f = sum_i alpha_i k(x_i, .) that are smooth on the graph: min ambient_weight ||f||^2 + f'Lf."""

    _parameter_constraints = {
        "ambient_weight": [Interval(Real, 0.0, None, closed="neither")],
        **KERNEL_CONSTRAINTS,
        **GRAPH_CONSTRAINTS,
        **VERBOSE_CONSTRAINTS,
    }

    def _fit_eigenfunctions(self, X, n_components):
        report, kernel = reporter(self), self._make_kernel(X)
        report(f"Gram matrix of {X.shape[0]} points")
        gram, graph = kernel(X), self._fit_graph(X)
        report(f"eigenvectors: {n_components} functions")
        with in_words(self):
            solution = solve_eigenmap(gram, graph, self.ambient_weight, n_components)
        self.eigenvalues_ = solution.values
        # Orthonormal functions have entries of 1/sqrt(n); unit variance reads better and does not shrink with n.
        scale = np.sqrt(X.shape[0])
        self._keep_expansion(kernel, X, solution.coefficients * scale, 0.0)
        return check_values(self, solution.functions * scale)

    def _evaluate(self, X):
        return check_values(self, super()._evaluate(X))


class RegularizedEigenmap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _EigenMachine):
    """Laplacian eigenmap with a regularised extension to new points (belkin2006, remark 2 of section 6.1).

    The coordinates are functions in the RKHS with mean zero and unit variance on the data, uncorrelated, minimising
    ambient_weight ||f||^2 + f'Lf. As the weight goes to 0 they approach the eigenvectors of L on the data; a larger one
    makes them smoother in the ambient space.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates.
    ambient_weight : float > 0, default=1e-4
        gamma_A / gamma_I (the paper's gamma): weight of the ambient norm against the intrinsic one.
    kernel : {"rbf", "linear", "poly", "cosine"} or function, default="rbf"
    gamma : float, "scale" or "mean", default="scale"
        Kernel coefficient.
    degree, coef0 : float, default=3 and 0
        Of the polynomial kernel.
    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix, default=None
        None is ``KNNGraph()``.
    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph across fits.
    verbose : int, default=0
        1 tells what is done, a line per step.

    Attributes
    ----------
    embedding_ : array (n, n_components), coordinates of the training points
    eigenvalues_ : the minimised values, ascending
    dual_coef_, points_ : expansion of the coordinates
    graph_ : the fitted graph

    See Also
    --------
    RegularizedSpectralClustering : clusters from the same functions.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7, section 6.1.

    Examples
    --------
    The first coordinate of a noisy curve follows the curve.

    >>> import numpy as np, mr
    >>> t = np.linspace(0, 1, 80)
    >>> X = np.column_stack([np.cos(3 * t), np.sin(3 * t)])
    >>> coordinate = mr.RegularizedEigenmap(n_components=1).fit(X).transform(X)[:, 0]
    >>> bool(abs(np.corrcoef(coordinate, t)[0, 1]) > 0.95)
    True
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        **_EigenMachine._parameter_constraints,
    }

    def __init__(
        self,
        n_components=2,
        ambient_weight=1e-4,
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        memory=None,
        verbose=0,
    ):
        self.n_components = n_components
        self.ambient_weight = ambient_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.memory = memory
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Find the coordinate functions of the rows of X; ``y`` is ignored."""
        X = check_points(self, X, ensure_min_samples=2)
        self.embedding_ = self._fit_eigenfunctions(X, self.n_components)
        self._n_features_out = self.n_components
        return self

    def fit_transform(self, X, y=None):
        """Coordinates of the rows of X."""
        return self.fit(X).embedding_

    def transform(self, X):
        """Coordinates of any points."""
        return self._evaluate(X)


class RegularizedSpectralClustering(ClusterMixin, _EigenMachine):
    """Spectral clustering by a function of the RKHS, so that new points have a cluster too (belkin2006, section 6.1).

    Two clusters: the sign of the first eigenfunction, as in the paper. More: k-means on n_clusters - 1 of them.

    Parameters
    ----------
    ambient_weight : float > 0, default=1e-4
        gamma_A / gamma_I (the paper's gamma): weight of the ambient norm against the intrinsic one.
    n_clusters : int, default=2
    kernel, gamma, degree, coef0, graph, memory : default="rbf", "scale", 3, 0, None and None
        As in :class:`RegularizedEigenmap`.
    random_state : int, RandomState or None, default=0
        Starts of k-means (more than two clusters only).
    verbose : int, default=0
        1 tells what is done, a line per step.

    Attributes
    ----------
    labels_ : cluster of each training point
    eigenvalues_, dual_coef_, points_, graph_ : as in :class:`RegularizedEigenmap`

    See Also
    --------
    RegularizedEigenmap : the functions themselves, as coordinates.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7, section 6.1.

    Examples
    --------
    >>> import mr
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(200, noise=0.05, random_state=0)
    >>> clusters = mr.RegularizedSpectralClustering(gamma=5.0).fit(X).labels_
    >>> bool(max((clusters == truth).mean(), (clusters != truth).mean()) > 0.98)
    True
    """

    _parameter_constraints = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        **_EigenMachine._parameter_constraints,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        ambient_weight=1e-4,
        n_clusters=2,
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        memory=None,
        random_state=0,
        verbose=0,
    ):
        self.ambient_weight = ambient_weight
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.memory = memory
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Cluster the rows of X; ``y`` is ignored."""
        X = check_points(self, X, ensure_min_samples=2)
        functions = self._fit_eigenfunctions(X, max(self.n_clusters - 1, 1))
        self.means_ = None
        if self.n_clusters > 2:
            self.means_ = KMeans(self.n_clusters, n_init=10, random_state=self.random_state).fit(functions)
        self.labels_ = self._assign(functions)
        return self

    def decision_function(self, X):
        """Eigenfunctions at any points: shape (n,) for up to two clusters, (n, n_clusters - 1) otherwise."""
        values = self._evaluate(X)
        return values[:, 0] if self.means_ is None else values

    def predict(self, X):
        """Cluster of any points."""
        return self._assign(self._evaluate(X))

    def _assign(self, functions):
        if self.means_ is not None:
            return self.means_.predict(functions)
        return ((functions[:, 0] > 0) & (self.n_clusters > 1)).astype(int)
