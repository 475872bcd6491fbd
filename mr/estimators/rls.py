"""Regularised least squares on the labelled points: the supervised baseline."""

from collections.abc import Callable
from numbers import Real

from sklearn.base import is_classifier

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import (
    CLASS_WEIGHT_CONSTRAINTS,
    KERNEL_CONSTRAINTS,
    KernelMachine,
    WeightedClassifier,
    WeightedRegressor,
)
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.solvers.graph_weight import choose_ridge
from mr.solvers.rls import solve_rls

PARAMETERS = """\
    gamma_A : "auto" or float > 0, default="auto"
        Weight of the ambient norm. "auto" takes the one of 0.1, 0.3 and 1 times the mean of k(x, x), divided by l,
        that predicts left-out labels best.
    kernel : {"rbf", "linear", "poly", "cosine", "precomputed"} or function, default="rbf"
        A function k(A, B) returns the Gram block of the rows of two matrices. With "precomputed", X is the n x n Gram
        matrix (at ``predict``: kernel values with all training points).
    gamma : float, "scale" or "mean", default="scale"
        Kernel coefficient; "mean" is chen2012's n^2 / sum_ij ||x_i - x_j||^2. The two rules see all rows of X.
    degree, coef0 : float, default=3 and 0
        Of the polynomial kernel.
"""
CLASS_WEIGHT_PARAMETER = """\
    class_weight : None, dict or "balanced", default=None
        Weights of the classes in the loss, as in scikit-learn.
"""
VERBOSE_PARAMETER = """\
    verbose : int, default=0
        1 tells what is done, a line per step.
"""
AMBIENT_CONSTRAINTS = {"gamma_A": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="neither")]}


class _RLSMachine(KernelMachine):
    """The machine behind classifier and regressor."""

    _parameter_constraints = {**AMBIENT_CONSTRAINTS, **KERNEL_CONSTRAINTS, **VERBOSE_CONSTRAINTS}

    def __init__(
        self,
        gamma_A: float | str = "auto",
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        verbose=0,
    ):
        self.gamma_A = gamma_A
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.verbose = verbose

    def _fit_functions(self, X, rows, targets, weights=None):
        kernel, points = self._kernel_and_points(X)
        block, l, report = kernel(points[rows]), len(rows), reporter(self)
        report(f"{l} labels" + (": choosing the ridge by leave-one-out" if self.gamma_A == "auto" else ""))
        auto = self.gamma_A == "auto"
        ridge = choose_ridge(block, targets, weights, is_classifier(self)) if auto else self.gamma_A * l
        self.gamma_A_ = ridge / l
        report(f"gamma_A {self.gamma_A_:.3g}: solving, then values at {X.shape[0]} points")
        coefficients = solve_rls(block, targets, ridge if weights is None else ridge / weights)
        self._keep_expansion(kernel, points[rows], coefficients, 0.0)
        return self._expand(X)


class RLS(WeightedClassifier, _RLSMachine):
    __doc__ = f"""Regularised least squares classifier.

    min 1/l sum_i (y_i - f(x_i))^2 + gamma_A ||f||^2, that is (K_ll + gamma_A l I) alpha = y. Unlabelled points are
    ignored. No bias, as in belkin2006.

    Parameters
    ----------
{PARAMETERS}{CLASS_WEIGHT_PARAMETER}{VERBOSE_PARAMETER}
    Attributes
    ----------
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    gamma_A_ : the weight used
    transduction_ : predictions for the training rows

    See Also
    --------
    LapRLS : the same with a graph.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.

    Examples
    --------
    >>> import mr
    >>> mr.RLS().fit([[0.0], [0.2], [1.0], [1.1]], [0, -1, 1, -1]).transduction_
    array([0, 0, 1, 1])
    """

    _parameter_constraints = {**_RLSMachine._parameter_constraints, **CLASS_WEIGHT_CONSTRAINTS}

    def __init__(
        self,
        gamma_A: float | str = "auto",
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        class_weight=None,
        verbose=0,
    ):
        super().__init__(gamma_A, kernel, gamma, degree, coef0, verbose)
        self.class_weight = class_weight


class RLSRegressor(WeightedRegressor, _RLSMachine):
    __doc__ = f"""Regularised least squares regression (kernel ridge).

    min 1/l sum_i (y_i - f(x_i))^2 + gamma_A ||f||^2, that is (K_ll + gamma_A l I) alpha = y. Unlabelled points, whose
    target is NaN, are ignored.

    Parameters
    ----------
{PARAMETERS}{VERBOSE_PARAMETER}
    Attributes
    ----------
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    gamma_A_ : the weight used
    transduction_ : predictions for the training rows

    See Also
    --------
    LapRLSRegressor : the same with a graph.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.

    Examples
    --------
    >>> import numpy as np, mr
    >>> mr.RLSRegressor(gamma_A=1e-6).fit([[0.0], [1.0], [2.0]], [0.0, np.nan, 2.0]).predict([[2.0]]).round(2)
    array([2.])
    """
