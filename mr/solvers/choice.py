"""The choice of a parameter from held-out values: one rule for every estimator that chooses for itself.

A *cell* is one value of the parameters. Its held-out values (l, k) are the decision values at each labelled point of
the machine that did not see that point's label. Cells come in order, the most cautious first: the weakest graph.
"""

import numpy as np


def can_hold_out(targets) -> bool:
    """Whether every class (every column of signed targets, and its opposite) has at least two labels.

    With a single label of a class, the machine without it has never seen the class: nothing can be learned from it.
    """
    positive = (targets > 0).sum(axis=0)
    if targets.shape[1] == 1:
        return bool(min(positive[0], len(targets) - positive[0]) >= 2)
    return bool(positive.min() >= 2)


def held_out_errors(values, targets) -> np.ndarray:
    """1.0 where the held-out decision is wrong, 0.0 where it is right, one number for each label."""
    if targets.shape[1] == 1:
        return (np.sign(values[:, 0]) != np.sign(targets[:, 0])).astype(float)
    return (values.argmax(axis=1) != targets.argmax(axis=1)).astype(float)


def held_out_losses(values, targets) -> np.ndarray:
    """Mean squared distance between held-out values and targets, one number for each label."""
    return np.square(values - targets).mean(axis=1)


def choose_cell(held_out, targets, fallback) -> int:
    """Number of the cell to take.

    Parameters
    ----------
    held_out : list of arrays (l, k)
        Held-out values of every cell, the most cautious cell first.
    targets : array (l, k)
        Signed targets, one column per class (a single column for two classes).
    fallback : int
        Cell to take when there are too few labels to tell (see :func:`can_hold_out`).

    Returns
    -------
    int
    """
    if not can_hold_out(targets):
        return fallback
    errors = np.array([held_out_errors(values, targets).mean() for values in held_out])
    losses = np.array([held_out_losses(values, targets).mean() for values in held_out])
    return int(np.lexsort((losses, errors))[0])
