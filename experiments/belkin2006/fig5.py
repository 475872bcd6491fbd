"""belkin2006 Figure 5: mean error at the break-even point over the 45 USPS pairs, as the number of labels grows.

Claim: the gap between Laplacian and inductive machines is largest with few labels and closes as labels grow. Labelled
sets are nested, and with two labels per class they are those of Figure 4. The standard deviation is over the pairs.
"""

import numpy as np

from experiments.belkin2006 import protocol
from experiments.belkin2006.protocol import TEST, UNLABELLED, row
from experiments.belkin2006.usps import PairProblem, pairs

ID = "belkin2006_fig5"
NAMES = {"usps": "USPS-45-pairs"}


def datasets(params):
    return [params["dataset"]]


def tasks(params):
    return [{"dataset": params["dataset"], "pair": pair} for pair in pairs(params["digits"])]


def run_task(task, params, store):
    problem = PairProblem(store.dataset(task["dataset"]), task["pair"], params["n_first"], params["n_components"])
    paths = {method: problem.path(method, params["kernel"], params["graph"]) for method in params["methods"]}
    rows = []
    for l in params["n_labelled"]:
        draws = problem.draws(l, store.seed_sequence(task, "pair"), params["n_draws"])
        for method, path in paths.items():
            errors = [problem.errors(path, params["methods"][method], labelled)[0] for labelled in draws]
            for part in (UNLABELLED, TEST):
                error = np.mean([found[part] for found in errors])
                rows.append(row(method, f"l={l} a class, {part}", "error_pct", error, n_labelled=l, part=part))
    return rows


def summarise(rows, params):
    return protocol.summarise(ID, rows, NAMES)
