"""Both tables of wang2017 under other conventions: one convention at a time, for every data set and method it touches.

``as printed, by an inverse``: equations 7, 9 and 13 by the letter, equation 7 by an explicit inverse of a matrix that
has none (:mod:`experiments.wang2017.printed`). ``as printed, solved in the primal``: the same equations where they have
a solution.
Others change the scaling, the labels, the Laplacian, the width of the heat kernel, the coefficients of MR_SP, the
start of equation 13, the test points (all unlabelled ones of the whole set, as ``wang2017_digits`` suggests), or the
version of a data set. Settings are ``l=10, NAME`` (Table 1) and ``l=100, NAME`` (Table 2).

Table 2 searches the whole grid on every draw of the paper, with two exceptions, whose rows carry the flag ``reduced``:
AGMR_sparse by an inverse has eta_2 = 1 (125 of 625 cells); and on the two ``large`` data sets AGMR by an inverse, and
from equal weights, has the first ``tested`` draws of 12: each draw takes minutes there.
"""

import pandas as pd

from experiments.wang2017 import protocol
from experiments.wang2017.methods import METHODS, evaluate, grid
from experiments.wang2017.printed import evaluate_printed
from experiments.wang2017.table2 import BY_DRAW, FIXED, PAPER, chosen_rows

ID = "wang2017_variants"
VERSION = 1
TOLERANCE = {"accuracy": 1e-3, "spread": 1e-3}
NAMES = protocol.NAMES
FIXED_GRAPH, ADAPTED = ["RLS", "MR_LP", "MR_SP"], ["AGMR_entropy", "AGMR_sparse"]
PRINTED, OTHER_DATA = METHODS[1:], "another version of the data"
COLUMNS = ("cell", "accuracy", "one_sided", "like_rls", "iterations", "condition")
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
    """The quick ones first. AGMR with 100 labels has one task per draw, the others one for all draws.

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
    split = [task | part for task in found for part in _parts(task, params)]
    return sorted(split, key=lambda task: _order(task, params))


def _searches(task) -> bool:
    """Is this AGMR over a grid?"""
    return task["labels"] == 100 and task["method"] in ADAPTED


def _costs(task, params) -> tuple[bool, bool]:
    """Does the machine work on n x n matrices in every step? Is the data set large?"""
    dense = unstable(task) or "start" in (VARIANTS[task["variant"]][1] or {})
    return dense, params["datasets"][task["dataset"]].get("large", False)


def _parts(task, params) -> list[dict]:
    if not _searches(task):
        return [{}]
    n_draws = params["datasets"][task["dataset"]]["n_draws"]
    n_draws = min(n_draws, params["tested"]) if all(_costs(task, params)) else n_draws
    return [{"draw": draw} for draw in range(n_draws)]


def _order(task, params) -> tuple:
    dense, large = _costs(task, params)
    slow = _searches(task) or (dense and large and task["labels"] == 100)
    return slow, large, task.get("draw", 0) if large else 0, dense


def unstable(task) -> bool:
    """A singular matrix inverted in floating point is rounding error: another machine finds other numbers."""
    return (VARIANTS[task["variant"]][1] or {}).get("solver") == "inverse"


def plan(task, params) -> tuple[dict, list[str]]:
    """Parameters with the grid that a task searches, and what is less than the paper's."""
    if task["labels"] == 10:
        return params | {"grid": [1.0]}, []
    if task["method"] == "AGMR_sparse" and unstable(task):
        return params | {"eta_2": False}, ["eta_2 1"]
    return params, []


def cells_of(task, searched) -> list[dict]:
    """Cells of the grid of a task. Equation 13 as printed reads eta_2."""
    return grid(
        task["method"], searched, eta_2=VARIANTS[task["variant"]][1] is not None and searched.get("eta_2", True)
    )


def run_task(task, params, store):
    """One method on one draw, or on every draw, of one data set under one convention."""
    data, spec = store.dataset(task["dataset"]), params["datasets"][task["dataset"]]
    changed, printed, *_ = VARIANTS[task["variant"]]
    convention = protocol.CONVENTION | changed
    X, y = protocol.binary_task(data, spec)
    searched, _ = plan(task, params)
    how = {name: convention[name] for name in ("labels", "test")}
    draws = protocol.draws(data, y, task["labels"], spec["n_draws"], store.seed_sequence(task, "dataset"), **how)
    rows = []
    for i in [task["draw"]] if "draw" in task else range(len(draws)):
        if printed is None:
            found = evaluate(task["method"], X, y, draws[i], searched, convention)
        else:
            found = evaluate_printed(task["method"], X, y, draws[i], searched, convention, printed)
        known = {"draw": i, "majority": protocol.majority(draws[i], y)}
        # grids are long: only what the summary reads
        kept = COLUMNS if _searches(task) else found[0]
        rows += [known | {name: row[name] for name in kept if name in row} for row in found]
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
        searched, less = plan(task, params)
        stated, tested = params["datasets"][dataset]["n_draws"], group["draw"].nunique()
        less = less + [f"{tested} of {stated} draws"] * (tested < stated)
        found += chosen_rows(
            ID,
            group,
            searched,
            lambda _, task=task, searched=searched: cells_of(task, searched),
            named.get,
            lambda *_, less=less: {"reduced": less} if less else {},
        )
    return found
