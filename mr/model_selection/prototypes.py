"""PVM that chooses its own weight and kernel width, on one set of prototypes."""

from numbers import Integral, Real

import numpy as np

from mr._sklearn import Interval, StrOptions
from mr.estimators import PVM
from mr.estimators._manifold import INTERCEPT_CONSTRAINTS
from mr.estimators.pvm import CELLS, FEW_C1, FEW_WIDTH, WIDTHS
from mr.graph.base import LAPLACIANS
from mr.kernels import mean_gamma, scale_gamma
from mr.model_selection.documentation import CLEAR, PVM_PARAMETERS, sections
from mr.model_selection.search import ClassifierSearch, as_list, grid, nearest
from mr.paths import PVMPath
from mr.solvers.graph_weight import RIDGES
from mr.solvers.prototypes import REGULARIZERS
from mr.solvers.scale_free import AUTO, NO_GRAPH

WEIGHTS = (0.1, 1.0, 10.0, 100.0)
"""C1 where only C2 is given."""
MULTIPLES = (8.0, 16.0, 32.0, 64.0)
"""Multiples of the coefficient "scale" where weights are given: the kernel is also the graph, which has to be local."""

CHOSEN = f"""what is nearest to C1 = {FEW_C1:g}, the least C2 and {FEW_WIDTH:g} times "scale\""""
_PARAMETERS = PVM_PARAMETERS.format(widths=MULTIPLES, C1=WEIGHTS)


