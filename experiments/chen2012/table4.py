"""chen2012 Table IV: the ten models of extended USPS from Table III on the 266,079 points that none of them has seen.

Errors, and CPU seconds per point (one thread). Draws and validated parameters are those of Table III.
"""

import json

import numpy as np
import pandas as pd

import mr
from experiments.chen2012 import table3
from experiments.chen2012.large import LargeSet, cpu_seconds, validate, validated
from experiments.chen2012.large_methods import METHODS, anchors_of, n_anchors
from experiments.tidy import tidy_row

ID = "chen2012_table4"
NAMES = {"extended_usps": "extended USPS"}
ERROR_SETTING = "out of sample, 266079 points"
TIME_SETTING = "out of sample"
TOLERANCE = {"error_pct": 0.05}  # as in Table III; one of 266,079 points is 0.0004


def datasets(params):
    spec = params["dataset"]
    return {params["key"]: (spec["name"], spec.get("options", {})), "new": (spec["name"], spec["new"])}


def graphs(params):
    return {params["key"]: (params["key"], {"weights": "heat"} | params["dataset"]["search"])}


def tasks(params):
    """One test per draw; a validation where Table III has none for this data set (quick scale)."""
    found = []
    for method in params["methods"]:
        steps = table3.steps(params["n_runs"]) if method in METHODS else [{"step": "test"}]
        if params["key"] in table3.NAMES:
            steps = [step for step in steps if step["step"] == "test"]
        found += [{"dataset": params["key"], "method": method} | step for step in steps]
    return found


def needs(task, params):
    return [_validation(task)] if "run" in task else []


def _validation(task):
    """Table III validates the same parameters on the same draws (a test compares the two blocks of params.yaml)."""
    needed = table3.validation_of(task)
    return (table3.ID, needed) if task["dataset"] in table3.NAMES else needed


def run_task(task, params, store):
    method = task["method"]
    graph = table3.graph_of(task, params["key"], store)
    data = LargeSet(store.dataset(params["key"]), params["dataset"], graph)
    draws = list(data.draws(store.seed_sequence(task, "dataset"), params["n_runs"], params["n_validation"]))
    if task["step"] == "validation":
        return validate(data, draws, METHODS[method], params)
    new = LargeSet(store.dataset("new"), params["dataset"])
    if method.startswith("AnchorGraphReg"):
        return _anchors(data, new, draws, n_anchors(method), store.random_state(task, "dataset", "method"))
    cell = validated(store.rows(_validation(task)))
    labelled, _, rest = draws[task["run"]]
    part = data.part(labelled, rest)
    decide = METHODS[method].decide(METHODS[method].machine(part, cell), part)
    return [{"parameters": json.dumps(cell)} | tested(decide, new)]


def _anchors(data, new, draws, m, seed):
    centres = anchors_of(data.points(), m, seed)
    found = []
    for run, (labelled, _, rest) in enumerate(draws):
        part = data.part(labelled, rest, stored=False)
        machine = mr.AnchorGraph(anchors=centres).fit(part.X, part.labels)
        found.append({"run": run, "parameters": "{}"} | tested(machine.decision_function, new))
    return found


def tested(decide, new) -> dict:
    """Error on all new points, and CPU seconds for all of them."""
    wrong, seconds = 0, 0.0
    for X, y in _blocks(new):
        values, used = cpu_seconds(lambda X=X: decide(X))
        wrong += int(((values > 0) != (y > 0)).sum())
        seconds += used
    return {"error_pct": 100.0 * wrong / len(new.y), "n_new": len(new.y), "test_seconds": seconds}


def _blocks(new, size=8192):
    """Points and targets by blocks: the points are made when they are asked for, outside of the clock."""
    for first in range(0, len(new.y), size):
        rows = np.arange(first, min(first + size, len(new.y)))
        yield new.points(rows), new.y[rows]


def summarise(rows, params):
    tidy = []
    rows = rows[rows["step"] == "test"]
    for (key, method), group in rows.groupby(["dataset", "method"], sort=False):
        name, cell = NAMES.get(key, key), json.loads(group["parameters"].iloc[0])
        tidy.append(tidy_row(ID, name, method, ERROR_SETTING, group["error_pct"], parameters=cell, group=group))
        seconds = group["test_seconds"] / group["n_new"]
        tidy.append(tidy_row(ID, name, method, TIME_SETTING, seconds, "test_seconds_per_point", cell, group))
    return pd.DataFrame(tidy)
