"""tsang2006 Figure 2: extended USPS (digits 0 and 1 at all shifts), one label per class, up to 266,079 points.

Seconds, kernel expansions and test error against n for SLapCVM, LapSVM, reduced LapSVM (r = 2000) and an SVM on the
two labels. The area under the ROC curve stands beside the error: with two labels a ranking can be good where its
threshold is not.
"""

import pandas as pd

from experiments.tsang2006.images import accuracy, image_tasks, run_images
from experiments.tsang2006.protocol import METRICS, chosen, tidy_rows

ID = "tsang2006_fig2"


def datasets(params):
    return {params["dataset"]: (params["dataset"], params.get("options", {}))}


def tasks(params):
    return image_tasks(params)


def run_task(task, params, store):
    return run_images(task, params, store, accuracy)


def summarise(rows, params):
    groups = chosen(rows, ["method", "n"])
    setting = f"{params['per_class']} label a class"
    metrics = ("error_pct", "auc_pct", *METRICS)
    return pd.DataFrame(tidy_rows(ID, groups, metrics, lambda first: f"n={first['n']}, {setting}"))
