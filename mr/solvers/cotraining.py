"""Co-training of two naive Bayes classifiers (Blum and Mitchell, COLT 1998, Table 1)."""

import numpy as np
from sklearn.naive_bayes import MultinomialNB


def cotrain(views, rows, targets, pool, rng, n_rounds=30, n_positive=1, n_negative=3, pool_size=75):
    """Let each view label the examples it is surest of, for both.

    In each of ``n_rounds`` rounds a classifier on each view labels ``n_positive`` positive and ``n_negative`` negative
    examples out of ``pool_size`` random ones of ``pool``; they join the labelled set, and as many new ones are drawn.

    Parameters
    ----------
    views : two non-negative feature matrices with the same rows
    rows, targets : labelled rows and their labels in {-1, +1}
    pool : unlabelled rows that may be drawn

    Returns
    -------
    list of the two classifiers, fitted to the final labelled set.
    """
    queue = rng.permutation(pool)
    shown, queue = queue[:pool_size], queue[pool_size:]
    rows, targets = np.array(rows), np.array(targets)
    for _ in range(n_rounds):
        if len(shown) == 0:
            break
        chosen = {}
        for X in views:
            score = log_odds(MultinomialNB().fit(X[rows], targets), X[shown])
            order = np.argsort(-score, kind="stable")
            chosen |= {shown[i]: 1.0 for i in order[:n_positive]}
            chosen |= {shown[i]: -1.0 for i in order[max(len(order) - n_negative, n_positive) :]}
        rows = np.append(rows, list(chosen))
        targets = np.append(targets, list(chosen.values()))
        size = 2 * (n_positive + n_negative)
        shown = np.append(shown[~np.isin(shown, list(chosen))], queue[:size])
        queue = queue[size:]
    return [MultinomialNB().fit(X[rows], targets) for X in views]


def log_odds(classifier, X):
    """log P(+1 | x) - log P(-1 | x)."""
    values = classifier.predict_log_proba(X)
    return values[:, 1] - values[:, 0]
