"""Small problems that the tests of this room share."""

import numpy as np
from sklearn.datasets import load_digits, make_moons


def moons(n=120, per_class=6, noise=0.1):
    """Points, partly known labels, all labels."""
    X, truth = make_moons(n, noise=noise, random_state=0)
    y = np.full(n, -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:per_class]] = c
    return X, y, truth


def digits(n=200, labelled=40):
    """Three classes; neighbours are about as far apart as those of the moons."""
    X, truth = load_digits(n_class=3, return_X_y=True)
    X, truth = X[:n] / 32, truth[:n]
    return X, np.where(np.arange(n) < labelled, truth, -1), truth


def curve(n=60, every=4):
    """A regression."""
    X = np.linspace(0, 3, n)[:, None]
    truth = np.sin(2 * X[:, 0])
    return X, np.where(np.arange(n) % every == 0, truth, np.nan), truth
