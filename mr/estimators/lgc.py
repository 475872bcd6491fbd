"""Learning with local and global consistency (Zhou et al. 2003), zhang2015's LGC."""

from numbers import Integral, Real

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import (
    GRAPH_CONSTRAINTS,
    GraphMixin,
    WeightedClassifier,
    warn_unlabelled_components,
)
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.estimators._transductive import TransductiveMachine
from mr.kernels import Kernel
from mr.solvers.graph_system import SOLVERS
from mr.solvers.propagation import gaussian_affinity, solve_lgc

CLASS_WEIGHTS = ("balanced", "half-balanced")
SYSTEM_CONSTRAINTS = {
    "solver": [StrOptions(set(SOLVERS))],
    "tol": [Interval(Real, 0.0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
}


class LGC(WeightedClassifier, GraphMixin, TransductiveMachine):
    """Learning with local and global consistency: every point passes on what it receives, labels add to it.

    f = (I - eta Q)^-1 y with Q = D^-1/2 W D^-1/2 (zhang2015, equation 8), y in {-1, 0, 1} for each class against the
    rest, 0 on unlabelled points. New points: interpolation between the 10 nearest training rows with weights
    1 / distance^2, so that ``predict`` on the training data is ``transduction_``.

    Parameters
    ----------
    eta : float in (0, 1), default=0.9
        How far labels spread; eta = 1 / (1 + C) for f'(I - Q)f + C ||f - y||^2. Zhou et al. (2003) take 0.99, near
        which every point hears all labels alike and the largest class outvotes the others.
    graph : "gaussian", KNNGraph or any object with its interface, sparse n x n affinity matrix, or None, default=None
        None is ``KNNGraph()``. "gaussian" joins all points with weights exp(-gamma d^2), as zhang2015 does: O(n^2)
        memory, O(n^3) time.
    gamma : float, "scale" or "mean", default="scale"
        Width of the Gaussian graph.
    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph across fits.
    solver : {"auto", "direct", "cg"}, default="auto"
        Of a sparse graph: "direct" factorises the matrix, which is fast for up to a few thousand points and for points
        on curves and surfaces; "cg" is conjugate gradients, for neighbour graphs of many points in many dimensions.
        "auto" predicts which is faster, and factorises also where conjugate gradients fail.
    tol : float, default=1e-8
        Conjugate gradients stop when the relative residual of every class is below, and the residual at every point
        relative to what all labels together contribute there.
    max_iter : int, default=2000
        Largest number of iterations of conjugate gradients.
    verbose : int, default=0
        Print the progress of conjugate gradients.
    class_weight : None, dict, "balanced" or "half-balanced", default="half-balanced"
        Weights of the classes, which multiply their labels in y. Labels add up on the way, so that a class with many of
        them outvotes a rare one. "balanced" gives every class the same total, as if all were of one size;
        "half-balanced", the square roots of these weights, is right half way between the two, whether a class has few
        labels because it is rare or for another reason. None is the method of the papers.

    Attributes
    ----------
    classes_ : array (n_classes,)
    values_ : array (n, k)
        f on the training rows; one column for two classes.
    transduction_ : array (n,)
        Predictions for the training rows.
    residual_ : float
        Largest relative residual of the linear system over the columns of f.
    n_iter_ : int
        Iterations of conjugate gradients; 1 for a direct solution.
    solver_ : {"direct", "cg"}
        The solver used.
    graph_ : fitted graph
        Not with ``graph="gaussian"``.

    See Also
    --------
    HarmonicFunction : labels stay as they are instead of being smoothed.
    NystromLGC : the Gaussian graph through a few landmarks, for many points.
    mr.paths.LGCPath : many values of eta, labels and folds from one eigendecomposition.

    References
    ----------
    Zhou, Bousquet, Lal, Weston, Schoelkopf (2003), Learning with local and global consistency, NIPS.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=200, seed=0)
    >>> y = np.full(200, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:3]] = c
    >>> model = mr.LGC().fit(data.X, y)
    >>> float(np.mean(model.transduction_ == data.y)) > 0.9
    True
    >>> model.residual_ < 1e-8
    True
    """

    _parameter_constraints = {
        "eta": [Interval(Real, 0.0, 1.0, closed="neither")],
        **GRAPH_CONSTRAINTS,
        "graph": [*GRAPH_CONSTRAINTS["graph"], StrOptions({"gaussian"})],
        "gamma": [StrOptions({"scale", "mean"}), Interval(Real, 0.0, None, closed="neither")],
        **SYSTEM_CONSTRAINTS,
        **VERBOSE_CONSTRAINTS,
        "class_weight": [None, dict, StrOptions(set(CLASS_WEIGHTS))],
    }

    def __init__(
        self,
        eta=0.9,
        graph=None,
        gamma: float | str = "scale",
        memory=None,
        solver="auto",
        tol=1e-8,
        max_iter=2000,
        verbose=0,
        class_weight: dict | str | None = "half-balanced",
    ):
        self.eta = eta
        self.graph = graph
        self.gamma = gamma
        self.memory = memory
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.class_weight = class_weight

    def _fit_functions(self, X, rows, targets, weights=None):
        components = None
        targets = targets if weights is None else weights[:, None] * targets
        if isinstance(self.graph, str):
            W = gaussian_affinity(Kernel("rbf", self.gamma).fit(X), X)
        else:
            graph = self._fit_graph(X)
            warn_unlabelled_components(graph, rows)
            W, components = graph.affinity_, graph.component_labels_
        found = solve_lgc(
            W, rows, targets, self.eta, components,
            solver=self.solver, tol=self.tol, max_iter=self.max_iter, report=reporter(self),
        )  # fmt: skip
        self.residual_, self.n_iter_, self.solver_ = found.residual, found.n_iter, found.solver
        return self._keep_values(X, found.values)
