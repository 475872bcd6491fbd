"""zhang2015 Fig. 3: PVM(sqr) on MNIST digits 3, 5, 6, 8, 9: error against the number of labels, and of prototypes.

Claims: the error falls with more labels, fast at first; it falls with more prototypes and is flat from some m on. All
29,270 points, the stated widths and weights, labels and k-means centres anew for every draw. Both rules of choosing
parameters are shown (:mod:`experiments.zhang2015.sweep`). A draw of panel (a) has one clustering for all numbers of
labels. ``draws`` in the parameters has the number of draws per panel and number of prototypes.
"""

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.curves import METHOD, error_rows, labelled
from experiments.zhang2015.methods import Points
from experiments.zhang2015.sweep import cell_rows

ID = "zhang2015_fig3"
PAPER_DRAWS = 30
datasets = zhang2015.datasets


def tasks(params):
    """The draws of panel (b) by rounds, so that an unfinished run has some of every number of prototypes."""
    keys = list(params["datasets"])
    found = [{"dataset": key, "panel": "labels", "draw": d} for key in keys for d in range(params["label_draws"])]
    most = max(params["prototypes"].values())
    found += [
        {"dataset": key, "panel": "prototypes", "value": int(m), "draw": d}
        for d in range(most)
        for key in keys
        for m, n_draws in params["prototypes"].items()
        if d < n_draws
    ]
    return found


def run_task(task, params, store):
    """Validation and test errors of every cell, for all numbers of labels or one of prototypes."""
    X, y = zhang2015.points(store, task["dataset"])
    seed = store.random_state({"dataset": task["dataset"], "part": task["draw"]}, "dataset", "part")
    widths = zhang2015.widths(X, params)
    if task["panel"] == "prototypes":
        draw = labelled(task, 0, y, params["labels_per_class"], params, store)
        (rows,) = cell_rows(Points(X, params | {"n_prototypes": task["value"]}, seed), METHOD, [draw], widths)
        return rows
    n_classes = int(y.max()) + 1
    draws = [labelled(task, value, y, max(2, round(value / n_classes)), params, store) for value in params["labels"]]
    found = cell_rows(Points(X, params, seed), METHOD, draws, widths)
    return [row | {"value": value} for value, rows in zip(params["labels"], found, strict=True) for row in rows]


def summarise(rows, params):
    tidy = []
    for (dataset, panel, value), group in rows.groupby(["dataset", "panel", "value"], sort=True):
        n_draws = group["draw"].nunique()
        reduced = "" if n_draws >= PAPER_DRAWS else f"{n_draws} draws"
        setting = ("l" if panel == "labels" else "m") + f"={int(value)}"
        tidy += error_rows(ID, dataset, setting, group, reduced)
    return zhang2015.frame(tidy)
