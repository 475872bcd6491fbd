"""LapRLS and LapSVM that choose their own weights, from one factorisation of the deformed kernel."""

from collections.abc import Callable
from numbers import Integral, Real

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from mr._sklearn import Interval, StrOptions
from mr.estimators import LapRLS, LapRLSRegressor, LapSVM
from mr.estimators._base import GRAPH_CONSTRAINTS, KERNEL_CONSTRAINTS, GraphMixin
from mr.estimators._manifold import INTERCEPT_CONSTRAINTS
from mr.kernels import KERNELS, ThinGram, TridiagonalDeformation, pivoted_cholesky
from mr.kernels.kernel import FEW, require_gram
from mr.model_selection.documentation import DEFORMED_PARAMETERS, FOLDS, GRAPH_PARAMETERS, LOO, sections
from mr.model_selection.search import ClassifierSearch, PathSearch, RegressorSearch, as_list, grid, nearest
from mr.paths import LapRLSPath, LapSVMPath
from mr.solvers.graph_weight import AMBIENT, CAUTIOUS, REGRESSION_RIDGES, RIDGES, mean_diagonal
from mr.solvers.svm import SOLVERS

GRAPH_WEIGHTS = (0.0, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4)
"""Default list."""
STRONGEST = 100.0
"""Largest graph_weight that is taken without held-out labels."""
USUAL_RIDGE = CAUTIOUS[1]
"""Relative ridge where only the graph's weight is chosen."""

DEFORMED_CONSTRAINTS = {
    "gamma_A": [None, "array-like", Interval(Real, 0.0, None, closed="neither")],
    "graph_weight": ["array-like", Interval(Real, 0.0, None, closed="left")],
    "gamma_I": [None, "array-like", Interval(Real, 0.0, None, closed="left")],
    "kernel": [StrOptions(set(KERNELS)), callable],
    "gamma": [*KERNEL_CONSTRAINTS["gamma"], "array-like"],
    "degree": KERNEL_CONSTRAINTS["degree"],
    "coef0": KERNEL_CONSTRAINTS["coef0"],
    "graph": GRAPH_CONSTRAINTS["graph"],
    "n_neighbors": [None, "array-like", Interval(Integral, 1, None, closed="left")],
    "power": [None, "array-like", Interval(Integral, 1, None, closed="left")],
    "basis": [None, Interval(Integral, 1, None, closed="left"), np.ndarray],
    **INTERCEPT_CONSTRAINTS,
}


