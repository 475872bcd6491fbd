"""Ridge regression in few features, for every weight and fold from one singular value decomposition.

Prototype vector machines and function induction with the squared loss are

    min ||w||^2 + C1 ||Phi_l w - y||^2,        f = Phi w,

in features Phi that see no label.
"""

import numpy as np
from scipy import linalg


class FeatureRidge:
    """The labelled rows Phi_l = U diag(s) V', which serve every C1, every column of targets and every fold.

    The features may hold directions that the penalty leaves free, whose s is of order 1e7. Their squares would leave
    nothing of the others in a Gram matrix, so none is formed.
    """

    def __init__(self, features):
        l = len(features)
        self.left, values, _ = linalg.svd(features, check_finite=False)
        self.squares = np.zeros(l)
        self.squares[: len(values)] = values**2

    def held_out(self, targets, folds, C1) -> np.ndarray:
        """Values (l, k) at each fold of the machine fitted to the others.

        With R = (I + C1 Phi_l Phi_l')^-1 = U diag(1 / (1 + C1 s^2)) U', leaving out the rows of a fold F gives
        y_F - f_F = (R_FF)^-1 (R y)_F, exactly.
        """
        scaled = self.left / (1.0 + C1 * self.squares)
        residuals = scaled @ (self.left.T @ targets)
        values = np.empty_like(targets)
        for number in np.unique(folds):
            held = np.flatnonzero(folds == number)
            block = scaled[held] @ self.left[held].T
            values[held] = targets[held] - linalg.solve(block, residuals[held], assume_a="sym", check_finite=False)
        return values
