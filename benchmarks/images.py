"""Points for the benchmarks of graph methods: MNIST where it is found, else scikit-learn's digits with noise."""

import numpy as np
from exact_fit import digits

from mr.datasets import DataUnavailable, load


def images(n):
    """X (n, d) with entries of about 0 to 1, classes (n,), and the name of what they are."""
    try:
        data = load("mnist")
    except DataUnavailable:
        print("MNIST is not here (see MR_DATA_DIR): scikit-learn's digits, repeated with noise, stand in")
        X, _, classes, _ = digits(n)
        return X, classes, "digits with noise"
    rows = np.sort(np.random.default_rng(0).permutation(len(data.y))[:n])
    return data.X[rows] / 255.0, data.y[rows].astype(int), "MNIST"


def labelled(classes, per_class, seed=0):
    """Labels of ``per_class`` random points of every class, -1 elsewhere."""
    rng = np.random.default_rng(seed)
    y = np.full(len(classes), -1)
    for c in np.unique(classes):
        y[rng.choice(np.flatnonzero(classes == c), per_class, replace=False)] = c
    return y
