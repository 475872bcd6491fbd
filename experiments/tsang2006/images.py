"""Figures 2 and 3 of tsang2006: images extended by shifts, few labels, growing numbers of unlabelled rows.

A task takes n training rows at random, a few times over, builds each graph once, and fits every method that can take
that many at every entry of its grid. Validation points are a part of the test rows that is left out of the test; the
test rows themselves are scored by the entry that validation chose, and by no other.
"""

import json
from dataclasses import dataclass

import numpy as np

import mr
from experiments.tsang2006.protocol import draws, fit_graph, labelled_rows, machine, partly_labelled, timed_fit, warm_up

ALL_LABELS = "SVM, all labels"
BLOCK = 8192


@dataclass
class Draw:
    """One draw of training rows with its labels, graph, and rows for validation and test."""

    number: int
    rows: np.ndarray
    X: np.ndarray
    y: np.ndarray
    labelled: np.ndarray
    graph: object
    graph_seconds: float
    validation: np.ndarray
    test: np.ndarray
    seed: int


def image_tasks(params):
    sizes = sorted({n for method in params["methods"].values() for n in method["sizes"]})
    return [{"dataset": params["dataset"], "n": n} for n in sizes]


def run_images(task, params, store, score):
    """Rows of one n; ``score`` is the validation measure: a function of classes and decision values."""
    data = store.dataset(task["dataset"])
    drawn = []
    for number in draws(task["n"], params):
        drawn.append(prepare(task | {"draw": number}, data, params, store, drawn))
    warm_up()
    out = []
    for method, spec in params["methods"].items():
        if task["n"] in spec["sizes"]:
            out += run_method(method, spec, task["n"], drawn, data, params, score)
    return out


def prepare(task, data, params, store, earlier) -> Draw:
    rng = np.random.default_rng(store.seed_sequence(task))
    rows, validation, test = draw_rows(data, task["n"], params, rng)
    y = data.y[rows]
    labelled = partly_labelled(y, labelled_rows(y, params["per_class"], rng))
    if earlier and np.array_equal(rows, earlier[0].rows):  # all there are: only the labels differ
        X, graph, seconds = earlier[0].X, earlier[0].graph, earlier[0].graph_seconds
    else:
        X = images(data, rows, params)
        graph, seconds = fit_graph(X, params["graph"])
    return Draw(task["draw"], rows, X, y, labelled, graph, seconds, validation, test, store.random_state(task))


def run_method(method, spec, n, drawn, data, params, score):
    """Every entry of the grid on every draw; test measures for the entry with the best mean validation score."""
    out, best, winners = [], -np.inf, []
    for cell, values in enumerate(spec["grid"]):
        fitted, rows = [], []
        for draw in drawn:
            estimator = machine(spec.get("machine", method), values, draw.graph, n, params["kernel"], draw.seed)
            estimator, row = timed_fit(estimator, draw.X, draw.y if method == ALL_LABELS else draw.labelled)
            row |= {"draw": draw.number, "method": method, "cell": cell, "parameters": json.dumps(values)}
            held_out = scores_of(estimator, data, draw.validation, params)
            row |= {"validation": score(data.y[draw.validation], held_out), "data": params["title"]}
            fitted.append(estimator)
            rows.append(row | {"graph_seconds": draw.graph_seconds})
        out += rows
        mean = np.mean([row["validation"] for row in rows])
        if mean > best:
            best, winners = mean, list(zip(drawn, fitted, rows, strict=True))
    for draw, estimator, row in winners:
        row |= measures(data.y[draw.test], scores_of(estimator, data, draw.test, params))
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
        "auc_pct": 100.0 * mr.metrics.area_under_roc(y, values),
        "balanced_loss_pct": 100.0 * mr.metrics.balanced_loss(y, predicted),
    }


def accuracy(y, values):
    return float(((values > 0) == (y == 1)).mean())
