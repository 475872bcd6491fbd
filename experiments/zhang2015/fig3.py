"""zhang2015 Fig. 3: PVM(sqr) on MNIST digits 3, 5, 6, 8, 9: error against the number of labels, and of prototypes.

Claims: the error falls with more labels, fast at first; it falls with more prototypes and is flat from some m on. Both
rules of choosing parameters are shown (:mod:`experiments.zhang2015.sweep`).
"""

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.sweep import EACH, sweep

ID = "zhang2015_fig3"
METHOD = "PVM(sqr)"
datasets = zhang2015.datasets


def tasks(params):
    panels = {"labels": params["labels"], "prototypes": params["prototypes"]}
    return [
        {"dataset": key, "panel": panel, "value": value}
        for key in params["datasets"]
        for panel, values in panels.items()
        for value in values
    ]


def run_task(task, params, store):
    """Errors of all draws at cross-validated parameters, for one number of labels (in all) or of prototypes."""
    X, y = zhang2015.points(store, task["dataset"])
    changed = dict(params)
    if task["panel"] == "labels":
        changed["labels_per_class"] = max(2, round(task["value"] / (int(y.max()) + 1)))
    else:
        changed["n_prototypes"] = task["value"]
    draws = list(zhang2015.draws(y, changed, store, task, range(params["n_draws"])))
    return sweep(METHOD, X, [(store.random_state(task), draws)], zhang2015.widths(X, params), changed)


def summarise(rows, params):
    tidy = []
    for (dataset, panel, value, rule), group in rows.groupby(["dataset", "panel", "value", "rule"], sort=False):
        setting = ("l" if panel == "labels" else "m") + f"={value}" + (f", {EACH}" if rule == EACH else "")
        tidy.append(zhang2015.row(ID, dataset, METHOD, setting, "error_pct", group["error_pct"], group))
    return zhang2015.frame(tidy)
