"""chen2012 Table IV: the ten models of extended USPS from Table III on the 266,079 points that none of them has seen.

Errors, and CPU seconds a point (one thread). Draws and validated parameters are those of Table III.
"""

import json

import numpy as np
import pandas as pd

from experiments.chen2012 import protocol as chen2012
from experiments.chen2012.large import LargeSet
from experiments.chen2012.large_methods import METHODS, Anchors, cpu_seconds
from experiments.chen2012.table3 import validate

ID = "chen2012_table4"
NAMES = {"extended_usps": "extended USPS"}
ERROR_SETTING = "out of sample, 266079 points"
TIME_SETTING = "out of sample"


def datasets(params):
    spec = params["dataset"]
    return {params["key"]: (spec["name"], spec.get("options", {})), "new": (spec["name"], spec["new"])}


def graphs(params):
    return {params["key"]: (params["key"], {"weights": "heat"} | params["dataset"]["search"])}


def tasks(params):
    """Draws of slow methods go in parts, as in Table III."""
    return [
        {"dataset": params["key"], "method": method, "part": part}
        for method in params["methods"]
        for part in range(params.get("parts", {}).get(method, 1))
    ]


def run_task(task, params, store):
    method = task["method"]
    data = LargeSet(store.dataset(params["key"]), params["dataset"], store.graph(params["key"]))
    new = LargeSet(store.dataset("new"), params["dataset"])
    draws = list(data.draws(store.seed_sequence(task, "dataset"), params["n_runs"], params["n_validation"]))
    if method.startswith("AnchorGraphReg"):
        return _anchors(data, new, draws, int(method[15:-1]), store.random_state(task, "dataset", "method"))
    cell = validate(data, draws, METHODS[method], params)
    own = slice(task["part"], None, params.get("parts", {}).get(method, 1))
    rows = []
    for run, (labelled, _, rest) in list(enumerate(draws))[own]:
        predict = METHODS[method].fit(data.part(labelled, rest), cell)
        rows.append({"run": run, "parameters": json.dumps(cell)} | test(predict, new))
    return rows


def _anchors(data, new, draws, n_anchors, seed):
    """The weights of a new point belong to the anchors, not to a draw: computed (and timed) once for all draws."""
    X = np.asarray(data.X, dtype=float) / data.scale
    anchors = Anchors(X, min(n_anchors, len(X) // 4), np.random.RandomState(seed))
    rules = []
    for labelled, _, rest in draws:
        rules.append(anchors.fit(np.sort(np.concatenate([labelled, rest])), labelled, data.y)[1])
    wrong, seconds = np.zeros(len(draws), dtype=int), np.zeros(len(draws))
    for X, y in _blocks(new):
        weights, shared = cpu_seconds(lambda X=X: anchors.weights(X))
        for run, decide in enumerate(rules):
            values, own = cpu_seconds(lambda decide=decide, weights=weights: decide(weights))
            wrong[run] += _wrong(values, y)
            seconds[run] += shared + own
    return [{"run": run, "parameters": "{}"} | _report(wrong[run], seconds[run], new) for run in range(len(draws))]


def test(predict, new):
    """Error and CPU seconds a point of one rule."""
    wrong, seconds = 0, 0.0
    for X, y in _blocks(new):
        values, used = cpu_seconds(lambda X=X: predict(X))
        wrong += _wrong(values, y)
        seconds += used
    return _report(wrong, seconds, new)


def _blocks(new, size=8192):
    """Points and targets by blocks: the points are made when they are asked for, outside of the clock."""
    for first in range(0, len(new.y), size):
        yield np.asarray(new.X[first : first + size], dtype=float) / new.scale, new.y[first : first + size]


def _wrong(values, y) -> int:
    return int(((values > 0) != (y > 0)).sum())


def _report(wrong, seconds, new) -> dict:
    return {"error_pct": 100.0 * wrong / len(new.y), "seconds_per_point": seconds / len(new.y)}


def summarise(rows, params):
    tidy = []
    for (key, method), group in rows.groupby(["dataset", "method"], sort=False):
        source, cell = group["data_source"].iloc[0], group["parameters"].iloc[0]
        common = (NAMES.get(key, key), method)
        tidy.append(chen2012.tidy_row(ID, *common, ERROR_SETTING, group["error_pct"], cell, source))
        seconds = group["seconds_per_point"]
        tidy.append(chen2012.tidy_row(ID, *common, TIME_SETTING, seconds, cell, source, "test_seconds_per_point"))
    return pd.DataFrame(tidy)
