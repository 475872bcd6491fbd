"""What the figures of tsang2006 share: labelled draws, machines and their reports, the choice of parameters, growth.

The paper fixes one parameter (we read mu, at 1) and tunes the rest "by a small validation set". Here every method has
a grid of the same number of cells; the cell with the best mean validation score over the draws at a small n is chosen
once, among equal scores the one with fewest kernel expansions, and serves every n. Test labels choose nothing.

theta is a number and not tied to the number of edges. epsilon is "auto" everywhere (:class:`mr.SLapCVM`).
"""

import json
import multiprocessing
import resource
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import mr
from experiments.tidy import tidy_row
from experiments.tsang2006.inversion import LapSVMByInversion

COLUMNS = {"seconds_graph": "graph_seconds", "seconds_fit": "fit_seconds"}
"""Columns of raw rows behind metrics of another name: what is measured ends in ``seconds`` there."""
GROWING = ("seconds_fit", "kernel_expansions", "core_size")
"""Metrics whose growth is judged: draws that a cap ended are left out of them."""
METRICS = ("seconds_graph", *GROWING, "duality_gap", "tube", "steps", "capped")
SHOWN = {
    "SLapCVM": "SLapCVM, sampled",
    "SLapCVM, theta ~ edges": "SLapCVM, sampled, theta ~ edges",
    "SLapCVM, exact": "SLapCVM",
}
"""Names in Figure 1's rows, and what they are called beside Figures 2 and 3, where SLapCVM is the optimum."""
CERTIFIED = {
    "core_size": "core_size_", "duality_gap": "dual_gap_", "achieved_epsilon": "achieved_epsilon_", "steps": "n_iter_",
}  # fmt: skip


def labelled_rows(y, per_class, rng) -> np.ndarray:
    """``per_class`` random rows of each class."""
    return np.sort(np.concatenate([rng.permutation(np.flatnonzero(y == c))[:per_class] for c in np.unique(y)]))


def partly_labelled(y, rows) -> np.ndarray:
    """y on ``rows``, -1 elsewhere."""
    hidden = np.full(len(y), -1)
    hidden[rows] = y[rows]
    return hidden


def fit_graph(X, options):
    """The affinity of the graph, and the processor seconds it took."""
    start = time.process_time()
    graph = mr.KNNGraph(**options).fit(X)
    return graph.affinity_, time.process_time() - start


def machine(spec, cell, affinity, seed):
    """The estimator of a method at one cell of its grid; ``spec`` has its kind, Laplacian and fixed options."""
    options = spec.get("options", {}) | cell
    if spec["machine"] == "SVM":
        return mr.SVM(**options)
    if spec["machine"] == "CVM":
        return mr.baselines.CVM(max_iter=None, random_state=seed, **options)
    graph = mr.PrecomputedGraph(affinity, laplacian=spec["laplacian"])
    if spec["machine"] == "LapSVM by inversion":
        return LapSVMByInversion(graph=graph, **options)
    if spec["machine"] == "LapSVM":
        return mr.LapSVM(graph=graph, random_state=seed, **options)
    return mr.SLapCVM(graph=graph, max_iter=None, random_state=seed, **options)


def timed_fit(estimator, X, y):
    """Fitted estimator and the measures of its fit; a full core is a result, not an error.

    Seconds are those of the processor: a fit has one thread here, and what else the machine does should not count.
    """
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ConvergenceWarning)
        estimator.fit(X, y)
    seconds = time.process_time() - start
    report = {"fit_seconds": seconds, "kernel_expansions": expansions(estimator)}
    if isinstance(estimator, (mr.SLapCVM, mr.baselines.CVM)):
        report |= {name: float(getattr(estimator, attribute)) for name, attribute in CERTIFIED.items()}
        report["tube"] = float(estimator.tube_[0])
        report["capped"] = int(any(issubclass(entry.category, ConvergenceWarning) for entry in caught))
    return estimator, report


def expansions(estimator) -> int:
    """Points with a coefficient that is not zero."""
    return int((np.abs(estimator.dual_coef_).max(axis=1) > 0).sum())


def cells(grid) -> list[dict]:
    """Every combination of the listed values."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def chosen_parameters(rows) -> str:
    """JSON of the cell with the best mean validation score; among equal ones, with fewest kernel expansions."""
    scores = rows.groupby("parameters", sort=False)[["validation", "kernel_expansions"]].mean()
    best = scores[scores["validation"] >= scores["validation"].max() - 1e-9]
    return best["kernel_expansions"].fillna(0.0).idxmin()


def chosen_cell(needed, store) -> dict:
    """The cell that the rows of the needed tasks choose."""
    return json.loads(chosen_parameters(pd.concat([store.rows(task) for task in needed])))


def accuracy(y, values):
    return float(((values > 0) == (y == 1)).mean())


SCORES = {"accuracy": accuracy, "auc": mr.metrics.area_under_roc}


def at_edge(cell, grid) -> list[str]:
    """Parameters of a chosen cell that lie at an end of a grid with more than two values."""
    return [name for name, values in grid.items() if len(values) > 2 and cell[name] in (min(values), max(values))]


def draws(n, params) -> range:
    """Labelled draws at a size: fewer for large ones."""
    return range(params["n_draws"] if n <= params["largest_with_draws"] else params["n_draws_beyond"])


def in_child(function, *arguments):
    """Result of ``function(*arguments)`` in a process of its own, and how far its memory rose, in MiB.

    The high-water mark of a process never falls, so a fit can only be measured in a process that did nothing before.
    """
    context = multiprocessing.get_context("spawn")
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=_report, args=(send, function, arguments))
    child.start()
    send.close()
    try:
        outcome = receive.recv()
    except EOFError:
        outcome = MemoryError(f"the process of {function.__name__} died, probably for want of memory")
    child.join()
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _report(send, function, arguments):
    try:
        with threadpool_limits(limits=1):
            warm_up()
            before = _peak_mib()
            result = function(*arguments)
            send.send((result, _peak_mib() - before))
    except Exception as error:
        send.send(error)


def warm_up():
    """Load compiled code, so that the first fit of a process is not charged for it."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.repeat([0, 1, -1], [5, 5, 50])
    graph = mr.KNNGraph(n_jobs=1)
    for estimator in (mr.SLapCVM(graph=graph, solver="core-set"), mr.LapSVM(graph=graph), mr.baselines.CVM()):
        estimator.fit(X, y)


def _peak_mib() -> float:
    """High-water mark of this process. Linux's ``ru_maxrss`` would include that of the parent, carried over by exec."""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def tidy_rows(artifact, groups, metrics, setting):
    """One tidy row per group and metric: mean and deviation over the draws, without capped draws where growth counts.

    The row ``capped`` has the share of draws that a cap ended.
    """
    out = []
    for group in groups:
        first = group.iloc[0]
        ended = group["capped"].fillna(0) > 0 if "capped" in group else np.zeros(len(group), bool)
        for metric in metrics:
            column = COLUMNS.get(metric, metric)
            values = (group[~ended] if metric in GROWING else group)[column].dropna() if column in group else []
            if len(values):
                cell = first["data"], first["method"], setting(first)
                out.append(tidy_row(artifact, *cell, values, metric, first["parameters"], group))
    return out
