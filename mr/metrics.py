"""How good a ranking or a prediction is: the measures of the five papers, each defined once.

Binary measures take the true classes of n points and one score per point, larger for the positive class. The positive
class is the larger of the two values of ``y_true`` (1 of {0, 1}, +1 of {-1, +1}) unless ``positive`` names it.
"""

import numpy as np
from sklearn.metrics import roc_auc_score

__all__ = ["area_under_roc", "balanced_loss", "break_even_error", "break_even_point"]


def break_even_point(y_true, scores, positive=None) -> float:
    """Precision-recall break-even point: the precision, which there equals the recall.

    With P positives, precision TP/predicted and recall TP/P are equal exactly when P points are predicted positive, so
    the break-even point is the share of positives among the P highest scores. Where a group of equal scores straddles
    rank P, the value is the mean over all orders of that group: it does not depend on the order of the points.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, two of them.
    scores : array-like of shape (n,)
        One finite score per point, larger for the positive class.
    positive : class, default=None
        The positive class; None is the larger of the two.

    Returns
    -------
    float
        In [0, 1]; 1 is best.

    See Also
    --------
    break_even_error : The error at this threshold.

    Examples
    --------
    >>> from mr.metrics import break_even_point
    >>> break_even_point([1, 1, 0, 0], [3.0, 1.0, 2.0, 0.0])
    0.5
    >>> break_even_point([1, 1, 0, 0], [1.0, 1.0, 1.0, 0.0])
    0.6666666666666666
    """
    truth, scores = _binary(y_true, scores, positive)
    n_positive = int(truth.sum())
    cut = np.partition(scores, len(scores) - n_positive)[len(scores) - n_positive]
    above, tied = scores > cut, scores == cut
    seats = n_positive - int(above.sum())
    return float((truth[above].sum() + seats * truth[tied].mean()) / n_positive)


def break_even_error(y_true, scores, positive=None) -> float:
    """Share of wrong predictions when the threshold is at the precision-recall break-even point (belkin2006, Figs 4-7).

    P points are predicted positive there, so false positives and false negatives are equally many:
    error = 2 P (1 - break-even point) / n.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, two of them.
    scores : array-like of shape (n,)
        One finite score per point, larger for the positive class.
    positive : class, default=None
        The positive class; None is the larger of the two.

    Returns
    -------
    float
        In [0, 1]; 0 is best.

    See Also
    --------
    break_even_point : The precision at this threshold.

    Examples
    --------
    >>> from mr.metrics import break_even_error
    >>> break_even_error([1, 1, 0, 0], [3.0, 1.0, 2.0, 0.0])
    0.5
    """
    truth, _ = _binary(y_true, scores, positive)
    return 2.0 * float(truth.mean()) * (1.0 - break_even_point(y_true, scores, positive))


def balanced_loss(y_true, y_pred) -> float:
    """Mean over the classes of the share of that class predicted wrongly (tsang2006, Fig 3).

    Parameters
    ----------
    y_true, y_pred : array-like of one shape
        True and predicted classes.

    Returns
    -------
    float
        In [0, 1]; 0 is best.

    See Also
    --------
    sklearn.metrics.balanced_accuracy_score : 1 minus this.

    Examples
    --------
    >>> from mr.metrics import balanced_loss
    >>> balanced_loss([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    if y_true.shape != y_pred.shape:
        raise ValueError(f"y_true and y_pred must have one shape; got {y_true.shape} and {y_pred.shape}.")
    return float(np.mean([(y_pred[y_true == c] != c).mean() for c in np.unique(y_true)]))


def area_under_roc(y_true, scores, positive=None) -> float:
    """Probability that a positive scores higher than a negative, ties counting one half.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, two of them.
    scores : array-like of shape (n,)
        One finite score per point, larger for the positive class.
    positive : class, default=None
        The positive class; None is the larger of the two.

    Returns
    -------
    float
        In [0, 1]; 1 is best.

    See Also
    --------
    sklearn.metrics.roc_auc_score : The same, without ``positive``.

    Examples
    --------
    >>> from mr.metrics import area_under_roc
    >>> area_under_roc([1, 0, 0], [1.0, 1.0, 0.0])
    0.75
    """
    truth, scores = _binary(y_true, scores, positive)
    return float(roc_auc_score(truth, scores))


def _binary(y_true, scores, positive):
    y_true, scores = np.asarray(y_true), np.asarray(scores, dtype=float)
    if y_true.ndim != 1 or y_true.shape != scores.shape:
        raise ValueError(f"Expected one score per point; got y_true of shape {y_true.shape}, scores of {scores.shape}.")
    if not np.isfinite(scores).all():
        raise ValueError("scores must be finite; got NaN or infinity.")
    classes = np.unique(y_true)
    if positive is None:
        positive = classes[-1]
    truth = y_true == positive
    if len(classes) > 2 or truth.all() or not truth.any():
        raise ValueError(f"Expected points of two classes, one of them {positive!r}; got classes {classes.tolist()}.")
    return truth, scores
