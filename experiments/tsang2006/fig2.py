"""tsang2006 Figure 2: extended USPS (digits 0 and 1 at all shifts), one label per class, up to all 266,079 points.

Seconds, kernel expansions and test error against n for SLapCVM, LapSVM, reduced LapSVM (r = 2000) and an SVM on the two
labels, each at the parameters that validation chose at 1000 points. A fixed theta fades as edges are added, because the
smoothness loss is a mean over edges; ``theta ~ edges`` lets it grow with their number. The unnormalised Laplacian is
the paper's; the normalised one stands beside it, and the degree rule as a control. The area under the ROC curve stands
beside the error: with two labels a ranking can be good where its threshold is not.
"""

import pandas as pd

from experiments.tsang2006.images import image_needs, image_tasks, run_images
from experiments.tsang2006.protocol import METRICS, tidy_rows

ID = "tsang2006_fig2"
MEASURES = ("error_pct", "auc_pct", "transductive_error_pct", "transductive_auc_pct", "validation")


def datasets(params):
    return {params["key"]: (params["dataset"], params.get("options", {}))}


def tasks(params):
    return image_tasks(params)


def needs(task, params):
    return image_needs(task, params)


def run_task(task, params, store):
    return run_images(task, params, store)


def summarise(rows, params):
    groups = [group for _, group in rows.groupby(["method", "n"], sort=False)]
    setting = f"{params['per_class']} label per class"
    return pd.DataFrame(tidy_rows(ID, groups, (*MEASURES, *METRICS), lambda first: f"n={first['n']}, {setting}"))
