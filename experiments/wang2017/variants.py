"""Both tables of wang2017 under other conventions: one convention at a time, for every data set and method it touches.

``as printed``: equations 7, 9 and 13 by the letter, equation 7 by an explicit inverse of a matrix that has none
(:mod:`experiments.wang2017.printed`). ``as printed, in the primal``: the same equations where they have a solution.
Others change the scaling, the labels, the Laplacian, the width of the heat kernel, the coefficients of MR_SP or the
start of equation 13. Settings are ``l=10, NAME`` (Table 1) and ``l=100, NAME`` (Table 2).

Table 2 costs hours for AGMR under every convention. So there AGMR searches ``coarse_grid`` and not the whole grid, and
for ``large`` data sets ``few_draws`` draws of the printed machine; such rows carry the flag ``reduced``.
"""

import pandas as pd

from experiments.wang2017 import protocol
from experiments.wang2017.methods import METHODS, evaluate, grid
from experiments.wang2017.printed import evaluate_printed
from experiments.wang2017.table2 import BY_DRAW, FIXED, PAPER, chosen_rows

ID = "wang2017_variants"
VERSION = 1
# A singular matrix inverted in floating point is rounding error: another machine finds other numbers.
TOLERANCE = {"accuracy": 1e-3, "spread": 1e-3}
NAMES = protocol.NAMES
FIXED_GRAPH, ADAPTED = ["RLS", "MR_LP", "MR_SP"], ["AGMR_entropy", "AGMR_sparse"]
PRINTED = METHODS[1:]
# name: changed convention, options of the printed machine, methods in Table 1, methods in Table 2
VARIANTS = {
    "as printed": ({}, {"solver": "inverse", "max_iter": 5}, PRINTED, PRINTED),
    "as printed, in the primal": ({}, {"solver": "primal"}, PRINTED, PRINTED),
    "equation 13 from equal weights": ({}, {"start": "equal"}, ["AGMR_sparse"], ["AGMR_sparse"]),
    "signed lasso weights": ({}, {"signed": True}, ["MR_SP"], ["MR_SP"]),
    "balanced labels": ({"labels": "balanced"}, None, METHODS, METHODS),
    "no scaling": ({"scaling": "none"}, None, METHODS, FIXED_GRAPH),
    "standardised": ({"scaling": "standard"}, None, METHODS, FIXED_GRAPH),
    "unit length": ({"scaling": "unit length"}, None, METHODS, FIXED_GRAPH),
    "no constant feature": ({"bias": False}, None, METHODS, FIXED_GRAPH),
    "normalised Laplacian": ({"laplacian": "normalized"}, None, METHODS, FIXED_GRAPH),
    "heat width of all pairs": ({"sigma": "all pairs"}, None, ["MR_LP", "AGMR_entropy"], ["MR_LP"]),
}
datasets = protocol.datasets


def tasks(params):
    """Table 1 first: its rows take seconds."""
    return [
        {"dataset": key, "method": method, "variant": name, "labels": labels}
        for labels, place in ((10, 2), (100, 3))
        for name, spec in VARIANTS.items()
        for method in spec[place]
        for key in params["datasets"]
    ]


def task_grid(task, params) -> dict:
    """Parameters of the task with the grid that it searches."""
    if task["labels"] == 10:
        return params | {"grid": [1.0]}
    coarse = task["method"] in ADAPTED or _few(task, params)
    return params | {"grid": params["coarse_grid"] if coarse else params["grid"]}


def run_task(task, params, store):
    """One method on every draw of one data set under one convention."""
    data, spec = store.dataset(task["dataset"]), params["datasets"][task["dataset"]]
    changed, printed, *_ = VARIANTS[task["variant"]]
    convention = protocol.CONVENTION | changed
    X, y = protocol.binary_task(data, spec)
    n_draws = params["few_draws"] if _few(task, params) else spec["n_draws"]
    seed, searched = store.seed_sequence(task, "dataset"), task_grid(task, params)
    rows = []
    for i, draw in enumerate(protocol.draws(data, y, task["labels"], n_draws, seed, convention["labels"])):
        if printed is None:
            found = evaluate(task["method"], X, y, draw, searched, convention)
        else:
            found = evaluate_printed(task["method"], X, y, draw, searched, convention, printed)
        rows += [{"draw": i, "majority": protocol.majority(draw, y)} | row for row in found]
    return rows


def _few(task, params) -> bool:
    """Is this a fit of the printed machine at 100 labels on a large data set?"""
    large = params["datasets"][task["dataset"]].get("large", False)
    return large and task["labels"] == 100 and VARIANTS[task["variant"]][1] is not None


def summarise(rows, params):
    """Table 1: means over draws. Table 2: the best of the grid on test, once for all draws and draw by draw."""
    found = []
    for (labels, name), part in rows.groupby(["labels", "variant"], sort=False):
        if labels == 10:
            found += _table1(part, f"l=10, {name}")
        else:
            found += _table2(part, name, params)
    return pd.DataFrame(found)


def _table1(rows, setting):
    kept = {key: group["accuracy"].to_numpy() for key, group in rows.groupby(["dataset", "method"])}
    for (dataset, method), group in rows.groupby(["dataset", "method"], sort=False):
        baseline, values = kept.get((dataset, protocol.PAIRS.get(method))), group["accuracy"].to_numpy()
        yield protocol.table_row(ID, dataset, method, setting, values, baseline, {}, group)


def _table2(rows, name, params):
    found = []
    named = {PAPER: f"l=100, {name}", BY_DRAW: f"{BY_DRAW}, {name}", FIXED: f"{FIXED}, {name}"}
    for (dataset, method), group in rows.groupby(["dataset", "method"], sort=False):
        task = {"dataset": dataset, "method": method, "variant": name, "labels": 100}
        searched = task_grid(task, params)
        less = [] if searched["grid"] == params["grid"] else [f"grid {searched['grid']}"]
        less += [f"{params['few_draws']} draws"] if _few(task, params) else []
        cells = grid(method, searched, eta_2=VARIANTS[name][1] is not None)
        found += chosen_rows(
            ID, group, searched, lambda _, cells=cells: cells, named.get, lambda *_, less=less: {"reduced": less}
        )
    return found
