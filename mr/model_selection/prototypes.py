"""PVM that chooses its own weight and kernel width, on one set of prototypes."""

from numbers import Integral, Real

import numpy as np

from mr._sklearn import Interval, StrOptions
from mr.estimators import PVM
from mr.graph.base import LAPLACIANS
from mr.kernels import mean_gamma, scale_gamma
from mr.model_selection.documentation import PVM_PARAMETERS, sections
from mr.model_selection.search import ClassifierSearch, as_list, grid, nearest
from mr.paths import PVMPath
from mr.solvers.prototypes import REGULARIZERS

WEIGHTS = (0.1, 1.0, 10.0, 100.0)
"""C1 of the default list."""
WIDTHS = (8.0, 16.0, 32.0, 64.0)
"""Multiples of the coefficient "scale" in the default list: the kernel is also the graph, which has to be local."""
USUAL_WIDTH, USUAL_C1 = 32.0, 10.0


CHOSEN = f"""what is nearest to C1 = {USUAL_C1:g}, the least C2 and {USUAL_WIDTH:g} times "scale\""""
_PARAMETERS = PVM_PARAMETERS.format(C1=WEIGHTS, C2=0.0, widths=WIDTHS)


class PVMCV(ClassifierSearch):
    __doc__ = f"""Prototype vector machine that chooses its parameters.

    :class:`mr.PVM` over lists of kernel widths and weights. All points stay in the graph, and labels are hidden: one by
    one for the squared loss, whose held-out values have a closed form, a fold at a time for the hinge loss. The k-means
    centres serve all cells, features and smoothness all cells of a width.

    {sections(_PARAMETERS, "PVM", "leave-one-out for the squared loss, 5-fold for the hinge loss", CHOSEN)}
    See Also
    --------
    mr.PVM : the machine.
    mr.paths.PVMPath : every machine of one width.

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import make_moons
    >>> from mr.model_selection import PVMCV
    >>> X, classes = make_moons(300, noise=0.1, random_state=0)
    >>> y = np.where(np.arange(300) < 12, classes, -1)
    >>> search = PVMCV(n_prototypes=40).fit(X, y)
    >>> sorted(search.best_params_)
    ['C1', 'C2', 'gamma']
    """

    _estimator_class = PVM
    _lists = ("C1", "C2")
    _parameter_constraints = {
        "n_prototypes": [Interval(Integral, 1, None, closed="left")],
        "loss": [StrOptions({"square", "hinge"})],
        "C1": ["array-like", Interval(Real, 0.0, None, closed="neither")],
        "C2": ["array-like", Interval(Real, 0.0, None, closed="left")],
        "gamma": [None, StrOptions({"scale", "mean"}), "array-like", Interval(Real, 0.0, None, closed="neither")],
        "laplacian": [StrOptions(set(LAPLACIANS))],
        "regularizer": [StrOptions(set(REGULARIZERS))],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        **ClassifierSearch._parameter_constraints,
    }

    def __init__(
        self,
        n_prototypes=200,
        loss="square",
        C1=WEIGHTS,
        C2=0.0,
        gamma=None,
        laplacian="normalized",
        regularizer="unlabeled",
        tol=1e-6,
        choice="auto",
        cv=None,
        n_jobs=None,
        verbose=0,
        random_state=0,
    ):
        self.n_prototypes = n_prototypes
        self.loss = loss
        self.C1 = C1
        self.C2 = C2
        self.gamma = gamma
        self.laplacian = laplacian
        self.regularizer = regularizer
        self.tol = tol
        self.choice = choice
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @property
    def _closed_form(self):
        return self.loss == "square"

    def _settings(self, X):
        usual = USUAL_WIDTH * scale_gamma(X)
        gammas = [float(width * scale_gamma(X)) for width in WIDTHS] if self.gamma is None else as_list(self.gamma)
        numbers = {"scale": scale_gamma, "mean": mean_gamma}
        # the usual width first: a cautious choice takes it
        for gamma in sorted(gammas, key=lambda g: abs(np.log((numbers[g](X) if isinstance(g, str) else g) / usual))):
            yield {"gamma": gamma}, {"gamma": gamma}

    def _cells(self, path, rows):
        return grid(C2=sorted(as_list(self.C2)), C1=sorted(as_list(self.C1)))

    def _ladder(self, path, rows):
        return grid(C2=[min(as_list(self.C2))], C1=[nearest(as_list(self.C1), USUAL_C1)])

    def _path(self, estimator, X, shared):
        path = PVMPath(estimator, X)
        if "prototypes" in shared:
            path.prototypes = shared["prototypes"]
        shared["prototypes"] = path.prototypes
        return path

    def _restore(self, estimator, params):
        """The machine has no graph to give back."""
