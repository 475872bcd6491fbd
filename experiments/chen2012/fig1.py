"""chen2012 Figure 1: decision surfaces of LapESVR on two moons of 400 points, one label per class.

C = 10, lambda = 1e6. Data, labelled rows and kernel width are those of the demonstration that the first author
released: the moons of belkin2006, rows 115 and 79, sigma = 1. Beside them stand random labels on the same points.
Claims: with all 400 eigenvectors the surface goes from that of SVR (mu = 0) to one that follows the moons as mu grows
(10, 1000), and at mu = 10 two eigenvectors do better than all.
"""

import numpy as np
import pandas as pd

import mr
from experiments.chen2012.protocol import partly_labelled
from experiments.tidy import tidy_row

ID = "chen2012_fig1"
VERSION = 2


def datasets(params):
    return {"two moons": (params["dataset"], params["options"])}


def tasks(params):
    return [{"dataset": "two moons"}]


def labelled(data, params):
    """Labels of the drawn panels, -1 elsewhere."""
    return partly_labelled(data.y, params["labelled"])


def models(X, y, params) -> dict:
    """(mu, n_eigenvectors) -> fitted LapESVR, for the run that measures them and the notebook that draws them."""
    fitted = {}
    for mu, n_eigenvectors in params["panels"]:
        machine = mr.LapESVR(
            C=params["C"], mu=mu, label_weight=params["lambda"], n_eigenvectors=min(n_eigenvectors, len(y)),
            gamma=params["gamma"], graph=mr.KNNGraph(**params["graph"]),
        )  # fmt: skip
        fitted[mu, n_eigenvectors] = machine.fit(X, y)
    return fitted


def run_task(task, params, store):
    data = store.dataset("two moons")
    draws = [params["labelled"]]
    for child in store.seed_sequence(task).spawn(params["n_draws"]):
        rng = np.random.default_rng(child)
        draws.append([int(rng.choice(np.flatnonzero(data.y == c))) for c in (0, 1)])
    rows = []
    for draw, labelled in enumerate(draws):
        y = partly_labelled(data.y, labelled)
        for (mu, n_eigenvectors), model in models(data.X, y, params).items():
            error = 100.0 * float(np.mean(model.transduction_[y == -1] != data.y[y == -1]))
            kind = "the authors' labels" if draw == 0 else "random labels"
            rows.append({"labels": kind, "draw": draw, "mu": mu, "n_eigenvectors": n_eigenvectors, "error_pct": error})
    return rows


def summarise(rows, params):
    tidy = []
    for (labels, mu, k), group in rows.groupby(["labels", "mu", "n_eigenvectors"], sort=False):
        setting = f"{labels}, mu={mu:g}, n_ev={k}"
        cell = {"mu": mu, "n_eigenvectors": k}
        tidy.append(tidy_row(ID, "two moons", "LapESVR", setting, group["error_pct"], parameters=cell, group=group))
    return pd.DataFrame(tidy)
