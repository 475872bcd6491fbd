"""What the experiments of belkin2006 share: the machines and their weights, the draws, the measures, the summary.

The paper writes its weights as gamma_A l and gamma_I l / (l + u)^2. ``params.yaml`` calls them a and b, the paths of
``mr.paths`` take them as ``ridge`` and ``smoothness``. SVM and TSVM then have C = 1 / (2 a).
"""

import json

import numpy as np
import pandas as pd
from sklearn.base import clone

import mr
from experiments.tidy import tidy_row
from mr.metrics import break_even_error, break_even_point

UNLABELLED, TEST = "unlabelled", "test"
TRANSDUCTIVE = "TSVM"
MACHINES = {
    "RLS": (mr.paths.RLSPath, mr.RLS()),
    "SVM": (mr.paths.SVMPath, mr.SVM()),
    TRANSDUCTIVE: (mr.paths.TSVMPath, mr.TSVM(positive_fraction="labels")),
    "LapRLS": (mr.paths.LapRLSPath, mr.LapRLS()),
    "LapRLS with bias": (mr.paths.LapRLSPath, mr.LapRLS(fit_intercept=True)),
    "LapSVM": (mr.paths.LapSVMPath, mr.LapSVM(fit_intercept=True)),
    "LapSVM without bias": (mr.paths.LapSVMPath, mr.LapSVM(fit_intercept=False)),
}
SWITCHING = {"value": 0.3}
"""Tolerance of a rerun with TSVM, in points of one run. Its search takes the other branch where two slacks tie within
the solver's accuracy; one pair of labels switched otherwise moved the error of a speaker by up to 0.26."""
CELLS = ["dataset", "method", "setting", "metric"]


def machine_path(method, kernel, graph, X, X_new=None):
    """The path of a method on these points. It is made once for all labelled sets of a task.

    Parameters
    ----------
    method : str
        Key of :data:`MACHINES`.
    kernel : dict
        Entry of params; see :func:`kernel_options`.
    graph : dict or graph
        Parameters of ``mr.KNNGraph``, or a fitted graph on X. Only the Laplacian machines look at it.
    X, X_new : arrays
        Training points, and test points if there are any.
    """
    path, template = MACHINES[method]
    options = kernel_options(kernel)
    if hasattr(template, "graph"):
        options["graph"] = mr.KNNGraph(**graph) if isinstance(graph, dict) else graph
    return path(clone(template).set_params(**options), X, X_new)


def kernel_options(kernel) -> dict:
    """An entry ``kernel`` of params as parameters of an estimator; the width sigma means exp(-d^2 / (2 sigma^2))."""
    options = {"kernel" if key == "name" else key: value for key, value in kernel.items() if key != "sigma"}
    if "sigma" in kernel:
        options["gamma"] = 1.0 / (2.0 * kernel["sigma"] ** 2)
    return options


def cell(weights) -> dict:
    """The weights {"a": ..., "b": ...} of params, in the words of the paths."""
    return {{"a": "ridge", "b": "smoothness"}[name]: value for name, value in weights.items()}


def break_even_pct(values, y) -> float:
    """Error in percent with the threshold at the precision-recall break-even point (Figures 4 to 7, Table 5)."""
    return 100.0 * break_even_error(y, _tied(values))


def prbep_pct(values, y) -> float:
    """Precision (= recall) at the break-even point, in percent (Table 5, Figure 8)."""
    return 100.0 * break_even_point(y, _tied(values))


def _tied(values) -> np.ndarray:
    """Values to nine digits of the largest: equal points tie, whatever the rounding errors of the processor.

    WebKB has 32 pages whose words are those of another page, some of the other class; they often stand at the cut.
    """
    return np.round(values / max(np.abs(values).max(), np.finfo(float).tiny), 9)


def multiclass_pct(values, classes, y) -> float:
    """Percentage of points whose class is not that of their largest one-versus-rest value."""
    return 100.0 * float((classes[values.argmax(axis=1)] != y).mean())


def by_part(fit, y, y_test, labelled):
    """(part, values, classes) on the unlabelled training points and on the test points."""
    unlabelled = others(len(y), labelled)
    return (UNLABELLED, fit.values[unlabelled], y[unlabelled]), (TEST, fit.new_values, y_test)


def others(n, rows) -> np.ndarray:
    """The row numbers 0..n-1 that are not in ``rows``."""
    mask = np.ones(n, dtype=bool)
    mask[rows] = False
    return np.flatnonzero(mask)


def draw_per_class(y, counts, seed_sequence, n_draws) -> list[np.ndarray]:
    """``n_draws`` random labelled sets with ``counts[class]`` rows of each class; smaller counts give subsets."""
    draws = []
    for child in seed_sequence.spawn(n_draws):
        rng = np.random.default_rng(child)
        orders = {c: rng.permutation(np.flatnonzero(y == c)) for c in sorted(counts)}
        draws.append(np.concatenate([orders[c][: counts[c]] for c in sorted(counts)]))
    return draws


def method_tasks(dataset, methods, n_draws) -> list[dict]:
    """One task per method over all draws, which share a factorisation; TSVM, which shares none, has one per draw."""
    tasks = [{"dataset": dataset, "method": method} for method in methods if method != TRANSDUCTIVE]
    if TRANSDUCTIVE in methods:
        tasks += [{"dataset": dataset, "method": TRANSDUCTIVE, "draw": draw} for draw in range(n_draws)]
    return tasks


def draws_of(task, n_draws) -> list[int]:
    """Numbers of the draws that a task of :func:`method_tasks` covers."""
    return [task["draw"]] if "draw" in task else list(range(n_draws))


def row(method, setting, metric, value, **parameters) -> dict:
    """One raw row; the same (dataset, method, setting, metric) comes once per run."""
    return {"method": method, "setting": setting, "metric": metric, "value": float(value),
            "parameters": json.dumps(parameters, sort_keys=True)}  # fmt: skip


def summarise(artifact, rows, names=None, read_from_print=None) -> pd.DataFrame:
    """Mean and standard deviation over the runs of each cell.

    Parameters
    ----------
    artifact : str
        Its id.
    rows : DataFrame
        All raw rows.
    names : dict, default=None
        Names in ``data/reported.csv`` of data set keys.
    read_from_print : str, default=None
        A choice about the graph that was made with knowledge of the printed numbers: the Laplacian machines say so.
    """
    names = names or {}
    tidy = pd.DataFrame(
        [
            tidy_row(
                artifact,
                names.get(dataset, dataset),
                method,
                setting,
                group["value"],
                metric,
                group["parameters"].iloc[0],
                group,
            )  # fmt: skip
            for (dataset, method, setting, metric), group in rows.groupby(CELLS, sort=False)
        ]
    )
    if read_from_print:
        graph = tidy["method"].isin(["LapRLS", "LapSVM"])
        flag = {"read_from_print": read_from_print}
        tidy.loc[graph, "parameters"] = [json.dumps(json.loads(text) | flag) for text in tidy.loc[graph, "parameters"]]
    return tidy
