"""Laplacian support vector regression (chen2012)."""

from collections.abc import Callable
from numbers import Real

from mr._sklearn import Interval, StrOptions
from mr.estimators._balance import BALANCE_CONSTRAINTS, BalancedClassifier
from mr.estimators._base import CLASS_WEIGHT_CONSTRAINTS, WeightedClassifier, WeightedRegressor
from mr.estimators._manifold import KERNEL_PARAMETERS, VERBOSE_PARAMETER, ManifoldMachine
from mr.estimators.rls import CLASS_WEIGHT_PARAMETER
from mr.solvers.epsilon_svr import solve_svr
from mr.solvers.graph_weight import LARGEST_HINGE_RIDGE, Strengths

PROBLEM = """\
    min 1/2 ||f||^2 + C sum_i max(0, |y_i - f(x_i) - b| - epsilon) + mu/2 f'Lf over the RKHS, in chen2012's parameters.
    That is support vector regression on the labelled block of the deformed kernel K (I + mu L K)^-1.
"""
STRENGTH_PARAMETERS = """\
    C : "auto" or float > 0, default="auto"
        Weight of the loss. "auto" is 1 / (2 ridge) for the ridge that exact leave-one-out over the labels chooses for
        least squares on the same kernel (:class:`LapRLS`); for classes a ridge of at most 0.3 times the mean of
        k~(x, x), beyond which all coefficients would be at their bounds.
    mu : "auto" or float >= 0, default="auto"
        Weight of f'Lf against ||f||^2; not divided by n^2. 0 is ordinary SVR on the labelled points. "auto" is the
        choice of leave-one-out, as for C.
    epsilon : float >= 0, default=0.1
        Half width of the tube without loss.
"""
COMMON_PARAMETERS = """\
    tol : float, default=1e-7
        Relative duality gap at which the solver stops.
    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph across fits.
    random_state : int, RandomState or None, default=None
        Draws the basis.
"""
ATTRIBUTES = """\
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    dual_gap_ : relative duality gap reached (the largest over the targets)
    C_, mu_ : the weights used
    graph_weight_ : float
        mu in units of 1 / (mean k(x, x) mean L_ii).
    transduction_ : predictions for the training rows
    graph_ : the fitted graph
"""
REFERENCES = """\
    L. Chen, I. W. Tsang, D. Xu (2012). Laplacian embedded regression for scalable manifold regularization. IEEE
    Transactions on Neural Networks and Learning Systems 23(6).
"""


class _LapSVRMachine(ManifoldMachine):
    """The machine behind classifier and regressor."""

    _parameter_constraints = {
        **ManifoldMachine._parameter_constraints,
        "C": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="neither")],
        "mu": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="left")],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
    }

    def __init__(
        self,
        C: float | str = "auto",
        mu: float | str = "auto",
        epsilon=0.1,
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        basis=None,
        tol=1e-7,
        memory=None,
        random_state=None,
        verbose=0,
    ):
        self.C = C
        self.mu = mu
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.basis = basis
        self.tol = tol
        self.memory = memory
        self.random_state = random_state
        self.verbose = verbose

    _largest_ridge = LARGEST_HINGE_RIDGE

    def _given_strengths(self, l, n, unit):
        return Strengths(None if self.C == "auto" else 1.0 / (2.0 * self.C), None if self.mu == "auto" else self.mu)

    def _keep_strengths(self, strengths, l, n, unit):
        self.C_ = 1.0 / (2.0 * strengths.ridge)
        self.mu_ = strengths.ratio
        self.graph_weight_ = strengths.ratio / unit

    def _solve_deformed(self, K_labelled, targets, ridge, weights):
        # C itself where it was given: 1 / (2 ridge) would differ in its last bit
        C = 1.0 / (2.0 * ridge) if self.C == "auto" else self.C
        solution = solve_svr(K_labelled, targets, C, self.epsilon, self.tol, weights)
        self.dual_gap_ = float(solution.gaps.max())
        return solution.coefficients, solution.intercepts


class LapSVR(BalancedClassifier, WeightedClassifier, _LapSVRMachine):
    __doc__ = f"""Laplacian support vector regression as a classifier.

{PROBLEM}
    It is fitted to targets +-1, one-versus-rest, as in chen2012's Table II.

    Parameters
    ----------
{STRENGTH_PARAMETERS}{KERNEL_PARAMETERS}    balance : None or "class-mass", default=None
        Rescale decision values to the labelled class proportions; the rule is in ``mr.estimators._balance``.
{CLASS_WEIGHT_PARAMETER}{COMMON_PARAMETERS}{VERBOSE_PARAMETER}
    Attributes
    ----------
{ATTRIBUTES}
    See Also
    --------
    LapESVR : regression on virtual labels of all points.

    References
    ----------
{REFERENCES}
    Examples
    --------
    >>> import mr
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(200, noise=0.05, random_state=0)
    >>> y = truth.copy()
    >>> y[10:] = -1  # ten labels
    >>> mr.LapSVR().fit(X, y).score(X, truth) > 0.95
    True
    """

    _parameter_constraints = {
        **_LapSVRMachine._parameter_constraints,
        **BALANCE_CONSTRAINTS,
        **CLASS_WEIGHT_CONSTRAINTS,
    }

    def __init__(
        self,
        C: float | str = "auto",
        mu: float | str = "auto",
        epsilon=0.1,
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        basis=None,
        balance=None,
        class_weight=None,
        tol=1e-7,
        memory=None,
        random_state=None,
        verbose=0,
    ):
        super().__init__(C, mu, epsilon, kernel, gamma, degree, coef0, graph, basis, tol, memory, random_state, verbose)
        self.balance = balance
        self.class_weight = class_weight


class LapSVRRegressor(WeightedRegressor, _LapSVRMachine):
    __doc__ = f"""Laplacian support vector regression.

{PROBLEM}
    Parameters
    ----------
{STRENGTH_PARAMETERS}{KERNEL_PARAMETERS}{COMMON_PARAMETERS}{VERBOSE_PARAMETER}
    Attributes
    ----------
{ATTRIBUTES}
    See Also
    --------
    LapRLSRegressor : with squared errors, and much faster.
    LapESVRRegressor : on the smooth eigenvectors of a large graph.

    References
    ----------
{REFERENCES}
    Examples
    --------
    >>> import numpy as np, mr
    >>> t = np.linspace(0, 1, 100)
    >>> X = np.column_stack([(1 + t) * np.cos(9 * t), (1 + t) * np.sin(9 * t)])  # a spiral
    >>> y = np.where(np.arange(100) % 11 == 0, t, np.nan)  # NaN marks an unlabelled point
    >>> model = mr.LapSVRRegressor(epsilon=0.01).fit(X, y)
    >>> bool(np.abs(model.predict(X) - t).max() < 0.1)
    True
    """
