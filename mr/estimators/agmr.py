"""Manifold regularisation with an adaptive graph (wang2017)."""

from functools import cached_property
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, check_memory

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import (
    GRAPH_CONSTRAINTS,
    KERNEL_CONSTRAINTS,
    KernelMachine,
    SemiSupervisedClassifier,
    warn_unlabelled_components,
)
from mr.graph import KNNGraph, as_graph, nearest_neighbors
from mr.graph.sparse_coding import local_grams
from mr.kernels import pivoted_cholesky
from mr.solvers.adaptive_graph import (
    EntropyWeights,
    LineEntropyWeights,
    SparseWeights,
    alternate,
    fit_on_graph,
    graph_smoothness,
)
from mr.solvers.row_descent import LocalRows, SharedRows

UPDATES = ("pairwise", "multiplicative", "paper")
CELL = {"entropy": ("gamma_1", "gamma_2", "eta"), "sparse": ("gamma_1", "gamma_2", "eta_1", "eta_2")}
"""Weights of the problem, for each penalty."""
_POSITIVE = [Interval(Real, 0.0, None, closed="neither")]


def paper_graph():
    """MR_LP of the paper: 10 nearest neighbours, heat weights, L = D - W."""
    return KNNGraph(n_neighbors=10, laplacian="unnormalized")


