"""How to choose the weight of the graph with 1 to 10 labels per class: errors (%) of LapRLS under several rules.

    python benchmarks/few_labels.py [--draws 10] [--random] [--sets digits text ...]

The same machines for all rules, those of LapRLSCV(): seven weights of the graph, three relative ridges, each without
and with a constant, 6 neighbours, Gaussian kernel "scale". Labels are drawn class by class, errors are those of the
unlabelled points, means over draws, then over data sets. Rules that look at no label, or at nothing but the graph, use
the least ridge and no constant.

These eight data sets were looked at while the rules were made. They say which rule to prefer, not how well it does on
data that nobody has looked at.
"""

import argparse

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import mr
from mr.datasets import load
from mr.model_selection.deformed import GRAPH_WEIGHTS as WEIGHTS
from mr.model_selection.deformed import STRONGEST, USUAL_RIDGE
from mr.model_selection.splits import deal
from mr.solvers.choice import choose_by_balance, choose_cell, class_mass_gap, held_out_alignment, held_out_errors
from mr.solvers.graph_weight import CAUTIOUS, RIDGES

SETS = ("digits", "text", "usps241", "g241c", "mnist", "cancer", "satimage", "german")
LABELS = (1, 2, 3, 5, 10)
MACHINES = [(ridge, constant) for constant in (False, True) for ridge in RIDGES]
USUAL = MACHINES.index((USUAL_RIDGE, False))
WEAK = sum(weight <= STRONGEST for weight in WEIGHTS)
"""Weights that are taken without held-out labels, the first ones."""


def data_set(name):
    """Points and classes; of the large sets 2000 rows."""
    if name == "cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return StandardScaler().fit_transform(X), y
    data = load(name)
    X, y = data.X.astype(float), data.y
    if name in ("mnist", "satimage"):
        rows = np.sort(np.random.default_rng(0).choice(len(y), 2000, replace=False))
        X, y = X[rows], y[rows]
    return (StandardScaler().fit_transform(X) if name == "german" else X), y


class Draw:
    """All machines for one draw of labels: errors, held-out values, gaps of the class masses, a second opinion."""

    def __init__(self, paths, truth, per_class, seed, random):
        rng = np.random.default_rng(seed)
        classes = np.unique(truth)
        rows = [rng.choice(np.flatnonzero(truth == c), 1 if random else per_class, replace=False) for c in classes]
        rows = np.concatenate(rows)
        if random:
            others = np.setdiff1d(np.arange(len(truth)), rows)
            rows = np.append(rows, rng.choice(others, (per_class - 1) * len(classes), replace=False))
        self.rows = np.sort(rows)
        self.targets = np.where(truth[self.rows, None] == classes, 1.0, -1.0)[:, (1 if len(classes) == 2 else 0) :]
        self.codes = np.searchsorted(classes, truth[self.rows])
        y, half = np.full(len(truth), -1), np.full(len(truth), -1)
        y[self.rows] = truth[self.rows]
        some = self.rows[deal(self.codes, 2, rng) == 0]
        half[some] = truth[some]
        hidden = np.setdiff1d(np.arange(len(truth)), self.rows)
        shape = len(WEIGHTS), len(MACHINES)
        self.errors, self.gaps, self.unstable = np.empty(shape), np.empty(shape), np.full(len(WEIGHTS), np.nan)
        self.held_out = np.empty((*shape, *self.targets.shape))
        for i, weight in enumerate(WEIGHTS):
            block = paths[0].deformation.block(self.rows, self.rows, weight * paths[0].unit)
            size = np.trace(block) / len(self.rows) ** 2
            for j, (ridge, constant) in enumerate(MACHINES):
                path = paths[constant]
                cell = {"graph_weight": weight, "gamma_A": ridge * size}
                values = path.fit(y, **cell).values
                decided = decisions(values)
                self.errors[i, j] = 100 * (classes[decided] != truth)[hidden].mean()
                self.gaps[i, j] = class_mass_gap(values, self.targets)
                self.held_out[i, j] = path.held_out(y, **cell)
                if j == USUAL and per_class > 1 and not random:  # else half of the labels may miss a class
                    self.unstable[i] = (decided != decisions(path.fit(half, **cell).values)).mean()

    def scored(self, score):
        """Error of the cell with the largest score of its held-out values; the weakest graph wins ties."""
        scores = np.array([[score(values, self.targets) for values in row] for row in self.held_out])
        return self.errors.flat[np.argmax(scores)]


