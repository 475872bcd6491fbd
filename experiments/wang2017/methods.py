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


def grid(method, params, eta_2=False) -> list[dict]:
    """Parameter combinations of a method: gamma_1, gamma_2, and AGMR's own.

    eta_2 is idle on the simplex; only equation 13 as printed reads it.
    """
    values = params["grid"]
    names = ["gamma_1", "gamma_2"]
    names += {"AGMR_entropy": ["eta"], "AGMR_sparse": ["eta_1", "eta_2"] if eta_2 else ["eta_1"]}.get(method, [])
    return [dict(zip(names, cell, strict=True)) for cell in product(values, repeat=len(names))]


def path_weights(method, cell, factor) -> dict:
    """The weights of a cell as the path of the method names them."""
    if method.startswith("AGMR"):
        return cell
    ridge = {"ridge": cell["gamma_2"] / cell["gamma_1"]}
    return ridge if method == "RLS" else ridge | {"smoothness": factor / cell["gamma_1"]}


def template(method, params, convention, X):
    """Path class and unfitted estimator of a method."""
    laplacian = convention["laplacian"]
    nearest = mr.KNNGraph(10, laplacian=laplacian, sigma=heat_width(X, convention["sigma"]))
    if method == "RLS":
        return mr.paths.RLSPath, mr.RLS(kernel="linear")
    if method == "MR_LP":
        return mr.paths.LapRLSPath, mr.LapRLS(kernel="linear", graph=nearest)
    if method == "MR_SP":
        graph = mr.SparseRepresentationGraph(laplacian=laplacian, tol=1e-4)
        return mr.paths.LapRLSPath, mr.LapRLS(kernel="linear", graph=graph)
    paper = {"kernel": "linear", "graph": nearest, "basis": None, "support": params.get("support")}
    stop = {"max_iter": params["max_iter"], "tol": params["tol"]}
    penalty = method.removeprefix("AGMR_")
    return mr.paths.AGMRPath, mr.AGMR(penalty, **paper, **stop)


def heat_width(X, how):
    """Width of exp(-d^2 / (2 sigma^2)): the paper's exp(-d^2 / sigma) leaves its sigma open.

    "neighbours": sigma is the mean distance of neighbours; "all pairs": 2 sigma^2 is the mean of d^2; "one": it is 1.
    """
    if how == "neighbours":
        return "mean"
    return {"all pairs": float(np.sqrt(X.var(axis=0).sum())), "one": float(np.sqrt(0.5))}[how]


_last_path: dict = {}


def path_on(method, X, X_new, params, convention):
    """Path of a method on these points. A worker keeps its last one: transductive draws have all points in common."""
    path, estimator = template(method, params, convention, X)
    key = joblib.hash((repr(estimator), X, X_new))
    if key not in _last_path:
        _last_path.clear()
        _last_path[key] = path(estimator, X, X_new)
    return _last_path[key]


class Without:
    """Test points on the positive side of RLS with the same ridge: what a method would say if its graph were off."""

    def __init__(self, labels, draw, X, X_new):
        self.labels, self.draw = labels, draw
        self.path = mr.paths.RLSPath(mr.RLS(kernel="linear"), X, X_new)
        self.known = {}

    def __call__(self, cell):
        ridge = cell["gamma_2"] / cell["gamma_1"]
        if ridge not in self.known:
            fit = self.path.fit(self.labels, ridge=ridge)
            self.known[ridge] = on_test(self.draw, fit.values[:, 0], fit.new_values) > 0
        return self.known[ridge]


def on_test(draw, values, new_values):
    """Values at the test points of a draw."""
    return values[draw.test] if draw.transductive else np.asarray(new_values).reshape(len(draw.test), -1)[:, 0]


def shape_of(positive, truth, without, values) -> dict:
    """Accuracy on test (per cent) and the shape of the answer.

    ``one_sided``: the larger share of test points on one side; ``like_rls``: the share of test points on the side where
    RLS with the same ridge puts them (per cent); ``spread``: the standard deviation of f on the training part.
    """
    share = float(positive.mean())
    return {
        "accuracy": round(100.0 * float((positive == truth).mean()), 6),
        "one_sided": round(100.0 * max(share, 1 - share), 6),
        "like_rls": round(100.0 * float((positive == without).mean()), 6),
        "spread": float(f"{np.std(values):.4g}"),
    }


def evaluate(method, X, y, draw, params, convention, held_out=False) -> list[dict]:
    """What one draw says of every cell of the grid: see :func:`shape_of`; also iterations and information.

    ``information`` of the learned graph: see :class:`mr.paths.AGMRPath`. With ``held_out`` also the mean squared loss
    on a third of the labels that was left out.
    """
    Z, Z_new = points(X, draw, convention)
    path = path_on(method, Z, Z_new, params, convention)
    labels, truth = partly_labelled(draw, y), y[draw.test] == 1
    without, found = Without(labels, draw, Z, Z_new), []
    for number, cell in enumerate(grid(method, params)):
        weights = path_weights(method, cell, convention["factor"])
        fit = path.fit(labels, **weights)
        positive = on_test(draw, fit.values[:, 0], fit.new_values) > 0
        row = {"cell": number} | shape_of(positive, truth, without(cell), fit.values)
        row |= {"iterations": fit.info.get("n_iter", 1), "information": fit.info.get("information", np.nan)}
        if held_out:
            row["held_out"] = third_held_out(path, labels, draw.labelled, weights)
        found.append(row)
    return found


def third_held_out(path, labels, labelled, cell) -> float:
    """Loss on a third of the labels, fitted (graph and all) on the other two thirds; ``labelled`` as the draw lists it.

    One criterion for every method: unlike leave-one-out on a fixed graph, no learned graph has seen these labels.
    """
    third = labelled[np.random.default_rng(0).permutation(len(labelled)) % 3 == 0]
    hidden = labels.copy()
    hidden[third] = -1
    return _loss(labels[third], path.fit(hidden, **cell).values[third])


def _loss(classes, values) -> float:
    """Mean squared difference of values and targets -1 and 1, to five digits."""
    return float(f"{np.square(values[:, 0] - np.where(classes == 1, 1.0, -1.0)).mean():.5g}")