class AGMR(SemiSupervisedClassifier, KernelMachine):
    """Manifold regularisation that learns its graph with the classifier (AGMR_entropy, AGMR_sparse of wang2017).

        min_{f, W}  sum_ij w_ij (f_i - f_j)^2 + gamma_1 sum_labelled (f_i - y_i)^2 + gamma_2 ||f||^2 + R(W),

    rows of W on the simplex, w_ii = 0, by turns over W and f (Algorithm 1). All classes share one graph. R(W) is

    - ``penalty="entropy"`` (equation 5): eta sum_ij w_ij ln w_ij, so w_ij ~ exp(-(f_i - f_j)^2 / eta);
    - ``penalty="sparse"`` (equation 10): eta_1 sum_i ||x_i - sum_j w_ij x_j||^2 + eta_2 sum_i ||w_i||_1. On the simplex
      the l1 norm is 1: eta_2 adds a constant, and acts only through ``update="paper"``.

    Parameters
    ----------
    penalty : {"entropy", "sparse"}, default="entropy"
        R(W) above.
    gamma_1 : float > 0, default=1.0
        Weight of the labels.
    gamma_2 : float > 0, default=1.0
        Weight of the ambient norm.
    eta : float > 0, default=1.0
        Weight of the entropy.
    eta_1 : float > 0, default=1.0
        Weight of the reconstruction error.
    eta_2 : float >= 0, default=1.0
        Weight of the l1 norm.
    kernel : {"linear", "rbf", "poly", "cosine"}, default="linear"
        Linear is solved in the primal, d x d. There is no bias: append a constant feature to X for one.
    gamma : float, "scale" or "mean", default="scale"
        Of the kernel.
    degree : int, default=3
        Of the kernel.
    coef0 : float, default=0.0
        Of the kernel.
    graph : graph object or affinity matrix, default=None
        The initial f is manifold regularisation on this graph. None is the paper's: 10 nearest neighbours, heat
        weights, unnormalised Laplacian.
    support : int, default=None
        None is the paper's W over all pairs. An integer lets row i use its ``support`` nearest neighbours only, in
        O(n support) memory (O(n support^2) for the sparse penalty).
    update : {"pairwise", "projected", "multiplicative", "paper"}, default="pairwise"
        The sparse W-step (see :mod:`mr.solvers.row_descent`). Only "paper", the printed equation 13, may raise the
        objective; it warns when its conditions fail.
    max_iter : int, default=50
        Largest number of iterations (a W-step and an f-step each).
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by less than this fraction.
    memory : str or joblib.Memory, default=None
        Caches the fitted initial graph.

    Attributes
    ----------
    affinity_ : CSR (n, n)
        The adapted graph (W + W') / 2.
    weights_ : CSR (n, n)
        W itself, rows on the simplex.
    objective_ : array
        The objective after every half step. It never rises unless update="paper".
    n_iter_ : int
    converged_ : bool
    coef_ : array (d, k)
        Weights of the features, for the linear kernel.
    dual_coef_ : array (n, k)
        Coefficients of the fitted functions over ``points_``.
    points_ : array (n, d)
        The points of the expansion.
    graph_ : fitted graph
        The initial graph.

    See Also
    --------
    mr.paths.AGMRPath : whole grids of the weights on the same points.
    mr.LapRLS : the same machine on a graph that stays as it is.

    Notes
    -----
    For one function (two classes) and the entropy penalty W is never formed: its products cost O(n p) by a Chebyshev
    expansion (see :mod:`mr.solvers.adaptive_graph`). ``affinity_`` and ``weights_`` form it when they are asked for.

    The pairwise W-step of the sparse penalty starts at the rows of least reconstruction error, whatever the labels are.

    References
    ----------
    .. [1] Y. Wang, Y. Meng, Y. Li, S. Chen, Z. Fu, H. Xue (2017). Semi-supervised manifold regularization with adaptive
       graph construction. Pattern Recognition Letters.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=100, seed=0)
    >>> y = np.full(100, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:4]] = c
    >>> model = mr.AGMR(kernel="rbf", gamma=5.0, gamma_2=0.1, eta=0.1).fit(data.X, y)
    >>> model.predict(data.X).shape, bool(np.allclose(model.weights_.sum(axis=1), 1.0))
    ((100,), True)
    """

    _parameter_constraints = {
        "penalty": [StrOptions({"entropy", "sparse"})],
        "gamma_1": _POSITIVE,
        "gamma_2": _POSITIVE,
        "eta": _POSITIVE,
        "eta_1": _POSITIVE,
        "eta_2": [Interval(Real, 0.0, None, closed="left")],
        **KERNEL_CONSTRAINTS,
        **GRAPH_CONSTRAINTS,
        "support": [None, Interval(Integral, 1, None, closed="left")],
        "update": [StrOptions(set(UPDATES))],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        penalty="entropy",
        gamma_1=1.0,
        gamma_2=1.0,
        eta=1.0,
        eta_1=1.0,
        eta_2=1.0,
        kernel="linear",
        gamma="scale",
        degree=3,
        coef0=0.0,
        graph=None,
        support=None,
        update="pairwise",
        max_iter=50,
        tol=1e-4,
        memory=None,
    ):
        self.penalty = penalty
        self.gamma_1 = gamma_1
        self.gamma_2 = gamma_2
        self.eta = eta
        self.eta_1 = eta_1
        self.eta_2 = eta_2
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.support = support
        self.update = update
        self.max_iter = max_iter
        self.tol = tol
        self.memory = memory

    def _fit_functions(self, X, rows, targets):
        problem = AdaptiveProblem(self, X)
        self.graph_ = problem.graph
        warn_unlabelled_components(self.graph_, rows)
        weights = {name: getattr(self, name) for name in CELL[self.penalty]}
        solution, self._weights = problem.solve(rows, targets, **weights)
        self.objective_ = solution.objective
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        self._keep_expansion(problem.kernel, X, solution.coefficients, 0.0)
        if self.kernel == "linear":
            self.coef_ = problem.coef(solution)
        return self._expand(X)

    def _expand(self, X):
        if self.kernel == "linear":
            return safe_sparse_dot(X, self.coef_, dense_output=True)
        return super()._expand(X)

    def _restricts(self, X):
        """Does ``support`` leave out any point?"""
        return self.support is not None and self.support < X.shape[0] - 1

    @property
    def weights_(self):
        check_is_fitted(self)
        return self._weights.directed()

    @property
    def affinity_(self):
        W = self.weights_
        return sparse.csr_array((W + W.T) / 2)

    def set_params(self, **params):
        # graph__n_neighbors=... must work on the default graph too.
        if self.graph is None and "graph" not in params and any(name.startswith("graph__") for name in params):
            self.graph = paper_graph()
        return super().set_params(**params)


