"""How much the graph should count: its weight and the ridge, chosen by exact leave-one-out over the labels.

For a machine on the deformed kernel K~(r) = K (I + r L K)^-1 the best r runs from 0 (the graph misleads) to 10,000, so
no fixed value can be right. With K = R R' and R'LR = U diag(s) U', the labelled block for every r is

    K~_ll(r) = B diag(1 / (1 + r s)) B',      B = R_l U,

and least squares on it has its held-out values in closed form: with M = (K~_ll + ridge I)^-1, the value at label i of
the machine that did not see it is y_i - (M y)_i / M_ii. One eigendecomposition serves all cells. With an unpenalised
constant beside f, M - M11'M / (1'M1) takes the place of M.

Weights are *relative*: r counts in units of 1 / (mean k(x, x) mean L_ii), which is 1 for a Gaussian kernel and a
normalised Laplacian, and the ridge in units of the mean diagonal of K~_ll. So they mean the same for every n, kernel
and graph.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import linalg
from sklearn.utils import check_random_state

from mr.kernels.features import HeldFeatures
from mr.kernels.products import diagonalise, multiply
from mr.solvers.choice import are_few, choose_by_balance, choose_cell, choose_regression_cell, class_mass_gap

GRAPH_WEIGHTS = (0.0, 0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4)
"""Relative weights of the graph to choose from."""
RIDGES = (0.1, 0.3, 1.0)
"""Relative ridges to choose from."""
LARGEST_HINGE_RIDGE = 0.3
"""Largest relative ridge of a machine with bounded slopes (hinge, epsilon-insensitive) on least squares' choice.

C = 1 / (2 ridge) bounds its coefficients. Beyond this ridge all of them are at their bounds, and what is left is a sum
of kernels: on g241c nearly half of the points are then wrong, where least squares has 24 %."""
REGRESSION_RIDGES = (1e-6, 1e-4, 1e-2, 0.1, 1.0)
"""The same for numbers, which may come without noise."""
CAUTIOUS = (10.0, 0.1)
"""Relative weight and ridge where labels are too few to tell."""
AMBIENT = 1e-2
"""gamma_A, the ridge divided by l, where a paper's gamma_I is given and gamma_A is not."""
STRONGEST = 100.0
"""Largest relative weight where labels are too few to be held out."""
MOST_LABELS = 1000
"""Labels that take part in the choice; leave-one-out is cubic in them."""


@dataclass(frozen=True)
class Strengths:
    """Weights of min sum_i loss(y_i, f_i + b) + ridge (||f||^2 + ratio f'Lf); None where they are to be chosen."""

    ridge: float | None
    ratio: float | None
    paper_smoothness: float | None = None
    """The product of both where a paper's convention gives it directly: equal up to its last bit."""
    intercept: bool | None = False
    """Whether there is a constant b."""

    @property
    def complete(self) -> bool:
        return self.ridge is not None and self.ratio is not None

    @property
    def smoothness(self) -> float:
        """Weight of f'Lf."""
        return self.ridge * self.ratio if self.paper_smoothness is None else self.paper_smoothness


def ratio_unit(kernel_diagonal, graph, n) -> float:
    """1 / (mean k(x, x) mean L_ii): the ratio r that a relative weight of 1 stands for."""
    size = float(np.mean(kernel_diagonal)) * _mean_diagonal(graph, n)
    return 1.0 / size if size > 0 and np.isfinite(1.0 / size) else 1.0


def _mean_diagonal(graph, n) -> float:
    """Mean diagonal entry of the graph's operator L^power."""
    if getattr(graph, "power", None) == 1:
        return float(graph.laplacian_.diagonal().mean())
    # Only products are known: random signs v have E v'Lv = trace L.
    signs = check_random_state(0).choice([-1.0, 1.0], size=(n, 16))
    return float((signs * graph.apply(signs)).sum() / signs.size)


def choose_strengths(
    factor, graph, rows, targets, given, unit, weights=None, classify=True, largest=np.inf
) -> Strengths:
    """The given strengths, with those that are None chosen by leave-one-out.

    Parameters
    ----------
    factor : array (n, m), or its features by blocks (:mod:`mr.kernels.features`)
        R with K = R R', or an approximation that is exact on the labelled rows.
    graph : fitted graph
    rows, targets : labelled rows, and their targets (l, k)
    given : Strengths
    unit : float
        r of a relative weight of 1; see :func:`ratio_unit`.
    weights : array (l,), default=None
        Weights of the labels in the loss.
    classify : bool, default=True
        Targets are signs of classes; otherwise numbers, and held-out squared error decides.
    largest : float, default=inf
        Largest relative ridge of the machine that is to have the strengths; see LARGEST_HINGE_RIDGE.
    """
    if len(rows) > MOST_LABELS:
        part = np.linspace(0, len(rows) - 1, MOST_LABELS).astype(int)
        rows, targets = rows[part], targets[part]
        weights = None if weights is None else weights[part]
    known = HeldFeatures(factor) if isinstance(factor, np.ndarray) else factor
    smoothness = known.smoothness(graph)
    s, rotation = diagonalise((smoothness + smoothness.T) / 2, overwrite_a=True, check_finite=False, driver="evd")
    features, s = multiply(known.rows(rows), rotation), np.maximum(s, 0.0)
    if classify and given.ratio is None and are_few(targets):
        return _strongest_balanced(known, rotation, features, s, targets, given, unit, weights)
    constants = (False, True) if given.intercept is None else (given.intercept,)
    cells, held_out, cautious = [], [], 0
    for weight in GRAPH_WEIGHTS if given.ratio is None else [given.ratio / unit]:
        block = (features / (1.0 + weight * unit * s)) @ features.T
        pairs, most = _ridges(block, given.ridge, classify), largest * mean_diagonal(block)
        for (relative, ridge), constant in product(pairs, constants):
            # the boldest cell that is not bolder than CAUTIOUS; what is given is not in question
            bold = (weight > CAUTIOUS[0] and given.ratio is None) or (relative > CAUTIOUS[1] and not given.ridge)
            if not bold and constant == constants[0]:
                cautious = len(cells)
            cells.append(Strengths(given.ridge or min(ridge, most), weight * unit, None, constant))
        held_out += leave_one_out(block, targets, [ridge for _, ridge in pairs], weights, constants)
    return cells[_choose(held_out, targets, cautious, [cell.ratio for cell in cells], classify, weights)]


