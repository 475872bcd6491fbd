"""Whether squared distances of the points are numbers at all."""

from scipy import sparse

LARGEST = 1e150
"""Largest coordinate whose square, summed over many features, stays below the largest double (1.8e308)."""
SMALLEST = 1e-150
"""Smallest peak whose square is still a normal double. Single precision never comes near either."""


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
    values = X.data if sparse.issparse(X) else X
    if values.size == 0:
        return
    # two reductions need no copy of X, as abs would
    peak = max(float(values.max()), -float(values.min()))
    if peak > LARGEST:
        raise ValueError(
            f"Squared distances overflow: expected values of X up to {LARGEST:g} in size, got {peak:g}. "
            "Rescale X, for example with sklearn.preprocessing.StandardScaler, and look for damaged cells."
        )
    if smallest and 0 < peak < SMALLEST:
        raise ValueError(
            f"Squared distances vanish: expected the largest value of X to be at least {SMALLEST:g} in size, "
            f"got {peak:g}. Rescale X, for example with sklearn.preprocessing.StandardScaler."
        )
