"""Which values of y are labels: for splitters and scorers, which see y without the estimator."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from mr.labels import UNLABELED, UNLABELED_STRINGS, unlabeled_mask


def holds_numbers(y) -> bool:
    """Whether y looks like the targets of a regression: several columns, NaN among them, or not all whole."""
    y = np.asarray(y)
    return y.ndim > 1 or (y.dtype.kind == "f" and bool((np.isnan(y) | (y != np.floor(y))).any()))


def labelled_mask(y, regression=None) -> np.ndarray:
    """True where y holds a label: not the marker -1 or "unlabeled" of classes, not the NaN of numbers.

    Parameters
    ----------
    y : array (n,) or (n, k)
    regression : bool, default=None
        Which convention holds. None looks at y itself (:func:`holds_numbers`).
    """
    y = np.asarray(y)
    if regression is None:
        regression = holds_numbers(y)
    if not regression:
        return ~unlabeled_mask(y)
    return ~np.isnan(y.astype(float).reshape(len(y), -1)).any(axis=1)


def hide_all_but(y, rows, n, regression):
    """Array of n marked values with ``y`` at ``rows``: what an estimator takes as its ``y``."""
    y = np.asarray(y)
    if regression:
        hidden = np.full((n, *y.shape[1:]), np.nan)
    elif y.dtype.kind in "OU":
        hidden = np.full(n, UNLABELED_STRINGS[0], dtype=object)
    else:
        check_classification_targets(y)
        hidden = np.full(n, UNLABELED, dtype=np.result_type(y.dtype, np.int8))
    hidden[rows] = y
    return hidden
