"""chen2012 Figure 3: error and training CPU time of LapESVR against the number of eigenvectors on the large sets.

Claim: the error is stable from 10 eigenvectors (FACEMIT, extended USPS) or 20 (MNIST) on, and time grows with n_ev. For
every n_ev the parameters are validated on the ten draws of Table III; the first ``tested`` draws of a set are fitted
(one draw of MNIST takes minutes).
"""

import json

import numpy as np
import pandas as pd

from experiments.chen2012 import protocol as chen2012
from experiments.chen2012.large import LargeSet
from experiments.chen2012.large_methods import METHODS, cpu_seconds
from experiments.chen2012.table3 import NAMES, datasets, graphs, validate  # noqa: F401

ID = "chen2012_fig3"
SETTING = "transductive, cross-validated"


def tasks(params):
    return [
        {"dataset": key, "n_eigenvectors": k, "run": run}
        for key in params["datasets"]
        for run in range(params["tested"][key])
        for k in params["n_eigenvectors"]
    ]


def run_task(task, params, store):
    key, method = task["dataset"], METHODS["LapESVR"]
    spec = params["datasets"][key] | {"n_eigenvectors": task["n_eigenvectors"]}
    data = LargeSet(store.dataset(key), spec, store.graph(key))
    draws = list(data.draws(store.seed_sequence(task, "dataset"), params["n_runs"], params["n_validation"]))
    cell = validate(data, draws, method, params)
    labelled, _, rest = draws[task["run"]]
    part = data.part(labelled, rest)
    machine, seconds = cpu_seconds(lambda: method.machine(part, cell))
    error = part.error_pct(np.where(machine.transduction_ == 1, 1.0, -1.0))
    return [{"parameters": json.dumps(cell), "error_pct": error, "train_seconds": seconds,
             "n_support": machine.n_support_}]  # fmt: skip


def summarise(rows, params):
    tidy = []
    for (dataset, k), group in rows.groupby(["dataset", "n_eigenvectors"], sort=False):
        name, source = NAMES.get(dataset, dataset), group["data_source"].iloc[0]
        cell = json.dumps(json.loads(group["parameters"].iloc[0]) | {"n_eigenvectors": int(k)})
        for metric in ("error_pct", "train_seconds"):
            setting = f"{SETTING}, n_ev={k}"
            tidy.append(chen2012.tidy_row(ID, name, "LapESVR", setting, group[metric], cell, source, metric))
    return pd.DataFrame(tidy)
