"""Sparse models by an l1 penalty on a low-rank kernel, zhang2015's L1-LRK (section V-D)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import KernelMachine, SemiSupervisedClassifier
from mr.graph.base import LAPLACIANS
from mr.kernels import Kernel
from mr.solvers.blocks import RowBlocks
from mr.solvers.l1_low_rank import lasso_form, solve_l1
from mr.solvers.prototypes import kmeans, prototype_graph


class L1LRK(SemiSupervisedClassifier, KernelMachine):
    """min ||y_l - K_l a||^2 + lambda1 (K a)'S(K a) + lambda2 ||a||_1 with K replaced by its Nystroem approximation.

    zhang2015, equation 31; S is the Laplacian of the same approximated graph, as in :class:`PVM`. The values a_j
    multiply the approximated kernel, so new points are predicted through the landmarks.

    Parameters
    ----------
    n_landmarks : int
        k-means centres of the approximation (at most the number of rows).
    lambda1 : float >= 0
        Weight of smoothness over the data.
    lambda2 : float > 0
        Weight of the l1 norm: the larger, the fewer points in the model.
    gamma : float, "scale" or "mean"
        Width of the Gaussian kernel.
    laplacian : {"normalized", "unnormalized"}
    tol, max_iter : of coordinate descent; ``tol`` is relative to the objective
    random_state : int, RandomState or None
        First centres of k-means.

    Attributes
    ----------
    coef_ : array (n, k), one column a function; mostly zeros
    sparsity_ : share of the points with a non-zero coefficient in any column
    dual_gap_ : largest relative duality gap
    transduction_ : predictions for the training rows
    """

    _parameter_constraints = {
        "n_landmarks": [Interval(Integral, 1, None, closed="left")],
        "lambda1": [Interval(Real, 0.0, None, closed="left")],
        "lambda2": [Interval(Real, 0.0, None, closed="neither")],
        "gamma": [StrOptions({"scale", "mean"}), Interval(Real, 0.0, None, closed="neither")],
        "laplacian": [StrOptions(set(LAPLACIANS))],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_landmarks=200,
        lambda1=1e-2,
        lambda2=1e-2,
        gamma="scale",
        laplacian="normalized",
        tol=1e-4,
        max_iter=1000,
        random_state=None,
    ):
        self.n_landmarks = n_landmarks
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.gamma = gamma
        self.laplacian = laplacian
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit_functions(self, X, rows, targets):
        n = X.shape[0]
        blocks = RowBlocks(X, self.n_landmarks)
        self.landmarks_ = kmeans(blocks, min(self.n_landmarks, n), n, check_random_state(self.random_state))
        self._graph = prototype_graph(blocks, Kernel("rbf", self.gamma).fit(X), self.landmarks_, self.laplacian)
        F = np.concatenate([self._graph.features(block) for block in blocks])
        form = lasso_form(F, self._graph.smoothness, rows, targets, self.lambda1)
        path, gaps, n_iter = solve_l1(form, [self.lambda2], self.tol, self.max_iter)
        self.n_iter_ = int(n_iter.max())
        self.coef_, self.dual_gap_ = path[:, :, 0], float(gaps.max())
        if self.dual_gap_ > 10 * self.tol:
            warnings.warn(
                f"Coordinate descent stopped at a relative duality gap of {self.dual_gap_:.1e}; "
                f"{self.tol:.1e} was asked for. "
                "More iterations (max_iter) or a larger lambda2 would help.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.sparsity_ = float((self.coef_ != 0).any(axis=1).mean())
        self._weights = F.T @ self.coef_
        return F @ self._weights

    def _expand(self, X):
        return self._graph.features(X) @ self._weights
