"""belkin2006 Figure 4: error at the break-even point on 45 pairs of USPS digits, two labels per class, 10 draws.

Claims: Laplacian machines beat inductive ones on every pair and match or beat TSVM; errors on unlabelled and on test
points agree (the extension to new points is good); LapSVM depends less on the draw than SVM and TSVM. The rows of TSVM
also count the quadratic programs it solved, in all points, where LapSVM solves one in the labelled points.
"""

from experiments.belkin2006 import protocol
from experiments.belkin2006.protocol import TRANSDUCTIVE, UNLABELLED, row
from experiments.belkin2006.usps import PairProblem, pairs

ID = "belkin2006_fig4"
TOLERANCE = protocol.SWITCHING


def datasets(params):
    return [params["dataset"]]


def tasks(params):
    return [
        {"dataset": params["dataset"], "pair": pair, "method": method}
        for pair in pairs(params["digits"])
        for method in params["methods"]
    ]


def run_task(task, params, store):
    problem = PairProblem(store.dataset(task["dataset"]), task["pair"], params["n_first"], params["n_components"])
    method = task["method"]
    path = problem.path(method, params["kernel"], params["graph"])
    rows = []
    for labelled in problem.draws(params["n_labelled"], store.seed_sequence(task, "pair"), params["n_draws"]):
        errors, info = problem.errors(path, params["methods"][method], labelled)
        rows += [row(method, part, "error_pct", error) for part, error in errors.items()]
        if method == TRANSDUCTIVE:
            rows.append(row(method, UNLABELLED, "quadratic_programs", info["n_programs"]))
    return [{"dataset": f"{task['dataset'].upper()} {task['pair']}"} | entry for entry in rows]


def summarise(rows, params):
    return protocol.summarise(ID, rows)
