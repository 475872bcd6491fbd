"""belkin2006 Table 2: the limits of gamma_A and gamma_I, each as manifold regularisation and as what it becomes.

Rows hold the largest difference of the two functions on the data, relative to the largest value; below 1e-9 it is
rounding, or the reference's own accuracy, and is written as 1e-9. In a limit the first solution is taken at a sequence
of weights that approach it, so the table shows the rate too. References are independent: dense closed forms of the
named algorithm, or a general quadratic program (OSQP), never the deformed kernel.

Two more statements of the paper are checked the same way: Proposition 6, by which the kernel's own norm as intrinsic
norm gives standard regularisation with gamma_A + gamma_I, and the coefficients of unlabelled points, which are zero
without a graph (sections 4.2 and 4.4).
"""

import numpy as np

import mr
from experiments.belkin2006 import protocol
from experiments.belkin2006.limits import hinge_on_graph, hinge_primal, label_propagation, square_on_graph
from experiments.belkin2006.protocol import kernel_options, row
from experiments.splits import reveal, signed
from mr.kernels import Kernel

ID = "belkin2006_table2"
SQUARE, HINGE = "LapRLS", "LapSVM"
FLOOR = 1e-9
TOLERANCE = {"value": 1e-7}  # accuracy of the references that OSQP solves


def datasets(params):
    return {"two moons": (params["dataset"], params["options"])}


def tasks(params):
    return [{"dataset": "two moons", "limit": limit} for limit in LIMITS]


class Problem:
    """Points, labelled rows and targets; ``machine`` is ours, the Gram matrix K and L are for the references."""

    def __init__(self, data, params, seeds):
        rng = np.random.default_rng(seeds)
        self.X, self.options = data.X, kernel_options(params["kernel"])
        self.K = Kernel(self.options["kernel"], self.options["gamma"]).fit(data.X)(data.X)
        self.graph = mr.KNNGraph(**params["graph"])
        self.L = self.graph.fit(data.X).laplacian_.toarray()
        self.rows = np.sort(np.concatenate([rng.permutation(np.flatnonzero(data.y == c))[:3] for c in (0, 1)]))
        self.y, self.partly_labelled = signed(data.y[self.rows]), reveal(data.y, self.rows)
        self.n, self.l = len(self.K), len(self.rows)

    def machine(self, loss, gamma_A, gamma_I):
        """Values on all points of LapRLS or LapSVM, with belkin2006's gamma_A and gamma_I."""
        options = self.options | {"gamma_A": gamma_A, "gamma_I": gamma_I, "graph": self.graph}
        model = mr.LapRLS(**options) if loss == SQUARE else mr.LapSVM(**options, tol=1e-10, fit_intercept=True)
        return model.fit(self.X, self.partly_labelled).decision_function(self.X)


def general(problem, loss, params):
    """gamma_A > 0, gamma_I > 0: the minimiser of the objective, by normal equations or by a quadratic program."""
    A, I = params["gamma_A"], params["gamma_I"]
    if loss == SQUARE:
        K, L, l, n = problem.K, problem.L, problem.l, problem.n
        J = np.eye(n)[problem.rows]
        H = K @ J.T @ J @ K / l + A * K + I / n**2 * K @ L @ K
        reference = K @ np.linalg.lstsq(H, K @ J.T @ problem.y / l, rcond=None)[0]
    else:
        reference = hinge_primal(problem.K, problem.L, problem.rows, problem.y, A, I / problem.n**2)
    yield {"gamma_A": A, "gamma_I": I}, problem.machine(loss, A, I), reference


def standard(problem, loss, params):
    """gamma_I = 0: the machine without a graph, on the labelled points alone."""
    A = params["gamma_A"]
    K = problem.K[np.ix_(problem.rows, problem.rows)]
    if loss == SQUARE:
        reference = problem.K[:, problem.rows] @ np.linalg.solve(K + A * problem.l * np.eye(problem.l), problem.y)
    else:
        reference = hinge_primal(K, None, np.arange(problem.l), problem.y, A, 0.0, problem.K[:, problem.rows])
    yield {"gamma_A": A, "gamma_I": 0.0}, problem.machine(loss, A, 0.0), reference


