"""zhang2015 Table IV: seconds of training and prediction, cross-validation not included.

The public estimators at beta_0 and weights from the middle of the grids, on the first draws of Table III, one task at
a time. Seconds of 2006 hardware are not comparable with ours; the order of the methods and the ratios between them
are.
"""

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.timing import estimator, timed, warm_up
from mr.kernels import mean_gamma

ID = "zhang2015_table4"
NAMES = zhang2015.NAMES
datasets = zhang2015.datasets


def tasks(params):
    return [
        {"dataset": key, "method": method}
        for method in params["methods"]
        for key, spec in params["datasets"].items()
        if method not in spec.get("skip", []) and "only" not in spec  # "only": another reading of a data set
    ]


def run_task(task, params, store):
    """Seconds and error of each timed draw."""
    X, y = zhang2015.points(store, task["dataset"])
    warm_up(task["method"])
    rows = []
    for number, draw in zhang2015.draws(y, params, store, task, range(params["n_draws"])):
        model = estimator(task["method"], {"width": mean_gamma(X)}, X.shape[0], len(draw.rows), number)
        seconds, error = timed(model, X, draw)
        rows.append({"draw": number, "seconds": seconds, "error_pct": error})
    return rows


def summarise(rows, params, artifact=ID):
    """Mean seconds of the timed draws."""
    return zhang2015.frame([
        zhang2015.row(artifact, dataset, method, "", "train_test_seconds", group["seconds"], group)
        for (dataset, method), group in rows.groupby(["dataset", "method"], sort=False)
    ])  # fmt: skip
