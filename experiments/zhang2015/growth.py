"""zhang2015 Table I and section IV-B: how training time, and prediction time per point, grow with n.

The public estimators on subsets of the MNIST digits of Figure 2 with m fixed, at beta_0 and weights from the middle of
the grids. Processor seconds of one thread. Every draw has a subset and labels of its own; the exponent is the slope of
log seconds against log n over the larger sizes, fitted for each draw.
"""

import time

import numpy as np

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.curves import labelled
from experiments.zhang2015.timing import estimator, timed, warm_up
from mr.kernels import mean_gamma

ID = "zhang2015_growth"
datasets = zhang2015.datasets


def tasks(params):
    return [
        {"dataset": key, "method": method, "n": n}
        for key in params["datasets"]
        for method in params["methods"]
        for n in params["sizes"]
    ]


def run_task(task, params, store):
    """Seconds of training, and per new point of prediction where the method can predict."""
    X, y = zhang2015.points(store, task["dataset"])
    warm_up(task["method"])
    rows = []
    for number in range(params["n_draws"]):
        place = task | {"draw": number}
        order = np.random.default_rng(store.seed_sequence(place, "dataset", "n", "draw")).permutation(len(y))
        kept, new = order[: task["n"]], order[task["n"] : task["n"] + params["n_new"]]
        draw = labelled(place, task["n"], y[kept], params["labels_per_class"], params, store)
        model = estimator(task["method"], {"width": mean_gamma(X[kept])}, task["n"], len(draw.rows), number,
                          params["n_prototypes"])  # fmt: skip
        seconds, error = timed(model, X[kept], draw)
        row = {"draw": number, "error_pct": error, "fit_seconds": seconds, "point_seconds": None}
        if hasattr(model, "predict"):
            start = time.process_time()
            for _ in range(params["repeats"]):
                model.predict(X[new])
            row["point_seconds"] = (time.process_time() - start) / (params["repeats"] * len(new))
        rows.append(row)
    return rows


def summarise(rows, params):
    """Seconds per size, and exponents over the sizes from ``exponent_from`` on."""
    tidy = []
    for (dataset, method), whole in rows.groupby(["dataset", "method"], sort=False):
        for column, metric in (("fit_seconds", "training_seconds"), ("point_seconds", "seconds_per_point")):
            known = whole.dropna(subset=[column])
            for n, group in known.groupby("n"):
                setting = f"n={n}, m={params['n_prototypes']}"
                tidy.append(zhang2015.row(ID, dataset, method, setting, metric, group[column], group))
            large = known[known["n"] >= params["exponent_from"]]
            slopes = [_slope(part["n"], part[column]) for _, part in large.groupby("draw") if len(part) > 1]
            if slopes:
                tidy.append(zhang2015.row(ID, dataset, method, f"fitted over n, {metric}", "exponent", slopes, whole))
    return zhang2015.frame(tidy)


def _slope(n, seconds) -> float:
    return float(np.polyfit(np.log(n.to_numpy(float)), np.log(np.maximum(seconds.to_numpy(float), 1e-9)), 1)[0])
