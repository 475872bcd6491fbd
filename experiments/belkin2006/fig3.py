"""belkin2006 Figure 3: best surfaces of SVM, TSVM and LapSVM on two moons over a grid, with one label per class.

Claim: TSVM gets stuck, LapSVM separates the moons. "Best" is chosen on the true labels of the unlabelled points, as in
the paper ("best decision surfaces across a wide range of parameter settings"): an upper bound of each method, not a
protocol. The share of grid cells within one percent of perfect says how wide the good range is.
"""

import numpy as np

from experiments.belkin2006 import protocol
from experiments.belkin2006.protocol import row
from experiments.belkin2006.toys import Plane, error_pct, grid_models

ID = "belkin2006_fig3"


def datasets(params):
    return {"two moons": (params["dataset"], params["options"])}


def tasks(params):
    return [{"dataset": "two moons", "draw": draw} for draw in range(params["n_draws"])]


def run_task(task, params, store):
    """Draw 0 labels the central points (the drawn panels), the others a random point of each class."""
    data = Plane(store.dataset("two moons"))
    labelled = data.drawn_rows(store.seed_sequence(task)) if task["draw"] else data.central_rows()
    y = data.partly_labelled(labelled)
    hidden = y == -1
    errors = {}
    for method, _, model in grid_models(data.X, y, params):
        errors.setdefault(method, []).append(error_pct(model, data.X[hidden], data.y[hidden]))
    setting = "random labels" if task["draw"] else "central labels"
    rows = []
    for method, found in errors.items():
        rows.append(row(method, f"{setting}, best of grid", "error_pct", np.min(found), n_cells=len(found)))
        share = 100.0 * np.mean(np.array(found) <= 1.0)
        rows.append(row(method, f"{setting}, cells below 1 %", "share_pct", share, n_cells=len(found)))
    return rows


def summarise(rows, params):
    return protocol.summarise(ID, rows)
