"""Laplacian support vector regression (chen2012)."""

from numbers import Real

from mr._sklearn import Interval
from mr.estimators._balance import BALANCE_CONSTRAINTS, BalancedClassifier
from mr.estimators._base import SemiSupervisedRegressor
from mr.estimators._manifold import ManifoldMachine
from mr.solvers.epsilon_svr import solve_svr

BALANCE_PARAMETER = """\
    balance : None or "class-mass"
        Rescale decision values to the labelled class proportions; the rule is in ``mr.estimators._balance``.
"""


class _LapSVRMachine(ManifoldMachine):
    """min 1/2 ||f||^2 + C sum_i max(0, |y_i - f(x_i) - b| - epsilon) + mu/2 f'Lf over the RKHS, in chen2012's
    parameters.

    That is support vector regression on the labelled block of the deformed kernel K (I + mu L K)^-1. As a classifier it
    is fitted to targets +-1, one-versus-rest, as in chen2012's Table II. mu = 0 is ordinary SVR on the labelled points.

    Parameters
    ----------
    C : float > 0
        Weight of the loss.
    mu : float >= 0
        Weight of f'Lf; not divided by n^2.
    epsilon : float >= 0
        Half width of the tube without loss.
    kernel : {"rbf", "linear", "poly", "cosine"}
    gamma : float, "scale" or "mean"
        Kernel coefficient; "mean" is chen2012's n^2 / sum_ij ||x_i - x_j||^2.
    degree, coef0 : float
        Of the polynomial kernel.
    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix; None for ``KNNGraph()``
    basis : None, int or array of points
        Expand over these points only (an int draws that many rows): O(n r^2) time, O(n r) memory.
    tol : float
        Relative duality gap at which the solver stops.
    memory : None, str or joblib.Memory
        Caches the fitted graph across fits.
    random_state : int, RandomState or None
        Draws the basis.

    Attributes
    ----------
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    dual_gap_ : relative duality gap reached (the largest over the targets)
    transduction_ : predictions for the training rows
    graph_ : the fitted graph
    """

    _parameter_constraints = {
        **ManifoldMachine._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "mu": [Interval(Real, 0.0, None, closed="left")],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
    }

    def __init__(
        self,
        C=10.0,
        mu=1.0,
        epsilon=0.1,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        graph=None,
        basis=None,
        tol=1e-7,
        memory=None,
        random_state=None,
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

    def _ratio(self, n):
        return self.mu

    def _solve_deformed(self, K_labelled, targets):
        solution = solve_svr(K_labelled, targets, self.C, self.epsilon, tol=self.tol)
        self.dual_gap_ = float(solution.gaps.max())
        return solution.coefficients, solution.intercepts


class LapSVR(BalancedClassifier, _LapSVRMachine):
    __doc__ = "Laplacian support vector regression as a classifier.\n\n    " + _LapSVRMachine.__doc__.replace(
        "    tol :", BALANCE_PARAMETER + "    tol :"
    )

    _parameter_constraints = {**_LapSVRMachine._parameter_constraints, **BALANCE_CONSTRAINTS}

    def __init__(
        self,
        C=10.0,
        mu=1.0,
        epsilon=0.1,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        graph=None,
        basis=None,
        balance=None,
        tol=1e-7,
        memory=None,
        random_state=None,
    ):
        super().__init__(C, mu, epsilon, kernel, gamma, degree, coef0, graph, basis, tol, memory, random_state)
        self.balance = balance


class LapSVRRegressor(SemiSupervisedRegressor, _LapSVRMachine):
    __doc__ = "Laplacian support vector regression.\n\n    " + _LapSVRMachine.__doc__
