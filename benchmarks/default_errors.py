"""Error of every classifier with its default parameters, beside what a user would take instead.

    python benchmarks/default_errors.py [--half report] [--draws 5] [--only LapRLS PVM] [--write]

The defaults were chosen on the sets of DEVELOPMENT. REPORT was not looked at while they were chosen: its table is the
one to read. Labels are drawn at random, at least one per class; errors (%) are counted on the unlabelled points. A cell
that is more than a point above SVC on the labels alone carries a star. ``--write`` adds the rows of single draws to
docs/default_errors.csv, in the place of earlier ones of the same models, and puts the tables into docs/defaults.md.

Peers: SVC, self-training and graph propagation of scikit-learn with their default parameters (kernel="knn" for the
latter), and graphlearning's Laplace and Poisson learning on its 10 nearest neighbours, where it is installed.
"""

import argparse
import csv
import re
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

import mr
from mr.graph import nearest_neighbors

# name: (data set, rows drawn once or None for all, standardised, number of labels)
DEVELOPMENT = {
    "digits": ("digits", None, False, 50),
    "cancer": ("wdbc", None, True, 10),
    "text": ("text", None, False, 50),
    "usps241": ("usps241", None, False, 100),
    "g241c": ("g241c", None, False, 100),
    "mnist2000": ("mnist", 2000, False, 100),
    "satimage": ("satimage", 2000, False, 60),
    "german": ("german", None, True, 100),
}
REPORT = {
    "digit1": ("digit1", None, False, 50),
    "coil": ("coil", None, False, 100),
    "bci": ("bci", None, False, 100),
    "g241d": ("g241d", None, False, 100),
    "isolet": ("isolet", 1560, False, 130),
    "segment": ("segment", None, True, 70),
    "svmguide1": ("svmguide1", 2000, True, 20),
    "splice": ("splice", None, False, 100),
    "dna": ("dna", 2000, False, 300),
    "webkb": ("webkb", None, False, 24),
    "uspst": ("uspst", None, False, 400),
    "ionosphere": ("ionosphere", None, True, 30),
}
HALVES = {"development": DEVELOPMENT, "report": REPORT}
PEERS = [
    "SVC",
    "self-training SVC",
    "LabelSpreading",
    "LabelPropagation",
    "graphlearning Laplace",
    "graphlearning Poisson",
]
DOCS = Path(__file__).resolve().parents[1] / "docs"
ROWS, PAGE = DOCS / "default_errors.csv", DOCS / "defaults.md"


class GraphLearning:
    """A model of the graphlearning package behind fit and transduction_."""

    def __init__(self, name):
        self.name = name

    def fit(self, X, y):
        import graphlearning as gl

        # exact neighbours, each point first among its own, as the package counts them
        distances, indices, _ = nearest_neighbors(X, 10, method="exact")
        own = np.arange(X.shape[0])[:, None]
        known = np.hstack([own, indices]), np.hstack([np.zeros(own.shape), distances])
        rows = np.flatnonzero(y != -1)
        model = getattr(gl.ssl, self.name)(gl.weightmatrix.knn(None, 10, knn_data=known))
        self.transduction_ = model.fit_predict(rows, y[rows])
        return self


def peers() -> dict:
    found = {
        "SVC": SVC(),
        "self-training SVC": SelfTrainingClassifier(SVC(probability=True, random_state=0)),
        "LabelSpreading": LabelSpreading(kernel="knn"),
        "LabelPropagation": LabelPropagation(kernel="knn"),
    }
    try:
        import graphlearning  # noqa: F401

        found |= {"graphlearning Laplace": GraphLearning("laplace"), "graphlearning Poisson": GraphLearning("poisson")}
    except ImportError:
        print("graphlearning is not installed: its rows are left out", file=sys.stderr)
    return found


def ours() -> dict:
    """Every public classifier with its default parameters."""
    found = {}
    for room in (mr, getattr(mr, "baselines", None), getattr(mr, "model_selection", None)):
        for name in getattr(room, "__all__", ()):
            thing = getattr(room, name)
            if isinstance(thing, type) and issubclass(thing, ClassifierMixin):
                found[name] = thing()
    return found


