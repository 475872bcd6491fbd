"""What the artifacts of chen2012 share: labels, walks over grids, raw rows and their summary."""

import json
from itertools import product

import numpy as np
import pandas as pd

import mr
from experiments.splits import error_pct
from experiments.tidy import tidy_row

BEST = "l=10, transductive, best on test"
PAPER_NAMES = {"ridge": "gamma_A", "smoothness": "gamma_I", "label_weight": "lambda"}
"""chen2012's names of parameters that the library calls otherwise. Its gamma_A and gamma_I have no factors l and 1/n^2
(those of belkin2006), which the library calls ridge and smoothness."""


def partly_labelled(labels, rows) -> np.ndarray:
    """The labels of ``rows``, -1 elsewhere."""
    y = np.full(len(labels), -1)
    y[rows] = np.asarray(labels)[rows]
    return y


def embedded(estimator, graph, n_eigenvectors, **parameters):
    """Template of LapESVR or LapERLS: chen2012's kernel width, and all components of the graph take part."""
    return estimator(n_eigenvectors=n_eigenvectors, gamma="mean", graph=graph, components="all", **parameters)


def lap_esvr(graph, n_eigenvectors, **parameters):
    """Template of LapESVR, solved to LIBSVM's violation of 1e-3 as in the paper."""
    return embedded(mr.LapESVR, graph, n_eigenvectors, tol=1e-3, **parameters)


def listed(lists, found):
    """What a path found, (cell, result) in its own order, now in that of the lists: the first of the grid wins ties."""
    by_values = {tuple(cell[name] for name in lists): result for cell, result in found}
    for values in product(*lists.values()):
        yield dict(zip(lists, values, strict=True)), by_values[values]


def in_paper(cell) -> dict:
    """A cell in the paper's names."""
    return {PAPER_NAMES.get(name, name): value for name, value in cell.items()}


def row(parameters, split, values, y, rows, loo=None, **more):
    """One raw row: the error on all but the labelled rows, and the leave-one-out loss on these.

    ``values`` and ``loo`` (held-out values of the labelled rows, ascending) are columns or vectors; ``y`` is +-1.
    """
    loss = float("nan") if loo is None else float(np.mean((np.ravel(loo) - y[np.sort(rows)]) ** 2))
    common = {"parameters": json.dumps(parameters), "split": split}
    return common | {"error_pct": error_pct(np.ravel(values), y, rows), "loo_loss": loss} | more


def best_on_test(group):
    """Errors (one per split) of the parameters with the smallest mean error, and these parameters.

    Means that differ by rounding only are ties, which go to the first of the grid.
    """
    errors = group.pivot(index="parameters", columns="split", values="error_pct").loc[group["parameters"].unique()]
    best = errors.mean(axis=1).round(9).idxmin()
    return errors.loc[best], json.loads(best)


def chosen_honestly(group):
    """Errors with the parameters of smallest leave-one-out loss, split by split (first of the grid on ties)."""
    order = group["parameters"].unique()
    errors = group.pivot(index="parameters", columns="split", values="error_pct").loc[order]
    loo = group.pivot(index="parameters", columns="split", values="loo_loss").loc[order]
    return np.array([errors.loc[loo[s].idxmin(), s] for s in errors.columns])


def with_edges(cell, lists) -> dict:
    """The chosen cell, with the names of the parameters whose value is at an end of its list."""
    at_end = [name for name, values in lists.items() if len(values) > 1 and cell[name] in (min(values), max(values))]
    return cell | ({"edge": at_end} if at_end else {})


def average_ranks(tidy, artifact, setting, group) -> list[dict]:
    """Average rank of every method over the data sets that all have; ties share the smaller rank, as printed."""
    cells = tidy[(tidy["setting"] == setting) & (tidy["metric"] == "error_pct")]
    table = cells.pivot(index="method", columns="dataset", values="mean").dropna(axis=1)
    ranks = table.round(2).rank(method="min")
    return [
        tidy_row(artifact, "all", method, setting, ranks.loc[method], "average_rank", group=group)
        for method in pd.unique(cells["method"])
    ]
