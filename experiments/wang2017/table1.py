"""wang2017 Table 1: 10 labels, every parameter 1.

The paper's cells, and the same for other versions of the data (``alternative`` in ``params.yaml``). RLS (no graph)
stands beside the paper's methods. Other conventions are in ``wang2017_variants``.
"""

import pandas as pd

from experiments.wang2017 import protocol
from experiments.wang2017.methods import evaluate

ID = "wang2017_table1"
VERSION = 2
# The graph of MR_SP ends at a relative violation of 1e-4: rounding moves f a little.
TOLERANCE = {"spread": 1e-4}
NAMES = protocol.NAMES
SETTING = "l=10"
datasets = protocol.datasets


def tasks(params):
    return [{"dataset": key, "method": method} for method in params["methods"] for key in params["datasets"]]


def run_task(task, params, store):
    """Accuracy of one method on every draw of one data set."""
    data, spec = store.dataset(task["dataset"]), params["datasets"][task["dataset"]]
    X, y = protocol.binary_task(data, spec)
    seed = store.seed_sequence(task, "dataset")
    rows = []
    for i, draw in enumerate(protocol.draws(data, y, 10, spec["n_draws"], seed)):
        (found,) = evaluate(task["method"], X, y, draw, params | {"grid": [1.0]}, protocol.CONVENTION)
        rows.append({"draw": i} | found | {"majority": protocol.majority(draw, y)})
    return rows


def summarise(rows, params):
    """Mean and standard deviation (ddof=1) over draws; for AGMR the paired t-test against its MR."""
    kept = {key: group["accuracy"].to_numpy() for key, group in rows.groupby(["dataset", "method"])}
    tidy = []
    for (dataset, method), group in rows.groupby(["dataset", "method"], sort=False):
        baseline = kept.get((dataset, protocol.PAIRS.get(method)))
        values = group["accuracy"].to_numpy()
        tidy.append(protocol.table_row(ID, dataset, method, SETTING, values, baseline, {}, group))
    return pd.DataFrame(tidy)
