"""Sparsified manifold regularisation with core vector machines (tsang2006)."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import (
    GRAPH_CONSTRAINTS,
    KERNEL_CONSTRAINTS,
    GraphMixin,
    KernelMachine,
    SemiSupervisedClassifier,
    SemiSupervisedRegressor,
    warn_unlabelled_components,
)
from mr.estimators._manifold import CHOICE_POINTS, basis_rows, choice_factor
from mr.kernels import FullGram, ReducedGram, ThinGram, pivoted_cholesky
from mr.solvers.core_set import solve_ball
from mr.solvers.enclosing_ball import BallProblem, Edges
from mr.solvers.graph_weight import Strengths, choose_strengths, ratio_unit
from mr.solvers.tube_newton import TubeNewton

NEWTON_POINTS = 3000
"""Points up to which solver="auto" takes Newton's method over all of them."""
NEWTON_STEPS = 200
"""Newton steps where max_iter=None sets no bound: far more than converge, and an end where weights are absurd."""
NEWTON_GAP = 1e-6
"""Relative duality gap above which Newton's method has failed; it ends at rounding."""

_positive = Interval(Real, 0.0, None, closed="neither")


class _CoreVectorMachine(KernelMachine):
    """One enclosing ball per one-versus-rest problem; what it found becomes fitted attributes."""

    _parameter_constraints = {
        **KERNEL_CONSTRAINTS,
        "C": [_positive],
        "epsilon": [_positive, StrOptions({"auto"})],
        "sampling": [Interval(Integral, 1, None, closed="left")],
        "exact_check": ["boolean"],
        "max_core": [Interval(Integral, 2, None, closed="left")],
        "max_iter": [None, Interval(Integral, 1, None, closed="left")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    def _solve_by_core_sets(self, problems):
        rng = check_random_state(self.random_state)
        options = {"max_core": self.max_core, "max_iter": self.max_iter, "verbose": int(self.verbose)}
        return [
            solve_ball(problem, self.epsilon, self.sampling, self.exact_check, random_state=rng, **options)
            for problem in problems
        ]

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
        return np.column_stack([ball.values for ball in balls])


_KERNEL = """\
    kernel : {"rbf", "linear", "poly", "cosine"} or function, default="rbf"
        A function k(A, B) returns the Gram block of the rows of two matrices.
    gamma : float, "scale" or "mean", default="scale"
        Kernel coefficient; "mean" is n^2 / sum_ij ||x_i - x_j||^2.
    degree, coef0 : float, default=3 and 0
        Of the polynomial kernel.
"""
_CORE_SETS = """\
    sampling : int, default=59
        Candidates among which the furthest is taken; 59 finds one of the furthest 5 % with probability 0.95.
    exact_check : bool, default=True
        Stop only after all points of the ball have been looked at. Without it the sample decides, as in the papers:
        faster, sparser, and not certified beforehand (``achieved_epsilon_`` and ``dual_gap_`` still tell).
    max_core : int, default=2000
        Largest core, which bounds memory: its matrix has max_core^2 entries.
    max_iter : None or int, default=5000
        Bounds the time of each one-versus-rest problem: rounds of pair descent and factorisations on the core,
        counted together; None is no bound. A ConvergenceWarning says when this or ``max_core`` ended the search.
    verbose : int, default=0
        1 prints a line per pass over the data, 2 also one per growth of the core.
    random_state : int, RandomState or None, default=0
        Draws the samples.
"""
_ATTRIBUTES = """\
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    support_ : array, rows of X in the expansion
    n_support_ : int, their number
    core_size_ : int, points of the core (labels and signed edges), largest over the one-versus-rest problems
    n_iter_ : int, times that the core grew, largest over the problems
    n_passes_ : int, evaluations on all data points
    achieved_epsilon_, dual_gap_ : float, largest over the problems; the gap is relative
    tube_, objective_ : arrays, t and the primal objective of each problem
    transduction_ : predictions for the training rows
    classes_ : array, the classes
"""


class _SparsifiedLaplacian(GraphMixin, _CoreVectorMachine):
    """The machine behind classifier and regressor."""

    _signs = 1
    """Constraints per label. Where all are active (t far below 0) the loss counts as often, and so does the graph's."""

    _parameter_constraints = {
        **_CoreVectorMachine._parameter_constraints,
        **GRAPH_CONSTRAINTS,
        "C": [StrOptions({"auto"}), _positive],
        "mu": [_positive],
        "theta": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="left")],
        "basis": [None, Interval(Integral, 1, None, closed="left")],
        "solver": [StrOptions({"auto", "newton", "core-set"})],
    }

    def __init__(
        self,
        C: float | str = "auto",
        mu=1.0,
        theta: float | str = "auto",
        epsilon: float | str = "auto",
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        basis=None,
        solver="auto",
        sampling=59,
        exact_check=True,
        max_core=2000,
        max_iter=5000,
        verbose=0,
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
        self.basis = basis
        self.solver = solver
        self.sampling = sampling
        self.exact_check = exact_check
        self.max_core = max_core
        self.max_iter = max_iter
        self.verbose = verbose
        self.memory = memory
        self.random_state = random_state

    def _fit_functions(self, X, rows, targets):
        kernel = self._make_kernel(X)
        graph = self._fit_graph(X)
        if graph.power != 1:
            raise ValueError(
                f"{type(self).__name__} works on the graph's edges, so its power must be 1; got power={graph.power}."
            )
        warn_unlabelled_components(graph, rows)
        edges = Edges.of(graph.affinity_, normalized=graph.laplacian == "normalized")
        self.C_, self.theta_ = self._weights(kernel, X, graph, rows, targets, len(edges))
        self._check_range(len(rows))
        problems = self._problems(X, kernel, rows, targets, edges)
        self.solver_ = self._choose_solver(X.shape[0])
        solve = self._solve_by_newton if self.solver_ == "newton" else self._solve_by_core_sets
        return self._keep_balls(X, kernel, solve(problems))

    def _check_range(self, m):
        """Refuse weights whose squares leave double precision: the line searches would end nowhere."""
        if not all(1e-100 <= value <= 1e100 for value in (self.C_, m * self.mu / self.C_)):
            raise ValueError(f"Expected C and m mu / C from 1e-100 to 1e100; got C={self.C_:.1e} and mu={self.mu!r}.")

    def _problems(self, X, kernel, rows, targets, edges):
        """One ball per column of the targets."""
        return [BallProblem(X, kernel, rows, y, edges, self.C_, self.mu, self.theta_) for y in targets.T]

    def _choose_solver(self, n):
        if self.solver != "auto":
            return self.solver
        given = self.C != "auto" and self.theta != "auto" and self.basis is None
        return "core-set" if not self.exact_check or (given and n > NEWTON_POINTS) else "newton"

    def _weights(self, kernel, X, graph, rows, targets, n_edges):
        """C and theta, by leave-one-out for least squares where they are "auto"."""
        m, n = len(rows) / self._signs, X.shape[0]
        given_C, given_theta = (None if value == "auto" else float(value) for value in (self.C, self.theta))
        if given_C is not None and given_theta is not None:
            return given_C, given_theta
        given = Strengths(
            ridge=None if given_C is None else m * self.mu / given_C,
            ratio=0.0 if given_theta == 0 or n_edges == 0 else None,
        )
        unit = ratio_unit(kernel.diagonal(X), graph, n)
        factor = choice_factor(kernel, X, rows)
        chosen = choose_strengths(factor, graph, rows, targets, given, unit, classify=self._signs == 1)
        C = m * self.mu / chosen.ridge if given_C is None else given_C
        ratio = chosen.ratio / self._signs
        return C, ratio * n_edges * self.mu / C if given_theta is None else given_theta

    def _solve_by_newton(self, problems):
        expanded, factor, transform = self._factor(problems[0])
        newton = TubeNewton(factor, NEWTON_STEPS if self.max_iter is None else self.max_iter)
        balls = newton.solve(problems)
        if self.verbose:
            for number, ball in enumerate(balls, start=1):
                print(
                    f"[newton] problem {number} of {len(problems)}: {ball.n_iter} steps, "
                    f"{ball.core_size} active, gap {ball.gap:.1e}"
                )
        if expanded is not None:
            balls = [replace(ball, points=expanded, coefficients=transform @ ball.coordinates) for ball in balls]
        worst = max(ball.gap for ball in balls)
        if not worst <= NEWTON_GAP or not all(ball.converged for ball in balls):
            warnings.warn(
                f"Newton's method stopped at a relative duality gap of {worst:.1e} after at most "
                f"{max(ball.n_iter for ball in balls)} of max_iter={self.max_iter} steps. Raise max_iter, lower C or "
                "theta, or take solver='core-set'.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return balls

    def _factor(self, problem):
        """R with K = R R'; for a basis also its rows of X and the map from R's coordinates to coefficients there."""
        X, kernel, n = problem.X, problem.kernel, problem.X.shape[0]
        if self.basis is None:
            thin = ThinGram.of(kernel, X)
            if thin is not None:
                return None, thin.factor, None
            if self.solver == "newton" or n <= NEWTON_POINTS:
                return None, pivoted_cholesky(FullGram(kernel, X).K), None
        expanded = basis_rows(n, problem.rows, self.basis or CHOICE_POINTS, self.random_state)
        gram = ReducedGram(kernel, X, X[expanded])
        return expanded, gram.factor, gram.transform


class SLapCVM(SemiSupervisedClassifier, _SparsifiedLaplacian):
    __doc__ = f"""Sparsified Laplacian core vector machine.

    min ||w||^2 + b^2 + 2 C t + C/(m mu) sum_i xi_i^2 + C theta/(|E| mu) sum_e (|f_e| - t)_+^2 over the RKHS, where m
    points are labelled, xi_i = (1 - t - y_i f(x_i))_+ and f_e = sqrt(w_e) (f(x_u)/s_u - f(x_v)/s_v) is the difference
    along edge e (tsang2006, equations 5-7; s is 1 or the square root of the degree, as the graph's Laplacian says).
    Differences inside the tube t cost nothing, so with t > 0 only some edges enter the solution, which is then sparse.
    The dual is a minimum enclosing ball, solved by core sets without any n x n matrix; moderate n are faster in the
    primal, where Newton's method ends at the exact solution.

    Parameters
    ----------
    C : "auto" or float > 0, default="auto"
        Weight of all losses against the norm. "auto" translates the ridge that exact leave-one-out over the labels
        chooses for least squares on the same kernel and graph: C/(m mu) = 1/ridge.
    mu : float > 0, default=1.0
        Small mu makes losses expensive against the tube (it acts like nu in nu-SVR): at the optimum mean(xi) + theta
        mean(zeta) = mu, with zeta the excess over the tube. tsang2006 fixes it at 1, where with automatic C and theta
        the tube is mostly empty (t < 0); 0.01 or 0.001 gives sparse solutions.
    theta : "auto" or float >= 0, default="auto"
        Weight of the smoothness loss, a mean over edges; 0 ignores the graph. Differences along the edges of a denser
        graph are smaller, so a number has to grow with n for the same effect. "auto" chooses the weight of the graph
        together with that of the norm, C theta/(|E| mu) = r of min ||f||^2 + r f'Lf + loss/ridge, and means the same
        at every n. With a number here, C="auto" is still the C of the pair that was chosen.
    epsilon : "auto" or float > 0, default="auto"
        Of the core sets. Every point of the ball problem ends within (1 + epsilon) radii of the centre. A decision
        value is then met to about epsilon C radius^2, so a large C needs a small epsilon; "auto" asks for 5 % of the
        tube t, or a relative duality gap of 1e-3.
{_KERNEL}    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix, default=None
        None is ``KNNGraph()``. Power 1 only: an edge list has no L^2.
    basis : None or int, default=None
        Newton's method over this many points only, the labelled ones and a random sample: O(n basis^2) time, O(n basis)
        memory. None is all points, or {CHOICE_POINTS:,} where ``solver`` says so.
    solver : {{"auto", "newton", "core-set"}}, default="auto"
        "newton" is exact and needs the n x n Gram matrix, a thin factor of it where the kernel has one, or a
        ``basis``. "core-set" is the paper's, for many points and sparse solutions (t > 0). "auto" is "core-set" where
        ``exact_check=False`` asks for the paper's sampling, and beyond {NEWTON_POINTS:,} points where C and theta are
        numbers; else "newton". Automatic weights at mu = 1 give solutions that no small core comes near, so beyond
        {NEWTON_POINTS:,} points they go with a basis of {CHOICE_POINTS:,} points, unless the kernel has a thin factor.
{_CORE_SETS}    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph across fits.

    Attributes
    ----------
{_ATTRIBUTES}    C_, theta_ : float, the weights used
    solver_ : {{"newton", "core-set"}}, the solver used. For "newton" the core are the labels and signed edges with
        loss, and ``n_iter_`` counts Newton steps
    graph_ : the fitted graph

    See Also
    --------
    CVM : the same machine without a graph.
    PrimalLapSVM : squared hinge loss and all of f'Lf, without a tube.

    References
    ----------
    I. W. Tsang, J. T. Kwok (2006). Large-scale sparsified manifold regularization. NIPS 19.

    Examples
    --------
    >>> import mr
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(200, noise=0.05, random_state=0)
    >>> y = truth.copy()
    >>> y[10:] = -1  # ten labels
    >>> fitted = mr.SLapCVM().fit(X, y)
    >>> fitted.score(X, truth) > 0.95
    True
    >>> fitted.dual_gap_ < 1e-6
    True
    """


class SLapCVR(SemiSupervisedRegressor, _SparsifiedLaplacian):
    __doc__ = f"""Sparsified Laplacian core vector regression.

    min ||w||^2 + b^2 + 2 C t + C/(m mu) sum_i (|y_i - f(x_i)| - t)_+^2 + C theta/(|E| mu) sum_e (|f_e| - t)_+^2 over
    the RKHS: :class:`SLapCVM` with the loss of core vector regression (tsang2006, section 3, which names regression and
    leaves it out). One tube t serves residuals and differences along edges. Where -t exceeds all of them every loss is
    active, and the problem is LapRLS with penalised bias.

    Targets are centred and divided by their standard deviation first, so C does not depend on the unit of y.

    Parameters
    ----------
    C : "auto" or float > 0, default="auto"
        Weight of all losses against the norm. "auto" translates the ridge that exact leave-one-out over the labels
        chooses for least squares on the same kernel and graph: 2 C/(m mu) = 1/ridge.
    mu : float > 0, default=1.0
        Small mu makes losses expensive against the tube, as for :class:`SLapCVM`.
    theta : "auto" or float >= 0, default="auto"
        Weight of the smoothness loss, a mean over edges; 0 ignores the graph. "auto" as for C, with
        2 C theta/(|E| mu) = r of min ||f||^2 + r f'Lf + loss/ridge.
    epsilon : "auto" or float > 0, default="auto"
        Of the core sets; see :class:`SLapCVM`.
{_KERNEL}    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix, default=None
        None is ``KNNGraph()``. Power 1 only: an edge list has no L^2.
    basis : None or int, default=None
        Newton's method over this many points only.
    solver : {{"auto", "newton", "core-set"}}, default="auto"
        As for :class:`SLapCVM`.
{_CORE_SETS}    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph across fits.

    Attributes
    ----------
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    support_ : array, rows of X in the expansion
    n_support_ : int, their number
    core_size_ : int, points of the core (signed labels and edges), largest over the targets
    n_iter_, n_passes_ : int, as for :class:`SLapCVM`
    achieved_epsilon_, dual_gap_ : float, largest over the targets; the gap is relative
    tube_ : array, t in the unit of y
    objective_ : array, the primal objective for the standardised targets
    transduction_ : predictions for the training rows
    C_, theta_ : float, the weights used
    solver_ : {{"newton", "core-set"}}, the solver used
    graph_ : the fitted graph

    See Also
    --------
    SLapCVM : the classifier.
    LapRLSRegressor : squared loss without a tube.

    References
    ----------
    I. W. Tsang, J. T. Kwok (2006). Large-scale sparsified manifold regularization. NIPS 19.
    I. W. Tsang, J. T. Kwok, K. T. Lai (2005). Core vector regression for very large regression problems. ICML.

    Examples
    --------
    >>> import numpy as np, mr
    >>> X = np.linspace(0.0, 6.0, 200)[:, None]
    >>> truth = np.sin(X[:, 0])
    >>> y = np.full(200, np.nan)
    >>> y[::20] = truth[::20]  # ten targets
    >>> fitted = mr.SLapCVR().fit(X, y)
    >>> fitted.score(X, truth) > 0.95
    True
    >>> fitted.dual_gap_ < 1e-6
    True
    """

    _signs = 2

    def _fit_functions(self, X, rows, targets):
        centre, scale = targets.mean(axis=0), targets.std(axis=0)
        scale = np.where((scale > 0) & np.isfinite(1.0 / np.maximum(scale, np.finfo(float).tiny)), scale, 1.0)
        self._units = centre, scale
        return super()._fit_functions(X, rows, (targets - centre) / scale)

    def _problems(self, X, kernel, rows, targets, edges):
        m, both = len(rows), np.concatenate([rows, rows])
        signs = np.repeat([1.0, -1.0], m)
        weights = self.C_, self.mu, self.theta_
        return [BallProblem(X, kernel, both, signs, edges, *weights, np.concatenate([y, -y]), m) for y in targets.T]

    def _keep_balls(self, X, kernel, balls):
        """The functions in the unit of y."""
        balls = [
            replace(ball, coefficients=scale * ball.coefficients, bias=centre + scale * ball.bias,
                    values=centre + scale * ball.values, tube=scale * ball.tube)
            for ball, centre, scale in zip(balls, *self._units, strict=True)
        ]  # fmt: skip
        return super()._keep_balls(X, kernel, balls)


class CVM(SemiSupervisedClassifier, _CoreVectorMachine):
    __doc__ = f"""Core vector machine: the two-norm SVM as a minimum enclosing ball, on the labelled points alone.

    A baseline to compare with; we do not recommend it: see :mod:`mr.baselines`.

    min ||w||^2 + b^2 - 2 C rho + C/m sum_i (rho - y_i f(x_i))_+^2 (Tsang, Kwok, Cheung 2005): :class:`SLapCVM` without
    edges, with rho = 1 - t. Divided by the margin rho, f is the squared-hinge SVM with penalised bias and weight C/m
    per point. Unlabelled points are ignored.

    Parameters
    ----------
    C : float > 0, default=1e3
        Weight of the losses against the norm.
    epsilon : "auto" or float > 0, default="auto"
        Every point of the ball problem ends within (1 + epsilon) radii of the centre; "auto" asks for 5 % of 1 - rho,
        or a relative duality gap of 1e-3.
{_KERNEL}{_CORE_SETS}
    Attributes
    ----------
{_ATTRIBUTES}
    See Also
    --------
    SLapCVM : with a graph over labelled and unlabelled points.
    SVM : the hinge loss itself.

    References
    ----------
    I. W. Tsang, J. T. Kwok, P.-M. Cheung (2005). Core vector machines: fast SVM training on very large data sets. JMLR
    6.

    Examples
    --------
    >>> import mr
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> fitted = mr.baselines.CVM().fit(X, y)
    >>> fitted.score(X, y) > 0.95, fitted.n_support_ < 200
    (True, True)
    """

    def __init__(
        self,
        C=1e3,
        epsilon: float | str = "auto",
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        sampling=59,
        exact_check=True,
        max_core=2000,
        max_iter=5000,
        verbose=0,
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
        self.max_iter = max_iter
        self.verbose = verbose
        self.random_state = random_state

    def _fit_functions(self, X, rows, targets):
        kernel = self._make_kernel(X)
        problems = [BallProblem(X, kernel, rows, y, Edges.none(), self.C, 1.0, 0.0) for y in targets.T]
        return self._keep_balls(X, kernel, self._solve_by_core_sets(problems))
