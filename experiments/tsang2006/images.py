"""Figures 2 and 3 of tsang2006: few labelled images among growing numbers of unlabelled ones.

A task takes n training rows at random, builds the graph once, and fits every method that can take so many, at the
parameters that :mod:`experiments.tsang2006.choice` chose at a small n. Validation images are a fixed part of the test
images and never tested on.
"""

import json
import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import mr
from experiments.tsang2006.protocol import (
    SCORES,
    chosen_cell,
    draws,
    fit_graph,
    labelled_rows,
    machine,
    timed_fit,
    warm_up,
)  # fmt: skip
from experiments.tsang2006.shifted_search import ShiftedSearch, heat_union

BLOCK = 8192
SHIFTED_FROM = 50_000
"""Rows from which :mod:`experiments.tsang2006.shifted_search` makes the graph of shifted images: the same graph."""
DEGREE = "degree rule"
DENSE = 3.5
"""Cost of the group with LapSVM against the other one, roughly."""


@dataclass
class Draw:
    """Training rows with their labels (-1: hidden) and the affinity of their graph."""

    X: np.ndarray
    y: np.ndarray
    given: np.ndarray
    affinity: object
    graph_seconds: float


def image_tasks(params):
    """One task per size, group of methods and draw; where all training rows are used, one for all draws, which share
    the graph. Cheap ones come first, so that a run that ends early has all draws of the smaller sizes.

    A task names its methods, so that the others may change without it. On all training rows ``sizes`` counts for the
    SVM and for SLapCVM with theta in proportion to the edges only. ``beyond`` lists further tasks (n, number of draws,
    methods), a fixed theta on all rows among them: they leave the tasks of ``sizes`` as they are. Sizes under
    ``waiting`` have no rows yet: their tasks are left out.
    """
    groups = {}
    for name, spec in params["methods"].items():
        fixed = spec["machine"] == "SLapCVM" and "theta_at" not in spec
        for n in (n for n in spec["sizes"] if not (fixed and n == params.get("whole"))):
            groups.setdefault((n, spec.get("group", "")), []).append(name)
    out = []
    for n, group in sorted(groups, key=lambda pair: pair[0] * (DENSE if pair[1] else 1)):
        numbers = [list(draws(n, params))] if n == params.get("whole") else [[draw] for draw in draws(n, params)]
        out += [{"dataset": params["key"], "n": n, "draws": some, "methods": groups[n, group]} for some in numbers]
    out += [
        {"dataset": params["key"], "n": more["n"], "draws": [draw], "methods": more["methods"]}
        for more in params.get("beyond", [])
        for draw in range(more["n_draws"])
    ]
    return [task for task in out if task["n"] not in params.get("waiting", [])]


def image_needs(task, params):
    """The choices of the task's methods."""
    names = {params["methods"][name]["choice"] for name in task["methods"]}
    return [
        (params["choice"], {"dataset": task["dataset"], "n": params["n_choice"], "method": name, "draw": draw})
        for name in sorted(names)
        for draw in range(params["n_draws"])
    ]


def run_images(task, params, store):
    data, out, kept = store.dataset(task["dataset"]), [], None
    validation, test = held_out_rows(data, params, store, task)
    warm_up()
    for number in task["draws"]:
        kept = draw_of(task | {"draw": number}, data, params, store, kept)
        common = {"n": task["n"], "draw": number, "data": params["title"], "graph_seconds": kept.graph_seconds}
        if params.get("degree_rule") == task["methods"][0]:
            out.append(degree_row(kept) | common)
        for method in task["methods"]:
            spec = params["methods"][method]
            cell = chosen_by(spec["choice"], task, params, store)
            if "theta_at" in spec:  # theta in proportion to the number of edges
                cell["theta"] *= kept.affinity.nnz / 2 / spec["theta_at"]
            seed = store.random_state(task | {"draw": number, "method": method}, "n", "draw", "method")
            row = one_fit(spec, cell, kept, data, validation, test, params, seed)
            out.append(row | common | {"method": method, "parameters": json.dumps(cell | spec.get("options", {}))})
    return out


def one_fit(spec, cell, draw, data, validation, test, params, seed):
    """One machine on one draw: cost, certificate, and its measures on validation, test and training rows."""
    estimator, row = timed_fit(machine(spec, cell, draw.affinity, seed), draw.X, draw.given)
    values = scores_of(estimator, data, np.concatenate([validation, test]), params)
    held, tested = np.split(values, [len(validation)])
    hidden = draw.given < 0
    row["transductive_error_pct"] = 100.0 * float((estimator.transduction_ != draw.y)[hidden].mean())
    row["validation"] = SCORES[params["score"]](data.y[validation], held)
    return row | measures(data.y[test], tested)


