"""chen2012 Table IV: the ten models of extended USPS from Table III on the 266,079 points that none of them has seen.

Table III's tasks test their models on these points as well; here their rows are read. Errors, CPU seconds per point
(one thread), and paired t-tests of LapESVR against every other method over the draws.
"""

import json

import pandas as pd

from experiments.chen2012 import table3
from experiments.chen2012.table3 import NAMES  # noqa: F401
from experiments.tidy import tidy_row

ID = "chen2012_table4"
ERROR_SETTING = "out of sample, 266079 points"
TIME_SETTING = "out of sample"
TOLERANCE = {"error_pct": 0.05, "n_support": float("inf")}  # as in Table III; one of 266,079 points is 0.0004
COLUMNS = {"run": "run", "parameters": "parameters", "new_error_pct": "error_pct", "n_new": "n_new",
           "test_seconds": "test_seconds", "n_support": "n_support"}  # fmt: skip


def datasets(params):
    return {key: (spec["name"], spec.get("options", {})) for key, spec in params["datasets"].items()}


def tasks(params):
    """The tests of Table III that meet new points."""
    return [
        {"dataset": key, "method": method} | step
        for key in params["datasets"]
        for method in params["methods"]
        for step in table3.steps(key, method, params)
        if step["step"] == "test"
    ]


def needs(task, params):
    return [(table3.ID, task)]


def run_task(task, params, store):
    found = store.rows((table3.ID, task))
    return found[[name for name in COLUMNS if name in found]].rename(columns=COLUMNS).to_dict("records")


def summarise(rows, params):
    tidy, errors = [], {}
    for (key, method, text), group in rows.groupby(["dataset", "method", "parameters"], sort=False):
        group, cell = group.sort_values("run"), json.loads(text)
        name, rule = NAMES.get(key, key), "" if cell.get("normalize", True) else f", {table3.SIGN}"
        if len(group) < params["n_runs"]:
            cell["reduced"] = f"{len(group)} of {params['n_runs']} draws"
        rule += table3.unfinished(group, params)
        setting = ERROR_SETTING + rule
        errors[name, method, setting] = group["error_pct"].to_numpy()
        tidy.append(tidy_row(ID, name, method, setting, group["error_pct"], parameters=cell, group=group))
        seconds = group["test_seconds"] / group["n_new"]
        metric = "test_seconds_per_point"
        tidy.append(tidy_row(ID, name, method, TIME_SETTING + rule, seconds, metric, cell, group))
    return pd.DataFrame(tidy + list(table3.t_tests(errors, ERROR_SETTING, ID)))
