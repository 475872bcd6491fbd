"""zhang2015 Table IV: seconds of training and prediction, cross-validation not included.

The public estimators at the parameters that Table III chose for the data set, on its first draws, one task at a time.
Processor seconds of one thread. Seconds of 2006 hardware are not comparable with ours; the order of the methods and the
ratios between them are.
"""

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.sweep import once_chosen
from experiments.zhang2015.timing import estimator, timed, warm_up

ID = "zhang2015_table4"
NAMES = zhang2015.NAMES
datasets = zhang2015.datasets


def tasks(params):
    return [
        {"dataset": key, "method": method}
        for method in params["methods"]
        for key, spec in params["datasets"].items()
        if method not in spec.get("skip", []) and "only" not in spec  # "only": another reading of a data set
        and key not in zhang2015.NOT_YET.get(method, "").split()
    ]  # fmt: skip


def needs(task, params):
    """The rows with the chosen parameters."""
    return [("zhang2015_table5" if task["method"].startswith("CB-") else "zhang2015_table3", task)]


def run_task(task, params, store):
    """Seconds and error of each timed draw."""
    X, y = zhang2015.points(store, task["dataset"])
    warm_up(task["method"])
    (needed,) = needs(task, params)
    chosen = once_chosen(store.rows(needed))
    rows = []
    for number, draw in zhang2015.draws(y, params, store, task, range(params["n_draws"])):
        model = estimator(task["method"], chosen, X.shape[0], len(draw.rows), number)
        seconds, error = timed(model, X, draw)
        rows.append({"draw": number, "seconds": seconds, "error_pct": error})
    return rows


def summarise(rows, params, artifact=ID):
    """Mean seconds of the timed draws."""
    return zhang2015.frame([
        zhang2015.row(artifact, dataset, method, "", "train_test_seconds", group["seconds"], group)
        for (dataset, method), group in rows.groupby(["dataset", "method"], sort=False)
    ])  # fmt: skip
