"""A Gram matrix in three forms, and the machines' view of it: the columns of the deformed kernel at labelled points.

=============  ====================================================  ==========================
form           K                                                     memory, time of deforming
=============  ====================================================  ==========================
FullGram       n x n numbers                                         O(n^2), O(n^3)
ThinGram       R R' up to rounding, R of n x m                       O(n m), O(n m^2)
ReducedGram    R R', functions expanded over m basis points only     O(n m), O(n m^2)
...by blocks   the same, R made anew by blocks of rows               O(m^2), O(n m^2)
=============  ====================================================  ==========================

The first two are the same machine. The second needs a kernel whose spectrum falls to rounding within m directions.
"""

import numpy as np

from mr.kernels.deformation import deform_once, thin_factor
from mr.kernels.features import HeldFeatures, StreamedFeatures
from mr.kernels.kernel import SCALABLE
from mr.kernels.products import multiply
from mr.kernels.reduced import basis_map, deform_factor, deform_features, reduced_factor
from mr.resources import require_memory

THIN_FROM = 1000
"""Points from which a thin factor is tried: below, everything is fast."""
THIN_SHARE = 8
"""A factor counts as thin with at most n / THIN_SHARE columns."""


class FullGram:
    """K itself.

    See Also
    --------
    mr.kernels.ThinGram : K as a product with a thin factor.
    mr.kernels.ReducedGram : functions on a few basis points.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.kernels import FullGram, Kernel
    >>> X = np.array([[0.0], [1.0]])
    >>> FullGram(Kernel(gamma=1.0).fit(X), X).K.shape
    (2, 2)
    """

    factor = None

    def __init__(self, kernel, X):
        n = X.shape[0]
        require_memory(3 * 8 * n**2, f"A {n} x {n} Gram matrix and its factorisation", SCALABLE)
        self.points, self.K = X, kernel(X)

    def block(self, rows) -> np.ndarray:
        """K_ll."""
        return self.K[np.ix_(rows, rows)]

    def values(self, rows, beta) -> np.ndarray:
        """sum_i beta_i k(x_i, .) at all points."""
        return multiply(self.K[:, rows], beta)

    def deform(self, graph, ratio, rows):
        """K~_ll, and a function that turns beta into coefficients over ``points`` and values at all points."""
        columns = deform_once(self.K, graph, ratio, rows)

        def expand(beta):
            coefficients = multiply(columns, beta)
            return coefficients, multiply(self.K, coefficients)

        return multiply(self.K[rows], columns), expand


class ThinGram:
    """K = R R' with a thin R, found without forming K.

    See Also
    --------
    mr.kernels.thin_factor : finds the factor.
    mr.kernels.FullGram : K itself.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.kernels import Kernel, ThinGram
    >>> X = np.linspace(0.0, 1.0, 200)[:, None]
    >>> thin = ThinGram(X, Kernel(gamma=0.1).fit(X)(X, X[:1]))
    >>> thin.factor.shape
    (200, 1)
    """

    def __init__(self, X, factor):
        self.points, self.factor = X, factor

    @classmethod
    def of(cls, kernel, X):
        """The thin form, or None where the kernel does not have it."""
        n = X.shape[0]
        factor = thin_factor(kernel, X, largest_rank=n // THIN_SHARE) if n >= THIN_FROM else None
        return None if factor is None else cls(X, factor)

    def block(self, rows):
        return multiply(self.factor[rows], self.factor[rows].T)

    def values(self, rows, beta):
        return multiply(self.factor, multiply(self.factor[rows].T, beta))

    def deform(self, graph, ratio, rows):
        deformed = deform_factor(self.factor, graph, ratio, rows)

        def expand(beta):
            values = multiply(self.factor, multiply(deformed, beta))
            # (I + r L K) coefficients = J'beta, without solving for them
            coefficients = -ratio * graph.apply(values)
            coefficients[rows] += beta
            return coefficients, values

        return multiply(self.factor[rows], deformed), expand


class ReducedGram:
    """Functions expanded over a few basis points (see :func:`mr.kernels.reduced_factor`).

    With ``blocks``, rows of X by blocks, the n x m factor is made by blocks when it is needed, and ``factor`` is None.

    See Also
    --------
    mr.kernels.reduced_factor : the factor.
    mr.kernels.FullGram : K itself.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.kernels import Kernel, ReducedGram
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> ReducedGram(Kernel(gamma=1.0).fit(X), X, X[:2]).factor.shape
    (3, 2)
    """

    residual = None
    """Relative residual of the stationarity of what ``expand`` returned last, ||(I + r R'LR) w - R_l'beta||."""

    def __init__(self, kernel, X, points, blocks=None):
        self.points = points
        if blocks is None:
            factor, self.transform = reduced_factor(kernel, X, points)
            self.features = HeldFeatures(factor)
        else:
            self.transform = basis_map(kernel, points)
            self.features = StreamedFeatures(kernel, blocks, points, self.transform)
        self.factor = self.features.factor

    def block(self, rows):
        labelled = self.features.rows(rows)
        return multiply(labelled, labelled.T)

    def values(self, rows, beta):
        return self.features.values(multiply(self.features.rows(rows).T, beta))

    def deform(self, graph, ratio, rows):
        labelled = self.features.rows(rows)
        smoothness = self.features.smoothness(graph) if ratio else None
        deformed = deform_features(labelled, smoothness, ratio)

        def expand(beta):
            weights = multiply(deformed, beta)
            self.residual = _stationarity(weights, smoothness, ratio, multiply(labelled.T, beta))
            return multiply(self.transform, weights), self.features.values(weights)

        return multiply(labelled, deformed), expand


def _stationarity(weights, smoothness, ratio, right):
    """||w + r R'LR w - R_l'beta|| / ||R_l'beta||, the largest over the columns."""
    rest = weights - right
    if ratio:
        rest += 0.5 * ratio * multiply(smoothness + smoothness.T, weights)
    norms = np.linalg.norm(right, axis=0)
    return float((np.linalg.norm(rest, axis=0) / np.where(norms > 0, norms, 1.0)).max())
