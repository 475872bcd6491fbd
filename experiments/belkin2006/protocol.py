"""What the experiments of belkin2006 share: the five machines on one Gram matrix, the measures, the table of results.

The paper writes its weights as gamma_A l and gamma_I l / (l + u)^2; here they are a and b. A method is described in
``params.yaml`` by those two numbers: SVM and TSVM have C = 1 / (2 a), Laplacian machines the deformation r = b / a.
"""

import json

import numpy as np
import pandas as pd

from mr.metrics import break_even_error, break_even_point
from mr.kernels import Kernel, SharedDeformation
from mr.solvers.rls import solve_rls
from mr.solvers.svm import solve_svc
from mr.solvers.tsvm import solve_tsvm

UNLABELLED, TEST = "unlabelled", "test"
TRANSDUCTIVE = "TSVM"


def kernel_of(spec, X) -> Kernel:
    """Kernel from its entry in params; the paper's Gaussian of width sigma is exp(-d^2 / (2 sigma^2))."""
    spec = dict(spec)
    if "sigma" in spec:
        spec["gamma"] = 1.0 / (2.0 * spec.pop("sigma") ** 2)
    return Kernel(**spec).fit(X)


class Machines:
    """RLS, SVM, LapRLS, LapSVM and TSVM on the same training points: one Gram matrix, one factorisation for all draws.

    Parameters
    ----------
    K : Gram matrix of the training points
    graph : fitted graph on them, or None when no Laplacian machine is asked for
    K_test : Gram block (test points x training points), or None
    """

    def __init__(self, K, graph=None, K_test=None):
        self.K, self.K_test = K, K_test
        self.deformation = None if graph is None else SharedDeformation.from_gram(K, graph)

    def values(self, method, weights, rows, targets):
        """Decision values on training and test points (n x k, t x k) of the method trained on ``rows``.

        ``targets``: l x k in {-1, +1}; ``weights``: {"a": ..., "b": ...}. Test values are None without test points.
        """
        if method == TRANSDUCTIVE:
            return self._transductive(weights, rows, targets)
        a, b = weights["a"], weights.get("b", 0.0)
        columns = self.K[:, rows] if b == 0 else self.deformation.columns(rows, b / a)
        beta, intercept = self._solve(method, columns[rows], targets, a)
        train = columns @ beta + intercept
        if self.K_test is None:
            return train, None
        if b == 0:
            return train, self.K_test[:, rows] @ beta + intercept
        return train, self.K_test @ self.deformation.coefficients(rows, beta, b / a) + intercept

    def _solve(self, method, K, targets, a):
        if method.endswith("RLS"):
            return solve_rls(K, targets, a), 0.0
        if method == "LapRLS with bias":
            return _rls_with_bias(K, targets, a)
        solution = solve_svc(K, targets, 1.0 / (2.0 * a))
        return solution.coefficients, solution.intercepts

    def _transductive(self, weights, rows, targets):
        C = 1.0 / (2.0 * weights["a"])
        solutions = [solve_tsvm(self.K, rows, y, C) for y in targets.T]
        self.n_programs = sum(solution.n_solves for solution in solutions)
        train = np.column_stack([solution.values for solution in solutions])
        if self.K_test is None:
            return train, None
        coefficients = np.column_stack([solution.coefficients for solution in solutions])
        return train, self.K_test @ coefficients + np.array([solution.intercept for solution in solutions])


def _rls_with_bias(K, targets, ridge):
    """min sum (y_i - f_i - c)^2 + ridge ||f||^2 with c free: coefficients sum to zero, as in the SVM."""
    l = len(K)
    system = np.ones((l + 1, l + 1))
    system[:l, :l] = K + ridge * np.eye(l)
    system[l, l] = 0.0
    solution = np.linalg.solve(system, np.vstack([targets, np.zeros((1, targets.shape[1]))]))
    return solution[:l], solution[l]


def break_even_pct(values, y_signed) -> float:
    """Error in percent with the threshold at the precision-recall break-even point (Figures 4 to 7, Table 5)."""
    return 100.0 * break_even_error(y_signed, values)


def prbep_pct(values, y_signed) -> float:
    """Precision (= recall) at the break-even point, in percent (Table 5, Figure 8)."""
    return 100.0 * break_even_point(y_signed, values)


def multiclass_pct(values, y) -> float:
    """Percentage of points whose largest one-versus-rest value is not that of their class."""
    return 100.0 * float((values.argmax(axis=1) != y).mean())


def one_versus_rest(y, n_classes) -> np.ndarray:
    """Targets in {-1, +1}, one column a class."""
    return np.where(np.asarray(y)[:, None] == np.arange(n_classes), 1.0, -1.0)


def others(n, rows) -> np.ndarray:
    """The row numbers 0..n-1 that are not in ``rows``."""
    mask = np.ones(n, dtype=bool)
    mask[rows] = False
    return np.flatnonzero(mask)


def draw_per_class(y, counts, seed_sequence, n_draws) -> list[np.ndarray]:
    """``n_draws`` random labelled sets with ``counts[class]`` rows of each class; smaller counts give subsets."""
    draws = []
    for child in seed_sequence.spawn(n_draws):
        rng = np.random.default_rng(child)
        orders = {c: rng.permutation(np.flatnonzero(y == c)) for c in sorted(counts)}
        draws.append(np.concatenate([orders[c][: counts[c]] for c in sorted(counts)]))
    return draws


def grouped_tasks(key, params, n_units) -> list[dict]:
    """One task for all methods that share a factorisation, over all draws; one a draw for TSVM, which shares none."""
    shared = [method for method in params["methods"] if method != TRANSDUCTIVE]
    tasks = [{"dataset": key, "methods": shared, "units": [0, n_units]}]
    if TRANSDUCTIVE in params["methods"]:
        tasks += [{"dataset": key, "methods": [TRANSDUCTIVE], "units": [i, i + 1]} for i in range(n_units)]
    return tasks


def row(method, setting, metric, value, **parameters) -> dict:
    """One raw row; the same (dataset, method, setting, metric) comes once a run."""
    return {"method": method, "setting": setting, "metric": metric, "value": float(value),
            "parameters": json.dumps(parameters, sort_keys=True)}  # fmt: skip


def summarise(rows, names=None):
    """Mean and standard deviation (ddof = 1) over the runs of each cell."""
    cells = ["dataset", "method", "setting", "metric"]
    grouped = rows.groupby(cells, sort=False)
    tidy = grouped["value"].agg(mean="mean", std="std", n_runs="count").reset_index()
    first = grouped[["parameters", "data_source"]].first().reset_index()
    tidy = tidy.merge(first, on=cells)
    tidy["dataset"] = tidy["dataset"].replace(names or {})
    return pd.DataFrame(tidy)
