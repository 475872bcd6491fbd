"""zhang2015 Fig. 2: PVM(sqr) on MNIST digits 3, 5, 6, 8, 9 as the number of points grows, m = 200, 50 labels per class.

Claims: training time (k-means included) is linear in n; the error stays about the same. Every repetition draws its own
subset, labels and k-means centres. ``training_seconds`` is the public estimator's fit at the parameters of the draw;
the row ``time_exponent`` is the slope of log time against log n, with its standard deviation over the repetitions.
"""

import numpy as np

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.curves import METHOD, error_rows, labelled, seen_by_prototypes
from experiments.zhang2015.sweep import cell_rows
from experiments.zhang2015.timing import timed, warm_up
from mr import PVM

ID = "zhang2015_fig2"
PAPER_DRAWS = 30
datasets = zhang2015.datasets


def tasks(params):
    return [
        {"dataset": key, "n": n, "draw": draw}
        for draw in range(params["tested"])
        for key in params["datasets"]
        for n in params["sizes"]
    ]


def run_task(task, params, store):
    """Validation and test errors of every cell, and the seconds of one fit at the cell with the fewest wrong."""
    X, y = zhang2015.points(store, task["dataset"])
    kept = np.random.default_rng(store.seed_sequence(task, "dataset", "n", "draw")).permutation(len(y))[: task["n"]]
    X, y = X[kept], y[kept]
    draw = labelled(task, task["n"], y, params["labels_per_class"], params, store)
    seed = store.random_state(task, "dataset", "n", "draw")
    (rows,) = cell_rows(seen_by_prototypes(X, params, seed), METHOD, [draw], zhang2015.widths(X, params))
    best = min(rows, key=lambda row: row["validation"])
    warm_up(METHOD)
    model = PVM(params["n_prototypes"], C1=best["C1"], C2=0.0, gamma=best["width"], laplacian="unnormalized",
                random_state=seed)  # fmt: skip
    best["seconds"], _ = timed(model, X, draw)
    return rows


def summarise(rows, params):
    """Error and seconds per size, and the exponent of time."""
    tidy, reduced = [], "" if params["tested"] >= PAPER_DRAWS else f"{params['tested']} repetitions"
    for dataset, whole in rows.groupby("dataset", sort=False):
        for n, group in whole.groupby("n", sort=True):
            setting = f"n={n}, {params['labels_per_class']} labels per class, m={params['n_prototypes']}"
            tidy += error_rows(ID, dataset, setting, group, reduced)
            seconds = group["seconds"].dropna()
            tidy.append(zhang2015.row(ID, dataset, METHOD, setting, "training_seconds", seconds, group))
        times = whole.dropna(subset=["seconds"]).pivot(index="n", columns="draw", values="seconds")
        slopes = [np.polyfit(np.log(times.index.to_numpy(float)), np.log(times[d].to_numpy()), 1)[0] for d in times]
        tidy.append(zhang2015.row(ID, dataset, METHOD, "fitted over n", "time_exponent", slopes, whole))
    return zhang2015.frame(tidy)
