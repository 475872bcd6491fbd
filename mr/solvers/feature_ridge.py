"""Ridge regression in few features, for every weight and fold from one singular value decomposition.

Machines with the squared loss and a quadratic penalty that sees no label (prototype vector machines, function
induction, manifold regularisation in features) are

    min ||w||^2 + C1 ||Phi_l w - y||^2,        f = Phi w,

in features Phi that the penalty has scaled, with or without an unpenalised constant in f.
"""

import numpy as np
from scipy import linalg

LONGEST = 1e150
"""Singular values beyond are as free as this one, whose square is a finite number."""


class FeatureRidge:
    """The labelled rows Phi_l = U diag(s) V', which serve every C1, every column of targets and every fold.

    The features may hold directions that the penalty leaves free, whose s is of order 1e7. Their squares would leave
    nothing of the others in a Gram matrix, so none is formed.

    Parameters
    ----------
    features : array (l, r)
        Phi_l.
    fit_intercept : bool, default=False
        Whether f has an unpenalised constant: features and targets are then centred.
    weights : array (l,), default=None
        Weights of the losses: their roots multiply features, targets and the constant.
    """

    def __init__(self, features, fit_intercept=False, weights=None):
        l = len(features)
        self.constant = np.full((l, 1), l**-0.5) if fit_intercept else np.zeros((l, 0))
        self.roots = None if weights is None else np.sqrt(weights)[:, None]
        if weights is not None:
            features = self.roots * features
            self.constant = self.roots / np.linalg.norm(self.roots) if fit_intercept else self.constant
        if fit_intercept:
            features = features - self.constant @ (self.constant.T @ features)
        self.left, values, _ = linalg.svd(features, full_matrices=False, check_finite=False)
        self.squares = np.minimum(values, LONGEST) ** 2
        if fit_intercept:  # vectors of s = 0 may hold a part of the constant
            kept = values > max(features.shape) * np.finfo(float).eps * values[0]
            self.left, self.squares = self.left[:, kept], self.squares[kept]
        # Where the features reach every direction, what they leave out is 0, and not the rounding of I - UU'.
        self.reaches_all = not fit_intercept and self.left.shape[1] == l

    def held_out(self, targets, folds, C1) -> np.ndarray:
        """Values (l, k) at each fold of the machine fitted to the others; ``folds=None`` leaves out one at a time.

        With R = (I + C1 Phi_l Phi_l')^-1 = U diag(1 / (1 + C1 s^2)) U' + (I - UU'), less the constant, leaving out the
        rows of a fold F gives y_F - f_F = (R_FF)^-1 (R y)_F, exactly.
        """
        if self.roots is not None:
            return self._held_out(self.roots * targets, folds, C1) / self.roots
        return self._held_out(targets, folds, C1)

    def _held_out(self, targets, folds, C1):
        shrunk = self.left / (1.0 + C1 * self.squares)
        inside = self.left.T @ targets
        residuals = shrunk @ inside
        if not self.reaches_all:
            residuals += targets - self.left @ inside - self.constant @ (self.constant.T @ targets)
        if folds is None or len(np.unique(folds)) == len(folds):
            return targets - residuals / self._diagonal(shrunk)[:, None]
        values = np.empty_like(targets)
        for number in np.unique(folds):
            held = np.flatnonzero(folds == number)
            block = self._block(shrunk, held)
            values[held] = targets[held] - linalg.solve(block, residuals[held], assume_a="sym", check_finite=False)
        return values

    def _diagonal(self, shrunk):
        """Diagonal of R; positive, since every row has a part that the others cannot fit."""
        own = np.einsum("ij,ij->i", shrunk, self.left)
        if not self.reaches_all:
            reached = np.square(self.left).sum(axis=1) + np.square(self.constant).sum(axis=1)
            own += np.maximum(1.0 - reached, 0.0)
        return np.maximum(own, np.finfo(float).tiny)

    def _block(self, shrunk, held):
        block = shrunk[held] @ self.left[held].T
        if not self.reaches_all:
            block += np.eye(len(held)) - self.left[held] @ self.left[held].T
            block -= self.constant[held] @ self.constant[held].T
        return block
