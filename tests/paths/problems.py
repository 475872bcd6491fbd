"""Problems of real size on which paths are compared with their estimators."""

import numpy as np
from sklearn.datasets import load_digits


def digits(n, n_classes, per_class, seed=0):
    """n images of the first digits, and labels: ``per_class`` of every class, -1 elsewhere."""
    data = load_digits(n_class=n_classes)
    rows = np.random.default_rng(seed).permutation(len(data.target))[:n]
    X, truth = data.data[rows] / 16.0, data.target[rows]
    y = np.full(len(rows), -1)
    for c in range(n_classes):
        y[np.flatnonzero(truth == c)[:per_class]] = c
    return X, y


def alone(template, cell, X, y):
    """The template with the parameters of a cell, fitted by itself."""
    return template.__class__(**(template.get_params(deep=False) | cell)).fit(X, y)


def columns(values):
    """Decision values as the (n, k) array that a path gives."""
    return values[:, None] if values.ndim == 1 else values


def refitted(path, y, folds, cell):
    """Held-out values by one fit for every fold, its labels hidden."""
    rows = np.flatnonzero(y >= 0)
    values = None
    for number in np.unique(folds):
        hidden = y.copy()
        hidden[rows[folds == number]] = -1
        found = path.fit(hidden, **cell).values[rows[folds == number]]
        values = np.empty((len(rows), found.shape[1])) if values is None else values
        values[folds == number] = found
    return values
