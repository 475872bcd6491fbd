"""tsang2006 Figure 3: MIT CBCL faces, five labels per class, against the number of unlabelled images.

Area under the ROC curve, balanced loss, seconds and kernel expansions for SLapCVM, LapSVM, reduced LapSVM and an SVM on
the ten labels. The tasks without draws choose the parameters, as :mod:`experiments.tsang2006.choice` does for Figure 2.
Faces are 2 % of the test images, hence the measures, and 46 % of the training images, as in the paper. ``SVM, all
labels`` is one constant: an SVM on all images of the original training set, at a certified duality gap.
"""

import json

import numpy as np
import pandas as pd

import mr
from experiments.tsang2006 import choice
from experiments.tsang2006.images import (
    held_out_rows,
    image_needs,
    image_tasks,
    images,
    measures,
    run_images,
    scores_of,
)
from experiments.tsang2006.protocol import METRICS, SCORES, cells, tidy_rows, timed_fit

ID = "tsang2006_fig3"
ALL = "SVM, all labels"


def datasets(params):
    return choice.datasets(params)


def tasks(params):
    tuned = {name: spec for name, spec in params["methods"].items() if "grid" in spec}
    reference = [{"dataset": params["key"], "reference": ALL}] if "reference" in params else []
    return (
        choice.tasks(params | {"methods": tuned}) + image_tasks(params | params["datasets"][params["key"]]) + reference
    )


def needs(task, params):
    return image_needs(task, params) if "draws" in task else []


def run_task(task, params, store):
    if "reference" in task:
        return all_labels(task, params | params["datasets"][params["key"]], store)
    if "draws" not in task:
        return choice.run_task(task, params, store)
    return run_images(task, params | params["datasets"][params["key"]], store)


def all_labels(task, params, store):
    """The SVM on all labels of the original images, at the cell with the best validation score."""
    data, spec = store.dataset(task["dataset"]), params["reference"]
    first, step = spec["originals"]
    rows = data.splits["train"][first::step]
    validation, test = held_out_rows(data, params, store, task)
    X, out = images(data, rows, params), []
    for cell in cells(spec["grid"]):
        estimator, row = timed_fit(mr.SVM(tol=spec["tol"], **cell), X, data.y[rows])
        values = scores_of(estimator, data, np.concatenate([validation, test]), params)
        held, tested = np.split(values, [len(validation)])
        row |= {"validation": SCORES[params["score"]](data.y[validation], held), "duality_gap": estimator.dual_gap_}
        out.append(row | measures(data.y[test], tested) | {"parameters": json.dumps(cell), "n": len(rows)})
    best = max(out, key=lambda row: row["validation"])
    return [best | {"method": ALL, "data": params["title"], "draw": 0}]


def summarise(rows, params):
    curves = rows[rows["error_pct"].notna()]
    groups = [group for _, group in curves.groupby(["method", "n"], sort=False)]
    setting = f"{params['datasets'][params['key']]['per_class']} labels per class"
    metrics = ("auc_pct", "balanced_loss_pct", "validation", *METRICS)
    return pd.DataFrame(tidy_rows(ID, groups, metrics, lambda first: f"n={first['n']}, {setting}"))
