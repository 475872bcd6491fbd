"""Harmonic functions on a graph (Zhu, Ghahramani and Lafferty 2003)."""

from mr.estimators._base import GRAPH_CONSTRAINTS, GraphMixin, SemiSupervisedClassifier, warn_unlabelled_components
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.estimators._transductive import TransductiveMachine
from mr.estimators.lgc import SYSTEM_CONSTRAINTS
from mr.solvers.propagation import class_mass, solve_harmonic


class HarmonicFunction(SemiSupervisedClassifier, GraphMixin, TransductiveMachine):
    """Labels stay as they are, every other point takes the weighted mean of its neighbours: L_uu f_u = W_ul y_l.

    The limit C1 -> infinity, C2 = 0 of zhang2015's equation 1 with the unnormalised Laplacian. Components without a
    label get the mean of the targets (and a warning). New points: interpolation between the 10 nearest training rows
    with weights 1 / distance^2, so that ``predict`` on the training data is ``transduction_``.

    Parameters
    ----------
    class_mass_normalization : bool, default=False
        Rescale each class's mass over all points to its share of the labels: helps when the few labels mislead.
    graph : KNNGraph, any object with its interface, sparse n x n affinity matrix, or None, default=None
        None is ``KNNGraph()``.
    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph across fits.
    solver : {"auto", "direct", "cg"}, default="auto"
        "direct" factorises the matrix, which is fast for up to a few thousand points and for points on curves and
        surfaces; "cg" is conjugate gradients, for neighbour graphs of many points in many dimensions. "auto" predicts
        which is faster, and factorises also where conjugate gradients fail.
    tol : float, default=1e-8
        Conjugate gradients stop when the relative residual of every class is below, and the error at every point of
        the constant function, whose values are known.
    max_iter : int, default=2000
        Largest number of iterations of conjugate gradients.
    verbose : int, default=0
        Print the progress of conjugate gradients.

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

    See Also
    --------
    LGC : labels may be overruled by their neighbourhood.
    AnchorGraph : a graph through a few anchors, for many points and few labels.

    Notes
    -----
    With few labels among many points in many dimensions, harmonic functions are nearly constant away from the labels
    (Nadler, Srebro, Zhou 2009), and one class takes most points. More labels, ``class_mass_normalization`` or
    :class:`LGC` help then.

    References
    ----------
    Zhu, Ghahramani, Lafferty (2003), Semi-supervised learning using Gaussian fields and harmonic functions, ICML.
    Nadler, Srebro, Zhou (2009), Semi-supervised learning with the graph Laplacian: the limit of infinite unlabelled
    data, NIPS.

    Examples
    --------
    >>> import numpy as np, mr
    >>> X = np.arange(5.0)[:, None]
    >>> model = mr.HarmonicFunction(graph=mr.KNNGraph(2, weights="binary")).fit(X, [0, -1, -1, -1, 1])
    >>> model.values_.ravel().round(2)
    array([-1. , -0.5,  0. ,  0.5,  1. ])
    """

    _parameter_constraints = {
        "class_mass_normalization": ["boolean"],
        **GRAPH_CONSTRAINTS,
        **SYSTEM_CONSTRAINTS,
        **VERBOSE_CONSTRAINTS,
    }

    def __init__(
        self,
        class_mass_normalization=False,
        graph=None,
        memory=None,
        solver="auto",
        tol=1e-8,
        max_iter=2000,
        verbose=0,
    ):
        self.class_mass_normalization = class_mass_normalization
        self.graph = graph
        self.memory = memory
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def _fit_functions(self, X, rows, targets):
        graph = self._fit_graph(X)
        warn_unlabelled_components(graph, rows)
        found = solve_harmonic(
            graph.affinity_, rows, targets, graph.component_labels_,
            solver=self.solver, tol=self.tol, max_iter=self.max_iter, report=reporter(self),
        )  # fmt: skip
        self.residual_, self.n_iter_, self.solver_ = found.residual, found.n_iter, found.solver
        values = class_mass(found.values, targets) if self.class_mass_normalization else found.values
        return self._keep_values(X, values)
