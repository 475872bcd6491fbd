"""zhang2015 Fig. 3: PVM(sqr) on MNIST digits 3, 5, 6, 8, 9: error against the number of labels, and of prototypes.

Claims: the error falls with more labels, fast at first; it falls with more prototypes and is flat from some m on. All
29,270 points, the stated widths and weights, labels and k-means centres anew for every draw, S of equation 13 (stated)
and of equation 14. Both rules of choosing parameters are in the rows (:mod:`experiments.zhang2015.sweep`). A draw of
panel (a) has one clustering for all numbers of labels. The parameters have the number of draws per panel and number of
prototypes: fewer than the paper's 30. ``tested`` changes them (``labels`` are those of panel (a)), or adds numbers of
prototypes, and leaves the rows that exist as they are: it is no part of their identity.
"""

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.curves import error_rows, labelled, seen_by_prototypes
from experiments.zhang2015.methods import VARIANTS
from experiments.zhang2015.sweep import cell_rows

ID = "zhang2015_fig3"
PAPER_DRAWS = 30
datasets = zhang2015.datasets


def tasks(params):
    """Draws by rounds, so that an unfinished run has some of every number of prototypes."""
    n_draws = {"labels": params["label_draws"], **params["prototypes"], **params.get("tested", {})}
    panels = [("labels", None, n_draws.pop("labels"))]
    panels += [("prototypes", int(m), number) for m, number in n_draws.items()]
    return [
        {"dataset": key, "panel": panel, "method": method, "draw": d} | ({"value": m} if m else {})
        for d in range(max(number for _, _, number in panels))
        for key in params["datasets"]
        for panel, m, number in panels
        for method in params["methods"]
        if d < number
    ]


def run_task(task, params, store):
    """Validation and test errors of every cell, for all numbers of labels or one of prototypes."""
    X, y = zhang2015.points(store, task["dataset"])
    seed = store.random_state({"dataset": task["dataset"], "part": task["draw"]}, "dataset", "part")
    widths = zhang2015.widths(X, params)
    if task["panel"] == "prototypes":
        draw = labelled(task, 0, y, params["labels_per_class"], params, store)
        points = seen_by_prototypes(X, params | {"n_prototypes": task["value"]}, seed)
        (rows,) = cell_rows(points, task["method"], [draw], widths)
        return rows
    n_classes = int(y.max()) + 1
    draws = [labelled(task, value, y, max(2, round(value / n_classes)), params, store) for value in params["labels"]]
    found = cell_rows(seen_by_prototypes(X, params, seed), task["method"], draws, widths)
    return [row | {"value": value} for value, rows in zip(params["labels"], found, strict=True) for row in rows]


def summarise(rows, params):
    tidy = []
    for (dataset, panel, method, value), group in rows.groupby(["dataset", "panel", "method", "value"], sort=True):
        n_draws = group["draw"].nunique()
        reduced = "" if n_draws >= PAPER_DRAWS else f"{n_draws} draws"
        setting = ("l" if panel == "labels" else "m") + f"={int(value)}"
        variant = method.partition(", ")[2]
        tidy += error_rows(ID, dataset, f"{setting}, {VARIANTS[variant]}" if variant else setting, group, reduced)
    return zhang2015.frame(tidy)
