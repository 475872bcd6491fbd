"""Labelled sets: the official ones where a data set has them, else seeded draws; and the targets that go with them."""

import numpy as np


def labelled_sets(dataset, n_labelled, n_splits, seed_sequence) -> np.ndarray:
    """``n_splits`` x ``n_labelled`` row indices: the data set's own, or draws that hold every class."""
    name = f"labeled{n_labelled}"
    if name in dataset.splits:
        return np.asarray(dataset.splits[name])[:n_splits]
    draws = [np.random.default_rng(child) for child in seed_sequence.spawn(n_splits)]
    return np.array([_draw_with_every_class(dataset.y, n_labelled, rng) for rng in draws])


def _draw_with_every_class(y, size, rng):
    """One row of every class, the rest at random: 10 labels drawn blindly may miss a class."""
    rows = rng.permutation(len(y))
    first = rows[np.unique(y[rows], return_index=True)[1]]
    others = rows[~np.isin(rows, first)][: size - len(first)]
    return np.sort(np.concatenate([first, others]))


def reveal(y, rows) -> np.ndarray:
    """Class codes on these rows, -1 (unlabelled) on all others: the ``y`` that an estimator takes."""
    labels = np.full(len(y), -1)
    labels[rows] = np.asarray(y)[rows]
    return labels


def signed(y) -> np.ndarray:
    """Two class codes 0, 1 as -1, +1."""
    return np.where(np.asarray(y) == 1, 1.0, -1.0)


def error_pct(values, y_signed, exclude) -> float:
    """Percentage of wrong signs over all rows but ``exclude``; a value of exactly 0 counts as class -1."""
    mask = np.ones(len(y_signed), dtype=bool)
    mask[exclude] = False
    return 100.0 * float(((values[mask] > 0) != (y_signed[mask] > 0)).mean())
