"""Laplacian support vector machine trained in the primal (Melacci and Belkin 2011)."""

import warnings
from collections.abc import Callable
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mr._sklearn import Interval, StrOptions
from mr.estimators._balance import BALANCE_CONSTRAINTS, BalancedClassifier
from mr.estimators._manifold import (
    KERNEL_PARAMETERS,
    STRENGTH_ATTRIBUTES,
    STRENGTH_CONSTRAINTS,
    STRENGTH_PARAMETERS,
    VERBOSE_PARAMETER,
    ManifoldMachine,
    NormWeights,
)
from mr.kernels import FullGram
from mr.solvers.squared_hinge import solve_newton, solve_pcg


class SingleGram:
    """A Gram matrix in single precision: half the memory, products in double precision to seven digits."""

    factor = None

    def __init__(self, kernel, X, block=2048):
        n = X.shape[0]
        self.points = X
        self.values = np.empty((n, n), dtype=np.float32)
        for first in range(0, n, block):
            self.values[first : first + block] = kernel(X[first : first + block], X)

    @property
    def K(self):
        """Itself: what products are taken with."""
        return self

    def __len__(self):
        return len(self.values)

    def __matmul__(self, v):
        return (self.values @ np.asarray(v, dtype=np.float32)).astype(float)


class PrimalLapSVM(BalancedClassifier, NormWeights, ManifoldMachine):
    __doc__ = f"""Laplacian SVM with squared hinge loss, trained in the primal.

    Later papers' tables call it PLapSVM or LapSVMp.

    min 1/l sum_i max(0, 1 - y_i (f(x_i) + b))^2 + gamma_A ||f||^2 + gamma_I / n^2 f'Lf over the RKHS.

    "newton" is exact: one n x n factorisation for all classes, then Newton steps on the labelled points. "pcg" runs
    conjugate gradient on the n coefficients, preconditioned by the kernel, O(n^2) an iteration, and by default stops
    early, when the decisions on unlabelled points have settled.

    Parameters
    ----------
{STRENGTH_PARAMETERS}{KERNEL_PARAMETERS}        With solver "newton" only.
    balance : None or "class-mass", default=None
        Rescale decision values to the labelled class proportions; the rule is in ``mr.estimators._balance``.
    solver : {{"newton", "pcg"}}, default="newton"
    fit_intercept : bool, default=False
        Whether to fit an unpenalised bias b. It does not enter f'Lf.
    stop : {{"stability", "gradient"}}, default="stability"
        Rule of "pcg": less than ``stability_tol`` of the unlabelled decisions changed since the last check, or the
        gradient's RKHS norm fell below ``tol`` times its first value (which ends the first rule too).
    tol, stability_tol : float, default=1e-8 and 0.015
    check_every : None or int, default=None
        Iterations between stability checks; None is round(sqrt(n) / 2).
    max_iter : int, default=1000
    precision : {{"double", "single"}}, default="double"
        Of the Gram matrix that "pcg" keeps. "single" halves its memory, to 4 n^2 bytes; products with it have seven
        digits, more than early stopping asks for.
    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph across fits.
    random_state : int, RandomState or None, default=None
        Draws the basis.
{VERBOSE_PARAMETER}
    Attributes
    ----------
    dual_coef_, points_, intercept_ : expansion of the fitted functions
    n_iter_ : array, iterations of each one-versus-rest problem (one for two classes)
    gradient_norm_ : array, RKHS norm of the final gradient relative to the first
    stop_reason_ : list, "optimal", "stability", "gradient" or "max_iter"
    transduction_ : predictions for the training rows
    graph_ : the fitted graph
{STRENGTH_ATTRIBUTES}
    See Also
    --------
    LapSVM : the hinge loss itself, solved in the dual.

    References
    ----------
    S. Melacci, M. Belkin (2011). Laplacian support vector machines trained in the primal. JMLR 12.

    Examples
    --------
    >>> import mr
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(200, noise=0.05, random_state=0)
    >>> y = truth.copy()
    >>> y[10:] = -1  # ten labels
    >>> mr.PrimalLapSVM().fit(X, y).score(X, truth) > 0.95
    True
    """

    _parameter_constraints = {
        **ManifoldMachine._parameter_constraints,
        **STRENGTH_CONSTRAINTS,
        **BALANCE_CONSTRAINTS,
        "solver": [StrOptions({"newton", "pcg"})],
        "fit_intercept": ["boolean"],
        "stop": [StrOptions({"stability", "gradient"})],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "stability_tol": [Interval(Real, 0.0, 1.0, closed="both")],
        "check_every": [None, Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "precision": [StrOptions({"double", "single"})],
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
        balance=None,
        solver="newton",
        fit_intercept=False,
        stop="stability",
        tol=1e-8,
        stability_tol=0.015,
        check_every=None,
        max_iter=1000,
        precision="double",
        memory=None,
        random_state=None,
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
        self.balance = balance
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.stop = stop
        self.tol = tol
        self.stability_tol = stability_tol
        self.check_every = check_every
        self.max_iter = max_iter
        self.precision = precision
        self.memory = memory
        self.random_state = random_state
        self.verbose = verbose

    def _gram(self, kernel, X):
        if self.solver == "newton":
            return super()._gram(kernel, X)
        if self.basis is not None:
            raise ValueError('basis needs solver="newton"; conjugate gradient works on all n coefficients.')
        return FullGram(kernel, X) if self.precision == "double" else SingleGram(kernel, X)

    def _solve_deformed(self, K_labelled, targets, ridge, weights):
        return self._report(solve_newton(K_labelled, targets, ridge, self.fit_intercept, self.max_iter))

    def _fit_in(self, gram, graph, rows, targets, strengths, weights):
        if self.solver == "newton":
            return super()._fit_in(gram, graph, rows, targets, strengths, weights)
        solution = solve_pcg(
            gram.K,
            graph,
            rows,
            targets,
            ridge=strengths.ridge,
            smoothness=strengths.smoothness,
            fit_intercept=self.fit_intercept,
            stop=self.stop,
            tol=self.tol,
            stability_tol=self.stability_tol,
            check_every=self.check_every,
            max_iter=self.max_iter,
        )
        coefficients, intercepts = self._report(solution)
        return coefficients, gram.K @ coefficients, intercepts

    def _warn_if_inert(self, *fit):
        if self.solver == "newton":  # the comparison costs conjugate gradient as much as the fit
            super()._warn_if_inert(*fit)

    def _report(self, solution):
        self.n_iter_ = solution.n_iter
        self.gradient_norm_ = solution.gradient_norms
        self.stop_reason_ = solution.stop_reasons
        if "max_iter" in solution.stop_reasons:
            warnings.warn(
                f"{self.solver} stopped after max_iter={self.max_iter} iterations at a relative gradient norm of "
                f"{np.max(solution.gradient_norms):.1e}.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return solution.coefficients, solution.intercepts
