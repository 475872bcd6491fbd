"""Cross-validation of one method over all draws of a data set, and its errors at the parameters it chooses.

Two rules of choice, from the same validation errors:

- ``ONCE``: one cell for the data set, that with the lowest validation error averaged over folds and draws. No error on
  unlabelled points is looked at, but the labels of thirty draws together cover a third to all of the points, so this
  knows more than any one user with a labelled set would.
- ``EACH``: a cell for every draw, from its own labels alone.

zhang2015's footnote 8 fits both. The standard deviations it prints are on the whole, not for every method, nearer to
those of ``ONCE`` (:func:`experiments.zhang2015.figures.rules` measures this), so the tables' printed cells are compared with it.
"""

import json

import numpy as np

from experiments.zhang2015.protocol import choose, decide
from experiments.zhang2015.methods import HELD_OUT, METHODS, NO_WIDTH, PER_DRAW, Context

ONCE, EACH = RULES = ("once a data set", "draw by draw")
KEPT_BYTES = 2**31  # bases of all widths stay in memory up to this, else they are made again where they are needed


class Part:
    """Draws that share what their seed determines, and the bases made for them."""

    def __init__(self, method, X, seed, draws, widths, params):
        self.make, self.machine = METHODS[method]
        self.per_draw = method in PER_DRAW
        self.ctx, self.draws, self.widths = Context(X, params, seed), draws, widths
        self.kept = {}

    def basis(self, w, draw):
        if self.per_draw:
            return self.make(self.ctx, self.widths[w], draw.rows)
        if w not in self.kept:
            made = self.make(self.ctx, self.widths[w])
            self.kept = (self.kept if len(self.widths) * _bytes(made) < KEPT_BYTES else {}) | {w: made}
        return self.kept[w]

    def validation(self):
        """Wrong validation labels (draws x cells of all widths), and the cells: (width, group, parameters)."""
        wrong = [[] for _ in self.draws]
        cells = []
        for w in range(len(self.widths)):
            for found, (_, draw) in zip(wrong, self.draws, strict=True):
                basis = self.basis(w, draw)
                found += validate(basis, self.machine, draw)
            cells += [(w, outer, cell) for outer, group in enumerate(basis.cells) for cell in group["inner"]]
        return np.array(wrong), cells

    def wrong_at(self, wanted):
        """Wrong labels on the unlabelled points for pairs (position of a draw, cell), width by width."""
        found = {}
        for d, (w, outer, cell) in sorted(wanted, key=lambda pair: pair[1][0]):
            draw = self.draws[d][1]
            found[d, w, outer, cell["at"]] = test(self.basis(w, draw), outer, cell, self.machine, draw)
        return [found[d, w, outer, cell["at"]] for d, (w, outer, cell) in wanted]


def sweep(method, X, parts, widths, params):
    """For every draw and rule: number, error on the unlabelled points, chosen parameters, error of cross-validation.

    ``parts`` are pairs (seed, draws). Cross-validation needs labelled blocks only; predictions for all points are made
    at the chosen cells alone.
    """
    widths = widths[:1] if method in NO_WIDTH else widths
    parts = [Part(method, X, seed, draws, widths, params) for seed, draws in parts]
    validated = [part.validation() for part in parts]
    cells = validated[0][1]
    coordinates = [(w, *cell["at"]) for w, _, cell in cells]
    once = choose(np.concatenate([wrong for wrong, _ in validated]).mean(axis=0), coordinates)
    rows = []
    for part, (wrong, _) in zip(parts, validated, strict=True):
        each = [choose(errors, coordinates) for errors in wrong]
        chosen = [(d, rule, c) for d in range(len(each)) for rule, c in ((ONCE, once), (EACH, each[d]))]
        tested = part.wrong_at([(d, cells[c]) for d, _, c in chosen])
        for (d, rule, c), count in zip(chosen, tested, strict=True):
            number, draw = part.draws[d]
            rows.append({
                "draw": int(number), "rule": rule, "error_pct": 100.0 * count / len(draw.rest),
                "parameters": _described(cells[c], widths, method),
                "cv_error_pct": 100.0 * float(wrong[d][c]) / len(draw.rows),
            })  # fmt: skip
    return sorted(rows, key=lambda row: row["draw"])


def _described(chosen, widths, method) -> str:
    w, _, cell = chosen
    parameters = {key: value for key, value in cell.items() if key != "at"}
    return json.dumps(parameters if method in NO_WIDTH else parameters | {"width": float(widths[w])})


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
