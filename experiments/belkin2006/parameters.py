"""Parameters in the text of belkin2006: gains over a grid of weights, and whether the stated values are the best.

``usps``
    Section 5.2: the observations on the 45 pairs of digits "hold consistently across a wide choice of parameters".
    LapRLS and LapSVM over a grid of (a, b), beside RLS and SVM over a grid of a. Gains are taken, pair by pair, from
    the best of the supervised weights, which favours the supervised machine.
``isolet_width``
    Section 5.3: width 10 of the Gaussian "was the best value among several settings with respect to 5-fold
    cross-validation error rates for the fully supervised problem using standard SVM".
``isolet_ridge``
    Section 5.3: gamma l = 0.05 "was the best value among several settings with respect to mean error rates over the 30
    splits".
``pages``
    Section 5.4: weights "were chosen based on a simple grid search for best performance over the first 5 realizations".
"""

import numpy as np

from experiments.belkin2006 import protocol
from experiments.belkin2006.isolet import Speakers
from experiments.belkin2006.protocol import (
    TEST,
    UNLABELLED,
    break_even_pct,
    by_part,
    cell,
    draw_per_class,
    machine_path,
    others,
    prbep_pct,
    row,
)  # fmt: skip
from experiments.belkin2006.table5 import pages_from
from experiments.belkin2006.usps import PairProblem, pairs
from experiments.belkin2006.webkb import label_counts
from experiments.splits import reveal

ID = "belkin2006_parameters"
NAMES = {"usps": "USPS-45-pairs", "isolet_width": "Isolet-2", "isolet_ridge": "Isolet-2", "pages": "WebKB-course"}
SUPERVISED = {"LapRLS": "RLS", "LapSVM": "SVM"}


def datasets(params):
    return {key: entry["name"] for key, entry in params["datasets"].items()}


def tasks(params):
    found = []
    for key, entry in params["datasets"].items():
        found += [{"dataset": key} | task for task in TASKS[key](entry)]
    return found


def run_task(task, params, store):
    entry = params["datasets"][task["dataset"]]
    return list(RUNS[task["dataset"]](task, entry, store))


def _usps(task, entry, store):
    problem = PairProblem(store.dataset("usps"), task["pair"], entry["n_first"], entry["n_components"])
    draws = problem.draws(entry["n_labelled"], store.seed_sequence(task, "pair"), entry["n_draws"])
    best = {}
    for method, grid in entry["methods"].items():
        path = problem.path(method, entry["kernel"], entry["graph"])
        for weights in _cells(grid):
            errors = [problem.errors(path, weights, labelled)[0] for labelled in draws]
            for part in (UNLABELLED, TEST):
                values = [found[part] for found in errors]
                mean, name = np.mean(values), f"{_name(weights)}, {part}"
                best[method, part] = min(best.get((method, part), np.inf), mean)
                yield row(method, name, "error_pct", mean, part=part, **weights)
                yield row(method, name, "deviation_pct", np.std(values, ddof=1), part=part, **weights)
                if method in SUPERVISED:  # the supervised machines come first in params
                    gain = best[SUPERVISED[method], part] - mean
                    yield row(method, name, "gain_points", gain, part=part, **weights)


def _isolet_width(task, entry, store):
    data = Speakers(store.dataset("isolet_width"), 1, entry["n_speakers"])
    y = data.first_half(data.y)
    rng = np.random.default_rng(store.seed_sequence(task))
    for _ in range(entry["n_repeats"]):
        folds = rng.permutation(np.arange(len(y)) % entry["n_folds"])
        for sigma in entry["sigma"]:
            path = machine_path("SVM", {"name": "rbf", "sigma": sigma}, {}, data.X)
            values = path.held_out(y, folds, ridge=entry["a"])[:, 0]
            error = 100.0 * np.mean((values > 0) != (y > 0))
            yield row("SVM", f"sigma={sigma:g}, 5-fold", "error_pct", error, sigma=sigma)


def _isolet_ridge(task, entry, store):
    data = Speakers(store.dataset("isolet_ridge"), 1, entry["n_speakers"])
    y, y_test, method = data.first_half(data.y), data.first_half(data.y_test), task["method"]
    path = data.path(method, entry["kernel"], {})
    for a in entry["methods"][method]["a"]:
        for speaker in range(entry["n_speakers"]):
            labelled = data.labelled(speaker)
            fit = path.fit(reveal(y, labelled), **cell({"a": a}))
            for part, values, truth in by_part(fit, y, y_test, labelled):
                error = break_even_pct(values[:, 0], truth)
                yield row(method, f"a={a:g}, {part}", "error_pct", error, a=a, part=part)


def _pages(task, entry, store):
    options = {key: value for key, value in entry.items() if key in PAGES}
    pages, method = pages_from(store, "pages", options), task["method"]
    counts = label_counts(entry["n_labelled"], entry["positive_share"])
    draws = draw_per_class(pages.y, counts, store.seed_sequence(task, "dataset"), entry["n_draws"])
    path = machine_path(method, entry["kernel"], entry["graph"], pages.X)
    for weights in _cells(entry["methods"][method]):
        for labelled in draws:
            values = path.fit(reveal(pages.y, labelled), **cell(weights)).values[:, 0]
            unlabelled = others(len(pages.y), labelled)
            found = prbep_pct(values[unlabelled], pages.y[unlabelled])
            yield row(method, f"{_name(weights)}, first 5 draws", "prbep_pct", found, **weights)


PAGES = ("name", "head", "pattern", "stop_words", "n_words")
TASKS = {
    "usps": lambda entry: [{"pair": pair} for pair in pairs(entry["digits"])],
    "isolet_width": lambda entry: [{"method": "SVM"}],
    "isolet_ridge": lambda entry: [{"method": method} for method in entry["methods"]],
    "pages": lambda entry: [{"method": method} for method in entry["methods"]],
}
RUNS = {"usps": _usps, "isolet_width": _isolet_width, "isolet_ridge": _isolet_ridge, "pages": _pages}


def _cells(grid) -> list[dict]:
    """Weights of a grid {"a": [...], "b": [...]}; ``ratio`` gives b as a multiple of a."""
    found = []
    for a in grid["a"]:
        found += [{"a": a, "b": b} for b in grid.get("b", [])] + [{"a": a, "b": a * r} for r in grid.get("ratio", [])]
        found += [] if {"b", "ratio"} & set(grid) else [{"a": a}]
    return found


def _name(weights) -> str:
    return ", ".join(f"{key}={value:g}" for key, value in weights.items())


def summarise(rows, params):
    return protocol.summarise(ID, rows, NAMES)
