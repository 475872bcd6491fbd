"""chen2012 Figure 4: error on 266,079 new points and training CPU time of LapESVR against the number of unlabelled
points.

Extended USPS, 20 labels, the draws and the validated parameters of Table III; the largest number is Table III's own.
Of a draw, smaller numbers are part of larger ones. Claim: with more unlabelled points the error falls and training
takes longer.
"""

import json

import numpy as np
import pandas as pd

from experiments.chen2012 import table3
from experiments.chen2012.large import LargeSet, validated
from experiments.chen2012.large_methods import METHODS
from experiments.chen2012.table3 import NAMES, TOLERANCE, datasets  # noqa: F401
from experiments.tidy import tidy_row

ID = "chen2012_fig4"
ALL = "all"


def tasks(params):
    """``tested`` says how many draws each number of unlabelled points has; ``all`` of them are Table III's own."""
    return [
        {"dataset": key, "n_unlabelled": n if n == ALL else int(n), "run": run}
        for key in params["datasets"]
        for n, n_draws in params["tested"].items()
        for run in range(n_draws)
    ]


def needs(task, params):
    of = {"dataset": task["dataset"], "method": "LapESVR"}
    step = {"step": "test", "run": task["run"]} if task["n_unlabelled"] == ALL else {"step": "validation"}
    return [(table3.ID, of | step)]


def run_task(task, params, store):
    key, spec = task["dataset"], params["datasets"][task["dataset"]]
    (needed,) = needs(task, params)
    data = LargeSet(store.dataset(key), spec)
    draws = list(data.draws(store.seed_sequence(task, "dataset"), params["n_runs"], params["n_validation"]))
    labelled, validation, rest = draws[task["run"]]
    if task["n_unlabelled"] == ALL:
        found, n = store.rows(needed).iloc[0].to_dict(), len(rest)
    else:
        order = np.random.default_rng(task["run"]).permutation(rest)
        chosen = order[: task["n_unlabelled"]]
        new = LargeSet(store.dataset(table3.new_points(key)), spec)
        cell, n = validated(store.rows(needed)), len(chosen)
        (found,) = table3.test_draw(data, (labelled, validation, chosen), METHODS["LapESVR"], cell, new)
    return [{name: found[name] for name in ("parameters", "train_seconds", "n_support")}
            | {"error_pct": found["new_error_pct"], "n": n}]  # fmt: skip


def summarise(rows, params):
    tidy = []
    for (key, n), group in rows.groupby(["dataset", "n"], sort=True):
        cell = json.loads(group["parameters"].iloc[0]) | {"n_unlabelled": int(n)}
        if len(group) < params["n_runs"]:
            cell["reduced"] = f"{len(group)} of {params['n_runs']} draws"
        name, setting = NAMES.get(key, key), f"out of sample, u={n}"
        for metric in ("error_pct", "train_seconds", "n_support"):
            shown = cell | {"draws": group[metric].tolist()}
            tidy.append(tidy_row(ID, name, "LapESVR", setting, group[metric], metric, shown, group))
    return pd.DataFrame(tidy)
