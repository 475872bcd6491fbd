"""How much the choices that belkin2006 leaves open matter: neighbours, weights and Laplacian of the graph, kernel.

One choice is changed at a time; the first variant of each data set is the one that the figures and tables use. How the
choices were made (the paper's text, the paper it cites, the defaults of the authors' MATLAB code, the last adopted
after L = D - W had fallen short of the printed Table 4) is told in notebook 1.
"""

import numpy as np

from experiments.belkin2006 import protocol as belkin2006
from experiments.belkin2006.protocol import (
    TEST,
    UNLABELLED,
    Machines,
    break_even_pct,
    draw_per_class,
    kernel_of,
    multiclass_pct,
    one_versus_rest,
    others,
    row,
)  # fmt: skip
from experiments.belkin2006.isolet import Speakers
from experiments.belkin2006.usps import PairProblem, pairs
from experiments.belkin2006.webkb import Pages, label_counts
from experiments.splits import labelled_sets
from mr.graph import KNNGraph

ID = "belkin2006_sensitivity"
STUDIES = ("usps", "isolet", "uspst", "webkb")
NAMES = {"usps": "USPS-45-pairs", "isolet": "Isolet-2", "uspst": "USPS-test-multiclass", "webkb": "WebKB-course"}


def datasets(params):
    """Keys are the studies; at quick scale all of them use small stand-ins."""
    return {study: params[study]["dataset"] for study in STUDIES}


def tasks(params):
    found = [{"dataset": "usps", "pair": pair} for pair in pairs(params["usps"]["digits"])]
    for study in STUDIES[1:]:
        found += [{"dataset": study, "variant": i} for i in range(len(params[study]["variants"]))]
    return found


def run_task(task, params, store):
    study = task["dataset"]
    return list(RUNS[study](task, params[study], store.dataset(study), store))


def _variant(spec, i):
    """Name, graph and kernel of the i-th variant: the entries of the study with one of them changed."""
    change = spec["variants"][i]
    graph = spec["graph"] | change.get("graph", {})
    kernel = spec["kernel"] | change.get("kernel", {})
    name = ", ".join(f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}"
                     for part in change.values() for key, value in part.items())  # fmt: skip
    return name or "as used", graph, kernel


def _usps(task, spec, data, store):
    problem = PairProblem(data, task["pair"], spec["n_first"], spec["n_components"])
    counts = {-1.0: spec["n_labelled"], 1.0: spec["n_labelled"]}
    draws = draw_per_class(problem.y, counts, store.seed_sequence(task, "pair"), spec["n_draws"])
    for i in range(len(spec["variants"])):
        name, graph, kernel = _variant(spec, i)
        machines = problem.machines(kernel, graph)
        for method, weights in spec["methods"].items():
            errors = []
            for labelled in draws:
                train, test = machines.values(method, weights, labelled, problem.y[labelled, None])
                hidden = others(len(problem.y), labelled)
                errors.append(
                    [break_even_pct(train[hidden, 0], problem.y[hidden]), break_even_pct(test[:, 0], problem.y_test)]
                )
            for part, error in zip((UNLABELLED, TEST), np.mean(errors, axis=0), strict=True):
                yield row(method, f"{name}, {part}", "error_pct", error, variant=name, part=part)


def _isolet(task, spec, data, store):
    name, graph, kernel = _variant(spec, task["variant"])
    data = Speakers(data, 1, spec["n_speakers"])
    machines = data.machines(kernel, graph)
    y, y_test = data.halves(data.y), data.halves(data.y_test)
    for speaker in range(spec["n_speakers"]):
        labelled = np.flatnonzero(data.speaker == speaker)
        hidden = others(len(y), labelled)
        # The two halves of the alphabet are one more column beside the one-versus-rest targets of Table 4.
        targets = np.column_stack([y[labelled], one_versus_rest(data.y[labelled], data.n_classes)])
        for method, weights in spec["methods"].items():
            train, test = machines.values(method, weights, labelled, targets)
            for part, values, half, letter in ((UNLABELLED, train[hidden], y[hidden], data.y[hidden]),
                                               (TEST, test, y_test, data.y_test)):  # fmt: skip
                setting, entries = f"{name}, {part}", {"variant": name, "part": part}
                yield row(method, setting, "error_pct", break_even_pct(values[:, 0], half), **entries)
                letters = row(method, setting, "error_pct", multiclass_pct(values[:, 1:], letter), **entries)
                yield letters | {"dataset": "Isolet-26"}


def _uspst(task, spec, data, store):
    name, graph, kernel = _variant(spec, task["variant"])
    machines = Machines(kernel_of(kernel, data.X)(data.X), KNNGraph(**graph).fit(data.X))
    for labelled in labelled_sets(data, spec["n_labelled"], spec["n_splits"], store.seed_sequence(task, "dataset")):
        targets = one_versus_rest(data.y[labelled], data.n_classes)
        hidden = others(len(data.y), labelled)
        for method, weights in spec["methods"].items():
            values, _ = machines.values(method, weights, labelled, targets)
            error = multiclass_pct(values[hidden], data.y[hidden])
            yield row(method, f"{name}, {UNLABELLED}", "error_pct", error, variant=name, part=UNLABELLED)


def _webkb(task, spec, data, store):
    name, graph, kernel = _variant(spec, task["variant"])
    pages = Pages(data)
    machines = pages.machines(spec | {"graph": graph, "kernel": kernel})
    counts = label_counts(spec["n_labelled"], spec["positive_share"])
    for labelled in draw_per_class(pages.y, counts, store.seed_sequence(task, "dataset"), spec["n_draws"]):
        hidden = others(len(pages.y), labelled)
        for method, weights in spec["methods"].items():
            values, _ = machines.values(method, weights, labelled, pages.y[labelled, None])
            error = break_even_pct(values[hidden, 0], pages.y[hidden])
            yield row(method, f"{name}, {UNLABELLED}", "error_pct", error, variant=name, part=UNLABELLED)


RUNS = {"usps": _usps, "isolet": _isolet, "uspst": _uspst, "webkb": _webkb}


def summarise(rows, params):
    return belkin2006.summarise(rows, NAMES)
