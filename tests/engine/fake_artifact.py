"""A tiny artifact for the tests of the engine; copied into a scratch project as experiments/fake2000/table1.py."""

import time

import numpy as np
import pandas as pd

import mr
from experiments.tidy import tidy_row

NAMES = {"moons": "Moons", "lost": "Lost"}
VERSION = {"Guess": 1}
TOLERANCE = {"error_pct": 0.5}


def datasets(params):
    return {key: (spec["name"], spec.get("options", {})) for key, spec in params["datasets"].items()}


def graphs(params):
    return {"moons": ("moons", {"n_neighbors": 4, "laplacian": "unnormalized"})}


def spectra(params):
    return {"moons": ("moons", 5)}


def tasks(params):
    first = [{"dataset": key, "method": "Choice"} for key in params["datasets"]]
    return first + [{"dataset": key, "method": "Guess", "run": run}
                    for key in params["datasets"] for run in range(params["runs"])]  # fmt: skip


def needs(task, params):
    return [{"dataset": task["dataset"], "method": "Choice"}] if task["method"] == "Guess" else []


def run_task(task, params, store):
    if task["method"] == "Choice":
        return [{"gamma_I": 2.0}]
    if task["run"] == params.get("broken"):
        raise ZeroDivisionError("this task is broken")
    time.sleep(params.get("sleep", 0))
    start = time.perf_counter()
    (gamma_I,) = store.rows(needs(task, params)[0])["gamma_I"]
    data, graph, pairs = store.dataset("moons"), store.graph("moons"), store.spectrum("moons")
    rng = np.random.default_rng(store.seed_sequence(task))
    y = np.full(len(data.y), -1)
    for c in (0, 1):
        y[rng.choice(np.flatnonzero(data.y == c))] = c
    model = mr.LapRLS(gamma_I=gamma_I, gamma=2.0, graph=graph.affinity_).fit(data.X, y)
    values = model.decision_function(data.X)
    return [{
        "error_pct": 100.0 * float(np.mean(model.transduction_ != data.y)), "largest": float(np.abs(values).max()),
        "fifth": float(pairs.values[-1]), "fit_seconds": time.perf_counter() - start,
    }]  # fmt: skip


def summarise(rows, params):
    guesses = rows[rows["method"] == "Guess"]
    return pd.DataFrame([
        tidy_row("fake2000_table1", NAMES[key], "Guess", "fake", group["error_pct"], group=group,
                 parameters={"largest": group["largest"].mean()})
        for key, group in guesses.groupby("dataset", sort=False)
    ])  # fmt: skip
