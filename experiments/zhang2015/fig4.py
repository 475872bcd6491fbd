"""zhang2015 Fig. 4: error against sparsity (basis points / all points) of PVM(sqr) and of the l1-penalised model
L1-LRK.

Claim: at equal sparsity PVM often has the smaller error. PVM takes m = sparsity x n prototypes, L1-LRK is described in
:mod:`experiments.zhang2015.l1`. Both choose all their parameters draw by draw, each by its own cross-validation over
the stated widths and weights. Labels and seeds of k-means are those of Table III's draws. L1-LRK stands at the sparsity
that it reached, and has no row where no cell of its grid comes near the wanted one. ``tested`` of the parameters has
the number of draws by method and data set: fewer than the paper's 30 are flagged.
"""

import json

import numpy as np

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.l1 import at_sparsity, grid_cells, lambda2s
from experiments.zhang2015.sweep import EACH, sweep

ID = "zhang2015_fig4"
PAPER_DRAWS = 30
NAMES = zhang2015.NAMES
PVM, L1 = METHODS = "PVM(sqr)", "L1-LRK"
datasets = zhang2015.datasets


def tasks(params):
    """Draws by rounds, so that an unfinished run has some of every data set; draws that are not tested are left out."""
    n_draws = {method: params["tested"][method] for method in METHODS}
    return [
        {"dataset": key, "method": method, "draw": draw}
        for draw in range(max(max(by_set.values()) for by_set in n_draws.values()))
        for method in METHODS
        for key in params["datasets"]
        if draw < n_draws[method].get(key, n_draws[method]["other"])
    ]


def run_task(task, params, store):
    """Errors of one draw at each wanted sparsity."""
    X, y = zhang2015.points(store, task["dataset"])
    ((_, draw),) = zhang2015.draws(y, params, store, task, [task["draw"]])
    widths, seed = zhang2015.widths(X, params), zhang2015.centre_seed(task, task["draw"], params, store)
    if task["method"] == PVM:
        return [_prototype_row(X, draw, widths, params, seed, sparsity) for sparsity in params["sparsities"]]
    cells = grid_cells(X, draw, widths, params, seed)
    found = [(sparsity, at_sparsity(cells, sparsity)) for sparsity in params["sparsities"]]
    return [_l1_row(cell, draw, widths, params, sparsity) for sparsity, cell in found if cell]


def _prototype_row(X, draw, widths, params, seed, sparsity):
    m = max(2, round(sparsity * len(draw.y)))
    rows = sweep(PVM, X, [(0, draw)], widths, params | {"n_prototypes": m}, lambda number: seed)
    (row,) = [row for row in rows if row["rule"] == EACH]
    kept = {name: row[name] for name in ("error_pct", "parameters", "cv_error_pct", "edge")}
    return kept | {"sparsity": sparsity, "used": m / len(draw.y)}


def _l1_row(cell, draw, widths, params, sparsity):
    grids = {"width": widths, "lambda1": params["lambda1"], "lambda2": lambda2s(params)}
    edge = [name for name, values in grids.items() if len(values) > 1 and cell[name] in (min(values), max(values))]
    return {
        "error_pct": cell["error_pct"], "parameters": json.dumps({name: cell[name] for name in grids}),
        "cv_error_pct": 100.0 * cell["validation"] / len(draw.rows), "edge": ";".join(edge),
        "sparsity": sparsity, "used": cell["used"],
    }  # fmt: skip


def summarise(rows, params):
    """Error at each wanted sparsity; ``used`` (in the parameters) is the sparsity reached on average."""
    tidy = []
    for (dataset, method, sparsity), group in rows.groupby(["dataset", "method", "sparsity"], sort=False):
        found = {"used": float(group["used"].mean())}
        edges = group["edge"].str.split(";").explode().value_counts()
        if usual := sorted(name for name, count in edges.items() if name and count > len(group) / 2):
            found["edge"] = usual
        if (n_draws := group["draw"].nunique()) < PAPER_DRAWS:
            found["reduced"] = f"{n_draws} draws"
        setting, values = f"sparsity={sparsity:g}", group["error_pct"]
        tidy.append(zhang2015.row(ID, dataset, method, setting, "error_pct", values, group, json.dumps(found)))
    return zhang2015.frame(tidy)


def chosen(rows, sparsity) -> dict:
    """Parameters that a draw chose at the sparsity it reached nearest to this, and the share of points used."""
    row = rows.iloc[np.abs(np.log(rows["sparsity"] / sparsity)).argmin()]
    return json.loads(row["parameters"]) | {"used": float(row["used"])}
