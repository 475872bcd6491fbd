"""Two moons over C and theta at several n: the exact optimum beside the sampled stopping rule, and the others' grids.

Every method has a grid of the same number of cells. ``exact`` is Newton's method; ``sampled`` stops when 59 random
candidates lie inside the ball, as core vector machines do (the text that survives of the paper names no stopping
rule), or at a cap on the core, which is marked. The cells at the smallest n also choose the parameters of Figure 1.
"""

import json

import pandas as pd

from experiments.tsang2006.moons import fit_moons, moons_options, prepared
from experiments.tsang2006.protocol import METRICS, cells, tidy_rows, warm_up

ID = "tsang2006_map"


def datasets(params):
    draws = {
        (n, draw) for spec in params["methods"].values() for n, count in spec["sizes"].items() for draw in range(count)
    }
    return {f"n{n}d{draw}": ("two_moons", moons_options(n, draw, params)) for n, draw in sorted(draws)}


def tasks(params):
    return [
        {"dataset": f"n{n}d{draw}", "n": n, "method": method, "draw": draw}
        for method, spec in params["methods"].items()
        for n, count in spec["sizes"].items()
        for draw in range(count)
    ]


def run_task(task, params, store):
    spec = params["methods"][task["method"]]
    drawn = prepared(task["n"], task["draw"], params, store.random_state(task, "n", "draw"))
    warm_up()
    seed = store.random_state(task, "n", "draw", "method")
    return [fit_moons(spec, cell, drawn, params, seed) | {"data": "two moons"} for cell in cells(spec["grid"])]


def summarise(rows, params):
    groups = [group for _, group in rows.groupby(["method", "n", "parameters"], sort=False)]

    def setting(first):
        return f"n={first['n']}, " + ", ".join(f"{k}={v:g}" for k, v in sorted(json.loads(first["parameters"]).items()))

    return pd.DataFrame(tidy_rows(ID, groups, ("accuracy_pct", "validation", *METRICS), setting))
