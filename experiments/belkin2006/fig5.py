"""belkin2006 Figure 5: mean error at the break-even point over the 45 USPS pairs, as the number of labels grows.

Claim: the gap between Laplacian and inductive machines is largest with few labels and closes as labels grow. Labelled
sets are nested, and with two labels a class they are those of Figure 4. The standard deviation is over the pairs.
"""

import numpy as np

from experiments.belkin2006 import protocol as belkin2006
from experiments.belkin2006.protocol import TEST, UNLABELLED, break_even_pct, draw_per_class, others, row
from experiments.belkin2006.usps import PairProblem, pairs

ID = "belkin2006_fig5"
NAMES = {"usps": "USPS-45-pairs"}


def datasets(params):
    return [params["dataset"]]


def tasks(params):
    return [{"dataset": params["dataset"], "pair": pair} for pair in pairs(params["digits"])]


def run_task(task, params, store):
    problem = PairProblem(store.dataset(task["dataset"]), task["pair"], params["n_first"], params["n_components"])
    machines = problem.machines(params["kernel"], params["graph"])
    rows = []
    for l in params["n_labelled"]:
        draws = draw_per_class(problem.y, {-1.0: l, 1.0: l}, store.seed_sequence(task, "pair"), params["n_draws"])
        for method, weights in params["methods"].items():
            errors = np.array([_errors(problem, machines, method, weights, labelled) for labelled in draws])
            for part, error in zip((UNLABELLED, TEST), errors.mean(axis=0), strict=True):
                rows.append(row(method, f"l={l} a class, {part}", "error_pct", error, n_labelled=l, part=part))
    return rows


def _errors(problem, machines, method, weights, labelled):
    unlabelled = others(len(problem.y), labelled)
    train, test = machines.values(method, weights, labelled, problem.y[labelled, None])
    return break_even_pct(train[unlabelled, 0], problem.y[unlabelled]), break_even_pct(test[:, 0], problem.y_test)


def summarise(rows, params):
    return belkin2006.summarise(rows, NAMES)
