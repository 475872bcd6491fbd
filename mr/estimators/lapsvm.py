"""Laplacian support vector machine (belkin2006, section 4.4)."""

from numbers import Real

from mr._sklearn import Interval, StrOptions
from mr.estimators._balance import BALANCE_CONSTRAINTS, BalancedClassifier
from mr.estimators._base import NORM_CONSTRAINTS
from mr.estimators._classwise import CLASSWISE_CONSTRAINTS, ClasswiseMixin
from mr.estimators._manifold import ManifoldMachine
from mr.solvers.svm import SOLVERS, solve_svc


class LapSVM(ClasswiseMixin, BalancedClassifier, ManifoldMachine):
    """Laplacian support vector machine.

    min 1/l sum_i max(0, 1 - y_i (f(x_i) + b)) + gamma_A ||f||^2 + gamma_I / n^2 f'Lf over the RKHS, with an unpenalised
    bias b (belkin2006, section 4.4). That is a support vector classifier with C = 1 / (2 gamma_A l) on the labelled
    block of the deformed kernel K~ = K (I + r L K)^-1, r = gamma_I / (gamma_A n^2): one n x n factorisation for all
    classes, then one quadratic program in l variables per class. ``fit_intercept=False`` is the machine with b = 0.

    The bias stays out of f'Lf. A Laplacian D - W does not see constants, so there f + b is as smooth as f; a normalised
    one does, and with few labels and a strong intrinsic weight the bias then moves against the graph. In that regime
    prefer ``KNNGraph(laplacian="unnormalized")``, or ``balance="class-mass"``.

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
    class_gamma_I : None or array of one weight per class, in the order of ``classes_``, default=None
        Class-wise regularisation (belkin2006, section 6.2) in place of ``gamma_I``: f is smooth along the labelled
        points of each class, on a graph of their own; unlabelled points carry no smoothness. For fully labelled data.
    balance : None or "class-mass", default=None
        Rescale decision values to the labelled class proportions; the rule is in ``mr.estimators._balance``.
    solver : {"smo", "libsvm", "osqp"}, default="smo"
        Of the quadratic program with a bias. All find the same optimum; "smo" (ours) is fast and works in double
        precision, "libsvm" is scikit-learn's, "osqp" a general solver.
    tol : float, default=1e-7
        Relative duality gap at which the solver stops.
    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph across fits.
    random_state : int, RandomState or None, default=None
        Draws the basis.
    fit_intercept : bool, default=True
        False puts b = 0. The quadratic program then has bounds only and a solver of its own; ``solver`` stays "smo".

    Attributes
    ----------
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    dual_gap_ : relative duality gap reached (the largest over the one-versus-rest problems)
    transduction_ : predictions for the training rows
    graph_ : the fitted graph
    """

    _parameter_constraints = {
        **ManifoldMachine._parameter_constraints,
        **NORM_CONSTRAINTS,
        **CLASSWISE_CONSTRAINTS,
        **BALANCE_CONSTRAINTS,
        "solver": [StrOptions(set(SOLVERS))],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
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
        class_gamma_I=None,
        balance=None,
        solver="smo",
        tol=1e-7,
        memory=None,
        random_state=None,
        fit_intercept=True,
    ):
        self.gamma_A = gamma_A
        self.gamma_I = gamma_I
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.basis = basis
        self.class_gamma_I = class_gamma_I
        self.balance = balance
        self.solver = solver
        self.tol = tol
        self.memory = memory
        self.random_state = random_state
        self.fit_intercept = fit_intercept

    def _ratio(self, n):
        return self._intrinsic_weight / (self.gamma_A * n**2)

    def _solve_deformed(self, K_labelled, targets):
        C = 1.0 / (2.0 * self.gamma_A * len(targets))
        solution = solve_svc(K_labelled, targets, C, self.solver, self.tol, self.fit_intercept)
        self.dual_gap_ = float(solution.gaps.max())
        return solution.coefficients, solution.intercepts
