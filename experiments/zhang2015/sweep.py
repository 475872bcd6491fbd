"""Cross-validation of one method over all draws of a data set, and its errors at the parameters it chooses.

Two rules of choice, from the same validation errors:

- ``ONCE``: one cell for the data set, that with the lowest validation error averaged over folds and draws. No error on
  unlabelled points is looked at, but the labels of thirty draws together cover a third to all of the points, so this
  knows more than any one user with a labelled set would.
- ``EACH``: one cell for every draw, from its own labels alone.

zhang2015's footnote 8 fits both. The standard deviations it prints are on the whole, not for every method, nearer to
those of ``ONCE`` (:func:`experiments.zhang2015.figures.rules` measures this), so the tables' printed cells are compared
with it.

A third entry, ``BEST``, is a diagnosis and no result: the cell with the lowest mean error on the *unlabelled* points.
"""

import json
from dataclasses import dataclass, fields

import numpy as np

from experiments.zhang2015.methods import METHODS, Points
from experiments.zhang2015.protocol import choose, decide

ONCE, EACH, BEST = RULES = ("once per data set", "draw by draw", "best cell on test")


@dataclass(frozen=True)
class Scores:
    """What every cell scored on every draw, arrays (draws, widths, cells)."""

    validation: np.ndarray
    """Wrong validation labels, over all folds."""
    wrong: np.ndarray
    """Wrong predictions on the unlabelled points."""
    one_sided: np.ndarray
    """Share of these predictions that name the most frequent class, percent."""
    changed: np.ndarray
    """Predictions on the unlabelled points that the same machine without its graph makes differently; -1: none such."""


def measure(method, X, draws, widths, params, seed_of) -> Scores:
    """Scores of the whole grid. One path is in memory at a time: per width, and per draw where there are centres.

    ``draws`` are pairs (number, draw); ``seed_of(number)`` is the seed of a draw's centres.
    """
    if not METHODS[method].seeded:
        return measure_on(Points(X, params, seed_of(0)), method, [draw for _, draw in draws], widths)
    parts = [measure_on(Points(X, params, seed_of(number)), method, [draw], widths) for number, draw in draws]
    return Scores(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Scores)))


def measure_on(points, method, draws, widths) -> Scores:
    """Scores of the whole grid on draws that share their centres."""
    method, params = METHODS[method], points.params
    shape = len(draws), len(widths), len(method.cells(params))
    scores = Scores(*(np.full(shape, -1, dtype=kind) for kind in (int, int, float, int)))
    for w, width in enumerate(widths):
        path = method.path(method.template(points, width), points.X)
        for d, draw in enumerate(draws):
            _score(scores, (d, w), method, path, draw, params)
    return scores


def _score(scores, at, method, path, draw, params):
    """All cells of one path on one draw."""
    lists, y = method.lists(params), draw.partial()
    validated = {_key(given): draw.wrong(decide(values), draw.rows)
                 for given, values in path.held_out_grid(y, draw.folds, **lists)}  # fmt: skip
    tested = _predictions(path, y, draw, lists)
    supervised = {}
    if method.without_graph:
        supervised = _predictions(path, y, draw, lists | {method.without_graph: [0.0]})
    for c, cell in enumerate(method.cells(params)):
        codes, place = tested[_key(cell.given)], (*at, c)
        scores.validation[place] = validated[_key(cell.given)]
        scores.wrong[place] = draw.wrong(codes, draw.rest)
        scores.one_sided[place] = 100.0 * np.bincount(codes).max() / len(codes)
        if supervised:
            plain = supervised[_key(cell.given | {method.without_graph: 0.0})]
            scores.changed[place] = int((codes != plain).sum())


def _predictions(path, y, draw, lists) -> dict:
    return {_key(given): decide(fit.values[draw.rest]).astype(np.int16) for given, fit in path.grid(y, **lists)}


def sweep(method, X, draws, widths, params, seed_of) -> list[dict]:
    """One row for every draw and rule: error on the unlabelled points, chosen parameters, error of cross-validation."""
    widths = widths if METHODS[method].has_width else widths[:1]
    scores = measure(method, X, draws, widths, params, seed_of)
    cells = METHODS[method].cells(params)
    coordinates = [(w, *cell.at) for w in range(len(widths)) for cell in cells]
    validation = scores.validation.reshape(len(draws), -1)
    once = choose(validation.mean(axis=0), coordinates)
    best = int(scores.wrong.reshape(len(draws), -1).mean(axis=0).argmin())
    rows = []
    for d, (number, draw) in enumerate(draws):
        for rule, chosen in zip(RULES, (once, choose(validation[d], coordinates), best), strict=True):
            w, c = divmod(chosen, len(cells))
            rows.append(_row(scores, (d, w, c), draw, widths if METHODS[method].has_width else [], cells)
                        | {"draw": int(number), "rule": rule})  # fmt: skip
    return rows


def _row(scores, at, draw, widths, cells) -> dict:
    _, w, c = at
    width = {"width": float(widths[w])} if len(widths) else {}
    changed = int(scores.changed[at])
    return {
        "error_pct": 100.0 * scores.wrong[at] / len(draw.rest),
        "parameters": json.dumps(cells[c].named | width),
        "edge": ";".join(edges(cells, c) + (["width"] if len(widths) > 1 and w in (0, len(widths) - 1) else [])),
        "cv_error_pct": 100.0 * scores.validation[at] / len(draw.rows),
        "one_sided_pct": float(scores.one_sided[at]),
        "changed_pct": 100.0 * changed / len(draw.rest) if changed >= 0 else None,
        "majority_pct": 100.0 * np.bincount(draw.y[draw.rest]).max() / len(draw.rest),
    }


def edges(cells, c) -> list[str]:
    """Names of the parameters of cell c that stand at an end of their grid."""
    found = []
    for name, value in cells[c].named.items():
        values = [cell.named[name] for cell in cells]
        if len(set(values)) > 1 and value in (min(values), max(values)):
            found.append(name)
    return found


def once_chosen(rows) -> dict:
    """Parameters that a method chose once for the data set, from its rows of :func:`sweep`."""
    return json.loads(rows.loc[rows["rule"] == ONCE, "parameters"].iloc[0])


def _key(given):
    return tuple(sorted(given.items()))


def cell_rows(points, method, draws, widths) -> list[list[dict]]:
    """For every draw one row per width and cell: wrong validation labels, and the error on the unlabelled points.

    Figures have one task per draw, so that a choice for all draws is made from the rows, by :func:`chosen`.
    """
    scores, cells = measure_on(points, method, draws, widths), METHODS[method].cells(points.params)
    return [
        [
            {"width_index": w, "cell": c, "width": float(width), **cell.named,
             "validation": int(scores.validation[d, w, c]), "error_pct": 100.0 * scores.wrong[d, w, c] / len(draw.rest)}
            for w, width in enumerate(widths) for c, cell in enumerate(cells)
        ]
        for d, draw in enumerate(draws)
    ]  # fmt: skip


def chosen(rows, rule):
    """From rows of :func:`cell_rows` (with a column ``draw``) those of the cell that a rule chooses, one per draw."""
    rows = rows.sort_values(["draw", "width_index", "cell"])
    coordinates = rows.loc[rows["draw"] == rows["draw"].iloc[0], ["width_index", "cell"]].to_numpy()
    validation = rows["validation"].to_numpy().reshape(-1, len(coordinates))
    found = [choose(validation.mean(axis=0) if rule == ONCE else errors, coordinates) for errors in validation]
    return rows.iloc[[d * len(coordinates) + at for d, at in enumerate(found)]]
