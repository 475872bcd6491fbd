"""zhang2015 Fig. 2: PVM(sqr) on MNIST digits 3, 5, 6, 8, 9 as the number of points grows, m = 200, 50 labels per class.

Claims: training time (k-means included) is linear in n; the error stays about the same. ``training_seconds`` is the
public estimator's fit at the chosen parameters (one choice per size); the row ``time_exponent`` is the slope of log
time against log n.
"""

import json

import numpy as np

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.sweep import ONCE, sweep
from experiments.zhang2015.timing import timed, warm_up
from mr import PVM

ID = "zhang2015_fig2"
METHOD = "PVM(sqr)"
datasets = zhang2015.datasets


def tasks(params):
    return [{"dataset": key, "n": n} for key in params["datasets"] for n in params["sizes"]]


def subset(store, task):
    """The first n points of one random order of the data: larger sets contain the smaller ones."""
    X, y = zhang2015.points(store, task["dataset"])
    order = np.random.default_rng(store.seed_sequence(task, "dataset")).permutation(len(y))[: task["n"]]
    return X[order], y[order]


def run_task(task, params, store):
    """Errors of all draws at cross-validated parameters, seconds of the first few."""
    X, y = subset(store, task)
    return curve_point(X, y, task, params, store)


def curve_point(X, y, task, params, store):
    draws = list(zhang2015.draws(y, params, store, task, range(params["n_draws"])))
    seed = store.random_state(task)
    rows = sweep(METHOD, X, [(seed, draws)], zhang2015.widths(X, params), params)
    rows = [row for row in rows if row["rule"] == ONCE]
    warm_up(METHOD)
    for row, (_, draw) in list(zip(rows, draws, strict=True))[: params["n_timed"]]:
        chosen = json.loads(row["parameters"])
        model = PVM(params["n_prototypes"], C1=chosen["C1"], C2=0.0, gamma=chosen["width"], random_state=seed)
        row["seconds"], _ = timed(model, X, draw)
    return rows


def summarise(rows, params):
    """Error and seconds per size, and the exponent of time."""
    tidy = []
    for dataset, whole in rows.groupby("dataset", sort=False):
        for n, group in whole.groupby("n", sort=False):
            setting = f"n={n}, {params['labels_per_class']} labels per class, m={params['n_prototypes']}"
            tidy.append(zhang2015.row(ID, dataset, METHOD, setting, "error_pct", group["error_pct"], group))
            seconds = group["seconds"].dropna()
            tidy.append(zhang2015.row(ID, dataset, METHOD, setting, "training_seconds", seconds, group))
        times = whole.groupby("n")["seconds"].mean().dropna()
        slope = np.polyfit(np.log(times.index.to_numpy(float)), np.log(times.to_numpy(float)), 1)[0]
        tidy.append(zhang2015.row(ID, dataset, METHOD, "fitted over n", "time_exponent", [slope], whole))
    return zhang2015.frame(tidy)
