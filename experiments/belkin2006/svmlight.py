"""The transductive SVM as the program SVM-light searches for it, with which belkin2006 ran its TSVM.

``mr.TSVM`` follows the algorithm that Joachims printed in 1999. His program does other things. They were read in its
source, function ``incorporate_unlabeled_examples`` of versions 5 and 6:

- an unlabelled point that is labelled positive keeps (1 - p) / p times the weight of a negative one *to the end*, with
  p the share of positive points; in the printed algorithm both weights end at C;
- one pair of labels changes between two solves: the lowest positive with the highest negative unlabelled point, as
  soon as their values are in the wrong order; the printed algorithm asks for slacks that sum to more than 2;
- weights grow by 1.5 from 1e-5, and programs on the way are solved to a violation of 0.01, the last ones to 0.001;
- the file of predictions for the unlabelled points (``svm_learn -l``) does not hold decision values: a support vector
  with multiplier a has label (1 - epsilon - a / (2 max a)), see :func:`prediction_file`.

No user of the library would want this search, so it is here.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

FIRST, GROWTH = 1e-5, 1.5  # weight of unlabelled points: relative to C at the start, factor of each step
COARSE, FINE = 0.01, 0.001  # violations at which programs stop, on the way and at the full weight
ORDER = 1e-4  # by how much two values must be in the wrong order for a switch
SUPPORT = 1e-15  # multipliers above it are those of support vectors (epsilon_a)
MOST_SWITCHES = 20_000


@dataclass(frozen=True)
class Search:
    """Where the search ended."""

    coefficients: np.ndarray
    """Signed coefficients over all n points: f = K coefficients + intercept."""
    intercept: float
    values: np.ndarray
    """f on the n points."""
    labels: np.ndarray
    """+-1 for every point: given on the labelled rows, assigned elsewhere."""
    n_switches: int
    n_solves: int


def search(K, rows, targets, C, positive_fraction=None, positive_weight=None) -> Search:
    """One binary problem.

    Parameters
    ----------
    K : array (n, n)
        Gram matrix of labelled and unlabelled points.
    rows, targets : arrays (l,)
        Labelled rows and their labels in {-1, +1}.
    C : float
        Weight of a labelled point.
    positive_fraction : float, default=None
        Share p of positive points among the unlabelled ones; None is that of the labelled ones (option ``-p``).
    positive_weight : float, default=None
        Weight of a positive unlabelled point relative to a negative one; None is SVM-light's (1 - p) / p.
    """
    n = len(K)
    p = float(np.mean(targets > 0)) if positive_fraction is None else positive_fraction
    positive_weight = (1.0 - p) / p if positive_weight is None else positive_weight
    unlabelled = np.setdiff1d(np.arange(n), rows)
    y, box, v, f = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    y[rows], box[rows] = targets, C
    b = solve(K, y, box, v, f, FINE)
    top = unlabelled[np.argsort(-f[unlabelled], kind="stable")[: int(len(unlabelled) * p + 0.5)]]
    y[unlabelled], y[top] = -1.0, 1.0
    weight, n_switches, n_solves = FIRST, 0, 1
    while True:
        box[unlabelled] = weight * C * np.where(y[unlabelled] > 0, positive_weight, 1.0)
        b = solve(K, y, box, v, f, FINE if weight == 1.0 else COARSE)
        n_solves += 1
        plus, minus = unlabelled[y[unlabelled] > 0], unlabelled[y[unlabelled] < 0]
        low, high = plus[f[plus].argmin()], minus[f[minus].argmax()]
        if f[low] < f[high] - ORDER and n_switches < MOST_SWITCHES:
            _drop(K, v, f, [low, high])
            y[low], y[high] = -1.0, 1.0
            n_switches += 1
        elif weight == 1.0:
            return Search(v, b, f + b, y, n_switches, n_solves)
        else:
            weight = min(1.0, GROWTH * weight)


def prediction_file(found: Search, unlabelled) -> np.ndarray:
    """What ``svm_learn -l`` writes about the unlabelled points, in place of their decision values."""
    multipliers, labels = np.abs(found.coefficients[unlabelled]), found.labels[unlabelled]
    pulled = labels * (1.0 - FINE - multipliers / (2.0 * multipliers.max()))
    return np.where(multipliers > SUPPORT, pulled, found.values[unlabelled])


def _drop(K, v, f, pair):
    """Take two points out of the expansion and give what this unbalances to others, in the order of their rows."""
    before = v.copy()
    v[pair] = 0.0
    rest = v.sum()
    for i in np.flatnonzero(v * rest > 0):
        taken = min(abs(rest), abs(v[i])) * np.sign(rest)
        v[i] -= taken
        rest -= taken
        if abs(rest) < SUPPORT:
            break
    moved = np.flatnonzero(v != before)
    f += K[:, moved] @ (v - before)[moved]


def solve(K, y, box, v, f, tol) -> float:
    """min 1/2 v'Kv - y'v, 1'v = 0, v_i between 0 and box_i y_i; ``v`` and ``f`` = Kv change in place; the intercept."""
    return _descend(K, np.ascontiguousarray(K.diagonal()), y, np.minimum(box * y, 0.0), np.maximum(box * y, 0.0), v, f,
                    tol, 1_000_000)  # fmt: skip


@njit(cache=True, nogil=True)
def _descend(K, diagonal, y, lower, upper, v, f, tol, max_iter):
    """Pair steps with second-order choice (Fan, Chen and Lin 2005) until the violation is at most ``tol``."""
    n = len(v)
    for _ in range(max_iter):
        i, rise = -1, -np.inf  # the steepest rise: y - f largest among those below their upper bound
        for t in range(n):
            if v[t] < upper[t] and y[t] - f[t] > rise:
                i, rise = t, y[t] - f[t]
        if i < 0:
            break
        j, best, fall = -1, 0.0, np.inf
        row = K[i]
        for t in range(n):
            if v[t] > lower[t]:
                slope = y[t] - f[t]
                fall = min(fall, slope)
                if slope < rise:
                    gain = (rise - slope) ** 2 / max(diagonal[i] + diagonal[t] - 2.0 * row[t], 1e-12)
                    if gain > best:
                        j, best = t, gain
        if j < 0 or rise - fall <= tol:
            break
        step = (rise - y[j] + f[j]) / max(diagonal[i] + diagonal[j] - 2.0 * row[j], 1e-12)
        step = min(step, upper[i] - v[i], v[j] - lower[j])
        v[i] = upper[i] if step == upper[i] - v[i] else v[i] + step
        v[j] = lower[j] if step == v[j] - lower[j] else v[j] - step
        other = K[j]
        for t in range(n):
            f[t] += step * (row[t] - other[t])
    total, count, low, high = 0.0, 0, -np.inf, np.inf
    for t in range(n):
        if lower[t] < v[t] < upper[t]:
            total += y[t] - f[t]
            count += 1
        if v[t] < upper[t]:
            low = max(low, y[t] - f[t])
        if v[t] > lower[t]:
            high = min(high, y[t] - f[t])
    return total / count if count else (low + high) / 2.0
