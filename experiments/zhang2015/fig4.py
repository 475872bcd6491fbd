"""zhang2015 Fig. 4: error against sparsity (basis points / all points) of PVM(sqr) and of the l1-penalised model
L1-LRK.

Claim: at equal sparsity PVM often has the smaller error. PVM takes m = sparsity x n prototypes; L1-LRK is described in
:mod:`experiments.zhang2015.l1` (low-rank kernel through as many centres as Table II's m). Both choose their
parameters draw by draw.
"""

import json

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.l1 import at_sparsities, low_rank_path
from experiments.zhang2015.methods import Points
from experiments.zhang2015.sweep import EACH, sweep

ID = "zhang2015_fig4"
NAMES = zhang2015.NAMES
datasets = zhang2015.datasets


def tasks(params):
    return [
        {"dataset": key, "method": method, "centre_set": number}
        for method in ("PVM(sqr)", "L1-LRK")
        for key in params["datasets"]
        for number in range(params["centre_sets"])
    ]


def run_task(task, params, store):
    """Errors of every ``centre_sets``-th draw at each wanted sparsity."""
    X, y = zhang2015.points(store, task["dataset"])
    n_draws = params["datasets"][task["dataset"]].get("n_draws", params["n_draws"])
    numbers = range(task["centre_set"], n_draws, params["centre_sets"])
    draws = list(zhang2015.draws(y, params, store, task, numbers))
    widths, seed = zhang2015.widths(X, params), zhang2015.centre_seed(task, task["centre_set"], params, store)
    if task["method"] == "PVM(sqr)":
        rows = []
        for sparsity in params["sparsities"]:
            changed = params | {"n_prototypes": max(2, round(sparsity * len(y)))}
            rows += [row | {"sparsity": sparsity, "used": changed["n_prototypes"] / len(y)}
                     for row in _prototype_rows(X, draws, widths, changed, seed)]  # fmt: skip
        return rows
    points = Points(X, params, seed)
    chosen = [json.loads(row["parameters"])["width"] for row in _prototype_rows(X, draws, widths, params, seed)]
    path_of = {width: low_rank_path(points, width) for width in set(chosen)}
    return [row for (number, draw), width in zip(draws, chosen, strict=True)
            for row in _l1_rows(path_of[width], number, draw, width, params)]  # fmt: skip


def _prototype_rows(X, draws, widths, params, seed):
    rows = sweep("PVM(sqr)", X, draws, widths, params, lambda number: seed)
    return [row for row in rows if row["rule"] == EACH]


def _l1_rows(path, number, draw, width, params):
    found = at_sparsities(path, draw, params["sparsities"], params["lambda1"])
    for sparsity, (error, used, lambda1, lambda2) in zip(params["sparsities"], found, strict=True):
        parameters = json.dumps({"width": width, "lambda1": lambda1, "lambda2": lambda2})
        yield {"draw": number, "sparsity": sparsity, "error_pct": error, "used": used, "parameters": parameters}


def summarise(rows, params):
    """Error at each wanted sparsity; ``used`` (in the parameters) is the sparsity reached on average."""
    tidy = []
    for (dataset, method, sparsity), group in rows.groupby(["dataset", "method", "sparsity"], sort=False):
        used = json.dumps({"used": float(group["used"].mean())})
        setting = f"sparsity={sparsity:g}"
        tidy.append(zhang2015.row(ID, dataset, method, setting, "error_pct", group["error_pct"], group, used))
    return zhang2015.frame(tidy)
