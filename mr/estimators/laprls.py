"""Laplacian regularised least squares (belkin2006, section 4.2)."""

from mr.estimators._balance import BALANCE_CONSTRAINTS, BalancedClassifier
from mr.estimators._base import NORM_CONSTRAINTS, SemiSupervisedRegressor
from mr.estimators._classwise import CLASSWISE_CONSTRAINTS, ClasswiseMixin
from mr.estimators._manifold import ManifoldMachine
from mr.kernels import multiply
from mr.solvers.rls import solve_lap_rls, solve_rls, solve_rls_with_intercept

CLASSIFIER_PARAMETERS = """\
    class_gamma_I : None or array of one weight per class, in the order of ``classes_``, default=None
        Class-wise regularisation (belkin2006, section 6.2) in place of ``gamma_I``: f is smooth along the labelled
        points of each class, on a graph of their own; unlabelled points carry no smoothness. For fully labelled data.
    balance : None or "class-mass", default=None
        Rescale decision values to the labelled class proportions; the rule is in ``mr.estimators._balance``.
"""


class _LapRLSMachine(ManifoldMachine):
    """min 1/l sum_i (y_i - f(x_i))^2 + gamma_A ||f||^2 + gamma_I / n^2 f'Lf over the RKHS, belkin2006 equation 6.

    The solution expands over labelled and unlabelled points (equation 8) and predicts new ones. All classes share one
    factorisation.

    Parameters
    ----------
    gamma_A : float > 0, default=1e-2
        Weight of the ambient norm ||f||^2. In the unscaled convention of some papers, a = gamma_A l.
    gamma_I : float >= 0, default=1.0
        Weight of the intrinsic norm f'Lf / n^2; b = gamma_I l / n^2 in the unscaled convention.
    kernel : {"rbf", "linear", "poly", "cosine"}, default="rbf"
    gamma : float, "scale" or "mean", default="scale"
        Kernel coefficient; "mean" is chen2012's n^2 / sum_ij ||x_i - x_j||^2.
    degree, coef0 : float, default=3 and 0
        Of the polynomial kernel.
    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix, default=None
        None is ``KNNGraph()``.
    basis : None, int or array of points, default=None
        Expand over these points only (an int draws that many rows): O(n r^2) time, O(n r) memory.
    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph across fits.
    random_state : int, RandomState or None, default=None
        Draws the basis.
    fit_intercept : bool, default=False
        Add an unpenalised constant b to f, in the loss only: min 1/l sum_i (y_i - f(x_i) - b)^2 + ... The coefficients
        of the deformed kernel then sum to zero, as in the SVM. belkin2006 has no constant here.

    Attributes
    ----------
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    transduction_ : predictions for the training rows
    graph_ : the fitted graph
    """

    _parameter_constraints = {
        **ManifoldMachine._parameter_constraints,
        **NORM_CONSTRAINTS,
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        gamma_A=1e-2,
        gamma_I=1.0,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        graph=None,
        basis=None,
        memory=None,
        random_state=None,
        fit_intercept=False,
    ):
        self.gamma_A = gamma_A
        self.gamma_I = gamma_I
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.basis = basis
        self.memory = memory
        self.random_state = random_state
        self.fit_intercept = fit_intercept

    @property
    def _intrinsic_weight(self):
        return self.gamma_I

    def _ratio(self, n):
        return self._intrinsic_weight / (self.gamma_A * n**2)

    def _solve_deformed(self, K_labelled, targets):
        ridge = self.gamma_A * len(targets)
        if self.fit_intercept:
            return solve_rls_with_intercept(K_labelled, targets, ridge)
        return solve_rls(K_labelled, targets, ridge), 0.0

    def _fit_full(self, X, rows, targets, graph, kernel):
        if self.fit_intercept:
            return super()._fit_full(X, rows, targets, graph, kernel)
        # One LU of the whole system costs what deforming the kernel alone would, whatever the number of labels.
        K = kernel(X)
        l, n = len(rows), len(K)
        smoothness = self._intrinsic_weight * l / n**2
        coefficients = solve_lap_rls(K, graph, rows, targets, self.gamma_A * l, smoothness)
        self._keep_expansion(kernel, X, coefficients, 0.0)
        return multiply(K, coefficients)


class LapRLS(ClasswiseMixin, BalancedClassifier, _LapRLSMachine):
    __doc__ = "Laplacian regularised least squares classifier.\n\n    " + _LapRLSMachine.__doc__.replace(
        "    random_state :", CLASSIFIER_PARAMETERS + "    random_state :"
    )

    _parameter_constraints = {
        **_LapRLSMachine._parameter_constraints,
        **CLASSWISE_CONSTRAINTS,
        **BALANCE_CONSTRAINTS,
    }

    def __init__(
        self,
        gamma_A=1e-2,
        gamma_I=1.0,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        graph=None,
        basis=None,
        class_gamma_I=None,
        balance=None,
        memory=None,
        random_state=None,
        fit_intercept=False,
    ):
        super().__init__(
            gamma_A, gamma_I, kernel, gamma, degree, coef0, graph, basis, memory, random_state, fit_intercept
        )
        self.class_gamma_I = class_gamma_I
        self.balance = balance


class LapRLSRegressor(SemiSupervisedRegressor, _LapRLSMachine):
    __doc__ = "Laplacian regularised least squares regression.\n\n    " + _LapRLSMachine.__doc__
