"""Sparse models by an l1 penalty on a low-rank kernel, zhang2015's L1-LRK (section V-D)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import KernelMachine, SemiSupervisedClassifier
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.graph.base import LAPLACIANS
from mr.graph.blocks import RowBlocks
from mr.kernels import Kernel
from mr.solvers.l1_low_rank import lasso_form, solve_l1
from mr.solvers.prototypes import kmeans, prototype_graph, resolve_width
from mr.solvers.scale_free import AUTO, is_auto

SMOOTHNESS, SHARE = 1e-2, 3e-3
"""lambda1="auto" is SMOOTHNESS l / n, lambda2="auto" is SHARE of the value that leaves no point in the model."""


class L1LRK(SemiSupervisedClassifier, KernelMachine):
    """Least squares with an l1 penalty on a low-rank kernel: a model of few points (L1-LRK of zhang2015).

        min ||y_l - K_l a||^2 + lambda1 (K a)'S(K a) + lambda2 ||a||_1

    with K replaced by its Nystroem approximation (zhang2015, equation 31); S is the Laplacian of the same approximated
    graph, as in :class:`PVM`. The values a_j multiply the approximated kernel, so new points are predicted through the
    landmarks.

    A baseline to compare with; we do not recommend it: see :mod:`mr.baselines`.

    Numbers given for lambda1 and lambda2 mean what they mean in the paper, which sums over points and labels. "auto"
    takes values that do not depend on n and l in their meaning; they are rules and not a choice by held-out labels,
    which would cost a refit for each.

    Parameters
    ----------
    n_landmarks : int, default=200
        k-means centres of the approximation (at most the number of rows).
    lambda1 : float >= 0 or "auto", default="auto"
        Weight of smoothness over the data; "auto" is 0.01 l / n.
    lambda2 : float > 0 or "auto", default="auto"
        Weight of the l1 norm: the larger, the fewer points in the model. "auto" is 0.003 of the smallest value that
        leaves none.
    gamma : float, "scale", "mean" or "local", default="mean"
        Width of the Gaussian kernel; as in :class:`mr.PVM`.
    laplacian : {"normalized", "unnormalized"}, default="normalized"
        Of the approximated graph.
    tol : float > 0, default=1e-2
        Relative duality gap at which the solver stops. Decisions hardly change much below the default.
    max_iter : int, default=1000
        Working sets that are solved, per function.
    random_state : int, RandomState or None, default=None
        First centres of k-means.
    verbose : int, default=0
        1 tells what is done, a line per step.

    Attributes
    ----------
    lambda1_ : float
        Weight of smoothness that was used.
    lambda2_ : float
        Weight of the l1 norm that was used.
    gamma_ : float
        Width that was used.
    landmarks_ : array (m, d)
        The landmarks.
    coef_ : array (n, k)
        Coefficients a, mostly zeros; one column per function.
    sparsity_ : float
        Share of the points with a non-zero coefficient in any column.
    dual_gap_ : float
        Largest relative duality gap.
    n_iter_ : int
        Working sets that were solved.
    transduction_ : array (n,)
        Predictions for the training rows.
    classes_ : array
        The labels that occur.

    See Also
    --------
    mr.PVM : the model over all landmarks.
    mr.paths.L1LRKPath : the path along lambda2.

    References
    ----------
    .. [1] K. Zhang, L. Lan, J. T. Kwok, S. Vucetic, B. Parvin (2015). Scaling up graph-based semisupervised learning
       via prototype vector machines. IEEE Transactions on Neural Networks and Learning Systems 26(3), section V-D.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=200, seed=0)
    >>> y = np.full(200, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:8]] = c
    >>> model = mr.baselines.L1LRK(n_landmarks=40, random_state=0).fit(data.X, y)
    >>> bool(model.sparsity_ < 0.5), model.predict(data.X).shape
    (True, (200,))
    """

    _parameter_constraints = {
        "n_landmarks": [Interval(Integral, 1, None, closed="left")],
        "lambda1": [StrOptions({AUTO}), Interval(Real, 0.0, None, closed="left")],
        "lambda2": [StrOptions({AUTO}), Interval(Real, 0.0, None, closed="neither")],
        "gamma": [StrOptions({"local", "scale", "mean"}), Interval(Real, 0.0, None, closed="neither")],
        "laplacian": [StrOptions(set(LAPLACIANS))],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        **VERBOSE_CONSTRAINTS,
    }

    def __init__(
        self,
        n_landmarks=200,
        lambda1="auto",
        lambda2="auto",
        gamma: float | str = "mean",
        laplacian="normalized",
        tol=1e-2,
        max_iter=1000,
        random_state=None,
        verbose=0,
    ):
        self.n_landmarks = n_landmarks
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.gamma = gamma
        self.laplacian = laplacian
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _fit_functions(self, X, rows, targets):
        n, report = X.shape[0], reporter(self)
        blocks, rng = RowBlocks(X, self.n_landmarks), check_random_state(self.random_state)
        self.landmarks_ = kmeans(blocks, min(self.n_landmarks, n), n, rng, report=report)
        self.gamma_ = resolve_width(self.gamma, blocks, self.landmarks_)
        self._graph = prototype_graph(blocks, Kernel("rbf", self.gamma_).fit(None), self.landmarks_, self.laplacian)
        F = np.concatenate([self._graph.features(block) for block in blocks])
        self.lambda1_ = smoothness_weight(self.lambda1, len(rows), n)
        form = lasso_form(F, self._graph.smoothness, rows, targets, self.lambda1_)
        self.lambda2_ = sparsity_weight(self.lambda2, form)
        report(f"active set, at most {self.max_iter} working sets")
        path, gaps, n_iter = solve_l1(form, [self.lambda2_], self.tol, self.max_iter)
        self.n_iter_ = int(n_iter.max())
        self.coef_, self.dual_gap_ = path[:, :, 0], float(gaps.max())
        if self.dual_gap_ > 10 * self.tol:
            warnings.warn(
                f"The solver stopped at a relative duality gap of {self.dual_gap_:.1e}; "
                f"{self.tol:.1e} was asked for. "
                "A larger lambda2 would help.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.sparsity_ = float((self.coef_ != 0).any(axis=1).mean())
        self._weights = F.T @ self.coef_
        return F @ self._weights

    def _expand(self, X):
        return self._graph.features(X) @ self._weights


def smoothness_weight(lambda1, l, n) -> float:
    """The number that lambda1 stands for."""
    return SMOOTHNESS * l / n if is_auto(lambda1) else lambda1


def sparsity_weight(lambda2, form) -> float:
    """The number that lambda2 stands for."""
    return max(SHARE * form.lambda_max, np.finfo(float).tiny) if is_auto(lambda2) else lambda2
