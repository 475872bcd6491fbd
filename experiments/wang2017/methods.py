"""The methods of wang2017's tables over a parameter grid: accuracies on test and leave-one-out losses, draw by draw."""

from itertools import product

import numpy as np
from scipy import linalg

from mr.solvers.adaptive_graph import alternate, fit_on_graph
from mr.solvers.adaptive_weights import LineEntropyWeights, SparseWeights

METHODS = ("RLS", "MR_LP", "MR_SP", "AGMR_entropy", "AGMR_sparse")


def grid(method, params) -> list[dict]:
    """Parameter combinations of a method: gamma_1, gamma_2, and AGMR's own; eta_2 is idle on the simplex."""
    values = params["grid"]
    extra = {"AGMR_entropy": "eta", "AGMR_sparse": "eta_1"}.get(method)
    cells = [{"gamma_1": a, "gamma_2": b} for a, b in product(values, values)]
    return [cell | {extra: e} for e in values for cell in cells] if extra else cells


def evaluate(method, bench, draw, y, params) -> dict:
    """Accuracy on test (per cent) and leave-one-out loss on the labels for every cell of the grid.

    Of the last cell also: the larger share of test points on one side (per cent), the standard deviation of f on the
    training part, and the information of the graph (Kullback-Leibler divergence of a row of W from the uniform one).
    """
    signs = np.where(y == 1, 1.0, -1.0)
    targets = signs[draw.train[draw.labelled]][:, None]
    cells = grid(method, params)
    accuracy, loss, iterations, last = [], [], [], {}
    for w, smoothness, cell, n_iter, information in _fits(method, bench, draw.labelled, targets, cells, params):
        positive = bench.all[draw.test] @ w[:, 0] > 0
        accuracy.append(round(100.0 * float((positive == (signs[draw.test] > 0)).mean()), 6))
        last = {"one_sided": 100.0 * max(positive.mean(), 1 - positive.mean()), "spread": float((bench.R @ w).std())}
        last["information"] = information
        loss.append(float(f"{_leave_one_out(bench.R[draw.labelled], targets, w, smoothness, cell):.6g}"))
        iterations.append(n_iter)
    found = {"accuracy": accuracy, "loo": loss, "iterations": float(np.mean(iterations))} | last
    if len(cells) > 1:
        found["held_out"] = _held_out(method, bench, draw.labelled, targets, cells, params)
    return found


def _held_out(method, bench, rows, targets, cells, params) -> list[float]:
    """Squared loss of every cell on a third of the labels, fitted (graph and all) on the other two thirds.

    One criterion for every method: unlike leave-one-out on a fixed graph, no learned graph has seen these labels.
    """
    third = np.random.default_rng(0).permutation(len(rows)) % 3 == 0
    fits = _fits(method, bench, rows[~third], targets[~third], cells, params)
    return [float(f"{np.square(bench.R[rows[third]] @ w - targets[third]).mean():.6g}") for w, *_ in fits]


def _fits(method, bench, rows, targets, cells, params):
    """(w, matrix of the smoothness term, cell, iterations, information of W) for every cell."""
    if method in ("RLS", "MR_LP", "MR_SP"):
        d = bench.R.shape[1]
        S = {"RLS": lambda: np.zeros((d, d)), "MR_LP": lambda: bench.nearest, "MR_SP": lambda: bench.reconstruction}
        S = S[method]()
        for cell in cells:
            yield fit_on_graph(bench.R, rows, targets, cell["gamma_1"], cell["gamma_2"], S), S, cell, 1, np.nan
        return
    for cell, weights in _adaptive(method, bench, cells, params):
        g1, g2 = cell["gamma_1"], cell["gamma_2"]
        start = bench.R @ fit_on_graph(bench.R, rows, targets, g1, g2, bench.nearest)
        solution = alternate(bench.R, rows, targets, weights, start, g1, g2, params["max_iter"], params["tol"])
        # the entropy penalty is eta times the divergence, summed over rows
        information = weights.penalty / (cell["eta"] * len(bench.R)) if "eta" in cell else np.nan
        yield solution.weights, weights.quadratic(bench.R), cell, solution.n_iter, information


def _adaptive(method, bench, cells, params):
    """A fresh W for every cell; the row problems (and their starting rows) are shared by the cells of one eta_1."""
    if method == "AGMR_entropy":
        for cell in cells:
            yield cell, LineEntropyWeights(cell["eta"])
        return
    update = params.get("update", "pairwise")
    etas = dict.fromkeys(cell["eta_1"] for cell in cells)
    problems, candidates = bench.row_problems(params.get("support"), etas)
    start = None
    if update == "pairwise":
        # the rows without a label: where every W-step starts, computed once
        first = SparseWeights(problems[next(iter(etas))], 1.0, update, candidates)
        first.update(np.zeros((len(bench.R), 1)))
        start = first.rows
    for cell in cells:
        yield cell, SparseWeights(problems[cell["eta_1"]], 1.0, update, candidates, start)


def _leave_one_out(labelled, targets, w, smoothness, cell):
    """Mean squared leave-one-out error with the graph held fixed: (y_i - f_i) / (1 - h_ii), h the hat matrix.

    Exact for a graph that is fixed. AGMR's graph was adapted with the label that is left out: its loss is optimistic by
    an unknown amount, so this criterion does not compare AGMR with MR fairly (``_held_out`` does).
    """
    system = smoothness + cell["gamma_1"] * labelled.T @ labelled
    system.flat[:: len(system) + 1] += cell["gamma_2"]
    factor = linalg.cho_factor(system, lower=True, check_finite=False)
    half = linalg.solve_triangular(factor[0], labelled.T, lower=True, check_finite=False)
    hat = cell["gamma_1"] * np.square(half).sum(axis=0)
    residual = (targets - labelled @ w)[:, 0]
    return float(np.mean(np.square(residual / np.maximum(1.0 - hat, 1e-12))))
