"""belkin2006, section 6: the regularised eigenmap (6.1, Remark 2) and class-wise regularisation (6.2), demonstrated.

The paper proposes both and leaves their study to future work, so there is nothing printed to compare with.

``eigenmap``
    The first eigenfunctions of equation 14 on images of a few digits. Rows: the largest angle between their span and
    that of the eigenvectors of L on the data, as gamma falls; and the error of a nearest-neighbour rule in the
    coordinates, on the embedded points (each without itself) and on new ones that the functions place.
``classwise``
    All training points are labelled. LapRLS with gamma_I+ = gamma_I-: its difference from the formula of section 4.2
    with the block-diagonal matrix in place of gamma_I L, and its test error for growing weights; weight 0 is RLS.
"""

import numpy as np
from scipy import linalg
from sklearn.neighbors import KNeighborsClassifier

import mr
from experiments.belkin2006 import protocol
from experiments.belkin2006.protocol import kernel_options, row
from experiments.belkin2006.usps import PairProblem, principal_components
from mr.kernels import Kernel

ID = "belkin2006_section6"
VERSION = 2
TOLERANCE = {"value": 1e-3}  # angles in degrees, of subspaces whose eigenvalues lie close together


def datasets(params):
    return {key: entry["name"] for key, entry in params["datasets"].items()}


def tasks(params):
    return [{"dataset": key} for key in params["datasets"]]


def run_task(task, params, store):
    return list(RUNS[task["dataset"]](params["datasets"][task["dataset"]], store, task))


def _eigenmap(entry, store, task):
    data = store.dataset("eigenmap")
    part = data.splits.get("train", np.arange(len(data.y)))
    X, y = principal_components(data.X[part], entry["n_components"]), data.y[part]
    rows = [np.flatnonzero(y == digit) for digit in entry["digits"]]
    train = np.concatenate([found[: entry["n_first"]] for found in rows])
    new = np.concatenate([found[entry["n_first"] : 2 * entry["n_first"]] for found in rows])
    graph = mr.KNNGraph(**entry["graph"])
    L, m = graph.fit(X[train]).laplacian_.toarray(), entry["n_coordinates"]
    exact = linalg.eigh(L, subset_by_index=[1, m])[1]
    for gamma in entry["gamma"]:
        options = kernel_options(entry["kernel"]) | {"graph": graph}
        model = mr.RegularizedEigenmap(m, gamma, **options).fit(X[train])
        angle = np.degrees(linalg.subspace_angles(model.embedding_, exact).max())
        entries, name = {"gamma": gamma}, f"gamma={gamma:g}"
        yield row("eigenmap", f"{name}, angle to the eigenvectors of L", "degrees", angle, **entries)
        nearest = KNeighborsClassifier(1).fit(model.embedding_, y[train])
        inside = nearest.kneighbors(return_distance=False)[:, 0]  # of each point, itself left out
        errors = {"embedded": y[train][inside] != y[train], "new": nearest.predict(model.transform(X[new])) != y[new]}
        for where, wrong in errors.items():
            yield row("eigenmap", f"{name}, {where}", "error_pct", 100.0 * wrong.mean(), part=where, **entries)


def _classwise(entry, store, task):
    largest = dict.fromkeys(entry["weights"], 1e-9)  # below it is rounding
    for pair in entry["pairs"]:
        problem = PairProblem(store.dataset("classwise"), pair, entry["n_first"], entry["n_components"])
        draws = problem.draws(entry["n_labelled"], store.seed_sequence({"pair": pair}), entry["n_draws"])
        for chosen in draws:
            X, y, graph = problem.X[chosen], problem.y[chosen], mr.KNNGraph(**entry["graph"])
            for weight in entry["weights"]:
                options = kernel_options(entry["kernel"])
                a, gamma_I = entry["a"] / len(y), weight * len(y) ** 2 / len(y)
                model = mr.LapRLS(a, 1.0, graph=graph, class_gamma_I=[gamma_I, gamma_I], **options).fit(X, y)
                values = model.decision_function(X)
                expected = _block_diagonal(X, y, graph, options, a, gamma_I)
                difference = np.abs(values - expected).max() / np.abs(expected).max()
                name, entries = f"weight={weight:g}", {"weight": weight}
                wrong = model.predict(problem.X_test) != problem.y_test
                yield row("class-wise LapRLS", f"{name}, test", "error_pct", 100.0 * wrong.mean(), **entries)
                largest[weight] = max(largest[weight], difference)
    for weight, difference in largest.items():
        name = f"weight={weight:g}, formula"
        yield row("class-wise LapRLS", name, "relative_difference", difference, weight=weight)


def _block_diagonal(X, y, graph, options, gamma_A, gamma_I):
    """Equation 8 with blockdiag(gamma_I+ L+, gamma_I- L-) in place of gamma_I L, all points labelled."""
    n = len(y)
    K = Kernel(options["kernel"], options["gamma"], options.get("degree", 3), options.get("coef0", 0.0)).fit(X)(X)
    blocks = np.zeros((n, n))
    for c in (0, 1):
        rows = np.flatnonzero(y == c)
        blocks[np.ix_(rows, rows)] = gamma_I * graph.fit(X[rows]).laplacian_.toarray()
    alpha = linalg.solve(K + gamma_A * n * np.eye(n) + n / n**2 * blocks @ K, np.where(y == 1, 1.0, -1.0))
    return K @ alpha


RUNS = {"eigenmap": _eigenmap, "classwise": _classwise}


def summarise(rows, params):
    return protocol.summarise(ID, rows)
