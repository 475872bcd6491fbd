"""Transductive support vector machine (Joachims 1999)."""

from collections.abc import Callable
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import KERNEL_CONSTRAINTS, KernelMachine, SemiSupervisedClassifier
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.estimators._words import as_numbers
from mr.solvers.class_share import unlabelled_shares
from mr.solvers.tsvm import solve_tsvm


class TSVM(SemiSupervisedClassifier, KernelMachine):
    """Transductive support vector machine by label switching.

    min over f, b and labels y_j of the unlabelled points:

        1/2 ||f||^2 + C sum_labelled max(0, 1 - y_i (f_i + b)) + C_u sum_unlabelled max(0, 1 - y_j (f_j + b)),

    with a fixed number of positive unlabelled points; C = 1 / (2 gamma_A l) as in SVM, C_u = unlabelled_weight C. The
    problem is not convex: the search of Joachims (1999) is deterministic and ends in a local optimum. Several classes
    are one-versus-rest. It needs the n x n Gram matrix, which all classes share.

    Parameters
    ----------
    gamma_A : float > 0, default=1e-2
        Weight of the ambient norm.
    unlabelled_weight : float >= 0, default=1.0
        Loss of an unlabelled point relative to a labelled one (Joachims' C* / C); 0 is the SVM.
    positive_fraction : "auto", "labels", None, or array of one fraction per class, default="auto"
        Share of each class among the unlabelled points (a single number: that of the second of two classes). "labels"
        takes the shares among the labels, as Joachims (1999) does, and so does None. "auto" takes them too, unless the
        points show that labels were not drawn in proportion (2 labels of one class against 100 of another as large);
        then they are estimated from decision values of least squares with equal weights of the classes: what classes
        with 20 labels and more leave is for the others (:mod:`mr.solvers.class_share`).
    kernel : {"rbf", "linear", "poly", "cosine"}, default="rbf"
        Kernel function.
    gamma : float, "scale" or "mean", default="scale"
        Kernel coefficient; "mean" is chen2012's n^2 / sum_ij ||x_i - x_j||^2.
    degree, coef0 : float, default=3 and 0
        Of the polynomial kernel.
    tol : float, default=1e-6
        Largest violation of the optimality conditions of the last quadratic program.
    max_iter : int, default=1000
        Largest number of quadratic programs per class, after which no more labels are exchanged. A search needs about
        20, and one more for each round of exchanges.
    verbose : int, default=0
        Print the progress of every search.

    Attributes
    ----------
    classes_ : array (n_classes,)
    points_ : array or sparse matrix (n, d)
        Points of the expansion: all training points.
    dual_coef_ : array (n, k)
        Coefficients of the expansion; one column for two classes.
    intercept_ : array (k,)
    positive_fraction_ : list of k numbers
        Share of positive points among the unlabelled ones that each search was given; None is that among the labels.
    solutions_ : list of TransductiveSolution
        One for each column: objective, relative duality gap, labels, numbers of exchanges and programs.
    n_iter_ : int
        Largest number of quadratic programs over the columns.
    transduction_ : array (n,)
        Predictions for the training rows.

    See Also
    --------
    SVM : labelled points only.
    LapSVM : unlabelled points through a graph.
    mr.paths.TSVMPath : many weights and labels on the same points.

    References
    ----------
    Joachims (1999), Transductive inference for text classification using support vector machines, ICML.

    Examples
    --------
    >>> import numpy as np, mr
    >>> rng = np.random.default_rng(0)
    >>> classes = np.arange(100) % 2
    >>> X = rng.normal(size=(100, 2)) + 4.0 * classes[:, None]
    >>> y = np.full(100, -1)
    >>> y[:2] = 0, 1
    >>> model = mr.TSVM(gamma=0.1).fit(X, y)
    >>> float(np.mean(model.transduction_ == classes)) > 0.95
    True
    >>> model.solutions_[0].gap < 1e-6
    True
    """

    _parameter_constraints = {
        "gamma_A": [Interval(Real, 0.0, None, closed="neither")],
        "unlabelled_weight": [Interval(Real, 0.0, None, closed="left")],
        "positive_fraction": [
            None,
            StrOptions({"auto", "labels"}),
            Interval(Real, 0.0, 1.0, closed="both"),
            "array-like",
        ],
        **KERNEL_CONSTRAINTS,
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        **VERBOSE_CONSTRAINTS,
    }

    def __init__(
        self,
        gamma_A=1e-2,
        unlabelled_weight=1.0,
        positive_fraction: ArrayLike | str | None = "auto",
        kernel: str | Callable = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0=0.0,
        tol=1e-6,
        max_iter=1000,
        verbose=0,
    ):
        self.gamma_A = gamma_A
        self.unlabelled_weight = unlabelled_weight
        self.positive_fraction = positive_fraction
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def _fit_functions(self, X, rows, targets):
        kernel = self._make_kernel(X)
        K = kernel(X)
        C = 1.0 / (2.0 * self.gamma_A * len(rows))
        self.positive_fraction_, report = positive_fractions(self.positive_fraction, K, rows, targets), reporter(self)
        self.solutions_ = []
        for number, (column, fraction) in enumerate(zip(targets.T, self.positive_fraction_, strict=True), start=1):
            report(f"problem {number} of {targets.shape[1]}")
            self.solutions_.append(
                solve_tsvm(
                    K, rows, column, C, self.unlabelled_weight * C, fraction,
                    tol=self.tol, max_iter=self.max_iter, report=report,
                )
            )  # fmt: skip
        self.n_iter_ = max(solution.n_solves for solution in self.solutions_)
        coefficients = np.column_stack([solution.coefficients for solution in self.solutions_])
        self._keep_expansion(kernel, X, coefficients, [solution.intercept for solution in self.solutions_])
        return np.column_stack([solution.values for solution in self.solutions_])


def positive_fractions(positive_fraction, K, rows, targets) -> list:
    """Share of positive points in each one-versus-rest problem, None for that among the labels.

    Two classes are one problem, that of the second.
    """
    n_columns = targets.shape[1]
    if isinstance(positive_fraction, str) and positive_fraction == "auto":
        return unlabelled_shares(K, rows, targets)
    if positive_fraction is None or isinstance(positive_fraction, str):
        return [None] * n_columns
    fractions = np.atleast_1d(as_numbers("positive_fraction", positive_fraction))
    if n_columns == 1 and len(fractions) == 2:
        fractions = fractions[1:]
    if fractions.shape != (n_columns,):
        raise ValueError(
            f"positive_fraction must hold one number for each of the {max(n_columns, 2)} classes; got "
            f"{len(fractions)} in {fractions.ndim} dimensions."
        )
    return fractions.tolist()