def decisions(values):
    return (values[:, 0] > 0).astype(int) if values.shape[1] == 1 else values.argmax(axis=1)


def by_library_default(draw):
    """The rule of LapRLS(): held-out error plus logistic loss, cautious among equals."""
    cells = [(i, j) for i in range(len(WEIGHTS)) for j in range(len(MACHINES))]
    fallback = cells.index((WEIGHTS.index(CAUTIOUS[0]), USUAL))
    held_out = [draw.held_out[cell] for cell in cells]
    return draw.errors[cells[choose_cell(held_out, draw.targets, fallback, [i for i, _ in cells])]]


def by_balance(draw):
    return draw.errors[choose_by_balance(draw.gaps[:WEAK, USUAL]), USUAL]


def by_alignment(draw):
    return draw.scored(held_out_alignment)


def by_auto(draw):
    few = len(draw.rows) <= 3 * len(np.unique(draw.codes))
    return by_balance(draw) if few else by_alignment(draw)


RULES = {
    "no graph": lambda draw: draw.errors[0, USUAL],
    "always 1": lambda draw: draw.errors[2, USUAL],
    "always 10": lambda draw: draw.errors[3, USUAL],
    "always 100": lambda draw: draw.errors[4, USUAL],
    "stability: half of the labels decide most alike": lambda draw: (
        np.nan if np.isnan(draw.unstable).any() else draw.errors[draw.unstable.argmin(), USUAL]
    ),
    "held-out error, then squared loss": lambda draw: draw.scored(
        lambda values, targets: -held_out_errors(values, targets).mean() - 1e-6 * np.square(values - targets).mean()
    ),
    "held-out squared loss": lambda draw: draw.scored(lambda values, targets: -np.square(values - targets).mean()),
    "held-out error + logistic loss (`LapRLS()` beyond 3)": by_library_default,
    'held-out alignment (`choice="held-out"`)': by_alignment,
    'class shares kept (`choice="cautious"`, `LapRLS()` up to 3)': by_balance,
    '`choice="auto"`': by_auto,
    "best single cell in hindsight": None,
}


def errors_of(name, draws, random):
    """Mean error of every rule for every number of labels, (rules, labels)."""
    X, truth = data_set(name)
    paths = [mr.paths.LapRLSPath(mr.LapRLS(fit_intercept=constant), X) for constant in (False, True)]
    paths[1].deformation = paths[0].deformation  # a constant changes nothing in it
    columns = []
    for per_class in LABELS:
        found = [Draw(paths, truth, per_class, 1000 * per_class + draw, random) for draw in range(draws)]
        best = np.mean([draw.errors for draw in found], axis=0).min()
        columns.append([best if rule is None else np.mean([rule(draw) for draw in found]) for rule in RULES.values()])
    return np.array(columns).T


def table(errors):
    print("| | " + " | ".join(map(str, LABELS)) + " |\n" + "| --- " * (1 + len(LABELS)) + "|")
    for rule, row in zip(RULES, errors, strict=True):
        print(f"| {rule} | " + " | ".join("-" if np.isnan(error) else f"{error:.1f}" for error in row) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--random", action="store_true", help="one label per class, the others drawn from all points")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    options = parser.parse_args()
    every = []
    for name in options.sets:
        every.append(errors_of(name, options.draws, options.random))
        print(f"\n{name}: error (%) by labels per class\n", flush=True)
        table(every[-1])
    print(f"\nmean over {len(every)} data sets, {options.draws} draws\n")
    table(np.mean(every, axis=0))


if __name__ == "__main__":
    main()
