"""Parameters of tsang2006's machines on images: every cell of every grid, at a small n, scored on validation images.

All methods have grids of the same number of cells. SLapCVM is fitted at its exact optimum (Newton's method), the others
along :mod:`mr.paths`. Validation images are a fixed small part of the test images that no test uses. ``map_error_pct``
is the error on other test images at every cell: what a choice could have gained, shown and used for nothing.
"""

import json

import numpy as np
import pandas as pd

import mr
from experiments.tidy import tidy_row
from experiments.tsang2006 import images, protocol
from experiments.tsang2006.protocol import cells, machine, timed_fit

ID = "tsang2006_choice"
PATHS = {"SVM": mr.paths.SVMPath, "LapSVM": mr.paths.LapSVMPath}


def datasets(params):
    return {key: (spec["name"], spec.get("options", {})) for key, spec in params["datasets"].items()}


def tasks(params):
    return [
        {"dataset": key, "n": spec["n"], "method": method, "draw": draw}
        for key, spec in params["datasets"].items()
        for method in params["methods"]
        for draw in range(spec["n_draws"])
    ]


def run_task(task, params, store):
    spec, method = params["datasets"][task["dataset"]], params["methods"][task["method"]]
    data = store.dataset(task["dataset"])
    draw = images.draw_of(task, data, spec, store)
    validation, test = images.held_out_rows(data, spec | {"n_test": spec["n_map"]}, store, task)
    X_new = images.images(data, np.concatenate([validation, test]), spec)
    out = []
    for cell, values, report in fits(method, method["grid"], draw, X_new, task, store):
        held, mapped = np.split(np.ravel(values), [len(validation)])
        row = {
            "validation": protocol.SCORES[spec["score"]](data.y[validation], held),
            "kernel_expansions": np.nan,
        } | report
        found = images.measures(data.y[test], mapped)
        row |= {f"map_{name}": found[name] for name in ("error_pct", "auc_pct")}
        out.append(row | {"parameters": json.dumps(cell), "data": spec["title"]})
    return out


def fits(method, grid, draw, X_new, task, store):
    """(cell, decision values on X_new, report of the fit) for every cell of the grid."""
    if method["machine"] in PATHS:
        rest = {name: values for name, values in grid.items() if name != "gamma"}
        for gamma in grid["gamma"]:
            template = machine(method, {"gamma": gamma}, draw.affinity, 0)
            path = PATHS[method["machine"]](template, draw.X, X_new)
            for cell, fit in path.grid(draw.given, **rest):
                yield cell | {"gamma": gamma}, fit.new_values, {}
        return
    method = method | {"options": method.get("choice_options", method.get("options", {}))}
    for cell in cells(grid):
        estimator, report = timed_fit(
            machine(method, cell, draw.affinity, store.random_state(task)), draw.X, draw.given
        )
        del report["fit_seconds"]  # not of interest here, and a value that differs from run to run
        yield cell, estimator.decision_function(X_new), report


def summarise(rows, params):
    """Per method the chosen cell with its scores, and of all cells the least error on the map's images."""
    out = []
    for method, group in rows.groupby("method", sort=False):
        grid = params["methods"][method]["grid"]
        text = protocol.chosen_parameters(group)
        cell, best = json.loads(text), group[group["parameters"] == text]
        where = group["data"].iloc[0], method, f"n={group['n'].iloc[0]}, chosen"
        facts = cell | {"cells": len(cells(grid)), "edges": protocol.at_edge(cell, grid)}
        for metric, scale in (("validation", 100.0), ("map_error_pct", 1.0), ("map_auc_pct", 1.0), ("tube", 1.0)):
            values = scale * best[metric].dropna() if metric in best else []
            if len(values):
                out.append(tidy_row(ID, *where, values, metric, facts, group))
        out += _per_cell(group, method)
    return pd.DataFrame(out)


def _per_cell(group, method):
    """Mean validation score and map error of every cell."""
    found = []
    for text, cell in group.groupby("parameters", sort=False):
        setting = f"n={cell['n'].iloc[0]}, " + ", ".join(f"{k}={v:g}" for k, v in sorted(json.loads(text).items()))
        for metric, scale in (("validation", 100.0), ("map_error_pct", 1.0)):
            found.append(tidy_row(ID, cell["data"].iloc[0], method, setting, scale * cell[metric], metric, text, cell))
    return found
