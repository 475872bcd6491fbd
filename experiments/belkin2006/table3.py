"""belkin2006 Table 3: USPS test digits, one-versus-rest, 50 labels, the 10 splits of Chapelle and Zien (2005).

The paper prints neither parameters nor graph here. SVM, RLS and TSVM have the weight that its section 5.2 states for
inductive methods, gamma l = 0.05 (C = 10). For kernel, graph and Laplacian machines we take Sindhwani, Niyogi and
Belkin (ICML 2005), to which it refers for this data set: Gaussian of width 9.4, ten neighbours, L^2, a = 1e-6, b =
1e-2; rows of SVM and RLS with their a = 1e-6 stand beside. The Laplacian is the normalised one, which Remark 3 of the
paper states for all of section 5. Weights of edges are open: binary, known from an earlier calibration against the
printed cells, and the rows of the Laplacian machines say so.
"""

import numpy as np

from experiments.belkin2006 import protocol
from experiments.belkin2006.protocol import (
    cell,
    draws_of,
    machine_path,
    method_tasks,
    multiclass_pct,
    others,
    row,
)  # fmt: skip
from experiments.splits import labelled_sets, reveal

ID = "belkin2006_table3"
NAMES = {"uspst": "USPS-test-multiclass"}
TOLERANCE = protocol.SWITCHING
VERSION = {"SVM": 2, "RLS": 2}
SETTING = "one-vs-rest, l=50, u=1957, 10 splits"
INDUCTIVE = ("SVM", "RLS")


def datasets(params):
    return [params["dataset"]]


def graphs(params):
    return {params["dataset"]: (params["dataset"], params["graph"])}


def tasks(params):
    return method_tasks(params["dataset"], params["methods"], params["n_splits"])


def run_task(task, params, store):
    data, method = store.dataset(task["dataset"]), task["method"]
    splits = labelled_sets(data, params["n_labelled"], params["n_splits"], store.seed_sequence(task, "dataset"))
    path = machine_path(method, params["kernel"], store.graph(task["dataset"]), data.X)
    settings = {SETTING: params["methods"][method]}
    if method in INDUCTIVE:
        settings[f"{SETTING}, a=1e-06"] = {"a": 1e-6}
    return [
        row(method, setting, "error_pct", transductive_error(path, weights, data.y, splits[split]), **weights)
        for setting, weights in settings.items()
        for split in draws_of(task, params["n_splits"])
    ]


def transductive_error(path, weights, y, labelled) -> float:
    """One-versus-rest error on the unlabelled points, in percent."""
    fit = path.fit(reveal(y, labelled), **cell(weights))
    unlabelled = others(len(y), labelled)
    return multiclass_pct(fit.values[unlabelled], np.unique(y[labelled]), y[unlabelled])


def summarise(rows, params):
    return protocol.summarise(ID, rows, NAMES, read_from_print="edge weights")
