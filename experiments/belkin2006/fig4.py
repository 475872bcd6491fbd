"""belkin2006 Figure 4: error at the break-even point on 45 pairs of USPS digits, two labels a class, 10 draws.

Claims: Laplacian machines beat inductive ones on every pair and match or beat TSVM; errors on unlabelled and on test
points agree (the extension to new points is good); LapSVM depends less on the draw than SVM and TSVM. The rows of TSVM
also count the quadratic programs it solved, in all points, where LapSVM solves one in the labelled points.
"""

from experiments.belkin2006 import protocol as belkin2006
from experiments.belkin2006.protocol import TEST, TRANSDUCTIVE, UNLABELLED, break_even_pct, draw_per_class, others, row
from experiments.belkin2006.usps import PairProblem, pairs

ID = "belkin2006_fig4"


def datasets(params):
    return [params["dataset"]]


def tasks(params):
    return [{"dataset": params["dataset"], "pair": pair} for pair in pairs(params["digits"])]


def run_task(task, params, store):
    problem = PairProblem(store.dataset(task["dataset"]), task["pair"], params["n_first"], params["n_components"])
    machines = problem.machines(params["kernel"], params["graph"])
    counts = {-1.0: params["n_labelled"], 1.0: params["n_labelled"]}
    rows = []
    for labelled in draw_per_class(problem.y, counts, store.seed_sequence(task, "pair"), params["n_draws"]):
        unlabelled = others(len(problem.y), labelled)
        for method, weights in params["methods"].items():
            train, test = machines.values(method, weights, labelled, problem.y[labelled, None])
            rows.append(
                row(method, UNLABELLED, "error_pct", break_even_pct(train[unlabelled, 0], problem.y[unlabelled]))
            )
            rows.append(row(method, TEST, "error_pct", break_even_pct(test[:, 0], problem.y_test)))
            if method == TRANSDUCTIVE:
                rows.append(row(method, UNLABELLED, "quadratic_programs", machines.n_programs))
    return [{"dataset": f"{task['dataset'].upper()} {task['pair']}"} | entry for entry in rows]


def summarise(rows, params):
    return belkin2006.summarise(rows)
