"""Laplacian support vector machine (belkin2006, section 4.4)."""

from collections.abc import Callable
from numbers import Real

from mr._sklearn import Interval, StrOptions
from mr.estimators._balance import BALANCE_CONSTRAINTS, BalancedClassifier
from mr.estimators._base import CLASS_WEIGHT_CONSTRAINTS, WeightedClassifier
from mr.estimators._classwise import CLASSWISE_CONSTRAINTS, ClasswiseMixin
from mr.estimators._manifold import (
    INTERCEPT_CONSTRAINTS,
    KERNEL_PARAMETERS,
    STRENGTH_ATTRIBUTES,
    STRENGTH_CONSTRAINTS,
    STRENGTH_PARAMETERS,
    VERBOSE_PARAMETER,
    ManifoldMachine,
    NormWeights,
)
from mr.estimators.laprls import CLASSIFIER_PARAMETERS, REFERENCES
from mr.solvers.graph_weight import LARGEST_HINGE_RIDGE
from mr.solvers.svm import SOLVERS, solve_svc


class LapSVM(ClasswiseMixin, BalancedClassifier, WeightedClassifier, NormWeights, ManifoldMachine):
    __doc__ = f"""Laplacian support vector machine.

    min 1/l sum_i max(0, 1 - y_i (f(x_i) + b)) + gamma_A ||f||^2 + gamma_I / n^2 f'Lf over the RKHS (belkin2006, section
    4.4), with b = 0 or, by ``fit_intercept=True``, an unpenalised bias b as the paper prints it. That is a support
    vector classifier with C = 1 / (2 gamma_A l) on the labelled block of the deformed kernel K~ = K (I + r L K)^-1,
    r = gamma_I / (gamma_A n^2): one n x n factorisation for all classes, then one quadratic program in l variables per
    class.

    By default both weights are those that exact leave-one-out chooses for least squares (:class:`LapRLS`), with a ridge
    of at most 0.3 times the mean of k~(x, x): beyond, all coefficients would be at their bounds. A number for
    ``gamma_I`` is the paper's convention, whose effect vanishes as n grows; a number for ``graph_weight`` means the
    same for every n and graph.

    The bias stays out of f'Lf. A Laplacian D - W does not see constants, so there f + b is as smooth as f; a normalised
    one does, and with few labels and a strong intrinsic weight the bias then moves against the graph. So a bias for
    every machine is worse than none (on eight data sets with few labels: mean error 20.0 % against 18.4 %), and by
    default leave-one-out decides.

    Parameters
    ----------
{STRENGTH_PARAMETERS}{KERNEL_PARAMETERS}{CLASSIFIER_PARAMETERS}    solver : {{"smo", "libsvm", "osqp"}}, default="smo"
        Of the quadratic program. All find the same optimum; "smo" (ours) is fast and works in double precision,
        "libsvm" is scikit-learn's and needs ``fit_intercept=True``, "osqp" is a general solver.
    tol : float, default=1e-7
        Relative duality gap at which the solver stops.
    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph across fits.
    random_state : int, RandomState or None, default=None
        Draws the basis.
    fit_intercept : "auto" or bool, default="auto"
        Whether to fit an unpenalised bias b. "auto" chooses it together with the weights, and has none where both
        weights are given (but for solver="libsvm", which cannot do without).
{VERBOSE_PARAMETER}
    Attributes
    ----------
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    dual_gap_ : relative duality gap reached (the largest over the one-versus-rest problems)
    transduction_ : predictions for the training rows
    graph_ : the fitted graph
{STRENGTH_ATTRIBUTES}
    See Also
    --------
    LapRLS : the same with the squared loss.
    PrimalLapSVM : the squared hinge loss, trained in the primal.
    mr.paths.LapSVMPath : whole grids of weights, labels and folds from one factorisation.

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
    >>> mr.LapSVM().fit(X, y).score(X, truth) > 0.95
    True
    """

    _parameter_constraints = {
        **ManifoldMachine._parameter_constraints,
        **STRENGTH_CONSTRAINTS,
        **CLASSWISE_CONSTRAINTS,
        **BALANCE_CONSTRAINTS,
        **CLASS_WEIGHT_CONSTRAINTS,
        "solver": [StrOptions(set(SOLVERS))],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        **INTERCEPT_CONSTRAINTS,
    }

    def __init__(
        self,
        gamma_A: float | str = "auto",
        gamma_I=None,
        graph_weight: float | str = "auto",
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        basis=None,
        class_gamma_I=None,
        balance=None,
        class_weight=None,
        solver="smo",
        tol=1e-7,
        memory=None,
        random_state=None,
        fit_intercept: bool | str = "auto",
        verbose=0,
    ):
        self.gamma_A = gamma_A
        self.gamma_I = gamma_I
        self.graph_weight = graph_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.basis = basis
        self.class_gamma_I = class_gamma_I
        self.balance = balance
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.memory = memory
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.verbose = verbose

    _largest_ridge = LARGEST_HINGE_RIDGE

    @property
    def _has_intercept(self):
        return True if self.fit_intercept == "auto" and self.solver == "libsvm" else super()._has_intercept

    def _solve_deformed(self, K_labelled, targets, ridge, weights):
        C = 1.0 / (2.0 * ridge)
        solution = solve_svc(K_labelled, targets, C, self.solver, self.tol, self.fit_intercept_, weights)
        self.dual_gap_ = float(solution.gaps.max())
        return solution.coefficients, solution.intercepts
