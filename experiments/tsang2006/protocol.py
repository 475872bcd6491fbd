"""What the three figures of tsang2006 share: labelled draws, machines and their reports, time and memory of one fit.

The paper fixes mu at 1 and tunes the rest "by a small validation set". So do we: every machine is fitted once for
each entry of its grid, the entry with the best score on the validation points is kept (the first on ties), and only
that entry's test score, time and size enter the results. Test labels are never used for a choice.

theta is given per edge (theta / |E|) and epsilon at n = 1000: differences along the edges of a k-nearest-neighbour
graph shrink like n^(-1/d), here taken as n^(-1/2), and the tolerance of the ball has to shrink with them.
"""

import multiprocessing
import resource
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import mr
from experiments.tidy import tidy_row

COLUMNS = {"seconds_graph": "graph_seconds", "seconds_fit": "fit_seconds"}
"""Columns of raw rows behind metrics of another name: what is measured ends in ``seconds`` there."""
METRICS = (*COLUMNS, "kernel_expansions", "core_size", "achieved_epsilon", "duality_gap")


def labelled_rows(y, per_class, rng) -> np.ndarray:
    """``per_class`` random rows of each class."""
    return np.sort(np.concatenate([rng.permutation(np.flatnonzero(y == c))[:per_class] for c in np.unique(y)]))


def partly_labelled(y, rows) -> np.ndarray:
    """y on ``rows``, -1 elsewhere."""
    hidden = np.full(len(y), -1)
    hidden[rows] = y[rows]
    return hidden


def fit_graph(X, options):
    """The graph as an object that no machine has to build again, and the seconds it took."""
    start = time.perf_counter()
    graph = mr.KNNGraph(**options).fit(X)
    seconds = time.perf_counter() - start
    return mr.PrecomputedGraph(graph.affinity_, laplacian=graph.laplacian), seconds


def machine(method, cell, graph, n, kernel, seed):
    """The estimator of a method at one entry of its grid, which may also set the kernel's gamma and the Laplacian."""
    cell = dict(cell)
    kernel = kernel | ({"gamma": cell.pop("gamma")} if "gamma" in cell else {})
    if "laplacian" in cell:
        graph = mr.PrecomputedGraph(graph.affinity, laplacian=cell.pop("laplacian"))
    if method == "SVM":
        return mr.SVM(**cell, **kernel)
    if method == "SVM, all labels":
        return mr.baselines.CVM(max_iter=None, random_state=seed, **cell, **kernel)
    if method in ("LapSVM", "Reduced LapSVM"):
        return mr.LapSVM(graph=graph, random_state=seed, fit_intercept=True, **cell, **kernel)
    theta = cell.pop("theta_per_edge") * (graph.affinity.nnz // 2)
    if not isinstance(cell["epsilon"], str):
        cell["epsilon"] = cell["epsilon"] * (1000.0 / n) ** 0.5
    return mr.SLapCVM(theta=theta, graph=graph, solver="core-set", max_iter=None, random_state=seed, **cell, **kernel)


def timed_fit(estimator, X, y):
    """Fitted estimator and the measures of its fit; a full core is a result, not an error.

    Seconds are those of the processor: a fit has one thread here, and what else the machine does should not count.
    """
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(X, y)
    seconds = time.process_time() - start
    report = {"fit_seconds": seconds, "kernel_expansions": expansions(estimator)}
    certified = isinstance(estimator, (mr.SLapCVM, mr.baselines.CVM))
    attributes = {"core_size": "core_size_", "achieved_epsilon": "achieved_epsilon_", "duality_gap": "dual_gap_"}
    for name, attribute in attributes.items():
        report[name] = float(getattr(estimator, attribute)) if certified else np.nan
    return estimator, report


def expansions(estimator) -> int:
    """Points with a coefficient that is not zero."""
    return int((np.abs(estimator.dual_coef_).max(axis=1) > 0).sum())


def draws(n, params) -> range:
    """Labelled draws at a size: fewer for large ones."""
    return range(params["n_draws"] if n <= params["largest_with_draws"] else params["n_draws_beyond"])


def edge_differences(graph, f) -> dict:
    """Largest and root-mean-square difference sqrt(w) |f_u - f_v| along the edges, over the deviation of f."""
    W = graph.affinity.tocoo()
    differences = np.sqrt(W.data) * np.abs(f[W.row] - f[W.col])
    scale = max(float(f.std()), np.finfo(float).tiny)
    root_mean_square = float(np.sqrt(np.mean(differences**2)))
    return {"steepest_edge": float(differences.max()) / scale, "rms_edge": root_mean_square / scale}


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


def chosen(rows, by):
    """Of each group the rows of the grid entry with the best mean validation score (``by``: columns of a group)."""
    keep = []
    for _, group in rows.groupby(by, sort=False):
        scores = group.groupby("cell", sort=True)["validation"].mean()
        keep.append(group[group["cell"] == scores.idxmax()])
    return keep


def tidy_rows(artifact, groups, metrics, setting):
    """One tidy row per group and metric: mean and deviation over the draws."""
    out = []
    for group in groups:
        first = group.iloc[0]
        for metric in metrics:
            column = COLUMNS.get(metric, metric)
            values = group[column].dropna() if column in group else []
            if len(values):
                cell = first["data"], first["method"], setting(first)
                out.append(tidy_row(artifact, *cell, values, metric, first["parameters"], group))
    return out
