"""LapERLS and LapESVR that choose their own weights, on one set of eigenvectors."""

from collections.abc import Callable
from numbers import Integral, Real

from mr._sklearn import Interval, StrOptions
from mr.estimators import LapERLS, LapESVR
from mr.estimators._base import GRAPH_CONSTRAINTS, KERNEL_CONSTRAINTS, GraphMixin
from mr.estimators._manifold import INTERCEPT_CONSTRAINTS
from mr.kernels import KERNELS
from mr.model_selection.documentation import CLEAR, EMBEDDED_PARAMETERS, GRAPH_PARAMETERS, LOO, sections
from mr.model_selection.search import ClassifierSearch, PathSearch, as_list, grid, nearest
from mr.paths import LapERLSPath, LapESVRPath
from mr.spectrum import smallest_eigenpairs

USUAL = {"C": 10.0, "label_weight": 1e4, "n_eigenvectors": 100}
"""What the other parameters are near to where only mu is chosen: the defaults of the estimators."""

EMBEDDED_CONSTRAINTS = {
    "C": ["array-like", Interval(Real, 0.0, None, closed="neither")],
    "mu": ["array-like", Interval(Real, 0.0, None, closed="left")],
    "label_weight": ["array-like", Interval(Real, 0.0, None, closed="neither")],
    "n_eigenvectors": ["array-like", Interval(Integral, 1, None, closed="left")],
    "components": [StrOptions({"labelled", "all"})],
    **KERNEL_CONSTRAINTS,
    "kernel": [StrOptions(set(KERNELS)), callable],
    "gamma": [*KERNEL_CONSTRAINTS["gamma"], "array-like"],
    "graph": GRAPH_CONSTRAINTS["graph"],
    "n_neighbors": [None, "array-like", Interval(Integral, 1, None, closed="left")],
    "power": [None, "array-like", Interval(Integral, 1, None, closed="left")],
}


class EmbeddedSearch(GraphMixin, PathSearch):
    """Cells are quadruples of C, mu, label_weight and n_eigenvectors, and may say whether there is a constant."""

    _path_class: type
    _solver: str
    _lists = ("C", "mu", "label_weight", "n_eigenvectors", "n_neighbors", "power")

    def _cells(self, path, rows):
        lists = {name: sorted(as_list(getattr(self, name))) for name in ("mu", "label_weight", "C", "n_eigenvectors")}
        return grid(**lists, **self._constants())

    def _ladder(self, path, rows):
        lists = {name: [nearest(as_list(getattr(self, name)), usual)] for name, usual in USUAL.items()}
        return grid(mu=sorted(as_list(self.mu)), **lists, **{name: few[:1] for name, few in self._constants().items()})

    def _is_supervised(self, path, cell):
        return cell["mu"] == 0

    def _constants(self) -> dict:
        """Lists of what a cell may say of a constant: nothing, where the machine always has one."""
        return {}

    def _template(self, seed):
        return super()._template(seed).set_params(solver=self._solver)

    def _path(self, estimator, X, shared):
        pairs = shared.setdefault("eigenpairs", {})
        graph = estimator.graph.fit(X)
        if id(graph) not in pairs:
            pairs[id(graph)] = smallest_eigenpairs(graph, min(max(as_list(self.n_eigenvectors)), X.shape[0]))
        path = self._path_class(estimator, X, eigenpairs=pairs[id(graph)])
        if shared.get("width") != path.kernel.gamma_:
            shared.update(width=path.kernel.gamma_, gram=path.kernel(X))
        path.gram = shared["gram"]
        return path


CHOSEN = """the largest mu under which the classes keep their shares, with the other
        weights near the defaults of the estimator and the first width and graph of the lists"""
# mu = 0, the supervised machine, is what a graph that misleads falls back to
RLS_LISTS = {"C": (1.0, 3.0, 10.0), "mu": (0.0, 0.01, 1.0, 100.0, 1e4), "label_weight": (100.0, 1e4),
             "n_eigenvectors": (20, 100)}  # fmt: skip
SVR_LISTS = {"C": (1.0, 3.0, 10.0), "mu": (0.0, 1.0, 100.0, 1e4), "label_weight": 1e4, "n_eigenvectors": 100}
TUBE = """
    epsilon : float, default=0.1
        Half width of the tube without loss.
    tol : float or None, default=1e-3
        As in :class:`mr.LapESVR`."""


CONSTANT = """
    fit_intercept : "auto" or bool, default="auto"
        Whether f has an unpenalised constant; "auto" tries both."""


def _parameters_of(machine, lists, more="", last=""):
    return EMBEDDED_PARAMETERS.format(**lists, more=more, machine=machine, graph=GRAPH_PARAMETERS, last=last)


