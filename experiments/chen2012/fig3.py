"""chen2012 Figure 3: error and training CPU time of LapESVR against the number of eigenvectors on the large sets.

Claim: the error is stable from 10 eigenvectors (FACEMIT, extended USPS) or 20 (MNIST) on, and time grows with n_ev. For
every n_ev the parameters are validated on the ten draws of Table III, whose own n_ev is read from its rows. ``tested``
names the numbers of eigenvectors, and how many draws of a set are fitted (the first ones, the same for every number).
"""

import json

import pandas as pd

from experiments.chen2012 import table3
from experiments.chen2012.large import LargeSet, validate, validated
from experiments.chen2012.large_methods import METHODS
from experiments.chen2012.table3 import NAMES, graphs  # noqa: F401
from experiments.tidy import tidy_row

ID = "chen2012_fig3"
SETTING = "transductive, cross-validated"
TOLERANCE = table3.TOLERANCE
METHOD = METHODS["LapESVR"]


def datasets(params):
    return {key: (spec["name"], spec.get("options", {})) for key, spec in params["datasets"].items()}


def tasks(params):
    """One test per draw and n_ev; a validation for every n_ev that is not Table III's."""
    found, tested = [], params["tested"]
    for key, spec in params["datasets"].items():
        for k in tested["n_eigenvectors"]:
            common = {"dataset": key, "n_eigenvectors": k}
            if k != spec["n_eigenvectors"]:
                found.append(common | {"step": "validation"})
            found += [common | {"step": "test", "run": run} for run in range(tested["draws"][key])]
    return found


def needs(task, params):
    return [_source(task, params)] if task["step"] == "test" else []


def _known(task, params) -> bool:
    """Whether Table III has this number of eigenvectors: the two share one block of params.yaml."""
    return task["n_eigenvectors"] == params["datasets"][task["dataset"]]["n_eigenvectors"]


def _source(task, params):
    """Table III's own test of this draw where it has the same n_ev, else the validation of this n_ev."""
    if _known(task, params):
        return table3.ID, {"dataset": task["dataset"], "method": "LapESVR", "step": "test", "run": task["run"]}
    return {name: task[name] for name in ("dataset", "n_eigenvectors")} | {"step": "validation"}


def run_task(task, params, store):
    key = task["dataset"]
    if task["step"] == "test" and _known(task, params):
        found = store.rows(_source(task, params))
        return found[["parameters", "error_pct", "train_seconds", "n_support"]].to_dict("records")
    spec = params["datasets"][key] | {"n_eigenvectors": task["n_eigenvectors"]}
    data = LargeSet(store.dataset(key), spec, store.graph(key) if "run" in task else None)
    draws = list(data.draws(store.seed_sequence(task, "dataset"), params["n_runs"], params["n_validation"]))
    if task["step"] == "validation":
        return validate(data, draws, METHOD, params)
    return table3.test_draw(data, draws[task["run"]], METHOD, validated(store.rows(_source(task, params))))


def summarise(rows, params):
    tidy = []
    rows = rows[rows["step"] == "test"]
    for (dataset, k), group in rows.groupby(["dataset", "n_eigenvectors"], sort=False):
        cell = json.loads(group["parameters"].iloc[0]) | {"n_eigenvectors": int(k)}
        if len(group) < params["n_runs"]:
            cell["reduced"] = f"{len(group)} of {params['n_runs']} draws"
        for metric in ("error_pct", "train_seconds", "n_support"):
            setting = f"{SETTING}, n_ev={k}"
            shown = cell | {"draws": group[metric].tolist()}
            tidy.append(tidy_row(ID, NAMES.get(dataset, dataset), "LapESVR", setting, group[metric], metric, shown,
                                 group))  # fmt: skip
    return pd.DataFrame(tidy)
