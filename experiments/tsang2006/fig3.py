"""tsang2006 Figure 3: MIT CBCL faces, five labels per class, against the number of unlabelled images.

Area under the ROC curve, balanced loss, seconds and kernel expansions for SLapCVM, LapSVM, reduced LapSVM and an SVM on
the ten labels. The tasks without draws choose the parameters, as :mod:`experiments.tsang2006.choice` does for Figure 2.
Faces are 2 % of the test images, hence the measures.
"""

import pandas as pd

from experiments.tsang2006 import choice
from experiments.tsang2006.images import image_needs, image_tasks, run_images
from experiments.tsang2006.protocol import METRICS, tidy_rows

ID = "tsang2006_fig3"


def datasets(params):
    return choice.datasets(params)


def tasks(params):
    return choice.tasks(params) + image_tasks(params | params["datasets"][params["key"]])


def needs(task, params):
    return image_needs(task, params) if "draws" in task else []


def run_task(task, params, store):
    if "draws" not in task:
        return choice.run_task(task, params, store)
    return run_images(task, params | params["datasets"][params["key"]], store)


def summarise(rows, params):
    curves = rows[rows["error_pct"].notna()]
    groups = [group for _, group in curves.groupby(["method", "n"], sort=False)]
    setting = f"{params['datasets'][params['key']]['per_class']} labels per class"
    metrics = ("auc_pct", "balanced_loss_pct", *METRICS)
    return pd.DataFrame(tidy_rows(ID, groups, metrics, lambda first: f"n={first['n']}, {setting}"))
