"""How much the graph should count: its weight and the ridge, chosen by exact leave-one-out over the labels.

For a machine on the deformed kernel K~(r) = K (I + r L K)^-1 the best r runs from 0 (the graph misleads) to 10,000, so
no fixed value can be right. With K = R R' and R'LR = U diag(s) U', the labelled block for every r is

    K~_ll(r) = B diag(1 / (1 + r s)) B',      B = R_l U,

and least squares on it has its held-out values in closed form: with M = (K~_ll + ridge I)^-1, the value at label i of
the machine that did not see it is y_i - (M y)_i / M_ii. One eigendecomposition serves all cells.

Weights are *relative*: r counts in units of 1 / (mean k(x, x) mean L_ii), which is 1 for a Gaussian kernel and a
normalised Laplacian, and the ridge in units of the mean diagonal of K~_ll. So they mean the same for every n, kernel
and graph.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from sklearn.utils import check_random_state

from mr.kernels.features import HeldFeatures
from mr.kernels.products import multiply
from mr.solvers.choice import are_few, choose_by_balance, choose_cell, choose_regression_cell, class_mass_gap

GRAPH_WEIGHTS = (0.0, 0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4)
"""Relative weights of the graph to choose from."""
RIDGES = (0.01, 0.1, 1.0)
"""Relative ridges to choose from."""
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
    """Weights of min sum_i loss(y_i, f_i) + ridge (||f||^2 + ratio f'Lf); None where they are to be chosen."""

    ridge: float | None
    ratio: float | None
    paper_smoothness: float | None = None
    """The product of both where a paper's convention gives it directly: equal up to its last bit."""

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


def choose_strengths(factor, graph, rows, targets, given, unit, weights=None, classify=True) -> Strengths:
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
    """
    if len(rows) > MOST_LABELS:
        part = np.linspace(0, len(rows) - 1, MOST_LABELS).astype(int)
        rows, targets = rows[part], targets[part]
        weights = None if weights is None else weights[part]
    known = HeldFeatures(factor) if isinstance(factor, np.ndarray) else factor
    smoothness = known.smoothness(graph)
    s, rotation = linalg.eigh((smoothness + smoothness.T) / 2, overwrite_a=True, check_finite=False, driver="evd")
    features, s = multiply(known.rows(rows), rotation), np.maximum(s, 0.0)
    if classify and given.ratio is None and are_few(targets):
        return _strongest_balanced(known, rotation, features, s, targets, given, unit, weights)
    cells, held_out, cautious = [], [], 0
    for weight in GRAPH_WEIGHTS if given.ratio is None else [given.ratio / unit]:
        block = (features / (1.0 + weight * unit * s)) @ features.T
        for relative, ridge in _ridges(block, given.ridge, classify):
            # the boldest cell that is not bolder than CAUTIOUS; what is given is not in question
            if (weight <= CAUTIOUS[0] or given.ratio is not None) and (relative <= CAUTIOUS[1] or given.ridge):
                cautious = len(cells)
            cells.append(Strengths(ridge, weight * unit))
        held_out += leave_one_out(block, targets, [cell.ridge for cell in cells[len(held_out) :]], weights)
    return cells[_choose(held_out, targets, cautious, [cell.ratio for cell in cells], classify)]


def _strongest_balanced(known, rotation, features, s, targets, given, unit, weights) -> Strengths:
    """The strongest graph under which the classes keep their shares, at the cautious ridge: no label is held out."""
    roots = np.ones(len(targets)) if weights is None else np.sqrt(weights)
    cells, solutions = [], []
    for weight in GRAPH_WEIGHTS:
        if weight > STRONGEST:
            break
        shrunk = features / (1.0 + weight * unit * s)
        block = shrunk @ features.T
        scale = max(float(np.trace(block)) / len(block), np.finfo(float).tiny)
        cells.append(Strengths(CAUTIOUS[1] * scale if given.ridge is None else given.ridge, weight * unit))
        system = roots[:, None] * block * roots + cells[-1].ridge * np.eye(len(block))
        beta = roots[:, None] * linalg.solve(system, roots[:, None] * targets, assume_a="pos", check_finite=False)
        solutions.append(rotation @ (shrunk.T @ beta))
    # all of them in one pass over the rows
    values = np.split(known.values(np.hstack(solutions)), len(cells), axis=1)
    return cells[choose_by_balance([class_mass_gap(part, targets) for part in values])]


def choose_ridge(block, targets, weights=None, classify=True) -> float:
    """Ridge of the supervised machine on the Gram block of the labelled points, by leave-one-out."""
    if len(block) > MOST_LABELS:
        part = np.linspace(0, len(block) - 1, MOST_LABELS).astype(int)
        block, targets = block[np.ix_(part, part)], targets[part]
        weights = None if weights is None else weights[part]
    relative, ridges = zip(*_ridges(block, None, classify), strict=True)
    held_out = leave_one_out(block, targets, ridges, weights)
    return ridges[_choose(held_out, targets, relative.index(CAUTIOUS[1]), np.zeros(len(ridges)), classify)]


def _ridges(block, given, classify) -> list[tuple[float, float]]:
    """Pairs of a relative ridge and the ridge itself."""
    scale = max(float(np.trace(block)) / len(block), np.finfo(float).tiny)
    if given is not None:
        return [(given / scale, given)]
    return [(relative, relative * scale) for relative in (RIDGES if classify else REGRESSION_RIDGES)]


def _choose(held_out, targets, cautious, caution, classify) -> int:
    if classify:
        return choose_cell(held_out, targets, cautious, caution)
    return choose_regression_cell(held_out, targets, caution) if len(targets) > 2 else cautious


def leave_one_out(block, targets, ridges, weights=None) -> list[np.ndarray]:
    """Held-out values (l, k) of weighted ridge regression on a Gram block, for every ridge.

    min sum_i w_i (y_i - f_i)^2 + ridge ||f||^2: with S = diag(w), M = S^1/2 (S^1/2 K S^1/2 + ridge I)^-1 S^1/2.
    """
    roots = np.ones(len(block)) if weights is None else np.sqrt(weights)
    values, vectors = linalg.eigh(roots[:, None] * block * roots, overwrite_a=True, check_finite=False, driver="evd")
    values, vectors = np.maximum(values, 0.0), roots[:, None] * vectors
    inner, squares = vectors.T @ targets, np.square(vectors)
    found = []
    for ridge in ridges:
        inverse = 1.0 / (values + ridge)
        found.append(targets - (vectors @ (inverse[:, None] * inner)) / (squares @ inverse)[:, None])
    return found
