"""chen2012 Table II: test errors on the SSL book's benchmark, 10 labels, 12 official labelled sets, eight methods.

The paper tunes every method on the test error and says so; the rows with its setting do the same. Beside them stand the
same methods with parameters chosen by leave-one-out on the 10 labels alone (squared loss, smaller grid index on ties).

Conventions that reproduce printed digits (not all are in the paper): Gaussian width rho = n^2 / sum ||x_i - x_j||^2;
normalised Laplacian to the power p of Table I; LapRLS takes gamma_A and gamma_I straight from the grid, without the
factors l and 1/n^2 of belkin2006; standard deviations over the 12 sets with ddof = 1. ``READINGS`` names what else the
printed columns need, and what stands beside them:

- SVR and LapSVR are LIBSVM's at its default tolerance, as in the paper, on the labelled points in the order of the
  data, as in the code that the first author released. Another order moves one or two of 17,880 decisions, which is how
  we came to look: in this order two cells of SVR(RBF) and one of LapSVR become exact, one of SVR(Linear) ceases to be;
- LapSVR's mu is not from the stated grid (up to 1e6) but from that of LapRLS, 1e-6 to 1e2 (read from print);
- PLapSVM has a bias and looks at its decisions every 3 iterations, as the demonstration of its authors' program does;
- LapERLS was solved without I/C, as equation 34 is printed, that is with the largest C (read from print);
- LapERLS and LapESVR have L^p + 1e-6 I. The released code of chen2012 adds a multiple of I, but 1e-4; 1e-6 was found
  by comparing LapERLS on Digit1 and COIL2 with print.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from experiments.chen2012.methods import BY_LIBSVM, EARLY, EVERY_3, METHODS, RELEASED, column, grid
from experiments.chen2012.protocol import BEST, average_ranks, best_on_test, chosen_honestly, with_edges
from experiments.splits import labelled_sets, signed
from experiments.tidy import tidy_row

ID = "chen2012_table2"
NAMES = {"digit1": "Digit1", "usps241": "USPS", "coil2": "COIL2", "text": "Text"}
PAPER_SETTING = BEST
STATED_SETTING = f"{BEST}, stated grid"
HONEST_SETTING = "l=10, transductive, leave-one-out on the labels"
SPLIT_BY_SPLIT = ("LapESVR",)  # one task per split: their fits take most of the time

VERSION = {"SVR(Linear)": 2, "SVR(RBF)": 2}
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
        {"dataset": key, "method": method} | ({"only": s} if column(method) in SPLIT_BY_SPLIT else {})
        for method in params["methods"]
        for key in params["datasets"]
        for s in (range(params["n_splits"]) if column(method) in SPLIT_BY_SPLIT else [0])
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


@dataclass(frozen=True)
class Reading:
    """One way to read a column of the table: which rows it takes, and what was found by comparing with print."""

    name: str = ""
    """Added to the paper's setting; the reading without a name is the judged one."""
    method: str = ""
    """Method of the tasks; the column's own without one."""
    cells: Callable = lambda params: {}
    """Values of parameters, by name, that the reading tries; all where it names none."""
    read_from_print: str = ""


def _largest_C(params):
    return {"C": [max(params["C"])]}


def _mu_of_LapRLS(params):
    return {"mu": params["gamma"]}


READINGS = {
    "LapSVR": [
        Reading("", BY_LIBSVM, _mu_of_LapRLS, "mu from the grid of LapRLS"),
        Reading("optimum", "LapSVR", _mu_of_LapRLS, "mu from the grid of LapRLS"),
        Reading("stated grid", cells=lambda params: {"mu": params["C"]}),
    ],
    "PLapSVM": [
        Reading(method=EVERY_3),
        Reading("check every sqrt(n)/2", cells=lambda params: {"stop": ["stability"]}),
        Reading("optimum", cells=lambda params: {"stop": ["newton"]}),
        Reading("optimum without bias", cells=lambda params: {"stop": ["newton, no bias"]}),
    ],
    "Eigenfunction": [
        Reading(),
        Reading("released code", RELEASED, lambda params: {"sigma": [0.2]}),
        Reading("released code, best sigma", RELEASED),
    ],
    "LapERLS": [
        Reading("", "LapERLS, L^p + 1e-6 I", _largest_C, "the largest C, and L^p + 1e-6 I"),
        Reading("largest C", "LapERLS", _largest_C),
        Reading("stated grid", "LapERLS"),
        Reading("L^p + 1e-4 I, largest C", "LapERLS, L^p + 1e-4 I", _largest_C),
    ],
    "LapESVR": [
        Reading("", "LapESVR, L^p + 1e-6 I", read_from_print="L^p + 1e-6 I"),
        Reading("L^p", "LapESVR"),
        Reading("L^p + 1e-4 I", "LapESVR, L^p + 1e-4 I"),
    ],
}
"""Columns that are read in more than one way. "stated grid" is the paper's; "released code" that of Fergus et al."""
HONEST = {"PLapSVM": Reading("", "PLapSVM", lambda params: {"stop": ["newton"]}), "LapSVR": Reading("", "LapSVR")}
"""Rows for the choice by leave-one-out where the judged reading has none."""


def summarise(rows, params):
    """Best mean error on test, as the paper does; and per split the parameters with the smallest leave-one-out loss."""
    if EARLY in rows:
        rows = rows.assign(error_pct=rows["error_pct"].fillna(rows[EARLY]))
    found = rows.groupby(["dataset", "method"], sort=False)
    groups = {key: group for key, group in found if group["split"].nunique() == params["n_splits"]}
    columns = dict.fromkeys((dataset, column(method)) for dataset, method in groups)
    tidy = [found for key in columns for found in _column(groups, *key, params)]
    frame = pd.DataFrame(tidy)
    source = {"data_source": "; ".join(sorted(set(map(str, frame["data_source"]))))}
    ranks = [r for s in (PAPER_SETTING, HONEST_SETTING) for r in average_ranks(frame, ID, s, source)]
    return pd.concat([frame, pd.DataFrame(ranks)], ignore_index=True)


def _column(groups, dataset, method, params):
    """Rows of one data set and column: every reading, and the honest choice."""
    name = NAMES.get(dataset, dataset)
    readings = READINGS.get(method, [Reading()])
    for reading in readings:
        group = groups.get((dataset, reading.method or method))
        if group is None:
            continue
        tried = reading.cells(params)
        values, best = best_on_test(group[[_among(text, tried) for text in group["parameters"]]])
        cell = with_edges(best, grid(reading.method or method, params) | tried)
        cell |= {"read_from_print": reading.read_from_print} if reading.read_from_print else {}
        if "n_support" in group:
            chosen = group[group["parameters"] == json.dumps(best)]
            if chosen["n_support"].notna().all():
                cell["n_support"] = round(float(chosen["n_support"].mean()), 1)
        setting = f"{PAPER_SETTING}, {reading.name}" if reading.name else PAPER_SETTING
        yield tidy_row(ID, name, method, setting, values, parameters=cell, group=group)
    honest = HONEST.get(method, readings[0])
    group = groups.get((dataset, honest.method or method))
    if group is not None and group["loo_loss"].notna().all():
        group = group[[_among(text, honest.cells(params) if method in HONEST else {}) for text in group["parameters"]]]
        yield tidy_row(ID, name, method, HONEST_SETTING, chosen_honestly(group), group=group)


def _among(text, tried) -> bool:
    cell = json.loads(text)
    return all(cell[name] in values for name, values in tried.items())
