"""chen2012 Table II: test errors on the SSL book's benchmark, 10 labels, 12 official labelled sets, eight methods.

The paper tunes every method on the test error and says so; the rows with its setting do the same. Beside them stand the
same methods with parameters chosen by leave-one-out on the 10 labels alone (squared loss, smaller grid index on ties).

Conventions that reproduce printed digits (not all are in the paper): Gaussian width rho = n^2 / sum ||x_i - x_j||^2;
normalised Laplacian to the power p of Table I; LapRLS takes gamma_A and gamma_I straight from the grid, without the
factors l and 1/n^2 of belkin2006; standard deviations over the 12 sets with ddof = 1. Three contradict the text:

- LapSVR's mu is not from the stated grid (up to 1e6) but from that of LapRLS, 1e-6 to 1e2; with the stated one it is
  much better (rows with "whole grid" in their setting);
- LapERLS was solved without I/C, as equation 34 is printed, that is with the largest C; with C tuned it is better;
- PLapSVM has a bias and stops early; at the optimum of its problem it is better.
"""

import json
from functools import cached_property

import pandas as pd

from experiments.chen2012.methods import EARLY, METHODS, grid
from experiments.chen2012.protocol import BEST, average_ranks, best_on_test, chosen_honestly, with_edges
from experiments.splits import labelled_sets, signed
from experiments.tidy import tidy_row

ID = "chen2012_table2"
NAMES = {"digit1": "Digit1", "usps241": "USPS", "coil2": "COIL2", "text": "Text"}
PAPER_SETTING = BEST
WHOLE_SETTING = "l=10, transductive, best on test, whole grid"
HONEST_SETTING = "l=10, transductive, leave-one-out on the labels"
SPLIT_BY_SPLIT = ("LapESVR",)  # one task per split: their fits take most of the time

VERSION = 1
# On another machine sums are added in another order.
TOLERANCE = {
    # Where a decision value is zero to rounding its sign may flip: one of 1490 points is 0.067 percent.
    "error_pct": 0.14,
    # Machines are solved to a relative duality gap of 1e-7, whose root is the accuracy of their values.
    "loo_loss": 1e-3,
    # Early stopping looks every 19 iterations how many decisions changed, at some hundred iterations of an ill
    # conditioned problem. Measured with the ten labels in three orders (49 cells, three splits): beyond 0.14 in 1
    # percent of the rows on g241c and Text and in 11 percent on Digit1, there by up to 10.5.
    EARLY: 12.0,
    # The way to a solution, not the solution.
    "n_iter": float("inf"),
    "gap": float("inf"),
    "n_support": float("inf"),
}


def datasets(params):
    return {key: (spec["name"], spec.get("options", {})) for key, spec in params["datasets"].items()}


def graphs(params):
    return {key: (key, spec["graph"]) for key, spec in params["datasets"].items()}


def spectra(params):
    return {key: (key, spec["n_eigenvectors"]) for key, spec in params["datasets"].items()}


def tasks(params):
    return [
        {"dataset": key, "method": method} | ({"only": s} if method in SPLIT_BY_SPLIT else {})
        for method in params["methods"]
        for key in params["datasets"]
        for s in (range(params["n_splits"]) if method in SPLIT_BY_SPLIT else [0])
    ]


class Bench:
    """What the methods share on one data set; graph and spectrum are read when a method asks for them."""

    def __init__(self, data, splits, spec, store, key):
        self.X, self.labels, self.y, self.splits = data.X, data.y, signed(data.y), splits
        self.n_eigenvectors, self._store, self._key = spec["n_eigenvectors"], store, key

    @cached_property
    def graph(self):
        return self._store.graph(self._key)

    @cached_property
    def spectrum(self):
        return self._store.spectrum(self._key)


def run_task(task, params, store):
    """Error of one method on one data set, for every parameter and split."""
    key = task["dataset"]
    data = store.dataset(key)
    splits = list(enumerate(labelled_sets(data, 10, params["n_splits"], store.seed_sequence(task, "dataset"))))
    if "only" in task:
        splits = [splits[task["only"]]]
    bench = Bench(data, splits, params["datasets"][key], store, key)
    return list(METHODS[task["method"]](bench, params))


# What the printed column seems to have tried, where that is not the whole grid. Found by comparing with printed digits.
AS_PRINTED = {
    "LapSVR": (lambda params: {"mu": params["gamma"]}, "mu from the grid of LapRLS"),
    "PLapSVM": (lambda params: {"stop": ["stability"]}, "a bias and early stopping"),
    "LapERLS": (lambda params: {"C": [max(params["C"])]}, "the largest C"),
}


def summarise(rows, params):
    """Best mean error on test, as the paper does; and per split the parameters with the smallest leave-one-out loss."""
    tidy = []
    if EARLY in rows:
        rows = rows.assign(error_pct=rows["error_pct"].fillna(rows[EARLY]))
    for (dataset, method), group in rows.groupby(["dataset", "method"], sort=False):
        name, lists = NAMES.get(dataset, dataset), grid(method, params)
        printed, read = group, {}
        if method in AS_PRINTED:
            values, best = best_on_test(group)
            tidy.append(tidy_row(ID, name, method, WHOLE_SETTING, values, parameters=with_edges(best, lists),
                                 group=group))  # fmt: skip
            values_of, choice = AS_PRINTED[method]
            lists, read = lists | values_of(params), {"read_from_print": choice}
            printed = group[[_among(text, values_of(params)) for text in group["parameters"]]]
        values, best = best_on_test(printed)
        tidy.append(tidy_row(ID, name, method, PAPER_SETTING, values, parameters=with_edges(best, lists) | read,
                             group=group))  # fmt: skip
        tidy.append(tidy_row(ID, name, method, HONEST_SETTING, chosen_honestly(group), group=group))
    frame = pd.DataFrame(tidy)
    source = {"data_source": "; ".join(sorted(set(map(str, frame["data_source"]))))}
    ranks = [r for s in (PAPER_SETTING, HONEST_SETTING) for r in average_ranks(frame, ID, s, source)]
    return pd.concat([frame, pd.DataFrame(ranks)], ignore_index=True)


def _among(text, tried) -> bool:
    cell = json.loads(text)
    return all(cell[name] in values for name, values in tried.items())