class DeformedSearch(GraphMixin, PathSearch):
    """Cells are pairs of gamma_A and a weight of the graph."""

    _path_class: type
    _relative_ridges = RIDGES
    _lists = ("gamma_A", "graph_weight", "gamma_I", "n_neighbors", "power")

    def _settings(self, X, seed, cautious):
        for outer, inner in super()._settings(X, seed, cautious):
            if self.fit_intercept != "auto":
                yield outer, inner
                continue
            without = [] if getattr(self, "solver", None) == "libsvm" else [{"fit_intercept": False}]
            for named in [*without, {"fit_intercept": True}]:
                yield outer | named, inner | named

    def _cells(self, path, rows):
        # The weakest graph first; of equal graphs the weakest ridge, which leaves most to the labels.
        if self.gamma_I is not None:
            gamma_A = as_list(self.gamma_A) or [AMBIENT]
            return grid(gamma_I=sorted(as_list(self.gamma_I)), gamma_A=sorted(gamma_A))
        return [
            {"graph_weight": weight, "gamma_A": gamma_A}
            for weight in sorted(as_list(self.graph_weight))
            for gamma_A in self._ambient_weights(path, rows, weight, self._relative_ridges)
        ]

    def _ladder(self, path, rows):
        if self.gamma_I is not None:
            usual = nearest(as_list(self.gamma_A) or [AMBIENT], AMBIENT)
            return grid(gamma_I=sorted(as_list(self.gamma_I)), gamma_A=[usual])
        weights = sorted(as_list(self.graph_weight))
        ladder = []
        for weight in [weight for weight in weights if weight <= STRONGEST] or weights[:1]:
            (usual,) = self._relative_weights(path, rows, weight, [USUAL_RIDGE])
            gamma_A = usual if self.gamma_A is None else nearest(as_list(self.gamma_A), usual)
            ladder.append({"graph_weight": weight, "gamma_A": gamma_A})
        return ladder

    def _ambient_weights(self, path, rows, weight, ridges):
        if self.gamma_A is not None:
            return sorted(as_list(self.gamma_A))
        return self._relative_weights(path, rows, weight, ridges)

    @staticmethod
    def _relative_weights(path, rows, weight, ridges) -> list[float]:
        """gamma_A of ridges that are relative to the deformed kernel: a strong graph shrinks it, and its ridge."""
        block = path.deformation.block(rows, rows, weight * path.unit)
        size = mean_diagonal(block)
        return [ridge * size / len(rows) for ridge in ridges]

    def _path(self, estimator, X, shared):
        path = self._path_class(estimator, X)
        if self.basis is None:
            if shared.get("width") != path.kernel.gamma_:
                shared.update(width=path.kernel.gamma_, **self._factorised(path.kernel, X, shared))
            path.factor = shared["factor"], None
            if "gram" in shared:
                path.gram = shared["gram"]
        key = path.kernel.gamma_, id(path.graph)
        if shared.get("deformed") != key:  # with and without a constant it is the same
            shared.update(deformed=key, deformation=TridiagonalDeformation(path.factor[0], path.graph))
        path.deformation = shared["deformation"]
        return path

    def _factorised(self, kernel, X, shared) -> dict:
        """R with K = R R', and K itself where R does not come without it."""
        thin = ThinGram.of(kernel, X)
        if thin is not None:
            return {"factor": thin.factor}
        K = self._gram(kernel, X, shared)
        return {"factor": pivoted_cholesky(K), "gram": K}

    def _gram(self, kernel, X, shared):
        """Gram matrix; several widths share the squared distances."""
        if self.kernel != "rbf" or len(as_list(self.gamma)) == 1 or X.shape[1] <= FEW:
            return kernel(X)
        if "squares" not in shared:
            require_gram(X.shape[0])
            shared["squares"] = euclidean_distances(X, squared=True)
        return np.exp(-kernel.gamma_ * shared["squares"])


CHOSEN = f"""the strongest graph, up to graph_weight {STRONGEST:g}, under which the
        classes keep their shares, at a relative ridge near {USUAL_RIDGE:g} and the first width and graph"""


SOLVER = """
    solver : {"smo", "libsvm", "osqp"}, default="smo"
        As in :class:`mr.LapSVM`.
    tol : float, default=1e-6
        Relative duality gap at which the solver stops."""


def _parameters_of(machine, ridges=RIDGES, solver=""):
    return DEFORMED_PARAMETERS.format(
        ridges=ridges, weights=GRAPH_WEIGHTS, machine=machine, graph=GRAPH_PARAMETERS, solver=solver
    )


class LapRLSCV(DeformedSearch, ClassifierSearch):
    __doc__ = f"""Laplacian regularised least squares classifier that chooses its parameters.

    :class:`mr.LapRLS` over lists of weights. All points stay in the graph, and the labels are left out one by one. The
    held-out values of all cells come in closed form from one tridiagonalisation of R'LR, K = RR'
    (:class:`mr.kernels.TridiagonalDeformation`): the whole grid costs about as much as one eigendecomposition of the
    Gram matrix.

    {sections(_parameters_of("LapRLS"), "LapRLS", LOO, CHOSEN)}
    See Also
    --------
    mr.LapRLS : the machine.
    mr.paths.LapRLSPath : every machine of the grid.
    TransductiveSearchCV : the same for any estimator and score, by refits.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import make_moons
    >>> from mr.model_selection import LapRLSCV
    >>> X, classes = make_moons(200, noise=0.1, random_state=0)
    >>> y = np.where(np.arange(200) < 12, classes, -1)
    >>> search = LapRLSCV(gamma=(2.0, 8.0)).fit(X, y)
    >>> search.best_params_["graph_weight"] > 0, search.best_score_
    (True, 1.0)
    >>> float((search.transduction_ == classes).mean())
    0.99
    """

    _estimator_class = LapRLS
    _path_class = LapRLSPath
    _parameter_constraints = {**DEFORMED_CONSTRAINTS, **ClassifierSearch._parameter_constraints}

    def __init__(
        self,
        gamma_A=None,
        graph_weight=GRAPH_WEIGHTS,
        gamma_I=None,
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        n_neighbors=None,
        power=None,
        basis=None,
        fit_intercept: bool | str = "auto",
        class_weight=None,
        choice="auto",
        cv=None,
        n_jobs=None,
        verbose=0,
        random_state=0,
    ):
        self.gamma_A = gamma_A
        self.graph_weight = graph_weight
        self.gamma_I = gamma_I
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.power = power
        self.basis = basis
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.choice = choice
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state


