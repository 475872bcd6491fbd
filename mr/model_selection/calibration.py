"""Probabilities from decision values: one temperature, fitted to held-out values."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

HOTTEST, COLDEST = -4.0, 4.0
"""Powers of ten that the temperature stays between, in units of one over the root mean square of the values."""


def fit_temperature(values, targets) -> float:
    """a > 0 of least held-out log loss of p = softmax(a f); for two classes p = sigmoid(2 a f), f the single value.

    The loss is convex in a. Every class counts as one more label whose class is unknown: values that separate all
    labels would otherwise ask for an infinite a.

    Parameters
    ----------
    values : array (l, k)
        Decision values at each label of a machine that did not see it.
    targets : array (l, k)
        Signed targets, one column per class (a single column for two classes).

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([[-1.2], [-0.7], [0.1], [0.8], [1.1]])
    >>> targets = np.array([[-1.0], [-1.0], [-1.0], [1.0], [1.0]])
    >>> round(fit_temperature(values, targets), 2)
    0.88
    """
    scores, true = per_class(values), per_class(targets) > 0
    l, k = scores.shape
    size = np.sqrt(np.square(values).mean())
    if size == 0:
        return 1.0
    shares = (true + 1.0 / l) / (1.0 + k / l)

    def loss(power):
        return -(shares * log_softmax(10.0**power / size * scores, axis=1)).sum()

    return float(10.0 ** minimize_scalar(loss, bounds=(HOTTEST, COLDEST), method="bounded").x / size)


def probabilities(values, temperature) -> np.ndarray:
    """Probabilities (n, number of classes). The largest is always that of the class which the values decide for."""
    scores = per_class(values)
    found = softmax(temperature * scores, axis=1)
    # Where probabilities are equal to the last bit and values are not, the decision keeps its lead.
    rows, decided = np.arange(len(scores)), decisions(values)
    behind = found.argmax(axis=1) != decided
    found[rows[behind], decided[behind]] = np.nextafter(found[behind].max(axis=1), 2.0)
    return found


def per_class(values) -> np.ndarray:
    """One column per class: a single column f becomes -f, f."""
    return np.column_stack([-values[:, 0], values[:, 0]]) if values.shape[1] == 1 else values


def decisions(values) -> np.ndarray:
    """Code of the class that decision values stand for."""
    return (values[:, 0] > 0).astype(int) if values.shape[1] == 1 else values.argmax(axis=1)