def graph_regularisation(problem, loss, params):
    """gamma_A -> 0, gamma_I > 0: the same loss with f'Lf as the only norm, over all functions on the graph."""
    I = params["gamma_I"]
    solve = square_on_graph if loss == SQUARE else hinge_on_graph
    reference = solve(problem.L, problem.rows, problem.y, I / problem.n**2)
    for A in params["vanishing"]:
        yield {"gamma_A": A, "gamma_I": I}, problem.machine(loss, A, I), reference


def propagation(problem, loss, params):
    """gamma_A -> 0, gamma_I -> 0, gamma_I >> gamma_A: the smoothest function on the graph that fits the labels.

    Here gamma_I / n^2 is the root of gamma_A: both vanish, and their ratio too.
    """
    reference = label_propagation(problem.L, problem.rows, problem.y, loss == HINGE)
    for A in params["vanishing"]:
        I = np.sqrt(A) * problem.n**2
        yield {"gamma_A": A, "gamma_I": I}, problem.machine(loss, A, I), reference


def interpolation(problem, loss, params):
    """gamma_A -> 0, gamma_I = 0: interpolation of least norm, hard-margin SVM."""
    K = problem.K[np.ix_(problem.rows, problem.rows)]
    columns = problem.K[:, problem.rows]
    if loss == SQUARE:
        reference = columns @ np.linalg.solve(K, problem.y)
    else:
        reference = hinge_primal(K, None, np.arange(problem.l), problem.y, None, 0.0, columns)
    for A in params["vanishing"]:
        yield {"gamma_A": A, "gamma_I": 0.0}, problem.machine(loss, A, 0.0), reference


def own_norm(problem, loss, params):
    """Proposition 6: f'K^-1 f on the points as intrinsic norm; the reference has one norm and gamma_A + gamma_I."""
    A, I = params["gamma_A"], params["gamma_I"]
    inverse, weight = np.linalg.inv(problem.K), I / problem.n**2
    total = A + weight
    if loss == SQUARE:
        K, l = problem.K, problem.l
        J = np.eye(problem.n)[problem.rows]
        H = K @ J.T @ J @ K / l + A * K + weight * K @ inverse @ K
        found = K @ np.linalg.lstsq(H, K @ J.T @ problem.y / l, rcond=None)[0]
        model = mr.RLS(total, **problem.options)
    else:
        found = hinge_primal(problem.K, inverse, problem.rows, problem.y, A, weight)
        model = mr.SVM(total, **problem.options, tol=1e-10)
    reference = model.fit(problem.X, problem.partly_labelled).decision_function(problem.X)
    yield {"gamma_A": A, "gamma_I": I}, found, reference


def coefficients(problem, loss, params):
    """gamma_I = 0: coefficients of the estimator over all points, and the same with zeros on the unlabelled ones."""
    options = problem.options | {"gamma_A": params["gamma_A"], "gamma_I": 0.0, "graph": problem.graph}
    model = mr.LapRLS(**options) if loss == SQUARE else mr.LapSVM(**options, fit_intercept=True)
    found = model.fit(problem.X, problem.partly_labelled).dual_coef_[:, 0]
    expected = np.zeros_like(found)
    expected[problem.rows] = found[problem.rows]
    yield {"gamma_A": params["gamma_A"], "gamma_I": 0.0}, found, expected


LIMITS = {
    "manifold regularization": general,
    "standard regularization": standard,
    "graph regularization": graph_regularisation,
    "label propagation": propagation,
    "interpolation, hard margin": interpolation,
    "proposition 6": own_norm,
    "zero coefficients": coefficients,
}


def run_task(task, params, store):
    problem = Problem(store.dataset("two moons"), params, store.seed_sequence(task, "dataset"))
    rows = []
    for loss in (SQUARE, HINGE):
        for weights, ours, reference in LIMITS[task["limit"]](problem, loss, params):
            difference = max(np.abs(ours - reference).max() / np.abs(reference).max(), FLOOR)
            setting = f"{task['limit']}, gamma_A={weights['gamma_A']:.0e}"
            rows.append(row(loss, setting, "relative_difference", difference, limit=task["limit"], **weights))
    return rows


def summarise(rows, params):
    return protocol.summarise(ID, rows)