class PVMCV(ClassifierSearch):
    __doc__ = f"""Prototype vector machine that chooses its parameters.

    :class:`mr.PVM` over lists of kernel widths and weights. All points stay in the graph, and labels are hidden: one by
    one for the squared loss, whose held-out values have a closed form, a fold at a time for the hinge loss. The k-means
    centres serve all cells, features and smoothness all cells of a width.

    {sections(_PARAMETERS, "PVM", "leave-one-out for the squared loss, 5-fold for the hinge loss", CHOSEN, CLEAR)}
    See Also
    --------
    mr.PVM : the machine.
    mr.paths.PVMPath : every machine of one width.

    References
    ----------
    K. Zhang, L. Lan, J. T. Kwok, S. Vucetic, B. Parvin (2015). Scaling up graph-based semisupervised learning via
    prototype vector machines. IEEE Transactions on Neural Networks and Learning Systems 26(3).

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import make_moons
    >>> from mr.model_selection import PVMCV
    >>> X, classes = make_moons(300, noise=0.1, random_state=0)
    >>> y = np.where(np.arange(300) < 12, classes, -1)
    >>> search = PVMCV(n_prototypes=40).fit(X, y)
    >>> sorted(search.best_params_)
    ['C1', 'C2', 'fit_intercept', 'gamma']
    """

    _estimator_class = PVM
    _lists = ("C1", "C2", "fit_intercept")
    _parameter_constraints = {
        "n_prototypes": [Interval(Integral, 1, None, closed="left")],
        "loss": [StrOptions({"square", "hinge"})],
        "C1": [None, "array-like", Interval(Real, 0.0, None, closed="neither")],
        "C2": [None, "array-like", Interval(Real, 0.0, None, closed="left")],
        "gamma": [None, StrOptions({"scale", "mean"}), "array-like", Interval(Real, 0.0, None, closed="neither")],
        "laplacian": [StrOptions(set(LAPLACIANS))],
        "regularizer": [StrOptions(set(REGULARIZERS))],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        **INTERCEPT_CONSTRAINTS,
        **ClassifierSearch._parameter_constraints,
    }

    def __init__(
        self,
        n_prototypes=200,
        loss="square",
        C1=None,
        C2=None,
        gamma=None,
        laplacian="normalized",
        regularizer="rkhs",
        tol=1e-6,
        class_weight=None,
        choice="auto",
        cv=None,
        n_jobs=None,
        verbose=0,
        random_state=0,
        fit_intercept: bool | str = "auto",
    ):
        self.n_prototypes = n_prototypes
        self.loss = loss
        self.C1 = C1
        self.C2 = C2
        self.gamma = gamma
        self.laplacian = laplacian
        self.regularizer = regularizer
        self.tol = tol
        self.class_weight = class_weight
        self.choice = choice
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state
        self.fit_intercept = fit_intercept

    @property
    def _closed_form(self):
        return self.loss == "square"

    @property
    def _relative(self):
        """Whether the cells mean the same for all n and l, as those that :class:`mr.PVM` tries."""
        return self.C1 is None and self.C2 is None

    def _settings(self, X, seed, cautious):
        usual = FEW_WIDTH * scale_gamma(X)
        if self.gamma is not None:
            gammas = as_list(self.gamma)
        elif cautious or not self._relative:
            gammas = [width * scale_gamma(X) for width in MULTIPLES]
        else:
            path = PVMPath(self._unweighted(seed).set_params(gamma="local"), X)
            widths = path.estimator.set_params(gamma=AUTO)._kernels(path._blocks, path.prototypes, path._moments)
            # without a graph of neighbours also the width that a support vector machine would have
            gammas = dict.fromkeys([scale_gamma(X), *(kernel.gamma_ for kernel in widths)])
        numbers = {"scale": scale_gamma, "mean": mean_gamma}
        # the usual width first: a cautious choice takes it
        for gamma in sorted(gammas, key=lambda g: abs(np.log((numbers[g](X) if isinstance(g, str) else g) / usual))):
            yield {"gamma": gamma}, {"gamma": gamma}

    def _cells(self, path, rows):
        if not self._relative:
            weights = {"C2": sorted(as_list(self.C2) or [0.0]), "C1": sorted(as_list(self.C1) or WEIGHTS)}
            return grid(**weights, fit_intercept=self._constants())
        if self.gamma is not None:
            return self._weights(path, rows, CELLS)
        if not self._is_wide(path):
            return self._weights(path, rows, WIDTHS[1][2])
        # without a graph the ridge is what the other searches try: the smaller ones of PVM overfit few labels
        return self._weights(path, rows, [(NO_GRAPH, ridge / len(rows)) for ridge in sorted(RIDGES, reverse=True)])

    @staticmethod
    def _is_wide(path):
        """Whether the kernel is one of the two wide ones, which have no graph of neighbours."""
        return path.graph.kernel.gamma_ <= max(mean_gamma(path.X), scale_gamma(path.X)) * (1 + 1e-9)

    def _ladder(self, path, rows):
        weights = {"C2": [min(as_list(self.C2) or [0.0])], "C1": [nearest(as_list(self.C1) or WEIGHTS, FEW_C1)]}
        return grid(**weights, fit_intercept=self._constants()[:1])

    def _constants(self):
        both = [False, True] if self.loss == "square" else [False]
        return both if self.fit_intercept == "auto" else [self.fit_intercept]

    def _weights(self, path, rows, cells):
        """C1, C2 and a constant or none for pairs (strength, ridge), weak graphs first."""
        n, scale = path.X.shape[0], path.graph.kernel_scale
        pairs = (path.estimator._weights(AUTO, AUTO, *cell, n, len(rows), scale) for cell in cells)
        return [{"C2": C2, "C1": C1, "fit_intercept": b} for C1, C2 in pairs for b in self._constants()]

    def _is_supervised(self, path, cell):
        """Nearly: a weak graph over a wide kernel, of the widths that are tried where none is given."""
        return self._relative and self.gamma is None and self._is_wide(path)

    def _path(self, estimator, X, shared):
        path = PVMPath(estimator, X)
        if "prototypes" in shared:
            path.prototypes = shared["prototypes"]
        shared["prototypes"] = path.prototypes
        return path

    def _restore(self, estimator, params):
        """The machine has no graph to give back."""
