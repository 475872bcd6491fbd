"""Points as searches and kernels need them: squared distances that are numbers, sparse rows in canonical order."""

import numpy as np
from scipy import sparse

LARGEST = 1e150
"""Largest coordinate whose square, summed over many features, stays below the largest double (1.8e308)."""
SMALLEST = 1e-150
"""Smallest peak whose square is still a normal double. Single precision never comes near either."""


def sound_points(X, smallest=True):
    """X with sparse rows in canonical order, if :func:`check_scale` finds nothing wrong with it.

    What came in is never changed: scipy would sort the caller's own arrays.
    """
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    check_scale(X, smallest)
    return X


def check_scale(X, smallest=True):
    """Refuse finite points whose squared distances overflow, or (``smallest``) all vanish.

    Searches and kernels would go on with infinities, zeros or NaN, and a k-d tree then names points that do not exist.

    Parameters
    ----------
    X : array or sparse matrix of numbers
        Points, one per row.
    smallest : bool, default=True
        Whether points that are not zero but whose squares are count as a fault too. New points near the origin are
        none: the training points set the scale.
    """
    check_peak(peak(X), smallest)


def peak(X) -> float:
    """Size of the largest entry; NaN if there is one."""
    values = X.data if sparse.issparse(X) else X
    # two reductions need no copy of X, as abs would
    return float(np.maximum(values.max(), -values.min())) if values.size else 0.0


def check_peak(size, smallest=True):
    """As :func:`check_scale`, from the size of the largest entry of X."""
    if not np.isfinite(size):
        raise ValueError("X must hold finite numbers; got NaN or infinity.")
    if size > LARGEST:
        raise ValueError(
            f"Squared distances overflow: expected values of X up to {LARGEST:g} in size, got {size:g}. "
            "Rescale X, for example with sklearn.preprocessing.StandardScaler, and look for damaged cells."
        )
    if smallest and 0 < size < SMALLEST:
        raise ValueError(
            f"Squared distances vanish: expected the largest value of X to be at least {SMALLEST:g} in size, "
            f"got {size:g}. Rescale X, for example with sklearn.preprocessing.StandardScaler."
        )
