"""How much the choices that belkin2006 leaves open matter: neighbours, weights and Laplacian of the graph, kernel.

One choice is changed at a time; the first variant of each data set is the one that the figures and tables use. The
paper states the normalised Laplacian (Remark 3) and, for the pages, 1 - cosine as weight; the other rows show what
these statements are worth. ``LapSVM without bias`` is LapSVM with b = 0, as the authors' code of 2004 leaves it.
"""

import numpy as np

from experiments.belkin2006 import protocol
from experiments.belkin2006.isolet import Speakers
from experiments.belkin2006.protocol import (
    TEST,
    UNLABELLED,
    break_even_pct,
    cell,
    draw_per_class,
    machine_path,
    others,
    row,
)  # fmt: skip
from experiments.belkin2006.table3 import transductive_error
from experiments.belkin2006.usps import PairProblem, pairs
from experiments.belkin2006.webkb import label_counts, pages_of
from experiments.splits import labelled_sets, reveal

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
    draws = problem.draws(spec["n_labelled"], store.seed_sequence(task, "pair"), spec["n_draws"])
    for i in range(len(spec["variants"])):
        name, graph, kernel = _variant(spec, i)
        for method, weights in spec["methods"].items():
            path = problem.path(method, kernel, graph)
            errors = [problem.errors(path, weights, labelled)[0] for labelled in draws]
            for part in (UNLABELLED, TEST):
                error = np.mean([found[part] for found in errors])
                yield row(method, f"{name}, {part}", "error_pct", error, variant=name, part=part)


def _isolet(task, spec, data, store):
    name, graph, kernel = _variant(spec, task["variant"])
    data = Speakers(data, 1, spec["n_speakers"])
    paths = {method: data.path(method, kernel, graph) for method in spec["methods"]}
    for speaker in range(spec["n_speakers"]):
        for method, weights in spec["methods"].items():
            halves = data.half_errors(paths[method], weights, speaker)
            letters = data.letter_errors(paths[method], weights, speaker)
            for part in (UNLABELLED, TEST):
                setting, entries = f"{name}, {part}", {"variant": name, "part": part}
                yield row(method, setting, "error_pct", halves[part], **entries)
                yield row(method, setting, "error_pct", letters[part], **entries) | {"dataset": "Isolet-26"}


def _uspst(task, spec, data, store):
    name, graph, kernel = _variant(spec, task["variant"])
    paths = {method: machine_path(method, kernel, graph, data.X) for method in spec["methods"]}
    for labelled in labelled_sets(data, spec["n_labelled"], spec["n_splits"], store.seed_sequence(task, "dataset")):
        for method, weights in spec["methods"].items():
            error = transductive_error(paths[method], weights, data.y, labelled)
            yield row(method, f"{name}, {UNLABELLED}", "error_pct", error, variant=name, part=UNLABELLED)


def _webkb(task, spec, data, store):
    name, graph, kernel = _variant(spec, task["variant"])
    pages = pages_of(data, None, tuple(sorted(spec["pages"].items())))
    paths = {method: machine_path(method, kernel, graph, pages.X) for method in spec["methods"]}
    counts = label_counts(spec["n_labelled"], spec["positive_share"])
    for labelled in draw_per_class(pages.y, counts, store.seed_sequence(task, "dataset"), spec["n_draws"]):
        unlabelled = others(len(pages.y), labelled)
        for method, weights in spec["methods"].items():
            fit = paths[method].fit(reveal(pages.y, labelled), **cell(weights))
            error = break_even_pct(fit.values[unlabelled, 0], pages.y[unlabelled])
            yield row(method, f"{name}, {UNLABELLED}", "error_pct", error, variant=name, part=UNLABELLED)


RUNS = {"usps": _usps, "isolet": _isolet, "uspst": _uspst, "webkb": _webkb}


def summarise(rows, params):
    return protocol.summarise(ID, rows, NAMES)