def _strongest_balanced(known, rotation, features, s, targets, given, unit, weights) -> Strengths:
    """The strongest graph under which the classes keep their shares, at the cautious ridge: no label is held out."""
    roots = np.ones(len(targets)) if weights is None else np.sqrt(weights)
    cells, solutions = [], []
    for weight in GRAPH_WEIGHTS:
        if weight > STRONGEST:
            break
        shrunk = features / (1.0 + weight * unit * s)
        block = shrunk @ features.T
        scale = mean_diagonal(block)
        cells.append(Strengths(given.ridge or CAUTIOUS[1] * scale, weight * unit, None, bool(given.intercept)))
        system = roots[:, None] * block * roots + cells[-1].ridge * np.eye(len(block))
        beta = roots[:, None] * linalg.solve(system, roots[:, None] * targets, assume_a="pos", check_finite=False)
        solutions.append(rotation @ (shrunk.T @ beta))
    # all of them in one pass over the rows
    values = np.split(known.values(np.hstack(solutions)), len(cells), axis=1)
    return cells[choose_by_balance([class_mass_gap(part, targets) for part in values])]


def choose_ridge(block, targets, weights=None, classify=True, intercept=False, largest=np.inf) -> float:
    """Ridge of the supervised machine on the Gram block of the labelled points, by leave-one-out."""
    size = mean_diagonal(block)
    if len(block) > MOST_LABELS:
        part = np.linspace(0, len(block) - 1, MOST_LABELS).astype(int)
        block, targets = block[np.ix_(part, part)], targets[part]
        weights = None if weights is None else weights[part]
    relative, ridges = zip(*_ridges(block, None, classify), strict=True)
    held_out = leave_one_out(block, targets, ridges, weights, [intercept])
    fallback = relative.index(CAUTIOUS[1])
    chosen = ridges[_choose(held_out, targets, fallback, np.zeros(len(ridges)), classify, weights)]
    return min(chosen, largest * size)


def mean_diagonal(block) -> float:
    """Mean diagonal of a Gram block; 1 where it vanishes, since every ridge then gives the same function, zero."""
    size = float(np.trace(block)) / len(block)
    return size if size > np.finfo(float).tiny / np.finfo(float).eps else 1.0


def _ridges(block, given, classify) -> list[tuple[float, float]]:
    """Pairs of a relative ridge and the ridge itself."""
    scale = mean_diagonal(block)
    if given is not None:
        return [(given / scale, given)]
    return [(relative, relative * scale) for relative in (RIDGES if classify else REGRESSION_RIDGES)]


def _choose(held_out, targets, cautious, caution, classify, weights) -> int:
    if classify:
        return choose_cell(held_out, targets, cautious, caution, weights)
    return choose_regression_cell(held_out, targets, caution, weights) if len(targets) > 2 else cautious


def leave_one_out(block, targets, ridges, weights=None, intercepts=(False,)) -> list[np.ndarray]:
    """Held-out values (l, k) of weighted ridge regression on a Gram block, for every ridge, without or with a constant.

    min sum_i w_i (y_i - f_i - b)^2 + ridge ||f||^2: with S = diag(w), M = S^1/2 (S^1/2 K S^1/2 + ridge I)^-1 S^1/2.
    """
    roots = np.ones(len(block)) if weights is None else np.sqrt(weights)
    values, vectors = diagonalise(roots[:, None] * block * roots, overwrite_a=True, check_finite=False, driver="evd")
    values, vectors = np.maximum(values, 0.0), roots[:, None] * vectors
    inner, squares, sums = vectors.T @ targets, np.square(vectors), vectors.sum(axis=0)
    found = []
    for ridge, intercept in product(ridges, intercepts):
        inverse = 1.0 / (values + ridge)
        solved, own = vectors @ (inverse[:, None] * inner), squares @ inverse
        if intercept:
            border = vectors @ (inverse * sums)
            share = border / border.sum()
            # a label that decides about the constant alone has nothing of its own left but rounding
            solved, own = solved - np.outer(share, border @ targets), np.maximum(own - share * border, 1e-12 * own)
        found.append(targets - solved / own[:, None])
    return found