def chosen_by(name, task, params, store):
    """The cell that validation chose for a method."""
    return chosen_cell([pair for pair in image_needs(task, params) if pair[1]["method"] == name], store)


def degree_row(draw) -> dict:
    """A control that knows the graph only: root of the degree, cut midway between the two classes' labelled rows."""
    root = np.sqrt(np.asarray(draw.affinity.sum(axis=1)).ravel())
    low, high = (float(root[draw.given == label].mean()) for label in (0, 1))
    values = (root - 0.5 * (low + high)) * (1.0 if high >= low else -1.0)
    hidden = draw.given < 0
    error = 100.0 * float(((values > 0) != (draw.y == 1))[hidden].mean())
    auc = 100.0 * mr.metrics.area_under_roc(draw.y[hidden], values[hidden])
    return {"method": DEGREE, "parameters": "{}", "transductive_error_pct": error, "transductive_auc_pct": auc}


def draw_of(task, data, params, store, earlier=None) -> Draw:
    """Training rows of a draw; when all rows are taken, draws differ in their labels only."""
    rng = np.random.default_rng(store.seed_sequence(task, "dataset", "n", "draw"))
    rows = training_rows(data, task["n"], params, rng)
    y = data.y[rows]
    chosen = labelled_rows(y, params["per_class"], rng)
    given = np.where(np.isin(np.arange(len(y)), chosen), y, -1)
    if earlier is not None:
        return Draw(earlier.X, y, given, earlier.affinity, earlier.graph_seconds)
    X = images(data, rows, params)
    large = isinstance(data.X, mr.datasets.ShiftedImages) and len(rows) >= SHIFTED_FROM
    affinity, seconds = shifted_graph(data, rows, params["graph"]) if large else fit_graph(X, params["graph"])
    return Draw(X, y, given, affinity, seconds)


def shifted_graph(data, rows, options):
    """What :func:`fit_graph` gives for rows of shifted images, and the processor seconds; the first search of a process
    looks at all pairs of images, later ones go on from there."""
    if not set(options) <= {"n_neighbors", "n_jobs"}:
        raise ValueError(f"the search among shifted images has n_neighbors only, got {sorted(options)}")
    start, train = time.process_time(), training_part(data)
    part = range(int(train[0]), int(train[-1]) + 1)
    affinity = heat_union(*_search(data.X, part).neighbors(rows, options["n_neighbors"]))
    return affinity, time.process_time() - start


@lru_cache(maxsize=1)
def _search(X, part):
    return ShiftedSearch(X, part)


def training_rows(data, n, params, rng):
    """n random training rows; with ``share`` so that this part is of class 1, as long as the other class lasts."""
    train = training_part(data)
    if "share" not in params:
        return np.sort(rng.permutation(train)[:n])
    ones, others = (train[data.y[train] == 1], train[data.y[train] != 1])
    count = max(round(params["share"] * n), n - len(others))
    return np.sort(np.concatenate([rng.permutation(ones)[:count], rng.permutation(others)[: n - count]]))


def training_part(data):
    """Rows to train on; data without a training part (generated) is halved."""
    return data.splits["train"] if "train" in data.splits else np.arange(len(data.y) // 2)


def held_out_rows(data, params, store, task):
    """Validation and test rows, the same for every draw; data without a test part (generated) is halved."""
    rng = np.random.default_rng(store.seed_sequence(task, "dataset"))
    rows = data.splits["test"] if "test" in data.splits else np.arange(len(data.y) // 2, len(data.y))
    rows, size = rng.permutation(rows), params["n_validation"]
    return np.sort(rows[:size]), np.sort(rows[size : size + params["n_test"]])


def images(data, rows, params):
    """Rows in single precision; with ``standardise`` each image has mean 0 and variance 1 (light is not the face)."""
    X = np.asarray(data.X[rows], dtype=np.float32)
    if params.get("standardise"):
        X -= X.mean(axis=1, keepdims=True)
        X /= np.maximum(X.std(axis=1, keepdims=True), 1e-6)
    return X


def scores_of(estimator, data, rows, params):
    """Decision values by blocks: the rows of extended images are made on demand."""
    parts = [rows[i : i + BLOCK] for i in range(0, len(rows), BLOCK)]
    return np.concatenate([estimator.decision_function(images(data, part, params)) for part in parts])


def measures(y, values):
    predicted = (values > 0).astype(int)
    return {
        "error_pct": 100.0 * float((predicted != y).mean()),
        "auc_pct": 100.0 * mr.metrics.area_under_roc(y, values),
        "balanced_loss_pct": 100.0 * mr.metrics.balanced_loss(y, predicted),
    }
