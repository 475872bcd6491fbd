"""Laplacian regularised least squares (belkin2006, section 4.2)."""

from collections.abc import Callable

from mr.estimators._balance import BALANCE_CONSTRAINTS, BalancedClassifier
from mr.estimators._base import CLASS_WEIGHT_CONSTRAINTS, WeightedClassifier, WeightedRegressor
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
from mr.kernels import FullGram, ReducedGram, multiply
from mr.solvers.reduced_cg import solve_reduced_cg
from mr.solvers.rls import solve_lap_rls, solve_rls, solve_rls_with_intercept

WIDE_BASIS = 2000
"""Basis from which given weights are solved for by conjugate gradients. A row costs 4 r^2 operations in R'LR, and in an
iteration two kernel values for each basis point, of about 40 operations each: 30 iterations pay from r = 600."""

PROBLEM = """\
    min 1/l sum_i (y_i - f(x_i))^2 + gamma_A ||f||^2 + gamma_I / n^2 f'Lf over the RKHS, belkin2006 equation 6. The
    solution expands over labelled and unlabelled points (equation 8) and predicts new ones. All classes share one
    factorisation.

    By default both weights are chosen by exact leave-one-out over the labels. A number for ``gamma_I`` is the paper's
    convention, whose effect vanishes as n grows; a number for ``graph_weight`` means the same for every n and graph.
"""
COMMON_PARAMETERS = """\
    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph across fits.
    random_state : int, RandomState or None, default=None
        Draws the basis.
    fit_intercept : "auto" or bool, default="auto"
        Add an unpenalised constant b to f, in the loss only: min 1/l sum_i (y_i - f(x_i) - b)^2 + ... The coefficients
        of the deformed kernel then sum to zero, as in the SVM. belkin2006 has no constant here. "auto" chooses it
        together with the weights, and has none where both weights are given.
"""
CLASSIFIER_PARAMETERS = """\
    class_gamma_I : None or array of one weight per class, in the order of ``classes_``, default=None
        Class-wise regularisation (belkin2006, section 6.2) in place of ``gamma_I``: f is smooth along the labelled
        points of each class, on a graph of their own; unlabelled points carry no smoothness. For fully labelled data.
    balance : None or "class-mass", default=None
        Rescale decision values to the labelled class proportions; the rule is in ``mr.estimators._balance``.
    class_weight : None, dict or "balanced", default=None
        Weights of the classes in the loss, as in scikit-learn: "balanced" gives every class the same total weight.
"""
ATTRIBUTES = """\
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    transduction_ : predictions for the training rows
    graph_ : the fitted graph
"""
REFERENCES = """\
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.
"""


FEW_COLUMNS = 20
"""Up to one label in so many points the labelled columns of the deformed kernel cost less than the whole system."""


class _LapRLSMachine(NormWeights, ManifoldMachine):
    """The machine behind classifier and regressor."""

    _parameter_constraints = {
        **ManifoldMachine._parameter_constraints,
        **STRENGTH_CONSTRAINTS,
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
        self.memory = memory
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.verbose = verbose

    def _solve_deformed(self, K_labelled, targets, ridge, weights):
        ridge = ridge if weights is None else ridge / weights
        if self.fit_intercept_:
            return solve_rls_with_intercept(K_labelled, targets, ridge)
        return solve_rls(K_labelled, targets, ridge), 0.0

    def _fit_in(self, gram, graph, rows, targets, strengths, weights):
        if isinstance(gram, ReducedGram) and self._is_wide(gram, graph):
            features = gram.features
            found = solve_reduced_cg(features, graph, rows, targets, strengths.ridge, strengths.ratio, weights)
            self.residual_, self.n_iter_ = found.residual, found.n_iter
            return multiply(gram.transform, found.weights), features.values(found.weights), 0.0
        few = FEW_COLUMNS * len(rows) <= gram.points.shape[0]
        if self.fit_intercept_ or few or not isinstance(gram, FullGram):
            return super()._fit_in(gram, graph, rows, targets, strengths, weights)
        # One LU of the whole system costs what deforming the kernel alone would, whatever the number of labels.
        coefficients = solve_lap_rls(gram.K, graph, rows, targets, strengths.ridge, strengths.smoothness, weights)
        return coefficients, multiply(gram.K, coefficients), 0.0

    def _is_wide(self, gram, graph):
        """Whether products with R'LR are cheaper than R'LR itself, which no choice of weights has made already."""
        made_anew = gram.factor is None and not gram.features.knows(graph) and graph.power == 1
        return made_anew and gram.features.shape[1] >= WIDE_BASIS and not self.fit_intercept_


class LapRLS(ClasswiseMixin, BalancedClassifier, WeightedClassifier, _LapRLSMachine):
    __doc__ = f"""Laplacian regularised least squares classifier.

{PROBLEM}
    Parameters
    ----------
{STRENGTH_PARAMETERS}{KERNEL_PARAMETERS}{CLASSIFIER_PARAMETERS}{COMMON_PARAMETERS}{VERBOSE_PARAMETER}
    Attributes
    ----------
{ATTRIBUTES}{STRENGTH_ATTRIBUTES}
    See Also
    --------
    LapSVM : the same with the hinge loss.
    mr.paths.LapRLSPath : whole grids of weights, labels and folds from one factorisation.
    mr.model_selection.LapRLSCV : also chooses the graph and the kernel's width.

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
    >>> model = mr.LapRLS().fit(X, y)
    >>> model.score(X, truth) > 0.95
    True
    >>> mr.RLS().fit(X, y).score(X, truth) > 0.95
    False
    """

    _parameter_constraints = {
        **_LapRLSMachine._parameter_constraints,
        **CLASSWISE_CONSTRAINTS,
        **BALANCE_CONSTRAINTS,
        **CLASS_WEIGHT_CONSTRAINTS,
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
        memory=None,
        random_state=None,
        fit_intercept: bool | str = "auto",
        verbose=0,
    ):
        super().__init__(
            gamma_A, gamma_I, graph_weight, kernel, gamma, degree, coef0, graph, basis, memory, random_state,
            fit_intercept, verbose,
        )  # fmt: skip
        self.class_gamma_I = class_gamma_I
        self.balance = balance
        self.class_weight = class_weight


class LapRLSRegressor(WeightedRegressor, _LapRLSMachine):
    __doc__ = f"""Laplacian regularised least squares regression.

{PROBLEM}
    Parameters
    ----------
{STRENGTH_PARAMETERS}{KERNEL_PARAMETERS}{COMMON_PARAMETERS}{VERBOSE_PARAMETER}
    Attributes
    ----------
{ATTRIBUTES}{STRENGTH_ATTRIBUTES}
    See Also
    --------
    RLSRegressor : the same without a graph.
    LapRLSRegressorCV : chooses its parameters.
    LapSVRRegressor : with a tube around the targets.

    References
    ----------
{REFERENCES}
    Examples
    --------
    >>> import numpy as np, mr
    >>> t = np.linspace(0, 1, 100)
    >>> X = np.column_stack([(1 + t) * np.cos(9 * t), (1 + t) * np.sin(9 * t)])  # a spiral
    >>> y = np.where(np.arange(100) % 11 == 0, t, np.nan)  # NaN marks an unlabelled point
    >>> bool(np.abs(mr.LapRLSRegressor().fit(X, y).predict(X) - t).mean() < 0.05)
    True
    """