def problem(name, rows, standardised):
    data = mr.datasets.load(name)
    X, y = data.X, np.asarray(data.y)
    if rows is not None:
        chosen = np.sort(np.random.default_rng(0).choice(X.shape[0], rows, replace=False))
        X, y = X[chosen], y[chosen]
    return (StandardScaler().fit_transform(X) if standardised else X), np.unique(y, return_inverse=True)[1]


def draw_labels(truth, size, seed):
    """y with ``size`` labels drawn at random, at least one per class."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(truth))
    first = [order[truth[order] == c][0] for c in range(truth.max() + 1)]
    rest = order[~np.isin(order, first)]
    rows = np.concatenate([first, rest[: size - len(first)]])
    y = np.full(len(truth), -1)
    y[rows] = truth[rows]
    return y


def labelled_only(model) -> bool:
    return isinstance(model, SVC)


def error(model, X, y, truth) -> float:
    hidden = y == -1
    if labelled_only(model):
        return 100 * np.mean(clone(model).fit(X[~hidden], y[~hidden]).predict(X[hidden]) != truth[hidden])
    fitted = (model if isinstance(model, GraphLearning) else clone(model)).fit(X, y)
    found = fitted.transduction_ if hasattr(fitted, "transduction_") and len(fitted.transduction_) == len(y) else None
    if found is None or isinstance(model, SelfTrainingClassifier):
        found = fitted.predict(X)
    return 100 * np.mean(np.asarray(found)[hidden] != truth[hidden])


def measure(half, draws, only):
    models = {
        name: model for name, model in (peers() | ours()).items() if only is None or name in only or name == "SVC"
    }
    for label, (name, rows, standardised, size) in HALVES[half].items():
        X, truth = problem(name, rows, standardised)
        for seed in range(draws):
            y = draw_labels(truth, size, seed)
            for model_name, model in models.items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    value = error(model, X, y, truth)
                yield {"half": half, "data": f"{label}, {size}", "draw": seed, "model": model_name,
                       "error": round(value, 2)}  # fmt: skip
                print(f"{label:12s} draw {seed} {model_name:22s} {value:6.2f}", file=sys.stderr)


def table(rows) -> str:
    """Markdown: one line per model, one column per data set, their mean last; in the order of the rows."""
    sets, models = list(dict.fromkeys(r["data"] for r in rows)), list(dict.fromkeys(r["model"] for r in rows))
    mean = {
        (m, s): np.mean([r["error"] for r in rows if (r["model"], r["data"]) == (m, s)]) for m in models for s in sets
    }
    lines = ["| | " + " | ".join(sets) + " | mean |", "| --- |" + " ---: |" * (len(sets) + 1)]
    for m in models:
        cells = [f"{mean[m, s]:.1f}{'*' if mean[m, s] > mean['SVC', s] + 1 else ''}" for s in sets]
        lines.append(f"| {m} | " + " | ".join(cells) + f" | {np.mean([mean[m, s] for s in sets]):.1f} |")
    return "\n".join(lines)


def read_rows() -> list[dict]:
    """The committed rows."""
    if not ROWS.exists():
        return []
    with ROWS.open(newline="") as file:
        return [row | {"draw": int(row["draw"]), "error": float(row["error"])} for row in csv.DictReader(file)]


def keep(rows):
    """Put new rows in the place of old ones, and the tables into the page."""
    replaced = {(row["half"], row["model"]) for row in rows}
    rows = [row for row in read_rows() if (row["half"], row["model"]) not in replaced] + rows
    rows.sort(
        key=lambda row: (row["half"], _order(row["model"]), list(HALVES[row["half"]]).index(row["data"].split(",")[0]))
    )
    with ROWS.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    PAGE.write_text(filled(PAGE.read_text(), rows))


def _order(model):
    """Peers first, then ours by name; baselines last."""
    room = 0 if model in PEERS else 2 if model in getattr(mr.baselines, "__all__", ()) else 1
    return (room, PEERS.index(model) if room == 0 else model.lower())


def filled(page, rows) -> str:
    """The page with the table of each half between its markers."""
    for half in HALVES:
        shown = table([row for row in rows if row["half"] == half])
        page = re.sub(rf"(<!-- {half} -->\n).*?(<!-- /{half} -->)", rf"\g<1>{shown}\n\g<2>", page, flags=re.S)
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=HALVES, default="report")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = list(measure(options.half, options.draws, options.only))
    print(table(rows))
    if options.write:
        keep(rows)


if __name__ == "__main__":
    main()
