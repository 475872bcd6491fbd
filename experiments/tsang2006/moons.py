"""Two moons of tsang2006 (section 4.1): data of a draw, one fit, and its measures on fresh points."""

import json
from functools import cache

import numpy as np

import mr
from experiments.tsang2006.protocol import fit_graph, labelled_rows, machine, partly_labelled, timed_fit

VALIDATION, TEST = 1001, 1002
"""Seeds of the moons for validation and test."""


def moons_options(n, draw, params) -> dict:
    """Options of the data set: other moons at every draw."""
    return {"n_samples": n, "random_state": draw, "noise": params["noise"]}


@cache
def load_moons(n, draw, noise):
    return mr.datasets.load("two_moons", **moons_options(n, draw, {"noise": noise}))


def held_out(params):
    """Fresh moons for validation and for the test."""
    return [
        load_moons(params[size], seed, params["noise"])
        for size, seed in (("n_validation", VALIDATION), ("n_test", TEST))
    ]


def prepared(n, draw, params, label_seed):
    """Data, labels of one random point per class (the rest -1), affinity of the graph and its seconds."""
    data = mr.datasets.load("two_moons", **moons_options(n, draw, params))
    given = partly_labelled(data.y, labelled_rows(data.y, 1, np.random.default_rng(label_seed)))
    affinity, seconds = fit_graph(data.X, params["graph"])
    return data, given, affinity, seconds


def fit_moons(spec, cell, prepared_draw, params, seed):
    """One machine: its cost, its certificate, and its accuracy on validation and test moons."""
    data, given, affinity, seconds = prepared_draw
    estimator, row = timed_fit(machine(spec, cell, affinity, seed), data.X, given)
    validation, test = held_out(params)
    row |= {"validation": 100.0 * float(estimator.score(validation.X, validation.y)), "parameters": json.dumps(cell)}
    return row | {"accuracy_pct": 100.0 * float(estimator.score(test.X, test.y)), "graph_seconds": seconds}
