"""How much the graph of an embedded machine should count: its weight mu, and C, by exact leave-one-out over the labels.

For least squares (chen2012, section III-D) the held-out values have a closed form. With Phi the eigenvectors of the
graph, S = lambda Phi_l'Phi_l + mu Sigma^p and A = K + I/C, Woodbury's identity turns the n x n system into

    (S + Phi'A^-1 Phi) z = lambda Phi_l'y,    f = K A^-1 Phi z = (Phi - A^-1 Phi / C) z,

and taking labels out is one more step of it. A^-1 Phi is computed once for each C; a weight mu costs a system of the
size of S. The support vector machine takes what its least-squares twin chooses.

Weights are *relative*. Phi_l'Phi_l is l/n I on average, so mu = w lambda (l / n) / mean(sigma^p) damps an eigenvector
of mean eigenvalue by the factor 1 + w whatever the number of points, the graph or its power. C counts in units of
1 / mean k(x, x), and lambda is LABELS times C. The most cautious machine of all is mu = 0, the supervised one
(proposition 2).
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from mr.solvers.choice import choose_cell, choose_regression_cell
from mr.solvers.embedding import weighted_gram
from mr.solvers.graph_weight import MOST_LABELS, leave_one_out

WEIGHTS = (0.0, 0.01, 0.1, 1.0, 10.0)
"""Relative weights of the graph to choose from."""
FALLBACK = 1.0
"""Relative weight where labels are too few to tell."""
MISFITS = (10.0, 1.0)
"""Relative C to choose from; the first is for too few labels."""
REGRESSION_MISFITS = (10.0, 1.0, 100.0, 1e4, 1e6)
"""The same for numbers, which may come without noise."""
LABELS = 1e3
"""lambda / C where lambda is left open: g is close to the labels before f is close to g."""
LEAST_SLACK = 1e-12
"""1 - leverage of a label that decides alone about its own point is rounding below this."""


@dataclass(frozen=True)
class Weights:
    """Weights of an embedded machine; None where they are to be chosen."""

    C: float | None
    mu: float | None
    label_weight: float | None
    """lambda"""

    @property
    def complete(self) -> bool:
        return None not in (self.C, self.mu, self.label_weight)


def mu_unit(eigenvalues, label_weight, l, n) -> float:
    """mu of a relative weight of 1; ``eigenvalues`` are those of L^p."""
    mean = float(np.mean(eigenvalues))
    return label_weight * l / n / mean if mean > 0 else label_weight * l / n


def solve_reduced(inner, labelled, damping, label_weight) -> np.ndarray:
    """(S + Phi'A^-1 Phi)^-1 Phi_l' (k, l); ``inner`` is Phi'A^-1 Phi, ``damping`` the diagonal of mu Sigma^p."""
    system = inner + weighted_gram(labelled, label_weight)
    system.flat[:: len(system) + 1] += damping
    return linalg.solve(system, labelled.T, assume_a="pos")


def held_out_values(solved, labelled, outer, targets, label_weight, folds) -> np.ndarray:
    """f at every labelled point of the machine without the labels of its fold.

    ``solved`` is that of :func:`solve_reduced`, ``outer`` the labelled rows of K A^-1 Phi. Without the labels of F the
    system loses lambda Phi_F'Phi_F: z' = z + solved_F s with (I - P_FF) s = lambda (g_F - y_F), P the leverage.
    Of a column of weights lambda, the roots on both sides make I - P_FF symmetric.
    """
    z = solved @ (label_weight * targets)
    misfit, leverage = label_weight * (labelled @ z - targets), label_weight * (labelled @ solved)
    if len(np.unique(folds)) == len(folds):
        shift = misfit / np.maximum(1.0 - leverage.diagonal(), LEAST_SLACK)[:, None]
        return outer @ z + np.einsum("ij,ji->i", outer, solved)[:, None] * shift
    values = np.empty_like(targets, dtype=float)
    for number in np.unique(folds):
        held = np.flatnonzero(folds == number)
        roots = np.ones((1, 1)) if np.ndim(label_weight) == 0 else np.sqrt(label_weight[held])
        slack, rotation = linalg.eigh(np.eye(len(held)) - leverage[np.ix_(held, held)] * roots.T / roots)
        shift = rotation @ ((rotation.T @ (misfit[held] / roots)) / np.maximum(slack, LEAST_SLACK)[:, None])
        shift = roots * shift
        values[held] = outer[held] @ (z + solved[:, held] @ shift)
    return values


def choose_weights(
    inverse, eigenvalues, vectors, rows, targets, block, given, unit_C, classify=True, weights=None, intercept=False
):
    """The given weights, with those that are None chosen by leave-one-out.

    Parameters
    ----------
    inverse : function of C and a matrix V
        (K + I/C)^-1 V.
    eigenvalues, vectors : (k,), (n, k)
        Smallest eigenpairs of L^p.
    rows, targets : labelled rows, and their targets (l, k)
    block : array (l, l)
        K at the labelled points.
    given : Weights
    unit_C : float
        C of a relative C of 1.
    classify : bool, default=True
        Targets are signs of classes; otherwise numbers, and held-out squared error decides.
    weights : array (l,), default=None
        Weights of the labels, which multiply lambda.
    intercept : bool, default=False
        Whether f has an unpenalised constant.

    Returns
    -------
    Weights
    """
    l, n = len(rows), len(vectors)
    if l > MOST_LABELS:
        part = np.linspace(0, len(rows) - 1, MOST_LABELS).astype(int)
        rows, targets, block = rows[part], targets[part], block[np.ix_(part, part)]
        weights = None if weights is None else weights[part]
    relative = MISFITS if classify else REGRESSION_MISFITS
    Cs = [c * unit_C for c in relative] if given.C is None else [given.C]
    cells, levels, held_out = [], [], []
    for C in Cs:
        label_weight = LABELS * C if given.label_weight is None else given.label_weight
        unit = mu_unit(eigenvalues, label_weight, len(rows), n)
        mus = [weight * unit for weight in WEIGHTS] if given.mu is None else [given.mu]
        group = [Weights(C, mu, label_weight) for mu in mus]
        held_out += _held_out(inverse, eigenvalues, vectors, rows, targets, block, group, weights, intercept)
        cells, levels = cells + group, levels + list(WEIGHTS if given.mu is None else [0.0])
    fallback = levels.index(FALLBACK) if given.mu is None else 0
    if classify:
        chosen = choose_cell(held_out, targets, fallback, levels, weights)
    else:
        chosen = choose_regression_cell(held_out, targets, levels, weights) if len(targets) > 2 else fallback
    # a weight relative to fewer labels, where only some took part in the choice
    return cells[chosen] if given.mu is not None else replace(cells[chosen], mu=cells[chosen].mu * l / len(rows))


def of_labels(label_weight, weights):
    """lambda, or lambda times the weight of each label as a column."""
    return label_weight if weights is None else label_weight * weights[:, None]


def _held_out(inverse, eigenvalues, vectors, rows, targets, block, cells, weights, intercept) -> list[np.ndarray]:
    """Leave-one-out values of cells that differ in mu alone."""
    C, label_weight, found = cells[0].C, of_labels(cells[0].label_weight, weights), []
    labelled, each = vectors[rows], np.arange(len(rows))
    if any(cell.mu > 0 for cell in cells):
        solved = _centred(inverse, C, vectors) if intercept else inverse(C, vectors)
        inner, outer = vectors.T @ solved, labelled - solved[rows] / C
    for cell in cells:
        if cell.mu == 0:
            slack = 1.0 / label_weight + 1.0 / C
            ridge, losses = (slack, None) if weights is None else (1.0, 1.0 / slack[:, 0])
            found += leave_one_out(block.copy(), targets, [ridge], losses, [intercept])
        else:
            reduced = solve_reduced(inner, labelled, cell.mu * eigenvalues, label_weight)
            found.append(held_out_values(reduced, labelled, outer, targets, label_weight, each))
    return found


def _centred(inverse, C, V):
    """A^-1 V - A^-1 1 1'A^-1 V / 1'A^-1 1 with A = K + I/C: the limit of a kernel K + c 11' with a large c."""
    solved = inverse(C, np.column_stack([V, np.ones(len(V))]))
    solved, ones = solved[:, :-1], solved[:, -1]
    return solved - np.outer(ones, solved.sum(axis=0) / ones.sum())
