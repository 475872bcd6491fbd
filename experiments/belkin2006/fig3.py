"""belkin2006 Figure 3: best surfaces of SVM, TSVM and LapSVM on two moons over a grid, with one label per class.

Claim: TSVM gets stuck, LapSVM separates the moons. The Laplacian is the normalised one (Remark 3); LapSVM comes with
and without bias, and L = D - W stands beside. "Best" is chosen on the true labels of the unlabelled points, as in
the paper ("best decision surfaces across a wide range of parameter settings"): an upper bound of each method, not a
protocol. The share of grid cells within one percent of perfect says how wide the good range is.
"""

import numpy as np

from experiments.belkin2006 import protocol
from experiments.belkin2006.protocol import row
from experiments.belkin2006.toys import LAPSVM, Plane, error_pct, grid_models

ID = "belkin2006_fig3"
VERSION = 2


def datasets(params):
    return {"two moons": (params["dataset"], params["options"])}


def tasks(params):
    return [{"dataset": "two moons", "draw": draw} for draw in range(params["n_draws"])]


def run_task(task, params, store):
    """Draw 0 labels the central points (the drawn panels), the others a random point of each class."""
    data = Plane(store.dataset("two moons"))
    labelled = data.drawn_rows(store.seed_sequence(task)) if task["draw"] else data.central_rows()
    labels, y = "random labels" if task["draw"] else "central labels", data.partly_labelled(labelled)
    rows = _rows(data, y, params, labels)
    unnormalised = params | {"graph": params["graph"] | {"laplacian": "unnormalized"}}
    return rows + [r for r in _rows(data, y, unnormalised, f"{labels}, D - W") if r["method"] in LAPSVM]


def _rows(data, y, params, setting):
    hidden, errors, rows = y == -1, {}, []
    for method, cell, model in grid_models(data.X, y, params):
        errors.setdefault(method, []).append((error_pct(model, data.X[hidden], data.y[hidden]), cell))
    for method, found in errors.items():
        best, cell = min(found, key=lambda pair: pair[0])  # the first of the grid: widest kernels come first
        entries = {"n_cells": len(found)} | (cell if "central" in setting else {})
        rows.append(row(method, f"{setting}, best of grid", "error_pct", best, **entries))
        share = 100.0 * np.mean([error <= 1.0 for error, _ in found])
        rows.append(row(method, f"{setting}, cells below 1 %", "share_pct", share, n_cells=len(found)))
    return rows


def summarise(rows, params):
    return protocol.summarise(ID, rows)
