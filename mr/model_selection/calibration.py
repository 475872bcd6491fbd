"""Probabilities from decision values: one temperature, fitted to held-out values."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

SPREAD = 1.0
"""Standard deviation of log(a r) under the prior of the temperature a, r the root mean square of held-out values."""
POWERS = np.linspace(-6.0, 6.0, 49)
"""Values of log(a r) that are tried before the best one is refined."""


def fit_temperature(values, targets, weights=None) -> float:
    """a > 0 of least held-out log loss of p = softmax(a f); for two classes p = sigmoid(2 a f), f the single value.

    A log-normal prior around 1 / (root mean square of f) keeps a finite where the values separate all labels, and away
    from 0 where a few labels happen to be held out wrong.

    Parameters
    ----------
    values : array (l, k)
        Decision values at each label of a machine that did not see it.
    targets : array (l, k)
        Signed targets, one column per class (a single column for two classes).
    weights : array (l,), default=None
        Weights of the labels: one of weight 2 counts as two.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([[-1.2], [-0.7], [0.1], [0.8], [1.1]])
    >>> targets = np.array([[-1.0], [-1.0], [-1.0], [1.0], [1.0]])
    >>> round(fit_temperature(values, targets), 2)
    1.65
    """
    weights = np.ones(len(values)) if weights is None else weights
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.sqrt(np.average(np.square(values).mean(axis=1), weights=weights))
    if not 0 < size < np.inf:  # all values vanish, or weights are so far apart that some cannot be computed
        return 1.0
    scores, true = per_class(values / size), per_class(targets) > 0

    def loss(power):
        return -weights @ log_softmax(np.exp(power) * scores, axis=1)[true] + 0.5 * (power / SPREAD) ** 2

    best = POWERS[np.argmin([loss(power) for power in POWERS])]
    step = POWERS[1] - POWERS[0]
    return float(np.exp(minimize_scalar(loss, bounds=(best - step, best + step), method="bounded").x) / size)


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
