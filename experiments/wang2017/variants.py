"""Both tables of wang2017 under other conventions: one convention at a time, for every data set and method it touches.

``as printed, by an inverse``: equations 7, 9 and 13 by the letter, equation 7 by an explicit inverse of a matrix that
has none (:mod:`experiments.wang2017.printed`). ``as printed, solved in the primal``: the same equations where they have
a solution.
Others change the scaling, the labels, the Laplacian, the width of the heat kernel, the coefficients of MR_SP, the
start of equation 13, the test points (all unlabelled ones of the whole set, as ``wang2017_digits`` suggests), or the
version of a data set. Settings are ``l=10, NAME`` (Table 1) and ``l=100, NAME`` (Table 2).

Table 2 costs hours for AGMR under every convention. So there AGMR searches ``coarse_grid`` and not the whole grid, and
the printed AGMR has 5 draws; on ``large`` data sets every printed machine has ``few_draws`` draws and the coarse grid,
and eta_2 stays 1. Such rows carry the flag ``reduced``.
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
PRINTED, OTHER_DATA = METHODS[1:], "another version of the data"
PRINTED_DRAWS = 5
# name: changed convention, options of the printed machine, methods in Table 1, methods in Table 2
VARIANTS = {
    "as printed, by an inverse": ({}, {"solver": "inverse", "max_iter": 5}, PRINTED, PRINTED),
    "as printed, solved in the primal": ({}, {"solver": "primal"}, PRINTED, PRINTED),
    "as printed, equation 13 from equal weights": ({}, {"start": "equal"}, ["AGMR_sparse"], ["AGMR_sparse"]),
    "signed lasso weights": ({}, {"signed": True}, ["MR_SP"], ["MR_SP"]),
    "balanced labels": ({"labels": "balanced"}, None, METHODS, METHODS),
    "no scaling": ({"scaling": "none"}, None, METHODS, FIXED_GRAPH),
    "standardised": ({"scaling": "standard"}, None, METHODS, FIXED_GRAPH),
    "unit length": ({"scaling": "unit length"}, None, METHODS, FIXED_GRAPH),
    "no constant feature": ({"bias": False}, None, METHODS, FIXED_GRAPH),
    "normalised Laplacian": ({"laplacian": "normalized"}, None, PRINTED, FIXED_GRAPH[1:]),
    "heat width of all pairs": ({"sigma": "all pairs"}, None, ["MR_LP", "AGMR_entropy"], ["MR_LP"]),
    "heat width 1": ({"sigma": "one"}, None, ["MR_LP", "AGMR_entropy"], ["MR_LP"]),
    "test on all unlabelled points": ({"test": "unlabelled"}, None, METHODS, FIXED_GRAPH),
    OTHER_DATA: ({}, None, [], METHODS),
}
datasets = protocol.datasets


def tasks(params):
    """The quick ones first: fixed graphs as printed, then Table 1, AGMR as printed, other conventions, large AGMR.

    A ``version`` of a data set has only the variant of that name, and only here in Table 2: Table 1 has it itself.
    """
    found = [
        {"dataset": key, "method": method, "variant": name, "labels": labels}
        for labels, place in ((10, 2), (100, 3))
        for name, spec in VARIANTS.items()
        for method in spec[place]
        for key, data in params["datasets"].items()
        if (name == OTHER_DATA) == data.get("version", False)
    ]
    return sorted(found, key=lambda task: _order(task, params))


def _order(task, params) -> tuple:
    large, printed = params["datasets"][task["dataset"]].get("large", False), VARIANTS[task["variant"]][1] is not None
    adapted = task["labels"] == 100 and task["method"] in ADAPTED
    return adapted and large, adapted and not printed, not (printed and not adapted), task["labels"], not printed


def plan(task, params) -> tuple[int, dict, list[str]]:
    """Draws of a task, parameters with the grid that it searches, and what is less than the paper's."""
    spec, printed = params["datasets"][task["dataset"]], VARIANTS[task["variant"]][1] is not None
    if task["labels"] == 10:
        return spec["n_draws"], params | {"grid": [1.0]}, []
    n_draws, searched, less = spec["n_draws"], params, []
    large, adapted = spec.get("large", False), task["method"] in ADAPTED
    if adapted or (printed and large):
        searched = params | {"grid": params["coarse_grid"]}
        less.append(f"grid {params['coarse_grid']}")
    if printed and (large or adapted):
        n_draws = min(n_draws, params["few_draws"] if large else PRINTED_DRAWS)
        less.append(f"{n_draws} of {spec['n_draws']} draws")
    if printed and large and task["method"] == "AGMR_sparse":
        searched = searched | {"eta_2": False}
        less.append("eta_2 1")
    return n_draws, searched, less


def cells_of(task, searched) -> list[dict]:
    """Cells of the grid of a task. Equation 13 as printed reads eta_2."""
    return grid(
        task["method"], searched, eta_2=VARIANTS[task["variant"]][1] is not None and searched.get("eta_2", True)
    )


def run_task(task, params, store):
    """One method on every draw of one data set under one convention."""
    data, spec = store.dataset(task["dataset"]), params["datasets"][task["dataset"]]
    changed, printed, *_ = VARIANTS[task["variant"]]
    convention = protocol.CONVENTION | changed
    X, y = protocol.binary_task(data, spec)
    n_draws, searched, _ = plan(task, params)
    seed, rows = store.seed_sequence(task, "dataset"), []
    how = {name: convention[name] for name in ("labels", "test")}
    for i, draw in enumerate(protocol.draws(data, y, task["labels"], n_draws, seed, **how)):
        if printed is None:
            found = evaluate(task["method"], X, y, draw, searched, convention)
        else:
            found = evaluate_printed(task["method"], X, y, draw, searched, convention, printed)
        rows += [{"draw": i, "majority": protocol.majority(draw, y)} | row for row in found]
    return rows


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
        _, searched, less = plan(task, params)
        found += chosen_rows(
            ID,
            group,
            searched,
            lambda _, task=task, searched=searched: cells_of(task, searched),
            named.get,
            lambda *_, less=less: {"reduced": less},
        )
    return found
