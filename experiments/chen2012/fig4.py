"""chen2012 Figure 4: error on 266,079 new points and training CPU time of LapESVR against the number of unlabelled
points.

Extended USPS, 20 labels. Claim: with more unlabelled points the error falls and training takes longer. Parameters are
fixed (``cell``): the paper says nothing about them here.
"""

import numpy as np
import pandas as pd

from experiments.chen2012.large import LargeSet, cpu_seconds
from experiments.chen2012.large_methods import METHODS
from experiments.chen2012.table4 import NAMES, TOLERANCE, datasets, tested  # noqa: F401
from experiments.tidy import tidy_row

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
        error = tested(machine.decision_function, new)["error_pct"]
        rows.append({"run": run, "error_pct": error, "train_seconds": seconds})
    return rows


def summarise(rows, params):
    tidy = []
    for (key, n), group in rows.groupby(["dataset", "n_unlabelled"], sort=False):
        cell = params["cell"] | {"n_unlabelled": int(n)}
        name, setting = NAMES.get(key, key), f"out of sample, u={n}"
        for metric in ("error_pct", "train_seconds"):
            tidy.append(tidy_row(ID, name, "LapESVR", setting, group[metric], metric, cell, group))
    return pd.DataFrame(tidy)
