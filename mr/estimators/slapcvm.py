"""Sparsified manifold regularisation with core vector machines (tsang2006)."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import (
    GRAPH_CONSTRAINTS,
    KERNEL_CONSTRAINTS,
    GraphMixin,
    KernelMachine,
    SemiSupervisedClassifier,
    warn_unlabelled_components,
)
from mr.solvers.core_set import solve_ball
from mr.solvers.enclosing_ball import BallProblem, Edges

_positive = Interval(Real, 0.0, None, closed="neither")


class _CoreVectorMachine(KernelMachine):
    """One enclosing ball a one-versus-rest problem; what it found becomes fitted attributes."""

    _parameter_constraints = {
        **KERNEL_CONSTRAINTS,
        "C": [_positive],
        "epsilon": [_positive, StrOptions({"auto"})],
        "sampling": [Interval(Integral, 1, None, closed="left")],
        "exact_check": ["boolean"],
        "max_core": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
    }

    def _fit_balls(self, X, rows, targets, edges, mu, theta):
        kernel = self._make_kernel(X)
        rng = check_random_state(self.random_state)
        balls = []
        for y in targets.T:
            problem = BallProblem(X, kernel, rows, y, edges, self.C, mu, theta)
            balls.append(solve_ball(problem, self.epsilon, self.sampling, self.exact_check, self.max_core, rng))
        self._keep_balls(X, kernel, balls)
        return np.column_stack([ball.values for ball in balls])

    def _keep_balls(self, X, kernel, balls):
        points = np.unique(np.concatenate([ball.points for ball in balls]))
        coefficients = np.zeros((len(points), len(balls)))
        for column, ball in enumerate(balls):
            coefficients[np.searchsorted(points, ball.points), column] = ball.coefficients
        self._keep_expansion(kernel, X[points], coefficients, [ball.bias for ball in balls])
        self.support_ = points
        self.n_support_ = len(points)
        self.core_size_ = max(ball.core_size for ball in balls)
        self.n_iter_ = max(ball.n_iter for ball in balls)
        self.n_passes_ = sum(ball.n_passes for ball in balls)
        self.achieved_epsilon_ = max(ball.achieved_epsilon for ball in balls)
        self.dual_gap_ = max(ball.gap for ball in balls)
        self.tube_ = np.array([ball.tube for ball in balls])
        self.objective_ = np.array([ball.objective for ball in balls])


class SLapCVM(SemiSupervisedClassifier, GraphMixin, _CoreVectorMachine):
    """Sparsified Laplacian core vector machine.

    min ||w||^2 + b^2 + 2 C t + C/(m mu) sum_i xi_i^2 + C theta/(|E| mu) sum_e (|f_e| - t)_+^2 over the RKHS, where m
    points are labelled, xi_i = (1 - t - y_i f(x_i))_+ and f_e = sqrt(w_e) (f(x_u)/s_u - f(x_v)/s_v) is the difference
    along edge e (tsang2006, equations 5-7; s is 1 or the square root of the degree, as the graph's Laplacian says).
    Differences inside the tube t cost nothing, so only some edges enter the solution: unlike LapSVM's it is sparse. The
    dual is a minimum enclosing ball, solved by core sets: no n x n matrix is formed.

    Parameters
    ----------
    C : float > 0
        Weight of all losses against the norm.
    mu : float > 0
        Small mu makes losses expensive against the tube (it acts like nu in nu-SVR). tsang2006 fixes it at 1.
    theta : float >= 0
        Weight of the smoothness loss, a mean over edges; 0 ignores the graph. Differences along the edges of a denser
        graph are smaller, so theta has to grow with n for the same effect.
    epsilon : float or "auto"
        Every point of the ball problem ends within (1 + epsilon) radii of the centre. A decision value is then met to
        about epsilon C radius^2, so a large C needs a small epsilon; "auto" asks for 5 % of the tube t.
    kernel, gamma, degree, coef0 : see LapSVM
    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix; None for ``KNNGraph()``
        Power 1 only: an edge list has no L^2.
    sampling : int
        Candidates among which the furthest is taken; 59 finds one of the furthest 5 % with probability 0.95.
    exact_check : bool
        Stop only after all edges have been looked at. Without it the sample decides, as in the paper: faster, sparser,
        and not certified beforehand (``achieved_epsilon_`` and ``dual_gap_`` still tell).
    max_core : int
        Largest core; a warning says when it was reached.
    memory : None, str or joblib.Memory
        Caches the fitted graph across fits.
    random_state : int, RandomState or None

    Attributes
    ----------
    points_, dual_coef_, intercept_ : expansion of the fitted functions; ``support_`` are the rows of X in it
    n_support_ : int, number of kernel expansions
    core_size_, n_iter_ : int, largest over the one-versus-rest problems
    n_passes_ : int, evaluations on all data points
    achieved_epsilon_, dual_gap_ : float, largest over the problems; the gap is relative
    tube_, objective_ : arrays, t and the primal objective of each problem
    transduction_ : predictions for the training rows
    graph_ : the fitted graph

    Examples
    --------
    >>> import numpy as np
    >>> X = np.r_[np.zeros((20, 1)), np.full((20, 1), 3.0)] + np.linspace(0, 1, 40)[:, None]
    >>> y = np.full(40, -1); y[0], y[39] = 0, 1
    >>> int(SLapCVM().fit(X, y).transduction_.sum())
    20
    """

    _parameter_constraints = {
        **_CoreVectorMachine._parameter_constraints,
        **GRAPH_CONSTRAINTS,
        "mu": [_positive],
        "theta": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        C=1e3,
        mu=1.0,
        theta=1e3,
        epsilon="auto",
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        graph=None,
        sampling=59,
        exact_check=True,
        max_core=2000,
        memory=None,
        random_state=0,
    ):
        self.C = C
        self.mu = mu
        self.theta = theta
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.sampling = sampling
        self.exact_check = exact_check
        self.max_core = max_core
        self.memory = memory
        self.random_state = random_state

    def _fit_functions(self, X, rows, targets):
        graph = self._fit_graph(X)
        if graph.power != 1:
            raise ValueError(f"SLapCVM works on the graph's edges, so its power must be 1; got power={graph.power}.")
        warn_unlabelled_components(graph, rows)
        edges = Edges.of(graph.affinity_, normalized=graph.laplacian == "normalized")
        return self._fit_balls(X, rows, targets, edges, self.mu, self.theta)


class CVM(SemiSupervisedClassifier, _CoreVectorMachine):
    """Core vector machine: the two-norm SVM as a minimum enclosing ball, on the labelled points alone.

    min ||w||^2 + b^2 - 2 C rho + C/m sum_i (rho - y_i f(x_i))_+^2 (Tsang, Kwok, Cheung 2005): :class:`SLapCVM` without
    edges, with rho = 1 - t. Divided by the margin rho, f is the squared-hinge SVM with penalised bias and
    weight C/m a point.

    Parameters and attributes are those of :class:`SLapCVM`; unlabelled points are ignored.
    """

    def __init__(
        self,
        C=1e3,
        epsilon="auto",
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        sampling=59,
        exact_check=True,
        max_core=2000,
        random_state=0,
    ):
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.sampling = sampling
        self.exact_check = exact_check
        self.max_core = max_core
        self.random_state = random_state

    def _fit_functions(self, X, rows, targets):
        return self._fit_balls(X, rows, targets, Edges.none(), mu=1.0, theta=0.0)
