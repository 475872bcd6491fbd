"""Does the objective fall at every half step (proposition 1)? AGMR with the linear kernel on the paper's own sets.

Three machines: ``mr.AGMR`` (the corrected equations), equations 7, 9 and 13 as printed where equation 7 has a solution
(in the primal), and the same by an explicit inverse. Two sets of weights: every one 1, as in Table 1, and labels that
outweigh the graph, where f is far from constant. The objective is always that of equations 5 and 10.
"""

import numpy as np
import pandas as pd

from experiments.tidy import tidy_row
from experiments.wang2017 import protocol
from experiments.wang2017.methods import path_on
from experiments.wang2017.printed import Printed

ID = "wang2017_convergence"
VERSION = 1
TOLERANCE = {"objective": 1e-3}
NAMES = protocol.NAMES
MACHINES = {"corrected": None, "as printed, solved in the primal": "primal", "as printed, by an inverse": "inverse"}
WEIGHTS = {
    "every weight 1": {"gamma_1": 1.0, "gamma_2": 1.0, "eta": 1.0, "eta_1": 1.0, "eta_2": 1.0},
    "labels outweigh the graph": {"gamma_1": 100.0, "gamma_2": 0.01, "eta": 0.1, "eta_1": 1.0, "eta_2": 1.0},
}
RISE = 1e-9
"""A half step that raises the objective by more than this fraction is a rise, and not rounding."""
datasets = protocol.datasets


def tasks(params):
    return [
        {"dataset": key, "method": method, "machine": machine}
        for method in ("AGMR_entropy", "AGMR_sparse")
        for machine in MACHINES
        for key in params["datasets"]
    ]


def unstable(task) -> bool:
    """A singular matrix inverted in floating point is rounding error: another machine finds other numbers."""
    return MACHINES[task["machine"]] == "inverse"


def run_task(task, params, store):
    """The objective after every half step, for each draw and set of weights."""
    data, spec = store.dataset(task["dataset"]), params["datasets"][task["dataset"]]
    X, y = protocol.binary_task(data, spec)
    seed = store.seed_sequence(task, "dataset")
    rows = []
    for i, draw in enumerate(protocol.draws(data, y, params["n_labelled"], params["n_draws"], seed)):
        Z, _ = protocol.points(X, draw, protocol.CONVENTION)
        labels = protocol.partly_labelled(draw, y)
        for name, weights in WEIGHTS.items():
            curve = objective(task["method"], MACHINES[task["machine"]], Z, labels, weights, params)
            rows += [
                {"weights": name, "draw": i, "step": step, "objective": float(f"{value:.12g}")}
                for step, value in enumerate(curve)
            ]
    return rows


def objective(method, solver, Z, labels, weights, params) -> np.ndarray:
    """The objective after every half step; ``solver`` of the printed machine, None for ``mr.AGMR``.

    It begins after the first f-step. Both machines carry the same constant: the entropy's term is never negative then.
    """
    stop = {"max_iter": params["max_iter"], "tol": params["tol"]}
    if solver is None:
        names = ("gamma_1", "gamma_2", "eta" if method == "AGMR_entropy" else "eta_1")
        path = path_on(method, Z, None, params, protocol.CONVENTION)
        return np.asarray(path.fit(labels, **{name: weights[name] for name in names}).info["objective"])
    rows = np.flatnonzero(labels >= 0)
    targets = np.where(labels[rows] == 1, 1.0, -1.0)
    curve = Printed(method, Z, solver=solver, **stop).fit(rows, targets, **weights)["objective"]
    n = len(Z)
    return curve[1:] + (weights["eta"] * n * np.log(n - 1) if method == "AGMR_entropy" else -weights["eta_2"] * n)


def summarise(rows, params):
    """``rises``: half steps that raise the objective, per fit; ``last``: where it ends. One curve is kept."""
    found = []
    for (dataset, method, machine, weights), group in rows.groupby(
        ["dataset", "method", "machine", "weights"], sort=False
    ):
        curves = [curve.sort_values("step")["objective"].to_numpy() for _, curve in group.groupby("draw")]
        kept = {"half_steps": sum(len(curve) - 1 for curve in curves)}
        kept["objective"] = [float(f"{value:.6g}") for value in curves[0]]
        name, setting = NAMES.get(dataset, dataset), f"{weights}, {machine}"
        counts = [int((np.diff(curve) > RISE * np.abs(curve[:-1])).sum()) for curve in curves]
        found.append(tidy_row(ID, name, method, setting, counts, "rises", kept, group))
        found.append(tidy_row(ID, name, method, setting, [curve[-1] for curve in curves], "last_objective", {}, group))
    return pd.DataFrame(found)
