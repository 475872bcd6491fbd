"""A tiny artifact for the tests of the machinery; copied into a scratch project, never shipped."""

import time

import numpy as np

NAMES = {"moons": "Moons", "lost": "Lost"}


def datasets(params):
    return {"moons": ("two_moons", {"n": 40}), **({"lost": "ethn"} if params.get("lost") else {})}


def graphs(params):
    return {"moons": ("moons", {"n_neighbors": 4})}


def spectra(params):
    return {"moons": ("moons", 5)}


def tasks(params):
    return [
        {"dataset": name, "method": "Guess", "run": run} for name in datasets(params) for run in range(params["runs"])
    ]


def run_task(task, params, store):
    if task["run"] == params.get("broken"):
        raise ZeroDivisionError("this task is broken")
    time.sleep(params.get("sleep", 0))
    graph = store.graph(task["dataset"])
    pairs = store.spectrum(task["dataset"])
    assert graph.laplacian_.shape == (40, 40) and pairs.vectors.shape == (40, 5) and pairs.residual < 1e-6
    rng = np.random.default_rng(store.seed_sequence(task))
    return [
        {"edges": int(graph.affinity_.nnz), "error_pct": float(rng.uniform(0, 100)), "state": store.random_state(task)}
    ]


def summarise(rows, params):
    table = rows.groupby(["dataset", "method"], as_index=False)["error_pct"].agg(["mean", "std", "count"])
    table = table.rename(columns={"count": "n_runs"})
    table["dataset"] = table["dataset"].map(NAMES)
    return table.assign(setting="fake", metric="error_pct", parameters='{"C": 0.1000000001}', data_source="generated")
