"""Manifold regularisation with an adaptive graph (wang2017)."""

from collections.abc import Callable
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from mr._sklearn import Interval, StrOptions
from mr.estimators._adaptive import AdaptiveProblem
from mr.estimators._base import (
    CLASS_WEIGHT_CONSTRAINTS,
    GRAPH_CONSTRAINTS,
    KERNEL_CONSTRAINTS,
    KernelMachine,
    WeightedClassifier,
    warn_unlabelled_components,
)
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.graph import KNNGraph
from mr.kernels import KERNELS
from mr.solvers.scale_free import AUTO

UPDATES = ("pairwise", "multiplicative", "paper")
CELL = {"entropy": ("gamma_1", "gamma_2", "eta"), "sparse": ("gamma_1", "gamma_2", "eta_1", "eta_2")}
"""Weights of the problem, for each penalty."""
_POSITIVE = [StrOptions({AUTO}), Interval(Real, 0.0, None, closed="neither")]


class AGMR(WeightedClassifier, KernelMachine):
    """Manifold regularisation that learns its graph with the classifier (AGMR_entropy, AGMR_sparse of wang2017).

        min_{f, W}  sum_ij w_ij (f_i - f_j)^2 + gamma_1 sum_labelled (f_i - y_i)^2 + gamma_2 ||f||^2 + R(W),

    rows of W on the simplex, w_ii = 0, alternating between W and f (Algorithm 1). All classes share one graph. R(W) is

    - ``penalty="entropy"`` (equation 5): eta sum_ij w_ij ln w_ij, so w_ij ~ exp(-(f_i - f_j)^2 / eta);
    - ``penalty="sparse"`` (equation 10): eta_1 sum_i ||x_i - sum_j w_ij x_j||^2 + eta_2 sum_i ||w_i||_1. On the simplex
      the l1 norm is 1: eta_2 adds a constant, and acts only through ``update="paper"``.

    Numbers given for the weights mean what they mean in the paper, which sums over points and labels. By default
    nothing needs to be given: gamma_1, gamma_2 and the kernel width are chosen by exact leave-one-out on the initial
    graph (scaled to mean degree 1, as W is) from a short list of values that do not depend on n and l in their meaning,
    beginning with nearly no graph; eta and eta_1 follow from the differences of the initial function. The paper's own
    machine is linear, without bias, starts from another graph and lets W join all pairs: ``AGMR(gamma_1=...,
    gamma_2=..., eta=..., kernel="linear", graph=KNNGraph(10, laplacian="unnormalized"), basis=None, support=None)``.

    Parameters
    ----------
    penalty : {"entropy", "sparse"}, default="entropy"
        R(W) above.
    gamma_1 : float > 0 or "auto", default="auto"
        Weight of the labels.
    gamma_2 : float > 0 or "auto", default="auto"
        Weight of the ambient norm.
    eta : float > 0 or "auto", default="auto"
        Weight of the entropy. "auto" is the mean of (f_i - f_j)^2 over the pairs that W may join, of the initial f:
        between neighbours whose values differ as usual the weight is then 1/e of that between equals.
    eta_1 : float > 0 or "auto", default="auto"
        Weight of the reconstruction error. "auto" is 10 times the mean above over the mean squared distance of
        candidates.
    eta_2 : float >= 0, default=1.0
        Weight of the l1 norm.
    kernel : {"rbf", "linear", "poly", "cosine"} or function, default="rbf"
        "linear" is solved in the primal, d x d, where features are fewer than points. There is no bias: append a
        constant feature to X for one. A function k(A, B) returns the Gram block of the rows of two matrices.
    gamma : float, "scale", "mean", "local" or "auto", default="auto"
        Kernel coefficient. "scale" and "mean" as in :class:`mr.RLS`, "local" as in :class:`mr.PVM`, from the basis.
        "auto" chooses between "mean" and a sixteenth of "local". "poly" takes "scale" in place of the last two.
    degree : float, default=3
        Of the polynomial kernel.
    coef0 : float, default=0.0
        Of the polynomial kernel.
    graph : graph object or affinity matrix, default=None
        The initial f is manifold regularisation on this graph. None is ``KNNGraph()``.
    basis : None, int or array of points, default=500
        f is an expansion over up to ``basis`` labelled and ``basis`` other rows, or over the points given, in
        O(n basis) memory. None takes all points, in O(n^3) time per iteration. A linear kernel solved in the primal
        needs none.
    support : int or None, default=6
        Row i of W joins its ``support`` nearest neighbours only, in O(n support) memory (O(n support^2) for the sparse
        penalty). None is the paper's W over all pairs.
    update : {"pairwise", "multiplicative", "paper"}, default="pairwise"
        The sparse W-step (see :mod:`mr.solvers.row_descent`). Only "paper", the printed equation 13, may raise the
        objective; it warns when its conditions fail, and takes ``support=None``.
    max_iter : int, default=50
        Largest number of iterations (a W-step and an f-step each).
    tol : float >= 0, default=1e-4
        Stop when an iteration lowers the objective by less than this fraction.
    memory : str or joblib.Memory, default=None
        Caches the fitted initial graph.
    random_state : int, RandomState or None, default=None
        Draws the basis.
    class_weight : None, dict or "balanced", default=None
        Weights of the classes in the loss, as in scikit-learn.
    verbose : int, default=0
        1 prints a line for each stage of a fit.

    Attributes
    ----------
    gamma_1_ : float
        Weight of the labels that was used.
    gamma_2_ : float
        Weight of the ambient norm that was used.
    gamma_ : float
        Kernel coefficient that was used.
    eta_ : float
        Weight of the entropy that was used (entropy penalty).
    eta_1_ : float
        Weight of the reconstruction error that was used (sparse penalty).
    affinity_ : CSR (n, n)
        The adapted graph (W + W') / 2.
    weights_ : CSR (n, n)
        W itself, rows on the simplex.
    objective_ : array
        The objective after every half step. It never rises unless update="paper".
    n_iter_ : int
        Iterations.
    converged_ : bool
        Whether ``tol`` was reached.
    coef_ : array (d, k)
        Weights of the features, for the linear kernel.
    dual_coef_ : array (m, k)
        Coefficients of the fitted functions over ``points_``.
    points_ : array or CSR (m, d)
        The points of the expansion.
    graph_ : fitted graph
        The initial graph.
    transduction_ : array (n,)
        Predictions for the training rows.
    classes_ : array
        The labels that occur.

    See Also
    --------
    mr.paths.AGMRPath : whole grids of the weights on the same points.
    mr.LapRLS : the same machine on a graph that stays as it is.

    Notes
    -----
    For one function (two classes), the entropy penalty and ``support=None``, W is never formed: its products cost
    O(n p) by a Chebyshev expansion (see :mod:`mr.solvers.adaptive_graph`). ``affinity_`` and ``weights_`` form it when
    they are asked for.

    The pairwise W-step of the sparse penalty starts at the rows of least reconstruction error, whatever the labels are.

    References
    ----------
    .. [1] Y. Wang, Y. Meng, Y. Li, S. Chen, Z. Fu, H. Xue (2017). Semi-supervised manifold regularization with adaptive
       graph construction. Pattern Recognition Letters.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=200, seed=0)
    >>> y = np.full(200, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:8]] = c
    >>> model = mr.AGMR().fit(data.X, y)
    >>> bool(model.score(data.X, data.y) > 0.9), bool(np.allclose(model.weights_.sum(axis=1), 1.0))
    (True, True)

    As in the paper:

    >>> graph = mr.KNNGraph(10, laplacian="unnormalized")
    >>> paper = {"kernel": "linear", "graph": graph, "basis": None, "support": None}
    >>> mr.AGMR("entropy", gamma_1=1.0, gamma_2=1.0, eta=1.0, **paper).fit(data.X, y).coef_.shape
    (2, 1)
    """

    _parameter_constraints = {
        "penalty": [StrOptions({"entropy", "sparse"})],
        "gamma_1": _POSITIVE,
        "gamma_2": _POSITIVE,
        "eta": _POSITIVE,
        "eta_1": _POSITIVE,
        "eta_2": [Interval(Real, 0.0, None, closed="left")],
        **KERNEL_CONSTRAINTS,
        "kernel": [StrOptions(set(KERNELS)), callable],
        "gamma": [StrOptions({AUTO, "local", "scale", "mean"}), Interval(Real, 0.0, None, closed="neither")],
        **GRAPH_CONSTRAINTS,
        "basis": [None, Interval(Integral, 1, None, closed="left"), np.ndarray],
        "support": [None, Interval(Integral, 1, None, closed="left")],
        "update": [StrOptions(set(UPDATES))],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "random_state": ["random_state"],
        **CLASS_WEIGHT_CONSTRAINTS,
        **VERBOSE_CONSTRAINTS,
    }

    def __init__(
        self,
        penalty="entropy",
        gamma_1: float | str = "auto",
        gamma_2: float | str = "auto",
        eta: float | str = "auto",
        eta_1: float | str = "auto",
        eta_2=1.0,
        kernel: str | Callable = "rbf",
        gamma: float | str = "auto",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        basis=500,
        support=6,
        update="pairwise",
        max_iter=50,
        tol=1e-4,
        memory=None,
        random_state=None,
        class_weight=None,
        verbose=0,
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
        self.basis = basis
        self.support = support
        self.update = update
        self.max_iter = max_iter
        self.tol = tol
        self.memory = memory
        self.random_state = random_state
        self.class_weight = class_weight
        self.verbose = verbose

    def _fit_functions(self, X, rows, targets, weights=None):
        report = reporter(self)
        report(f"graph of {X.shape[0]} points, and functions on it")
        problem = AdaptiveProblem(self, X, rows)
        self.graph_ = problem.graph
        warn_unlabelled_components(self.graph_, rows)
        given = {name: getattr(self, name) for name in CELL[self.penalty]}
        report("choice of weights, then graph and functions in turn")
        fit = problem.solve(rows, targets, **given, weights=weights)
        for name, value in fit.used.items():
            if name != "eta_2":
                setattr(self, f"{name}_", value)
        self._weights = fit.weights
        self.objective_ = fit.solution.objective
        self.n_iter_ = fit.solution.n_iter
        self.converged_ = fit.solution.converged
        self.gamma_ = fit.functions.kernel.gamma_
        self._keep_expansion(fit.functions.kernel, *fit.expansion, 0.0)
        if self.kernel == "linear":
            self.coef_ = fit.coef
        return fit.solution.values

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
            self.graph = KNNGraph()
        return super().set_params(**params)
