"""Figures 2 and 3 of tsang2006: images extended by shifts, few labels, growing numbers of unlabelled rows.

A task takes n training rows at random, builds their graph once, and fits every method that can take that many, at
every entry of its grid. Validation points are a part of the test rows that is left out of the test.
"""

import json

import numpy as np

from mr.common.metrics import area_under_roc, balanced_loss
from mr.experiments.tsang2006 import draws, fit_graph, labelled_rows, machine, partly_labelled, timed_fit, warm_up

ALL_LABELS = "SVM, all labels"
BLOCK = 8192


def image_tasks(params):
    sizes = sorted({n for method in params["methods"].values() for n in method["sizes"]})
    return [
        {"dataset": params["dataset"], "n": n, "draw": draw}
        for n in sizes
        for draw in draws(n, params)
    ]


def run_images(task, params, store, score):
    """Rows of one (n, draw); ``score`` is the validation measure: a function of classes and decision values."""
    data = store.dataset(task["dataset"])
    rng = np.random.default_rng(store.seed_sequence(task))
    train, validation, test = draw_rows(data, task["n"], params, rng)
    X = images(data, train, params)
    y = data.y[train]
    labelled = partly_labelled(y, labelled_rows(y, params["per_class"], rng))
    graph, seconds = fit_graph(X, params["graph"])
    seed = store.random_state(task)
    warm_up()
    out = []
    for method, spec in params["methods"].items():
        if task["n"] not in spec["sizes"]:
            continue
        for cell, values in enumerate(spec["grid"]):
            estimator = machine(spec.get("machine", method), values, graph, task["n"], params["kernel"], seed)
            estimator, row = timed_fit(estimator, X, y if method == ALL_LABELS else labelled)
            held_out = {
                name: scores_of(estimator, data, rows, params) for name, rows in (("v", validation), ("t", test))
            }
            row |= {"method": method, "cell": cell, "parameters": json.dumps(values), "seconds_graph": seconds}
            row |= {"validation": score(data.y[validation], held_out["v"]), "data": params["title"]}
            out.append(row | measures(data.y[test], held_out["t"]))
    return out


def draw_rows(data, n, params, rng):
    """Training rows, validation rows, test rows; data without a test part (generated) is halved."""
    if "test" in data.splits:
        train, test = data.splits["train"], rng.permutation(data.splits["test"])
    else:
        train, test = np.split(rng.permutation(len(data.y)), [len(data.y) // 2])
    chosen = np.sort(rng.permutation(train)[:n])
    size = params["n_validation"]
    return chosen, np.sort(test[:size]), np.sort(test[size : size + params["n_test"]])


def images(data, rows, params):
    """Rows in single precision; with ``standardise`` each image has mean 0 and variance 1 (light is not the face)."""
    X = np.asarray(data.X[rows], dtype=np.float32)
    if params.get("standardise"):
        X -= X.mean(axis=1, keepdims=True)
        X /= np.maximum(X.std(axis=1, keepdims=True), 1e-6)
    return X


def scores_of(estimator, data, rows, params):
    """Decision values by blocks: the rows of shifted images are cut on demand."""
    parts = [rows[i : i + BLOCK] for i in range(0, len(rows), BLOCK)]
    return np.concatenate([estimator.decision_function(images(data, part, params)) for part in parts])


def measures(y, values):
    predicted = (values > 0).astype(int)
    return {
        "error_pct": 100.0 * float((predicted != y).mean()),
        "auc_pct": 100.0 * area_under_roc(y, values),
        "balanced_loss_pct": 100.0 * balanced_loss(y, predicted),
    }


def accuracy(y, values):
    return float(((values > 0) == (y == 1)).mean())
