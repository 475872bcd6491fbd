"""tsang2006 Figure 1: two moons, one label per class, up to a million unlabelled points.

Accuracy on fresh points, seconds, kernel expansions and peak memory against n, for SLapCVM (furthest of 59, as the
paper), exact LapSVM and reduced LapSVM, each as far as its memory goes. Every fit runs in a process of its own that
builds the data and the graph too, so that its memory can be measured. Two more lines differ in nothing but the
stopping rule (``sampled`` and ``exact``, one C): what the sample of 59 leaves undone, and what that does to the
accuracy.
"""

import json

import numpy as np
import pandas as pd

import mr
from experiments.tsang2006.protocol import (
    METRICS,
    chosen,
    draws,
    edge_differences,
    fit_graph,
    in_child,
    labelled_rows,
    machine,
    partly_labelled,
    tidy_rows,
    timed_fit,
    warm_up,
)  # fmt: skip

ID = "tsang2006_fig1"


def datasets(params):
    sizes = sorted({n for method in params["methods"].values() for n in method["sizes"]})
    return {f"n{n}": ("two_moons", {"n_samples": n, **params["moons"]}) for n in sizes}


def tasks(params):
    return [
        {"dataset": f"n{n}", "n": n, "method": method, "cell": cell, "draw": draw}
        for method, spec in params["methods"].items()
        for n in spec["sizes"]
        for draw in draws(n, params)
        for cell in range(len(spec["grid"]))
    ]


def run_task(task, params, store):
    """One fit: its scores on validation and test points and its cost."""
    seeds = store.random_state(task, "n", "draw"), store.random_state(task, "n", "draw", "method")
    arguments = (task["method"], task["n"], task["cell"], params, seeds)
    if params["isolate"]:
        row, memory = in_child(fit_moons, *arguments)
    else:
        warm_up()
        row, memory = fit_moons(*arguments), float("nan")
    return [row | {"peak_mib": memory, "data": "two moons"}]


def fit_moons(method, n, cell, params, seeds):
    data = mr.datasets.load("two_moons", n=n, **params["moons"])
    spec = params["methods"][method]
    rows = labelled_rows(data.y, 1, np.random.default_rng(seeds[0]))
    graph, seconds = fit_graph(data.X, params["graph"])
    estimator = machine(spec.get("machine", method), spec["grid"][cell], graph, n, params["kernel"], seeds[1])
    estimator, report = timed_fit(estimator, data.X, partly_labelled(data.y, rows))
    held_out = {
        name: mr.datasets.load("two_moons", n=params[f"n_{name}"], **(params["moons"] | {"random_state": seed}))
        for name, seed in (("validation", 1001), ("test", 1002))
    }
    scores = {name: 100.0 * float(estimator.score(part.X, part.y)) for name, part in held_out.items()}
    f = np.ravel(estimator.decision_function(data.X)) if spec.get("edge_report") else None
    return (
        report
        | ({} if f is None else edge_differences(graph, f))
        | {
            "graph_seconds": seconds,
            "validation": scores["validation"],
            "accuracy_pct": scores["test"],
            "parameters": json.dumps(spec["grid"][cell]),
        }
    )


def summarise(rows, params):
    groups = chosen(rows, ["method", "n"])
    metrics = ("accuracy_pct", *METRICS, "peak_mib", "steepest_edge", "rms_edge")
    return pd.DataFrame(tidy_rows(ID, groups, metrics, lambda first: f"n={first['n']}, 1 label a class"))