class AdaptiveProblem:
    """What every AGMR on the same points shares, whatever its weights and labels; each part is computed once.

    The estimator solves one problem on it, a path (:class:`mr.paths.AGMRPath`) a whole grid.

    Parameters
    ----------
    template : AGMR
        Its kernel, graph, penalty, support, update and stopping rule hold for every fit.
    X : array or CSR (n, d)
    """

    def __init__(self, template, X):
        if template.penalty == "sparse" and template.update == "paper" and template._restricts(X):
            raise ValueError("update='paper' is the printed equation over all pairs; it takes support=None.")
        self.template = template
        self.X = X
        self.primal = template.kernel == "linear" and X.shape[1] <= X.shape[0]
        self._row_problems = {}

    @cached_property
    def kernel(self):
        """The fitted kernel."""
        return self.template._make_kernel(self.X)

    @cached_property
    def graph(self):
        """The fitted initial graph."""
        graph = paper_graph() if self.template.graph is None else self.template.graph
        return check_memory(self.template.memory).cache(as_graph)(graph, self.X)

    @cached_property
    def factor(self):
        """R with K = R R': the points themselves for a linear kernel, so that the f-step is d x d."""
        return _dense(self.X) if self.primal else pivoted_cholesky(self.kernel(self.X))

    @cached_property
    def smoothness(self):
        """Matrix of 2 f'Lf on the initial graph, in the columns of ``factor``."""
        return graph_smoothness(self.factor, self.graph)

    @cached_property
    def candidates(self):
        """Points that each row of W may use, (n, support); None for all others."""
        return nearest_neighbors(self.X, self.template.support)[1] if self.template._restricts(self.X) else None

    @cached_property
    def local_grams(self):
        """Gram matrices of the candidates of each row."""
        return local_grams(self.X, self.candidates)

    @cached_property
    def starting_rows(self):
        """Rows of least reconstruction error: the sparse W-step without a function, where every alternation starts.

        They depend on no weight and on no label. (Where points outnumber features they are not the only rows of least
        error, so a start of its own for every fit would also end elsewhere.)
        """
        weights = SparseWeights(self._row_problem(1.0), 0.0, "pairwise", self.candidates)
        weights.update(np.zeros((self.X.shape[0], 1)))
        return weights.rows

    def solve(self, rows, targets, gamma_1, gamma_2, **etas):
        """The alternation (Algorithm 1) from manifold regularisation on the initial graph.

        Parameters
        ----------
        rows, targets : arrays (l,), (l, k)
            Labelled rows and their targets.
        gamma_1, gamma_2 : float
        **etas
            ``eta`` of the entropy penalty, or ``eta_1`` and ``eta_2`` of the sparse one.

        Returns
        -------
        AdaptiveSolution and the adapted W
        """
        R, template = self.factor, self.template
        start = fit_on_graph(R, rows, targets, gamma_1, gamma_2, self.smoothness)
        weights = self._weights(targets.shape[1], **etas)
        solution = alternate(R, rows, targets, weights, R @ start, gamma_1, gamma_2, template.max_iter, template.tol)
        return solution, weights

    def coef(self, solution):
        """Weights (d, k) of the features, for the linear kernel."""
        return solution.weights if self.primal else np.asarray(self.X.T @ solution.coefficients)

    def _weights(self, n_functions, eta=None, eta_1=None, eta_2=None):
        """W as an unknown, at its start."""
        if self.template.penalty == "sparse":
            update = self.template.update
            start = self.starting_rows if update == "pairwise" else None
            return SparseWeights(self._row_problem(eta_1), eta_2, update, self.candidates, start)
        if self.candidates is None and n_functions == 1:
            return LineEntropyWeights(eta)
        return EntropyWeights(eta, self.candidates)

    def _row_problem(self, eta_1):
        """The quadratic problems of the sparse W-step; those of one eta_1 serve all fits."""
        if eta_1 not in self._row_problems:
            self._row_problems[eta_1] = (
                SharedRows(self.X, eta_1) if self.candidates is None else LocalRows(self.local_grams, eta_1)
            )
        return self._row_problems[eta_1]


def _dense(X):
    return X.toarray() if sparse.issparse(X) else X
