"""The methods of wang2017's tables over a parameter grid: accuracies on test and losses on held-out labels, per draw.

MR of the paper minimises gamma_1 sum_labelled (f_i - y_i)^2 + gamma_2 ||f||^2 + factor f'Lf. Divided by gamma_1 this is
Laplacian regularised least squares with the unscaled weights ridge = gamma_2 / gamma_1, smoothness = factor / gamma_1:
:class:`mr.paths.LapRLSPath` on the nearest-neighbour graph (MR_LP) or on convex combinations of least error (MR_SP).
Without the last term it is :class:`mr.paths.RLSPath`. AGMR is :class:`mr.paths.AGMRPath`.
"""

from itertools import product

import joblib
import numpy as np

import mr
from experiments.wang2017.protocol import partly_labelled, points

METHODS = ("RLS", "MR_LP", "MR_SP", "AGMR_entropy", "AGMR_sparse")


def grid(method, params) -> list[dict]:
    """Parameter combinations of a method: gamma_1, gamma_2, and AGMR's own; eta_2 is idle on the simplex."""
    values = params["grid"]
    extra = {"AGMR_entropy": "eta", "AGMR_sparse": "eta_1"}.get(method)
    cells = [{"gamma_1": a, "gamma_2": b} for a, b in product(values, values)]
    return [cell | {extra: e} for e in values for cell in cells] if extra else cells


def path_weights(method, cell, factor) -> dict:
    """The weights of a cell as the path of the method names them."""
    if method.startswith("AGMR"):
        return cell
    ridge = {"ridge": cell["gamma_2"] / cell["gamma_1"]}
    return ridge if method == "RLS" else ridge | {"smoothness": factor / cell["gamma_1"]}


def template(method, params, laplacian):
    """Path class and unfitted estimator of a method."""
    nearest = mr.KNNGraph(10, laplacian=laplacian)
    if method == "RLS":
        return mr.paths.RLSPath, mr.RLS(kernel="linear")
    if method == "MR_LP":
        return mr.paths.LapRLSPath, mr.LapRLS(kernel="linear", graph=nearest)
    if method == "MR_SP":
        graph = mr.SparseRepresentationGraph(laplacian=laplacian, tol=1e-4)
        return mr.paths.LapRLSPath, mr.LapRLS(kernel="linear", graph=graph)
    paper = {"kernel": "linear", "graph": nearest, "basis": None, "support": None}
    stop = {"max_iter": params["max_iter"], "tol": params["tol"]}
    if method == "AGMR_entropy":
        return mr.paths.AGMRPath, mr.AGMR("entropy", **paper, **stop)
    own = {"support": params.get("support"), "update": params.get("update", "pairwise")}
    return mr.paths.AGMRPath, mr.AGMR("sparse", **paper | own, **stop)


_last_path: dict = {}


def path_on(method, X, X_new, params, laplacian):
    """Path of a method on these points. A worker keeps its last one: transductive draws have all points in common."""
    path, estimator = template(method, params, laplacian)
    key = joblib.hash((repr(estimator), X, X_new))
    if key not in _last_path:
        _last_path.clear()
        _last_path[key] = path(estimator, X, X_new)
    return _last_path[key]


def evaluate(method, X, y, draw, params, convention, losses=False) -> list[dict]:
    """What one draw says of every cell of the grid.

    ``accuracy`` on test (per cent), ``iterations``, and the shape of the answer: ``one_sided``, the larger share of
    test points on one side (per cent); ``spread``, the standard deviation of f on the training part; ``information`` of
    the learned graph (see :class:`mr.paths.AGMRPath`). With ``losses`` also ``loo`` and ``held_out``, mean squared
    losses on labels that were left out.
    """
    path = path_on(method, *points(X, draw, convention), params, convention["laplacian"])
    labels, truth = partly_labelled(draw, y), y[draw.test] == 1
    found = []
    for number, cell in enumerate(grid(method, params)):
        weights = path_weights(method, cell, convention["factor"])
        fit = path.fit(labels, **weights)
        positive = (fit.values[draw.test, 0] if draw.transductive else fit.new_values[:, 0]) > 0
        row = {"cell": number, "accuracy": round(100.0 * float((positive == truth).mean()), 6)}
        row |= {"iterations": fit.info.get("n_iter", 1)}
        row |= {"one_sided": 100.0 * float(max(positive.mean(), 1 - positive.mean()))}
        row |= {"spread": float(fit.values.std()), "information": fit.info.get("information", np.nan)}
        if losses:
            row |= {"loo": _leave_one_out(path, labels, weights)}
            row |= {"held_out": _third_held_out(path, labels, draw.labelled, weights)}
        found.append(row)
    return found


def _leave_one_out(path, labels, cell) -> float:
    """Leave-one-out loss with the graph held fixed.

    Exact for RLS and MR. AGMR's graph was adapted with the label that is left out: its loss is optimistic by an unknown
    amount, so this criterion does not compare AGMR with MR fairly (``held_out`` does).
    """
    fixed = {"fixed_graph": True} if isinstance(path, mr.paths.AGMRPath) else {}
    return _loss(labels[labels >= 0], path.held_out(labels, **fixed, **cell))


def _third_held_out(path, labels, labelled, cell) -> float:
    """Loss on a third of the labels, fitted (graph and all) on the other two thirds; ``labelled`` as the draw lists it.

    One criterion for every method: unlike leave-one-out on a fixed graph, no learned graph has seen these labels.
    """
    third = labelled[np.random.default_rng(0).permutation(len(labelled)) % 3 == 0]
    hidden = labels.copy()
    hidden[third] = -1
    return _loss(labels[third], path.fit(hidden, **cell).values[third])


def _loss(classes, values) -> float:
    """Mean squared difference of values and targets -1 and 1, to six digits."""
    return float(f"{np.square(values[:, 0] - np.where(classes == 1, 1.0, -1.0)).mean():.6g}")
