"""chen2012 Table III: FACEMIT, MNIST in two tasks and extended USPS, 20 or 100 labels, ten draws.

Parameters by validation as the paper describes (:mod:`experiments.chen2012.large`); Eigenfunction takes the best on
test, as the paper does. A data set's anchors, eigenfunctions and neighbour lists are computed once from all of its rows
(no labels enter), also those held out for validation. Rows "p_value, against NAME" are paired t-tests of LapESVR over
the draws.
"""

import json

import numpy as np
import pandas as pd
from scipy import stats

from experiments.chen2012 import protocol as chen2012
from experiments.chen2012.large import LargeSet, best_cell
from experiments.chen2012.large_methods import METHODS, Anchors, Coordinates, cpu_seconds

ID = "chen2012_table3"
NAMES = {"facemit": "FACEMIT", "mnist1": "MNIST1", "mnist2": "MNIST2", "extended_usps": "extended USPS"}
SETTING = "transductive, cross-validated"


def datasets(params):
    return {key: (spec["name"], spec.get("options", {})) for key, spec in params["datasets"].items()}


def graphs(params):
    return {key: (key, {"weights": "heat"} | spec["search"]) for key, spec in params["datasets"].items()}


def tasks(params):
    """Draws of slow methods go in parts: less is lost when a run is stopped, and two cores finish together."""
    return [
        {"dataset": key, "method": method, "part": part}
        for key, spec in params["datasets"].items()
        for method in params["methods"]
        if method not in spec.get("without", ())
        for part in range(_parts(method, params))
    ]


def _parts(method, params):
    return params.get("parts", {}).get(method, 1)


def run_task(task, params, store):
    """Validate, then test, a method on a data set: all draws choose the parameters, those of the part are tested."""
    key, method = task["dataset"], task["method"]
    data = LargeSet(store.dataset(key), params["datasets"][key], store.graph(key))
    draws = list(data.draws(store.seed_sequence(task, "dataset"), params["n_runs"], params["n_validation"]))
    if method.startswith("AnchorGraphReg"):
        return list(_anchors(data, draws, int(method[15:-1]), store.random_state(task, "dataset", "method")))
    if method == "Eigenfunction":
        return list(_eigenfunctions(data, draws, params))
    return list(_validated(data, draws, METHODS[method], params, slice(task["part"], None, _parts(method, params))))


def validate(data, draws, method, params):
    """Parameters with the smallest mean error on S_v over the draws, and that error."""
    found = []
    for labelled, validation, _ in draws:
        part = data.part(labelled, validation, stored=False)
        found.append([(cell, part.error_pct(values)) for cell, values in method.grid(part, params)])
    return best_cell(found)


def _validated(data, draws, method, params, part):
    cell = validate(data, draws, method, params)
    for run, (labelled, _, rest) in list(enumerate(draws))[part]:
        problem = data.part(labelled, rest)
        predict, seconds = cpu_seconds(lambda problem=problem: method.fit(problem, cell))
        error = problem.error_pct(predict(problem.X))
        yield {"run": run, "parameters": json.dumps(cell), "error_pct": error, "train_seconds": seconds}


def _anchors(data, draws, n_anchors, seed):
    X = np.asarray(data.X, dtype=float) / data.scale
    anchors = Anchors(X, min(n_anchors, len(X) // 4), np.random.RandomState(seed))
    for run, (labelled, _, rest) in enumerate(draws):
        rows = np.sort(np.concatenate([labelled, rest]))
        (values, _), seconds = cpu_seconds(lambda rows=rows, labelled=labelled: anchors.fit(rows, labelled, data.y))
        error = _error_pct(values, data.y, rows, labelled)
        yield {"run": run, "parameters": "{}", "error_pct": error, "train_seconds": seconds}


def _eigenfunctions(data, draws, params):
    X = np.asarray(data.X, dtype=float) / data.scale
    for bins in params["n_bins"]:
        coordinates = Coordinates(X, bins, params["width"])
        for weight in params["eigenfunction_weights"]:
            for run, (labelled, _, rest) in enumerate(draws):
                rows = np.sort(np.concatenate([labelled, rest]))
                error = _error_pct(coordinates.fit(rows, labelled, data.y, weight), data.y, rows, labelled)
                cell = json.dumps({"n_bins": bins, "lambda": weight})
                yield {"run": run, "parameters": cell, "error_pct": error, "train_seconds": float("nan")}


def _error_pct(values, y, rows, labelled):
    hidden = ~np.isin(rows, labelled)
    return 100.0 * float(((values[hidden] > 0) != (y[rows[hidden]] > 0)).mean())


def summarise(rows, params):
    tidy, errors = [], {}
    for (dataset, method), group in rows.groupby(["dataset", "method"], sort=False):
        name, source = NAMES.get(dataset, dataset), group["data_source"].iloc[0]
        values, best = chen2012.best_on_test(group.rename(columns={"run": "split"}))
        errors[name, method] = np.asarray(values)
        tidy.append(chen2012.tidy_row(ID, name, method, SETTING, values, best, source))
        seconds = group.loc[group["parameters"] == best, "train_seconds"].dropna()
        if len(seconds):
            tidy.append(chen2012.tidy_row(ID, name, method, SETTING, seconds, best, source, "train_seconds"))
    for (name, method), values in errors.items():
        ours = errors.get((name, "LapESVR"))
        if method != "LapESVR" and ours is not None and len(ours) == len(values) > 1:
            p = stats.ttest_rel(ours, values).pvalue if np.ptp(ours - values) > 0 else 1.0
            tidy.append(chen2012.tidy_row(ID, name, "LapESVR", f"{SETTING}, against {method}", [p], metric="p_value"))
    return pd.DataFrame(tidy)
