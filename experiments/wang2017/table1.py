"""wang2017 Table 1: 10 labels, every parameter 1.

Rows with the setting ``l=10`` are the paper's cells. Other settings change one choice that the paper leaves open, or
one step of the method; they are the sensitivity table of notebook 5. RLS (no graph) stands beside the paper's methods.
"""

import pandas as pd

from experiments.wang2017 import protocol
from experiments.wang2017.methods import evaluate

ID = "wang2017_table1"
VERSION = 1
# Pair steps end at a relative violation of 1e-4 (graph of MR_SP) or 1e-5 (sparse W-step): rounding moves f that much.
TOLERANCE = {"spread": 1e-4}
NAMES = protocol.NAMES
PAPER = "paper"
datasets = protocol.datasets


def tasks(params):
    return [
        {"dataset": key, "variant": variant, "method": method}
        for variant, spec in params["variants"].items()
        for method in spec["methods"]
        for key in params["datasets"]
        if variant == PAPER or not params["datasets"][key].get("alternative")
    ]


def run_task(task, params, store):
    """Accuracy of one method on every draw of one data set."""
    data, spec = store.dataset(task["dataset"]), params["datasets"][task["dataset"]]
    variant = {k: v for k, v in params["variants"][task["variant"]].items() if k != "methods"}
    convention = protocol.CONVENTION | variant
    X, y = protocol.binary_task(data, spec)
    seed = store.seed_sequence(task, "dataset")
    rows = []
    for i, draw in enumerate(protocol.draws(data, y, 10, spec["n_draws"], seed, convention["labels"])):
        (found,) = evaluate(task["method"], X, y, draw, params | {"grid": [1.0]} | variant, convention)
        rows.append({"draw": i} | found | {"majority": protocol.majority(draw, y)})
    return rows


def summarise(rows, params):
    """Mean and standard deviation (ddof=1) over draws; for AGMR the paired t-test against its MR."""
    kept = {key: group["accuracy"].to_numpy() for key, group in rows.groupby(["dataset", "variant", "method"])}
    tidy = []
    for (dataset, variant, method), group in rows.groupby(["dataset", "variant", "method"], sort=False):
        values = group["accuracy"].to_numpy()
        setting = "l=10" if variant == PAPER else f"l=10, {variant}"
        baseline = kept.get((dataset, variant, protocol.PAIRS.get(method)))
        tidy.append(protocol.table_row(ID, dataset, method, setting, values, baseline, {}, group))
    return pd.DataFrame(tidy)
