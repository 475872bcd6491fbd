"""Transductive methods get a rule for new points: interpolation between their nearest training rows."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors

from mr.estimators._base import check_new_points

N_INDUCTION = 10
LEAST_SQUARE = 1e-300
"""Squared distances below count as zero: ten of their inverses still have a finite sum."""


class TransductiveMachine(BaseEstimator):
    """f is known on the training rows only. At a new point: mean over its 10 nearest rows with weights 1 / distance^2.

    The rule interpolates: on a training row it gives that row's own value (of equal rows, the mean over those among the
    10), so ``predict`` on the training data is ``transduction_``.
    """

    def _keep_values(self, X, values):
        self.values_ = values
        self._neighbors = nearest_rows(X)
        return values

    def _evaluate(self, X):
        X = check_new_points(self, X)
        if sparse.issparse(X) and not sparse.issparse(self._neighbors._fit_X):
            X = X.toarray()  # no wider than the dense training rows; trees take nothing else
        return interpolated(self._neighbors, X, self.values_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def nearest_rows(X) -> NearestNeighbors:
    """The search among the training rows behind the rule."""
    return NearestNeighbors(n_neighbors=min(N_INDUCTION, X.shape[0])).fit(X)


def interpolated(neighbors, X, values) -> np.ndarray:
    """The rule at the rows of X, from the values (n, k) on the rows that ``neighbors`` was fitted to."""
    distances, index = neighbors.kneighbors(X)
    squares = np.square(distances)
    # Distances between equal rows come out as rounding, not zero: what is that small counts as equal. Where all the
    # rows found are equal, LEAST_SQUARE keeps the weights finite and alike.
    floor = np.maximum(1e-14 * squares[:, -1:], LEAST_SQUARE)
    weights = 1.0 / np.maximum(squares, floor)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.einsum("ij,ijk->ik", weights, values[index])
