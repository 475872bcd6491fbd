"""chen2012 Figure 2: error of LapESVR against the number of eigenvectors on the six benchmark sets of Table II.

For every n_ev the parameters are the best on test of Table II's grid, with its L^p + 1e-6 I; where Table II has the
same n_ev its rows are read. Claim: the error is stable from 100 eigenvectors on for Digit1, USPS, COIL2 and Text; for
g241c and g241d very few are better.
"""

import pandas as pd

from experiments.chen2012 import table2
from experiments.chen2012.protocol import BEST, best_on_test, in_paper, lap_esvr, listed, partly_labelled, row
from experiments.splits import labelled_sets, signed
from experiments.tidy import tidy_row
from mr.paths import LapESVRPath

ID = "chen2012_fig2"
NAMES = {"digit1": "Digit1", "usps241": "USPS", "coil2": "COIL2", "text": "Text"}


def datasets(params):
    return {key: (spec["name"], spec.get("options", {})) for key, spec in params["datasets"].items()}


def graphs(params):
    return {key: (key, spec["graph"]) for key, spec in params["datasets"].items()}


def spectra(params):
    return {key: (key, max(params["n_eigenvectors"])) for key in params["datasets"]}


def tasks(params):
    """The first ``tested`` labelled sets, one task per number of eigenvectors."""
    return [
        {"dataset": key, "n_eigenvectors": k, "only": s}
        for key in params["datasets"]
        for k in params["n_eigenvectors"]
        for s in range(params["tested"])
    ]


def needs(task, params):
    return [_known(task)] if task["n_eigenvectors"] == params["datasets"][task["dataset"]]["n_eigenvectors"] else []


def _known(task):
    """Table II's rows of the same labelled set."""
    return table2.ID, {"dataset": task["dataset"], "method": "LapESVR, L^p + 1e-6 I", "only": task["only"]}


def run_task(task, params, store):
    """Errors of one labelled set and number of eigenvectors for every lambda, mu and C."""
    if needs(task, params):
        return store.rows(_known(task))[["parameters", "split", "error_pct", "n_support"]].to_dict("records")
    data, s, k = store.dataset(task["dataset"]), task["only"], task["n_eigenvectors"]
    rows = labelled_sets(data, 10, params["n_splits"], store.seed_sequence(task, "dataset"))[s]
    template = lap_esvr(store.graph(task["dataset"]), k, shift=params["shift"])
    path = LapESVRPath(template, data.X, eigenpairs=store.spectrum(task["dataset"]))
    lists = {"label_weight": params["lambda"], "mu": params["C"], "C": params["C"]}
    y, truth = partly_labelled(data.y, rows), signed(data.y)
    return [
        row(in_paper(cell), s, fit.values, truth, rows, n_support=fit.info["n_support"])
        for cell, fit in listed(lists, path.grid(y, **lists))
    ]


def summarise(rows, params):
    tidy = []
    for (dataset, k), group in rows.groupby(["dataset", "n_eigenvectors"], sort=False):
        errors, best = best_on_test(group)
        setting, cell = f"{BEST}, n_ev={k}", {"n_eigenvectors": int(k)} | best
        if len(errors) < params["n_splits"]:
            cell["reduced"] = f"{len(errors)} of {params['n_splits']} labelled sets"
        tidy.append(tidy_row(ID, NAMES.get(dataset, dataset), "LapESVR", setting, errors, parameters=cell, group=group))
    return pd.DataFrame(tidy)
