"""How far SLapCVM's core grows on extended USPS when no cap ends it: the claim of tsang2006 Figure 2 on growth.

In Figure 2 a cap of 1000 on the core keeps the validated grid affordable, and from 10,000 points on the cap, not the
stopping rule, ends the fit. Here the parameters are those that validation chose there most often, the cap is far
away, and nothing is selected: size of the core, kernel expansions and seconds against n, error beside them. The line
``exact`` checks all edges before it stops: its error is that of the problem itself, not of the stopping rule.
"""

import pandas as pd

from experiments.tsang2006.images import accuracy, image_tasks, run_images
from experiments.tsang2006.protocol import METRICS, chosen, tidy_rows

ID = "tsang2006_cores"


def datasets(params):
    return {params["dataset"]: (params["dataset"], params.get("options", {}))}


def tasks(params):
    return image_tasks(params)


def run_task(task, params, store):
    return run_images(task, params, store, accuracy)


def summarise(rows, params):
    groups = chosen(rows, ["method", "n"])
    metrics = ("error_pct", "auc_pct", *METRICS)
    return pd.DataFrame(tidy_rows(ID, groups, metrics, lambda first: f"n={first['n']}, no cap in reach"))
