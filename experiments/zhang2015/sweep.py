"""Cross-validation of one method over all draws of a data set, and its errors at the parameters it chooses.

Two rules of choice, from the same validation errors:

- ``ONCE``: one cell for the data set, that with the lowest validation error averaged over folds and draws. No error on
  unlabelled points is looked at, but the labels of thirty draws together cover a third to all of the points, so this
  knows more than any one user with a labelled set would.
- ``EACH``: one cell for every draw, from its own labels alone.

zhang2015's footnote 8 fits both. The standard deviations it prints are on the whole, not for every method, nearer to
those of ``ONCE`` (:func:`experiments.zhang2015.figures.rules` measures this), so the tables' printed cells are compared
with it.
"""

import json

import numpy as np

from experiments.zhang2015.methods import METHODS, Points
from experiments.zhang2015.protocol import choose, decide

ONCE, EACH = RULES = ("once per data set", "draw by draw")


class Part:
    """Draws that share what their seed determines, and one path per kernel width."""

    def __init__(self, method, X, seed, draws, widths, params):
        self.method, self.points = METHODS[method], Points(X, params, seed)
        self.draws, self.widths = draws, widths
        self.cells, self.lists = self.method.cells(params), self.method.lists(params)
        self._paths = {}

    def path(self, w):
        """The path of width number w; those of all widths stay, since any of them may be chosen."""
        if w not in self._paths:
            template = self.method.template(self.points, self.widths[w])
            self._paths[w] = self.method.path(template, self.points.X)
        return self._paths[w]

    def validation(self) -> np.ndarray:
        """Wrong validation labels, draws x (widths x cells)."""
        wrong = np.empty((len(self.draws), len(self.widths), len(self.cells)), dtype=int)
        for w in range(len(self.widths)):
            for d, (_, draw) in enumerate(self.draws):
                wrong[d, w] = validate(self.path(w), self.lists, self.cells, draw)
        return wrong.reshape(len(self.draws), -1)

    def wrong_at(self, wanted) -> dict:
        """Wrong labels on the unlabelled points for triples (position of a draw, width, cell)."""
        found = {}
        for w, d, c in sorted({(w, d, c) for d, w, c in wanted}):
            draw = self.draws[d][1]
            values = self.path(w).fit(draw.partial(), **self.cells[c].given).values[draw.rest]
            found[d, w, c] = draw.wrong(decide(values), draw.rest)
        return found


def sweep(method, X, parts, widths, params):
    """For every draw and rule: number, error on the unlabelled points, chosen parameters, error of cross-validation.

    ``parts`` are pairs (seed, draws). Predictions for all points are made at the chosen cells alone.
    """
    widths = widths if METHODS[method].has_width else widths[:1]
    parts = [Part(method, X, seed, draws, widths, params) for seed, draws in parts]
    validated = [part.validation() for part in parts]
    cells = parts[0].cells
    coordinates = [(w, *cell.at) for w in range(len(widths)) for cell in cells]
    once = choose(np.concatenate(validated).mean(axis=0), coordinates)
    rows = []
    for part, wrong in zip(parts, validated, strict=True):
        chosen = {(d, rule): (once if rule == ONCE else choose(wrong[d], coordinates))
                  for d in range(len(wrong)) for rule in RULES}  # fmt: skip
        tested = part.wrong_at([(d, *divmod(c, len(cells))) for (d, _), c in chosen.items()])
        for (d, rule), c in chosen.items():
            number, draw = part.draws[d]
            w, cell = divmod(c, len(cells))
            width = {"width": float(widths[w])} if part.method.has_width else {}
            rows.append({
                "draw": int(number), "rule": rule, "error_pct": 100.0 * tested[d, w, cell] / len(draw.rest),
                "parameters": json.dumps(cells[cell].named | width),
                "cv_error_pct": 100.0 * float(wrong[d][c]) / len(draw.rows),
            })  # fmt: skip
    return sorted(rows, key=lambda row: row["draw"])


def validate(path, lists, cells, draw) -> list[int]:
    """Wrong validation labels over the folds, one number per cell."""
    found = {}
    for given, values in path.held_out_grid(draw.partial(), draw.folds, **lists):
        found[_key(given)] = draw.wrong(decide(values), draw.rows)
    return [found[_key(cell.given)] for cell in cells]


def _key(given):
    return tuple(sorted(given.items()))
