"""Non-parametric function induction, zhang2015's NFI."""

from numbers import Integral, Real

import numpy as np

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import KernelMachine, SemiSupervisedClassifier
from mr.estimators.nystrom_lgc import sample_rows
from mr.kernels import Kernel
from mr.solvers.blocks import RowBlocks
from mr.solvers.propagation import induced_graph, solve_nfi


class NFI(SemiSupervisedClassifier, KernelMachine):
    """Function values on a random subset, induced elsewhere as a Parzen regressor (Delalleau, Bengio, Le Roux 2005).

    The problem is in :mod:`mr.solvers.propagation`. Every point, of the subset or not, is predicted by the same
    induction.

    Parameters
    ----------
    n_subset : int
        Size of the subset S (at most all rows).
    C1 : float > 0
        Weight of the squared loss on the labelled points against smoothness.
    gamma : float, "scale" or "mean"
        Width of the Gaussian weights.
    random_state : int, RandomState or None
        Draws the subset.

    Attributes
    ----------
    subset_ : rows of X
    subset_values_ : f on the subset
    transduction_ : predictions for the training rows
    """

    _parameter_constraints = {
        "n_subset": [Interval(Integral, 1, None, closed="left")],
        "C1": [Interval(Real, 0.0, None, closed="neither")],
        "gamma": [StrOptions({"scale", "mean"}), Interval(Real, 0.0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(self, n_subset=200, C1=1.0, gamma="scale", random_state=None):
        self.n_subset = n_subset
        self.C1 = C1
        self.gamma = gamma
        self.random_state = random_state

    def _fit_functions(self, X, rows, targets):
        blocks = RowBlocks(X, self.n_subset)
        kernel = Kernel("rbf", self.gamma).fit(X)
        self.subset_ = X[sample_rows(X.shape[0], self.n_subset, self.random_state)]
        self._graph = induced_graph(blocks, kernel, self.subset_)
        self.subset_values_ = solve_nfi(self._graph.smoothness, self._graph.induction(X[rows]), targets, self.C1)
        return np.concatenate([self._expand(block) for block in blocks])

    def _expand(self, X):
        return self._graph.induction(X) @ self.subset_values_
