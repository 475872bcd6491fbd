"""Two baselines that belkin2006's Table 5 quotes: co-training and the spectral graph transducer.

Blum and Mitchell, Combining labeled and unlabeled data with co-training, COLT 1998. Joachims, Transductive learning via
spectral graph partitioning, ICML 2003.
"""

import numpy as np
from scipy import linalg, sparse
from sklearn.naive_bayes import MultinomialNB


def cotrain(views, rows, targets, pool, rng, n_rounds=30, n_positive=1, n_negative=3, pool_size=75):
    """Co-training of two naive Bayes classifiers: each view labels the examples it is surest of, for both.

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


def transducer_basis(affinity, n_eigenvectors=80):
    """The d smoothest eigenvectors of mean zero of the Laplacian of A + A', A the affinity with rows of sum 1.

    Joachims takes eigenvectors 2 to d + 1. On a graph in several pieces the first is not determined, so the constant is
    put at the other end of the spectrum instead.
    """
    W = sparse.csr_array(affinity)
    sums = np.asarray(W.sum(axis=1)).ravel()
    scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)
    A = (sparse.diags_array(scale) @ W).toarray()
    A += A.T
    degrees = A.sum(axis=1)
    L = np.diag(degrees) - A + 4.0 * degrees.max() / len(A)  # eigenvalues of L are at most twice the largest degree
    d = min(n_eigenvectors, len(L) - 1)
    return linalg.eigh(L, subset_by_index=[0, d - 1])[1]


def solve_transducer(basis, rows, targets, c=3200.0):
    """z on all n points: min w'Dw + c (Vw - g)'C(Vw - g), w'w = n, D_ii = i^2 (his equations 18 to 22).

    g is sqrt(l-/l+) on positive and -sqrt(l+/l-) on negative labels, C weighs both classes the same. The minimiser of a
    quadratic on a sphere is (G - mu I)^-1 b with mu the smallest real eigenvalue of [[G, -I], [-bb'/n, G]].
    """
    n, d = basis.shape
    l = len(rows)
    positive = targets > 0
    l_plus, l_minus = positive.sum(), (~positive).sum()
    goal = np.where(positive, np.sqrt(l_minus / l_plus), -np.sqrt(l_plus / l_minus))
    cost = np.where(positive, l / (2.0 * l_plus), l / (2.0 * l_minus))
    V = basis[rows]
    G = np.diag(np.arange(1.0, d + 1) ** 2) + c * (V.T * cost) @ V
    b = c * V.T @ (cost * goal)
    pencil = np.block([[G, -np.eye(d)], [-np.outer(b, b) / n, G]])
    values = linalg.eigvals(pencil)
    real = values.real[np.abs(values.imag) < 1e-6 * np.abs(values).max()]
    return basis @ linalg.solve(G - real.min() * np.eye(d), b)