class LapRLSRegressorCV(DeformedSearch, RegressorSearch):
    __doc__ = f"""Laplacian regularised least squares regression that chooses its parameters.

    :class:`mr.LapRLSRegressor` over lists of weights, as :class:`LapRLSCV`: the cell of least held-out squared error,
    or a weaker graph that cannot be told from it.

    {sections(_parameters_of("LapRLSRegressor", REGRESSION_RIDGES), "LapRLSRegressor", LOO)}
    See Also
    --------
    mr.LapRLSRegressor : the machine.
    mr.paths.LapRLSPath : every machine of the grid.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.

    Examples
    --------
    >>> import numpy as np, mr
    >>> from mr.model_selection import LapRLSRegressorCV
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.where(np.arange(60) % 4 == 0, np.sin(2 * X[:, 0]), np.nan)
    >>> search = LapRLSRegressorCV().fit(X, y)
    >>> bool(search.best_score_ > 0.99)
    True
    """

    _estimator_class = LapRLSRegressor
    _path_class = LapRLSPath
    _relative_ridges = REGRESSION_RIDGES
    _parameter_constraints = {**DEFORMED_CONSTRAINTS, **RegressorSearch._parameter_constraints}

    def __init__(
        self,
        gamma_A=None,
        graph_weight=GRAPH_WEIGHTS,
        gamma_I=None,
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        n_neighbors=None,
        power=None,
        basis=None,
        fit_intercept: bool | str = "auto",
        cv=None,
        n_jobs=None,
        verbose=0,
        random_state=0,
    ):
        self.gamma_A = gamma_A
        self.graph_weight = graph_weight
        self.gamma_I = gamma_I
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.power = power
        self.basis = basis
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state


class LapSVMCV(DeformedSearch, ClassifierSearch):
    __doc__ = f"""Laplacian support vector machine that chooses its parameters.

    :class:`mr.LapSVM` over lists of weights. All points stay in the graph, and labels are hidden a fold at a time. The
    deformed kernels of all cells come from one tridiagonalisation; every cell, fold and class is then a quadratic
    program in the labels that stay.

    {sections(_parameters_of("LapSVM", solver=SOLVER), "LapSVM", FOLDS, CHOSEN)}
    See Also
    --------
    mr.LapSVM : the machine.
    mr.paths.LapSVMPath : every machine of the grid.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import make_moons
    >>> from mr.model_selection import LapSVMCV
    >>> X, classes = make_moons(200, noise=0.1, random_state=0)
    >>> y = np.where(np.arange(200) < 12, classes, -1)
    >>> search = LapSVMCV(gamma=4.0).fit(X, y)
    >>> search.best_params_["graph_weight"] > 0
    True
    """

    _estimator_class = LapSVM
    _path_class = LapSVMPath
    _closed_form = False
    _parameter_constraints = {
        **DEFORMED_CONSTRAINTS,
        "solver": [StrOptions(set(SOLVERS))],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        **ClassifierSearch._parameter_constraints,
    }

    def __init__(
        self,
        gamma_A=None,
        graph_weight=GRAPH_WEIGHTS,
        gamma_I=None,
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        n_neighbors=None,
        power=None,
        basis=None,
        fit_intercept: bool | str = "auto",
        solver="smo",
        tol=1e-6,
        class_weight=None,
        choice="auto",
        cv=None,
        n_jobs=None,
        verbose=0,
        random_state=0,
    ):
        self.gamma_A = gamma_A
        self.graph_weight = graph_weight
        self.gamma_I = gamma_I
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.power = power
        self.basis = basis
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.class_weight = class_weight
        self.choice = choice
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state