class LapERLSCV(EmbeddedSearch, ClassifierSearch):
    __doc__ = f"""Laplacian embedded regularised least squares classifier that chooses its parameters.

    :class:`mr.LapERLS` over lists of weights and numbers of eigenvectors. All points stay in the graph, and the labels
    are left out one by one. The eigenvectors of the graph and one eigendecomposition of the Gram matrix serve all
    cells, and held-out values have a closed form.

    {sections(_parameters_of("LapERLS", RLS_LISTS, last=CONSTANT), "LapERLS", LOO, CHOSEN, CLEAR)}
    See Also
    --------
    mr.LapERLS : the machine.
    mr.paths.LapERLSPath : every machine of the grid.

    References
    ----------
    L. Chen, I. W. Tsang, D. Xu (2012). Laplacian embedded regression for scalable manifold regularization. IEEE
    Transactions on Neural Networks and Learning Systems 23(6).

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import make_moons
    >>> from mr.model_selection import LapERLSCV
    >>> X, classes = make_moons(200, noise=0.1, random_state=0)
    >>> y = np.where(np.arange(200) < 12, classes, -1)
    >>> search = LapERLSCV().fit(X, y)
    >>> sorted(search.best_params_)
    ['C', 'fit_intercept', 'label_weight', 'mu', 'n_eigenvectors']
    >>> search.predict_proba(X[:3]).shape
    (3, 2)
    """

    _estimator_class = LapERLS
    _path_class = LapERLSPath
    _solver = "exact"
    _lists = (*EmbeddedSearch._lists, "fit_intercept")
    _parameter_constraints = {
        **EMBEDDED_CONSTRAINTS,
        **INTERCEPT_CONSTRAINTS,
        **ClassifierSearch._parameter_constraints,
    }

    def __init__(
        self,
        C=RLS_LISTS["C"],
        mu=RLS_LISTS["mu"],
        label_weight=RLS_LISTS["label_weight"],
        n_eigenvectors=RLS_LISTS["n_eigenvectors"],
        components="labelled",
        kernel: str | Callable = "rbf",
        gamma: float | str = "mean",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        n_neighbors=None,
        power=None,
        class_weight=None,
        choice="auto",
        cv=None,
        n_jobs=None,
        verbose=0,
        random_state=0,
        fit_intercept: bool | str = "auto",
    ):
        self.C = C
        self.mu = mu
        self.label_weight = label_weight
        self.n_eigenvectors = n_eigenvectors
        self.components = components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.power = power
        self.class_weight = class_weight
        self.choice = choice
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state
        self.fit_intercept = fit_intercept

    def _constants(self):
        return {"fit_intercept": [False, True] if self.fit_intercept == "auto" else [self.fit_intercept]}


class LapESVRCV(EmbeddedSearch, ClassifierSearch):
    __doc__ = f"""Laplacian embedded support vector regression, as a classifier, that chooses its parameters.

    :class:`mr.LapESVR` over lists of weights. All points stay in the graph, and labels are hidden a fold at a time. The
    eigenvectors of the graph and the Gram matrix serve all cells; along C one machine starts the next. Every cell and
    fold is a machine on all n points, so the default lists are short; :class:`LapERLSCV` is much faster.

    {sections(_parameters_of("LapESVR", SVR_LISTS, TUBE), "LapESVR", "5-fold, stratified by class", CHOSEN, CLEAR)}
    See Also
    --------
    mr.LapESVR : the machine.
    mr.paths.LapESVRPath : every machine of the grid.

    References
    ----------
    L. Chen, I. W. Tsang, D. Xu (2012). Laplacian embedded regression for scalable manifold regularization. IEEE
    Transactions on Neural Networks and Learning Systems 23(6).

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import make_moons
    >>> from mr.model_selection import LapESVRCV
    >>> X, classes = make_moons(100, noise=0.1, random_state=0)
    >>> y = np.where(np.arange(100) < 12, classes, -1)
    >>> search = LapESVRCV(C=10.0, mu=(1.0, 100.0), n_eigenvectors=20, cv=3).fit(X, y)
    >>> len(search.cv_results_["params"])
    2
    """

    _estimator_class = LapESVR
    _path_class = LapESVRPath
    _solver = "smo"
    _closed_form = False
    _most_repeats = 1
    _parameter_constraints = {
        **EMBEDDED_CONSTRAINTS,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither"), None],
        **ClassifierSearch._parameter_constraints,
    }

    def __init__(
        self,
        C=SVR_LISTS["C"],
        mu=SVR_LISTS["mu"],
        label_weight=SVR_LISTS["label_weight"],
        n_eigenvectors=SVR_LISTS["n_eigenvectors"],
        epsilon=0.1,
        components="labelled",
        kernel: str | Callable = "rbf",
        gamma: float | str = "mean",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        n_neighbors=None,
        power=None,
        tol=1e-3,
        class_weight=None,
        choice="auto",
        cv=None,
        n_jobs=None,
        verbose=0,
        random_state=0,
    ):
        self.C = C
        self.mu = mu
        self.label_weight = label_weight
        self.n_eigenvectors = n_eigenvectors
        self.epsilon = epsilon
        self.components = components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.power = power
        self.tol = tol
        self.class_weight = class_weight
        self.choice = choice
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state
