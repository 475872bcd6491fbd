"""chen2012 Figure 4: error on 266,079 new points and training CPU time of LapESVR against the number of unlabelled
points.

Extended USPS, 20 labels. Claim: with more unlabelled points the error falls and training takes longer. Parameters are
fixed (``cell``): the paper says nothing about them here.
"""

import json

import numpy as np
import pandas as pd

from experiments.chen2012 import protocol as chen2012
from experiments.chen2012.large import LargeSet
from experiments.chen2012.large_methods import METHODS, cpu_seconds
from experiments.chen2012.table4 import NAMES, datasets, test  # noqa: F401

ID = "chen2012_fig4"


def tasks(params):
    return [{"dataset": params["key"], "n_unlabelled": n} for n in params["n_unlabelled"]]


def run_task(task, params, store):
    data = LargeSet(store.dataset(params["key"]), params["dataset"])
    new = LargeSet(store.dataset("new"), params["dataset"])
    seeds = store.seed_sequence(task, "dataset")
    rows = []
    for run, (labelled, _, rest) in enumerate(data.draws(seeds, params["n_runs"], 0)):
        rng = np.random.default_rng([run, task["n_unlabelled"]])
        chosen = rng.choice(rest, min(task["n_unlabelled"], len(rest)), replace=False)
        part = data.part(labelled, chosen)
        part.graph  # noqa: B018  built outside of the clock, as the paper does
        machine, seconds = cpu_seconds(lambda part=part: METHODS["LapESVR"].machine(part, params["cell"]))
        error = test(machine.decision_function, new)["error_pct"]
        rows.append({"run": run, "error_pct": error, "train_seconds": seconds})
    return rows


def summarise(rows, params):
    tidy = []
    for (key, n), group in rows.groupby(["dataset", "n_unlabelled"], sort=False):
        cell = json.dumps(params["cell"] | {"n_unlabelled": int(n)})
        name, setting, source = NAMES.get(key, key), f"out of sample, u={n}", group["data_source"].iloc[0]
        for metric in ("error_pct", "train_seconds"):
            tidy.append(chen2012.tidy_row(ID, name, "LapESVR", setting, group[metric], cell, source, metric))
    return pd.DataFrame(tidy)
