"""Support vector machine on the labelled points: the supervised baseline."""

from collections.abc import Callable
from numbers import Real

from mr._sklearn import Interval
from mr.estimators._base import CLASS_WEIGHT_CONSTRAINTS, KERNEL_CONSTRAINTS, KernelMachine, WeightedClassifier
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.estimators.rls import AMBIENT_CONSTRAINTS, CLASS_WEIGHT_PARAMETER, PARAMETERS, VERBOSE_PARAMETER
from mr.solvers.graph_weight import LARGEST_HINGE_RIDGE, choose_ridge
from mr.solvers.svm import solve_svc


class SVM(WeightedClassifier, KernelMachine):
    __doc__ = f"""Support vector classifier that ignores unlabelled points.

    min 1/l sum_i max(0, 1 - y_i f(x_i)) + gamma_A ||f||^2 with an unpenalised bias: scikit-learn's SVC with
    C = 1 / (2 gamma_A l), one-versus-rest. gamma_A="auto" is the choice of the least squares machine with a
    bias, at most 0.3 times the mean of k(x, x), divided by l.

    Parameters
    ----------
{PARAMETERS}    tol : float, default=1e-7
        Relative duality gap at which the solver stops.
{CLASS_WEIGHT_PARAMETER}{VERBOSE_PARAMETER}
    Attributes
    ----------
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    dual_gap_ : relative duality gap reached (the largest over the one-versus-rest problems)
    gamma_A_ : the weight used
    transduction_ : predictions for the training rows

    See Also
    --------
    LapSVM : the same with a graph.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.

    Examples
    --------
    >>> import mr
    >>> mr.SVM().fit([[0.0], [0.2], [1.0], [1.1]], [0, -1, 1, -1]).transduction_
    array([0, 0, 1, 1])
    """

    _parameter_constraints = {
        **AMBIENT_CONSTRAINTS,
        **KERNEL_CONSTRAINTS,
        **CLASS_WEIGHT_CONSTRAINTS,
        **VERBOSE_CONSTRAINTS,
        "tol": [Interval(Real, 0.0, None, closed="neither")],
    }

    def __init__(
        self,
        gamma_A: float | str = "auto",
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        tol=1e-7,
        class_weight=None,
        verbose=0,
    ):
        self.gamma_A = gamma_A
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.class_weight = class_weight
        self.verbose = verbose

    def _fit_functions(self, X, rows, targets, weights=None):
        kernel, points = self._kernel_and_points(X)
        block, l, report = kernel(points[rows]), len(rows), reporter(self)
        report(f"{l} labels" + (": choosing the ridge by leave-one-out" if self.gamma_A == "auto" else ""))
        chosen = {"intercept": True, "largest": LARGEST_HINGE_RIDGE}
        ridge = choose_ridge(block, targets, weights, **chosen) if self.gamma_A == "auto" else self.gamma_A * l
        self.gamma_A_ = ridge / l
        report(f"gamma_A {self.gamma_A_:.3g}: {targets.shape[1]} machines")
        solution = solve_svc(block, targets, 1.0 / (2.0 * ridge), tol=self.tol, weights=weights)
        self.dual_gap_ = float(solution.gaps.max())
        report(f"relative duality gap {self.dual_gap_:.1e}: values at {X.shape[0]} points")
        self._keep_expansion(kernel, points[rows], solution.coefficients, solution.intercepts)
        return self._expand(X)
