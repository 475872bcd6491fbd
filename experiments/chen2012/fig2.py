"""chen2012 Figure 2: error of LapESVR against the number of eigenvectors on the six benchmark sets of Table II.

For every n_ev the parameters are the best on test of a grid, as in the paper's Table II. Claim: the error is stable
from 100 eigenvectors on for Digit1, USPS, COIL2 and Text; for g241c and g241d very few are better.
"""

import pandas as pd

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
    return [{"dataset": key, "only": s} for key in params["datasets"] for s in range(params["n_splits"])]


def run_task(task, params, store):
    """Errors of one labelled set for every n_ev, lambda, mu and C."""
    data, s = store.dataset(task["dataset"]), task["only"]
    rows = labelled_sets(data, 10, params["n_splits"], store.seed_sequence(task, "dataset"))[s]
    template = lap_esvr(store.graph(task["dataset"]), max(params["n_eigenvectors"]))
    path = LapESVRPath(template, data.X, eigenpairs=store.spectrum(task["dataset"]))
    lists = {"label_weight": params["lambda"], "mu": params["mu"], "C": params["C"]}
    y, truth, found = partly_labelled(data.y, rows), signed(data.y), []
    for k in params["n_eigenvectors"]:
        for cell, fit in listed(lists, path.grid(y, n_eigenvectors=[k], **lists)):
            found.append(row(in_paper(cell), s, fit.values, truth, rows) | {"n_eigenvectors": k})
    return found


def summarise(rows, params):
    tidy = []
    for (dataset, k), group in rows.groupby(["dataset", "n_eigenvectors"], sort=False):
        errors, best = best_on_test(group)
        setting = f"{BEST}, n_ev={k}"
        tidy.append(tidy_row(ID, NAMES.get(dataset, dataset), "LapESVR", setting, errors,
                             parameters={"n_eigenvectors": int(k)} | best, group=group))  # fmt: skip
    return pd.DataFrame(tidy)
