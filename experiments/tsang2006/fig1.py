"""tsang2006 Figure 1: two moons, one label per class, up to a million unlabelled points.

Accuracy on fresh points, seconds, kernel expansions and peak memory against n, for SLapCVM (furthest of 59, as
in core vector machines), exact LapSVM and reduced LapSVM, each as far as its memory goes, at the parameters that
validation chose at the smallest n of :mod:`experiments.tsang2006.map`. ``SLapCVM, exact`` differs in the stopping rule
only: it looks at all edges before it stops. ``Reduced LapSVM, chosen at each n`` has its parameters from
:mod:`experiments.tsang2006.reduced`, because gamma_I is divided by n^2 and a fixed number fades. Peak memory is
measured on the first draw, in a process that does nothing but build the graph and fit.
"""

import json

import pandas as pd

from experiments.tsang2006 import map as accuracy_map
from experiments.tsang2006.moons import fit_moons, moons_options, prepared
from experiments.tsang2006.protocol import METRICS, SHOWN, chosen_cell, draws, in_child, tidy_rows, warm_up

ID = "tsang2006_fig1"


def datasets(params):
    sizes = sorted({n for spec in params["methods"].values() for n in spec["sizes"]})
    pairs = [(n, draw) for n in sizes for draw in draws(n, params)]
    return {f"n{n}d{draw}": ("two_moons", moons_options(n, draw, params)) for n, draw in pairs}


def tasks(params):
    return [
        {"dataset": f"n{n}d{draw}", "n": n, "method": method, "draw": draw}
        for method, spec in params["methods"].items()
        for n in spec["sizes"]
        for draw in draws(n, params)
    ]


def needs(task, params):
    """Rows that choose: of the map at its smallest n, or of the artifact ``choice_in`` at the task's own n."""
    spec, artifact = params["methods"][task["method"]], accuracy_map.ID
    n, count = params["n_choice"], params["n_draws_choice"]
    if "choice_in" in spec:
        artifact, n, count = spec["choice_in"], task["n"], spec["choice_draws"]
    return [
        (artifact, {"dataset": f"n{n}d{draw}", "n": n, "method": spec["choice"], "draw": draw}) for draw in range(count)
    ]


def run_task(task, params, store):
    """One fit: its scores on validation and test points and its cost."""
    spec = params["methods"][task["method"]]
    cell = chosen_cell(needs(task, params), store)
    seeds = store.random_state(task, "n", "draw"), store.random_state(task, "n", "draw", "method")
    arguments = (spec, cell, task["n"], task["draw"], params, seeds)
    if params["isolate"] and task["draw"] == 0:
        row, memory = in_child(draw_and_fit, *arguments)
    else:
        warm_up()
        row, memory = draw_and_fit(*arguments), float("nan")
    return [row | {"peak_mib": memory, "data": "two moons", "parameters": json.dumps(cell | spec.get("options", {}))}]


def draw_and_fit(spec, cell, n, draw, params, seeds):
    drawn = prepared(n, draw, params, seeds[0])
    if "theta_at" in spec:  # theta in proportion to the number of edges
        cell = cell | {"theta": cell["theta"] * drawn[2].nnz / 2 / spec["theta_at"]}
    return fit_moons(spec, cell, drawn, params, seeds[1])


def summarise(rows, params):
    rows = rows.assign(method=rows["method"].replace(SHOWN))
    groups = [group for _, group in rows.groupby(["method", "n"], sort=False)]
    metrics = ("accuracy_pct", *METRICS, "peak_mib")
    return pd.DataFrame(tidy_rows(ID, groups, metrics, lambda first: f"n={first['n']}, 1 label per class"))
