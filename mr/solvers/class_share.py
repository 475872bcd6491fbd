"""Shares of the classes among the unlabelled points, where labels may not have been drawn in proportion.

The transductive SVM is told how many unlabelled points are positive. Joachims (1999) takes the share among the labels,
which is right for labels that were drawn at random, and leaves no room for a rare class where they were not: of two
moons with 2 labels against 100, one point in fifty would be positive.

The points themselves can contradict the labels. Let s be the decision values of least squares in which every class has
the same weight, of a labelled point without its own label. If labels are a random sample of the points, s has the same
mean over labels as over unlabelled points, up to sd(s) / sqrt(l). Where it has not, for any class, the shares are those
of the decisions of this machine.
"""

import numpy as np
from scipy.special import ndtri

from mr.kernels.products import diagonalise
from mr.solvers.graph_weight import CAUTIOUS, MOST_LABELS, leave_one_out, mean_diagonal

SURPRISE = 1e-2
"""Probability, over all classes, with which labels that are a random sample are taken for none."""


def unlabelled_shares(K, rows, targets) -> list:
    """Share of positive points among the unlabelled ones, of every column; None where that among the labels will do.

    Parameters
    ----------
    K : array (n, n)
        Gram matrix.
    rows, targets : labelled rows, and signed targets (l, k); a single column for two classes
    """
    l, k = targets.shape
    unlabelled = np.setdiff1d(np.arange(len(K)), rows)
    if len(unlabelled) == 0 or l > MOST_LABELS:  # so many labels are no few labels
        return [None] * k
    weights = equal_class_weights(targets)
    block = K[np.ix_(rows, rows)]
    ridge, roots = CAUTIOUS[1] * mean_diagonal(block), np.sqrt(weights)
    (held_out,) = leave_one_out(block.copy(), targets, [ridge], weights)
    # by eigenvectors: a user's kernel may have negative eigenvalues, which count as zero here as they do held out
    spectrum, vectors = diagonalise(roots[:, None] * block * roots, overwrite_a=True, check_finite=False, driver="evd")
    inner = vectors.T @ (roots[:, None] * targets) / (np.maximum(spectrum, 0.0) + ridge)[:, None]
    beta = roots[:, None] * (vectors @ inner)
    values = K[np.ix_(unlabelled, rows)] @ beta
    # no single point decides about a mean
    labelled, others = np.clip(held_out, -1.0, 1.0), np.clip(values, -1.0, 1.0)
    error = others.std(axis=0) / np.sqrt(l)
    surprise = -ndtri(SURPRISE / 2 / k) * error
    if not (np.abs(others.mean(axis=0) - labelled.mean(axis=0)) > surprise).any():
        return [None] * k
    if k == 1:
        return [float(np.mean(values[:, 0] > 0))]
    return (np.bincount(values.argmax(axis=1), minlength=k) / len(values)).tolist()


def equal_class_weights(targets) -> np.ndarray:
    """Weights (l,) of mean 1 that give the same total to every class that has labels."""
    codes = (targets[:, 0] > 0).astype(int) if targets.shape[1] == 1 else targets.argmax(axis=1)
    sizes = np.bincount(codes)
    return len(codes) / (np.count_nonzero(sizes) * sizes[codes])
