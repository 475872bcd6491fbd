"""LGC on a low-rank graph (Camps-Valls et al. 2007), zhang2015's NYS-LGC."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import KernelMachine, SemiSupervisedClassifier
from mr.kernels import Kernel
from mr.solvers import propagation
from mr.solvers.blocks import RowBlocks
from mr.solvers.prototypes import prototype_graph, scaled_gram


class NystromLGC(SemiSupervisedClassifier, KernelMachine):
    """(I - eta Q^)^-1 y with Q^ the normalised Nystroem approximation of the Gaussian graph (zhang2015, section II-B1).

    O(n m^2) time and O(block m + m^2) memory. The smooth part eta G (I - eta G'G)^-1 G'y extends to new points through
    their own similarities to the landmarks; it is used on training rows too, where (8) would add y on the labelled
    ones.

    Parameters
    ----------
    n_landmarks : int
        Rows drawn for the approximation (at most all of them).
    eta : float in (0, 1)
        How far labels travel.
    gamma : float, "scale" or "mean"
        Width of the Gaussian weights.
    random_state : int, RandomState or None
        Draws the landmarks.

    Attributes
    ----------
    landmarks_ : rows of X
    rank_ : numerical rank of the landmarks' Gram matrix
    n_raised_degrees_ : points with a Nystroem degree below their self-similarity, raised to it
    transduction_ : predictions for the training rows
    """

    _parameter_constraints = {
        "n_landmarks": [Interval(Integral, 1, None, closed="left")],
        "eta": [Interval(Real, 0.0, 1.0, closed="neither")],
        "gamma": [StrOptions({"scale", "mean"}), Interval(Real, 0.0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(self, n_landmarks=200, eta=0.9, gamma="scale", random_state=None):
        self.n_landmarks = n_landmarks
        self.eta = eta
        self.gamma = gamma
        self.random_state = random_state

    def _fit_functions(self, X, rows, targets):
        blocks = RowBlocks(X, self.n_landmarks)
        kernel = Kernel("rbf", self.gamma).fit(X)
        self.landmarks_ = X[sample_rows(X.shape[0], self.n_landmarks, self.random_state)]
        self._graph = prototype_graph(blocks, kernel, self.landmarks_)
        self.rank_, self.n_raised_degrees_ = self._graph.rank, self._graph.n_floored
        solver = propagation.NystromLGC(scaled_gram(self._graph, blocks))
        self._weights = solver.weights(self._graph.scaled(X[rows]), targets, self.eta)
        return np.concatenate([self._expand(block) for block in blocks])

    def _expand(self, X):
        return self._graph.scaled(X) @ self._weights


def sample_rows(n, size, random_state):
    """``size`` of n row numbers (all, if there are fewer), ascending."""
    return np.sort(check_random_state(random_state).choice(n, min(size, n), replace=False))
