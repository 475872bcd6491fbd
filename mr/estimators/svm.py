"""Support vector machine on the labelled points: the supervised baseline."""

from numbers import Real

from mr._sklearn import Interval
from mr.estimators._base import KERNEL_CONSTRAINTS, KernelMachine, SemiSupervisedClassifier
from mr.solvers.svm import solve_svc


class SVM(SemiSupervisedClassifier, KernelMachine):
    """Support vector classifier that ignores unlabelled points.

    min 1/l sum_i max(0, 1 - y_i f(x_i)) + gamma_A ||f||^2 with an unpenalised bias: scikit-learn's SVC with
    C = 1 / (2 gamma_A l), one-versus-rest.

    Parameters
    ----------
    gamma_A : float > 0
        Weight of the ambient norm.
    kernel : {"rbf", "linear", "poly", "cosine"}
    gamma : float, "scale" or "mean"
        Kernel coefficient; "mean" is chen2012's n^2 / sum_ij ||x_i - x_j||^2. The two rules see all rows of X.
    degree, coef0 : float
        Of the polynomial kernel.
    tol : float
        Relative duality gap at which the solver stops.

    Attributes
    ----------
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    dual_gap_ : relative duality gap reached (the largest over the one-versus-rest problems)
    transduction_ : predictions for the training rows
    """

    _parameter_constraints = {
        "gamma_A": [Interval(Real, 0.0, None, closed="neither")],
        **KERNEL_CONSTRAINTS,
        "tol": [Interval(Real, 0.0, None, closed="neither")],
    }

    def __init__(self, gamma_A=1e-2, kernel="rbf", gamma="scale", degree=3, coef0=0.0, tol=1e-7):
        self.gamma_A = gamma_A
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol

    def _fit_functions(self, X, rows, targets):
        kernel = self._make_kernel(X)
        solution = solve_svc(kernel(X[rows]), targets, 1.0 / (2.0 * self.gamma_A * len(rows)), tol=self.tol)
        self.dual_gap_ = float(solution.gaps.max())
        self._keep_expansion(kernel, X[rows], solution.coefficients, solution.intercepts)
        return self._expand(X)
