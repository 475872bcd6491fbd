"""Shares of the classes among the unlabelled points, where labels may not have been drawn in proportion.

The transductive SVM is told how many unlabelled points are positive. Joachims (1999) takes the share among the labels,
which is right for labels that were drawn at random, and leaves no room for a rare class where they were not: of two
moons with 2 labels against 100, one point in fifty would be positive.

The points themselves can contradict the labels. Let s be the decision values of least squares in which every class has
the same weight, of a labelled point without its own label. If labels are a random sample of the points, s has the same
mean over labels as over unlabelled points, up to sd(s) / sqrt(l). Where it has not, for any class, the shares are found
from the points: those of the decisions of this machine, or better, where some classes have labels enough to say how s
is distributed in them. Of the unlabelled points a share p_c belongs to such a class, so for every threshold t

    P(s_c >= t) >= p_c P(s_c >= t | class c),

and the least ratio of the two is an estimate of p_c from above (Blanchard, Lee, Scott 2010, Semi-supervised novelty
detection, JMLR 11). What these classes leave is for the others, in the proportions of the decisions. Decisions alone
leave too little: two labels pull only what is near to them.
"""

import numpy as np
from scipy.special import ndtri

from mr.kernels.products import diagonalise
from mr.solvers.graph_weight import CAUTIOUS, MOST_LABELS, leave_one_out, mean_diagonal

SURPRISE = 1e-2
"""Probability, over all classes, with which labels that are a random sample are taken for none."""

ENOUGH = 20
"""Labels of a class that say how decision values are distributed in it."""
MASSES = (0.5, 0.7, 0.9)
"""Shares of these labels above the thresholds t; in the tails a ratio of two small numbers says nothing."""


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
    if k > 1:
        return _shares(held_out, values, targets.argmax(axis=1)).tolist()
    both = (np.hstack([-array, array]) for array in (held_out, values))
    return _shares(*both, (targets[:, 0] > 0).astype(int))[1:].tolist()


def _shares(held_out, values, codes):
    """Shares (k,) of the classes among unlabelled points, from decision values of each class: (l, k) and (m, k)."""
    k = values.shape[1]
    decided = np.bincount(values.argmax(axis=1), minlength=k) / len(values)
    known = np.bincount(codes, minlength=k) >= ENOUGH
    if known.all() or not known.any():
        return decided
    shares = np.zeros(k)
    for c in np.flatnonzero(known):
        own = held_out[codes == c, c]
        thresholds = np.quantile(own, 1.0 - np.array(MASSES))
        shares[c] = min((values[:, c] >= t).mean() / (own >= t).mean() for t in thresholds)
    rest, others = 1.0 - shares.sum(), decided[~known].sum()
    if rest <= others:
        return decided
    shares[~known] = rest * (decided[~known] / others if others > 0 else 1.0 / (~known).sum())
    return shares


def equal_class_weights(targets) -> np.ndarray:
    """Weights (l,) of mean 1 that give the same total to every class that has labels."""
    codes = (targets[:, 0] > 0).astype(int) if targets.shape[1] == 1 else targets.argmax(axis=1)
    sizes = np.bincount(codes)
    return len(codes) / (np.count_nonzero(sizes) * sizes[codes])
