"""Training times of TSVM and LapSVM in belkin2006 (sections 5.2 and 5.4): processor seconds, one thread, side by side.

LapSVM is fitted from nothing, with graph, Gram matrix and deformed kernel. TSVM is ``mr.TSVM``, and the search of
SVM-light (:mod:`experiments.belkin2006.svmlight`) with its Gram matrix. The paper timed SVM-light itself against
MATLAB, on machines of 2005; what can be compared are ratios.
"""

import time

import pandas as pd

import mr
from experiments.belkin2006.protocol import draw_per_class, kernel_options, row
from experiments.belkin2006.svmlight import search
from experiments.belkin2006.table5 import pages_from
from experiments.belkin2006.usps import PairProblem
from experiments.belkin2006.webkb import label_counts
from experiments.splits import reveal, signed
from experiments.tidy import tidy_row
from mr.kernels import Kernel

ID = "belkin2006_times"
NAMES = {"usps": "USPS-45-pairs", "pages": "WebKB-course"}
PAGES = ("name", "head", "pattern", "stop_words", "n_words")


def datasets(params):
    return {key: entry["name"] for key, entry in params["datasets"].items()}


def tasks(params):
    return [{"dataset": key} for key in params["datasets"]]


def run_task(task, params, store):
    entry = params["datasets"][task["dataset"]]
    problems = list(PROBLEMS[task["dataset"]](task, entry, store))
    _train(*problems[0], entry)  # once before the clock runs: compiled code is loaded
    rows = []
    for X, y, labelled in problems:
        for method, seconds in _train(X, y, labelled, entry).items():
            rows.append(row(method, "training", "seconds", 1.0) | {"training_seconds": seconds})
    return rows


def _train(X, y, labelled, entry) -> dict:
    """Processor seconds of one fit of each method."""
    l, n, options, given = len(labelled), len(y), kernel_options(entry["kernel"]), reveal(y, labelled)
    a, b = entry["methods"]["LapSVM"]["a"], entry["methods"]["LapSVM"]["b"]
    graph = mr.KNNGraph(**entry["graph"], n_jobs=1)
    lap = mr.LapSVM(a / l, b * n**2 / l, graph=graph, fit_intercept=True, **options)
    C = 1.0 / (2.0 * entry["methods"]["TSVM"]["a"])
    found = {}
    for name, train in {
        "LapSVM": lambda: lap.fit(X, given),
        "TSVM": lambda: mr.TSVM(entry["methods"]["TSVM"]["a"] / l, positive_fraction="labels", **options).fit(X, given),
        "TSVM, SVM-light": lambda: search(_gram(X, options), labelled, signed(y[labelled]), C),
    }.items():
        start = time.process_time()
        train()
        found[name] = time.process_time() - start
    return found


def _gram(X, options):
    kernel = Kernel(options["kernel"], options.get("gamma", 1.0), options.get("degree", 3), options.get("coef0", 0.0))
    return kernel.fit(X)(X)


def _digits(task, entry, store):
    for pair in entry["pairs"]:
        problem = PairProblem(store.dataset("usps"), pair, entry["n_first"], entry["n_components"])
        (labelled,) = problem.draws(entry["n_labelled"], store.seed_sequence({"pair": pair}), 1)
        yield problem.X, problem.y, labelled


def _pages(task, entry, store):
    pages = pages_from(store, "pages", {key: value for key, value in entry.items() if key in PAGES})
    counts = label_counts(entry["n_labelled"], entry["positive_share"])
    for labelled in draw_per_class(pages.y, counts, store.seed_sequence(task), entry["n_draws"]):
        yield pages.X, pages.y, labelled


PROBLEMS = {"usps": _digits, "pages": _pages}


def summarise(rows, params):
    """Seconds of each method, and how many times LapSVM's they are, problem by problem."""
    found = []
    for key, group in rows.groupby("dataset", sort=False):
        wide = {method: part["training_seconds"].to_numpy() for method, part in group.groupby("method", sort=False)}
        for method, seconds in wide.items():
            ratios = seconds / wide["LapSVM"]
            for metric, values in {"seconds": seconds, "times_lapsvm": ratios}.items():
                found.append(tidy_row(ID, NAMES.get(key, key), method, "training", values, metric, None, group))
    return pd.DataFrame(found)
