"""Regularised least squares on the labelled points: the supervised baseline."""

from numbers import Real

from mr._sklearn import Interval
from mr.estimators._base import KERNEL_CONSTRAINTS, KernelMachine, SemiSupervisedClassifier, SemiSupervisedRegressor
from mr.solvers.rls import solve_rls


class _RLSMachine(KernelMachine):
    """min 1/l sum_i (y_i - f(x_i))^2 + gamma_A ||f||^2, that is (K_ll + gamma_A l I) alpha = y.

    Unlabelled points are ignored. No bias, as in belkin2006.

    Parameters
    ----------
    gamma_A : float
        Weight of the ambient norm.
    kernel : {"rbf", "linear", "poly", "cosine"}
    gamma : float, "scale" or "mean"
        Kernel coefficient; "mean" is chen2012's n^2 / sum_ij ||x_i - x_j||^2.
    degree, coef0 : float
        Of the polynomial kernel.
    """

    _parameter_constraints = {"gamma_A": [Interval(Real, 0.0, None, closed="neither")], **KERNEL_CONSTRAINTS}

    def __init__(self, gamma_A=1e-2, kernel="rbf", gamma="scale", degree=3, coef0=0.0):
        self.gamma_A = gamma_A
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def _fit_functions(self, X, rows, targets):
        kernel = self._make_kernel(X)
        coefficients = solve_rls(kernel(X[rows]), targets, self.gamma_A * len(rows))
        self._keep_expansion(kernel, X[rows], coefficients, 0.0)
        return self._expand(X)


class RLS(SemiSupervisedClassifier, _RLSMachine):
    __doc__ = "Regularised least squares classifier.\n\n    " + _RLSMachine.__doc__


class RLSRegressor(SemiSupervisedRegressor, _RLSMachine):
    __doc__ = "Regularised least squares regression (kernel ridge).\n\n    " + _RLSMachine.__doc__
