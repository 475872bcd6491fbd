"""Cross-validation of one method over all draws of a task, width by width, and its error at the chosen parameters."""

import json

import numpy as np

from mr.experiments.zhang2015 import choose, decide
from mr.experiments.zhang2015_methods import HELD_OUT, METHODS, NO_WIDTH, PER_DRAW, Context

KEPT_BYTES = 3 * 2**29  # bases of all widths stay in memory up to this, else the chosen ones are made again


def sweep(method, X, draws, widths, params, seed):
    """For every draw: number, error on the unlabelled points, chosen parameters, and error of cross-validation.

    Cross-validation needs labelled blocks only; predictions for all points are made at the chosen cell alone.
    """
    ctx = Context(X, params, seed)
    widths = widths[:1] if method in NO_WIDTH else widths
    make, machine = METHODS[method]
    errors, cells = [[] for _ in draws], []
    kept = {}
    for w, width in enumerate(widths):
        basis = None
        for d, (_, draw) in enumerate(draws):
            if basis is None or method in PER_DRAW:
                basis = make(ctx, width, draw.rows) if method in PER_DRAW else make(ctx, width)
            errors[d] += validate(basis, machine, draw)
        cells += [(w, outer, cell) for outer, group in enumerate(basis.cells) for cell in group["inner"]]
        if method not in PER_DRAW and len(widths) * _bytes(basis) < KEPT_BYTES:
            kept[w] = basis
    coordinates = [(w, *cell["at"]) for w, _, cell in cells]
    chosen = [choose(error, coordinates) for error in errors]
    rows = {}
    for index in sorted(range(len(draws)), key=lambda d: cells[chosen[d]][0]):
        number, draw = draws[index]
        w, outer, cell = cells[chosen[index]]
        if method in PER_DRAW:
            basis = make(ctx, widths[w], draw.rows)
        elif w not in kept:
            kept = {w: make(ctx, widths[w])}
        basis = basis if method in PER_DRAW else kept[w]
        wrong = test(basis, outer, cell, machine, draw)
        parameters = {key: value for key, value in cell.items() if key != "at"}
        if method not in NO_WIDTH:
            parameters["width"] = float(widths[w])
        rows[index] = {
            "draw": int(number), "error_pct": 100.0 * wrong / len(draw.rest), "parameters": json.dumps(parameters),
            "cv_error_pct": 100.0 * errors[index][chosen[index]] / len(draw.rows),
        }  # fmt: skip
    return [rows[d] for d in range(len(draws))]


def validate(basis, machine, draw) -> list[int]:
    """Wrong validation labels over the folds, one number a cell of the basis."""
    found = []
    for group in basis.cells:
        K = basis.block(group, draw.rows, draw.rows)
        if machine in HELD_OUT:
            predictions = HELD_OUT[machine](K, draw.targets(draw.rows), draw.folds, group["inner"])
            found += [draw.wrong(decide(values), draw.rows) for values in predictions]
        else:
            found += _refitted(K, machine, draw, group["inner"])
    return found


def _refitted(K, machine, draw, inner) -> list[int]:
    """The same by a fit for every fold."""
    wrong = np.zeros(len(inner), dtype=int)
    for k in range(draw.n_folds):
        train, held = np.flatnonzero(draw.folds != k), np.flatnonzero(draw.folds == k)
        predictors = machine(K[np.ix_(train, train)], draw.targets(draw.rows[train]), inner)
        at = K[np.ix_(held, train)]
        wrong += [draw.wrong(predict(at), draw.rows[held]) for predict in predictors]
    return wrong.tolist()


def test(basis, outer, cell, machine, draw) -> int:
    """Wrong labels on the unlabelled points, trained on the whole labelled set at one cell."""
    group = basis.cells[outer]
    K = basis.block(group, draw.rows, draw.rows)
    (predict,) = machine(K, draw.targets(draw.rows), [cell])
    return draw.wrong(predict(basis.block(group, draw.rest, draw.rows)), draw.rest)


def _bytes(basis) -> int:
    return 0 if basis.left is None else basis.left.nbytes
