"""Manifold regularisation with an adaptive graph (wang2017)."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from numbers import Integral, Real

import numpy as np
from scipy import linalg, sparse
from sklearn.utils import check_random_state
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import (
    GRAPH_CONSTRAINTS,
    KERNEL_CONSTRAINTS,
    KernelMachine,
    SemiSupervisedClassifier,
    warn_unlabelled_components,
)
from mr.graph import KNNGraph, as_graph, nearest_neighbors
from mr.graph.remember import remembered
from mr.graph.sparse_coding import local_grams
from mr.kernels import KERNELS, Kernel, choose_basis, pivoted_cholesky, reduced_factor
from mr.solvers.adaptive_graph import (
    AdaptiveSolution,
    EntropyWeights,
    LineEntropyWeights,
    SparseWeights,
    alternate,
    fit_on_graph,
    graph_smoothness,
    mean_cost,
)
from mr.solvers.blocks import RowBlocks
from mr.solvers.choice import choose_cell
from mr.solvers.feature_ridge import FeatureRidge
from mr.solvers.prototypes import resolve_width, width_rule
from mr.solvers.row_descent import LocalRows, SharedRows
from mr.solvers.scale_free import AUTO, NO_GRAPH, RIDGES, is_auto, mean_degree

UPDATES = ("pairwise", "multiplicative", "paper")
CELL = {"entropy": ("gamma_1", "gamma_2", "eta"), "sparse": ("gamma_1", "gamma_2", "eta_1", "eta_2")}
"""Weights of the problem, for each penalty."""
STRENGTHS = (NO_GRAPH, 1e3, 1e4, 1e5)
CELLS = tuple(product(STRENGTHS, RIDGES))
"""(strength, ridge) tried at a width that is given; see :mod:`mr.solvers.scale_free`."""
WIDTHS = (
    ("mean", 1.0, CELLS[: len(RIDGES)]),
    ("local", 1 / 16, tuple((strength, RIDGES[-1]) for strength in STRENGTHS[1:])),
)
"""gamma="auto": rule, multiple, and the cells tried there. A wide kernel cannot follow a graph along thin clusters."""
FALLBACK = 1
"""Cell for labels that are too few to choose with: nearly the supervised machine, with the middle ridge."""
RECONSTRUCTION = 10.0
"""eta_1="auto": weight of the reconstruction error against the smoothness, both relative to their typical size."""
_POSITIVE = [StrOptions({AUTO}), Interval(Real, 0.0, None, closed="neither")]


class AGMR(SemiSupervisedClassifier, KernelMachine):
    """Manifold regularisation that learns its graph with the classifier (AGMR_entropy, AGMR_sparse of wang2017).

        min_{f, W}  sum_ij w_ij (f_i - f_j)^2 + gamma_1 sum_labelled (f_i - y_i)^2 + gamma_2 ||f||^2 + R(W),

    rows of W on the simplex, w_ii = 0, by turns over W and f (Algorithm 1). All classes share one graph. R(W) is

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
    }

    def __init__(
        self,
        penalty="entropy",
        gamma_1="auto",
        gamma_2="auto",
        eta="auto",
        eta_1="auto",
        eta_2=1.0,
        kernel="rbf",
        gamma="auto",
        degree=3,
        coef0=0.0,
        graph=None,
        basis=500,
        support=6,
        update="pairwise",
        max_iter=50,
        tol=1e-4,
        memory=None,
        random_state=None,
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

    def _fit_functions(self, X, rows, targets):
        problem = AdaptiveProblem(self, X, rows)
        self.graph_ = problem.graph
        warn_unlabelled_components(self.graph_, rows)
        fit = problem.solve(rows, targets, **{name: getattr(self, name) for name in CELL[self.penalty]})
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


@dataclass(frozen=True)
class AdaptiveFit:
    """Where the alternation ended."""

    solution: AdaptiveSolution
    functions: "Functions"
    """The functions among which it looked."""
    weights: object
    """The adapted W."""
    used: dict
    """Weights of the problem by name, with no "auto" left."""

    @property
    def expansion(self):
        """Points and coefficients of the fitted functions."""
        return self.functions.expansion(self.solution)

    @property
    def coef(self):
        """Weights (d, k) of the features, for the linear kernel."""
        if self.functions.primal:
            return self.solution.weights
        points, coefficients = self.expansion
        return np.asarray(points.T @ coefficients)

    def __call__(self, X):
        """Values at new points."""
        if self.functions.kernel.name == "linear":
            return safe_sparse_dot(X, self.coef, dense_output=True)
        return self.functions.kernel.expand(X, *self.expansion)


class Functions:
    """Functions R w of one kernel on the points, and their smoothness on the initial graph.

    Parameters
    ----------
    kernel : fitted Kernel
    X : array or CSR (n, d)
    points : array or CSR (m, d), or None
        The expansion is over these, or over all of X.
    graph : fitted graph
    """

    def __init__(self, kernel, X, points, graph):
        self.kernel, self.X, self.points, self.graph = kernel, X, points, graph
        self.primal = is_primal(kernel.name, X)

    @cached_property
    def _factor(self):
        """R with K = R R', and the map from w to coefficients over ``points``, None where there are none."""
        if self.primal:
            return _dense(self.X), None
        if self.points is not None:
            return reduced_factor(self.kernel, self.X, self.points)
        return pivoted_cholesky(self.kernel(self.X)), None

    @property
    def factor(self):
        """R: the points themselves for a linear kernel, so that the f-step is d x d."""
        return self._factor[0]

    @cached_property
    def smoothness(self):
        """Matrix of 2 f'Lf on the initial graph."""
        return graph_smoothness(self.factor, self.graph)

    @cached_property
    def _axes(self):
        """Eigenvalues and eigenvectors of ``smoothness``."""
        values, vectors = linalg.eigh(self.smoothness, check_finite=False)
        return np.maximum(values, 0.0), vectors

    @cached_property
    def scale(self) -> float:
        """Mean of k(x, x) over the points."""
        return float(self.kernel.diagonal(self.X).mean())

    def held_out(self, rows, targets, cells):
        """Leave-one-out values of the initial function for every (gamma_1, gamma_2), on the graph of mean degree 1."""
        values, vectors = self._axes
        values, labelled, ridges = values / mean_degree(self.graph), self.factor[rows] @ vectors, {}
        for gamma_1, gamma_2 in cells:
            if gamma_2 not in ridges:
                ridges[gamma_2] = FeatureRidge(labelled / np.sqrt(gamma_2 + values))
            yield ridges[gamma_2].held_out(targets, None, gamma_1)

    def expansion(self, solution):
        """Points and coefficients of the fitted functions."""
        if self.points is None:
            return self.X, solution.coefficients
        return self.points, self._factor[1] @ solution.weights


class AdaptiveProblem:
    """What every AGMR on the same points shares, whatever its weights and labels; each part is computed once.

    The estimator solves one problem on it, a path (:class:`mr.paths.AGMRPath`) a whole grid.

    Parameters
    ----------
    template : AGMR
        Its kernel, graph, penalty, basis, support, update and stopping rule hold for every fit.
    X : array or CSR (n, d)
    rows : array (l,), default=None
        Labelled rows, for a basis to be drawn; None where there is none to draw.
    """

    def __init__(self, template, X, rows=None):
        if template.penalty == "sparse" and template.update == "paper" and template._restricts(X):
            raise ValueError("update='paper' is the printed equation over all pairs; it takes support=None.")
        self.template = template
        self.X = X
        self.points = None if is_primal(template.kernel, X) else self._basis(rows)
        self._row_problems = {}

    def _basis(self, rows):
        """Points of the expansion; None for all of X."""
        basis, n = self.template.basis, self.X.shape[0]
        if not isinstance(basis, Integral):
            return None if basis is None else choose_basis(self.X, basis)
        if rows is None:
            if n <= basis:
                return None
            raise ValueError(
                f"basis={basis} depends on which rows have labels, and X has {n} rows: expected None, an array of "
                "points, or an integer of at least the number of rows."
            )
        others = np.setdiff1d(np.arange(n), rows)
        if max(len(rows), len(others)) <= basis:
            return None
        rng = check_random_state(self.template.random_state)
        drawn = [part if len(part) <= basis else rng.choice(part, basis, replace=False) for part in (rows, others)]
        return self.X[np.sort(np.concatenate(drawn))]

    @cached_property
    def functions(self) -> list[Functions]:
        """Functions of the kernel; if its width is to be chosen, of one kernel for each that is tried."""
        template = self.template
        rules = [(width_rule(template.kernel, template.gamma), 1.0)]
        if is_auto(template.gamma) and template.kernel == "rbf":
            rules = [(rule, multiple) for rule, multiple, _ in WIDTHS]
        points = self.X if self.points is None else self.points
        blocks = RowBlocks(self.X, points.shape[0])
        found = []
        for rule, multiple in rules:
            width = multiple * resolve_width(rule, blocks, points)
            kernel = Kernel(template.kernel, width, template.degree, template.coef0).fit(None)
            found.append(Functions(kernel, self.X, self.points, self.graph))
        return found

    @cached_property
    def graph(self):
        """The fitted initial graph."""
        return remembered(self.template.memory, as_graph)(self.template.graph, self.X)

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

    def solve(self, rows, targets, gamma_1, gamma_2, **etas) -> AdaptiveFit:
        """The alternation (Algorithm 1) from manifold regularisation on the initial graph.

        Parameters
        ----------
        rows, targets : arrays (l,), (l, k)
            Labelled rows and their targets.
        gamma_1, gamma_2 : float or "auto"
        **etas
            ``eta`` of the entropy penalty, or ``eta_1`` and ``eta_2`` of the sparse one; numbers or "auto".
        """
        # Weights of our own choice are meant for a graph of mean degree 1; a paper's weights for the graph as it is.
        degree = mean_degree(self.graph) if is_auto(gamma_1) or is_auto(gamma_2) else 1.0
        functions, gamma_1, gamma_2 = self._choose(rows, targets, gamma_1, gamma_2)
        R, template = functions.factor, self.template
        start = R @ fit_on_graph(R, rows, targets, gamma_1, gamma_2, functions.smoothness / degree)
        etas = self._resolve(start, etas)
        weights = self._weights(targets.shape[1], **etas)
        solution = alternate(R, rows, targets, weights, start, gamma_1, gamma_2, template.max_iter, template.tol)
        return AdaptiveFit(solution, functions, weights, {"gamma_1": gamma_1, "gamma_2": gamma_2} | etas)

    def _choose(self, rows, targets, gamma_1, gamma_2):
        """Functions and weights of least leave-one-out error on the initial graph; what is given stays."""
        n, l = self.X.shape[0], len(rows)
        lists = [CELLS] if len(self.functions) == 1 else [tried for _, _, tried in WIDTHS]
        cells, groups = [], []
        for functions, tried in zip(self.functions, lists, strict=True):
            pairs = []
            for strength, ridge in tried:
                second = 2.0 * functions.scale * n / strength if is_auto(gamma_2) else gamma_2
                pairs.append((second / (functions.scale * ridge * l) if is_auto(gamma_1) else gamma_1, second))
            pairs = list(dict.fromkeys(pairs))
            cells += [(functions, *pair) for pair in pairs]
            groups.append((functions, pairs))
        if len(cells) == 1:
            return cells[0]
        held_out = [v for functions, pairs in groups for v in functions.held_out(rows, targets, pairs)]
        return cells[choose_cell(held_out, targets, min(FALLBACK, len(cells) - 1))]

    def _resolve(self, start, etas):
        """Numbers for "auto", relative to the differences of the initial function."""
        if not any(map(is_auto, etas.values())):
            return etas
        typical = mean_cost(start, self.candidates)
        if "eta_1" in etas:
            typical *= RECONSTRUCTION / self._row_problem(1.0).spread
        typical = max(typical, np.finfo(float).tiny ** 0.5)
        return {name: typical if is_auto(value) else value for name, value in etas.items()}

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


def is_primal(kernel, X) -> bool:
    """Whether functions are solved for in the weights of the features themselves."""
    return kernel == "linear" and X.shape[1] <= X.shape[0]


def _dense(X):
    return X.toarray() if sparse.issparse(X) else X
