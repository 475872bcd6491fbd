"""What the artifacts of chen2012 share: labelled targets, the graph kernel's sweeps, rows and their summary."""

import json

import numpy as np
import pandas as pd
from scipy import linalg

from experiments.splits import error_pct
from mr.solvers.embedding import embed
from mr.solvers.epsilon_newton import solve_epsilon_svr_newton

BEST = "l=10, transductive, best on test"


def graph_kernel(pairs, n_eigenvectors, rows, y, label_weight, mu, power):
    """chen2012's embedding from the first eigenpairs of a stored spectrum."""
    targets = np.asarray(y, dtype=float)[rows][:, None]
    values, vectors = pairs.values[:n_eigenvectors], pairs.vectors[:, :n_eigenvectors]
    return embed(values, vectors, rows, targets, label_weight, mu, power, free=True)


def lap_esvr_path(K, embedding, Cs, epsilon=0.1, tol=1e-3):
    """(C, decision values, solution) for ascending C: one starts the next, and is final once nothing binds."""
    Q = K + embedding.features @ embedding.features.T
    y, start, bound = embedding.targets[:, 0], None, 0.0
    for C in sorted(Cs):
        if start is None or np.abs(start).max() >= bound:
            solution = solve_epsilon_svr_newton(Q, y, C, epsilon, tol, start)
            start = solution.coefficients
            values = K @ start + solution.bias
        bound = C * (1 - 1e-9)
        yield C, values, solution


class ErlsSweep:
    """LapERLS for every C, mu, lambda and labelled set from one eigendecomposition of K.

    With Phi the eigenvectors of the graph and S as in chen2012's equation 29, Woodbury's identity turns the n x n
    system (K + Phi S^-1 Phi' + I/C) a = y~ into one of the size of S:

        a = A^-1 Phi z,    (S + Phi'A^-1 Phi) z = lambda Phi_l'y_l,    A = K + I/C,    f = K A^-1 Phi z.
    """

    def __init__(self, K, pairs, n_eigenvectors, power):
        self._kernel_values, self._basis = linalg.eigh(K)
        self._kernel_values = np.maximum(self._kernel_values, 0.0)
        self.vectors = pairs.vectors[:, :n_eigenvectors]
        self._smoothness = pairs.values[:n_eigenvectors] ** power
        self._rotated = self._basis.T @ self.vectors
        self._parts = {}

    def _at(self, C):
        """Phi'A^-1 Phi and K A^-1 Phi."""
        if C not in self._parts:
            inverse = 1.0 / (self._kernel_values + 1.0 / C)
            inner = (self._rotated.T * inverse) @ self._rotated
            self._parts[C] = inner, (self._basis * (self._kernel_values * inverse)) @ self._rotated
        return self._parts[C]

    def fit(self, rows, y, C, mu, label_weight):
        """Decision values on all points, and exact leave-one-out predictions on the labelled ones."""
        inner, outer = self._at(C)
        labelled = self.vectors[rows]
        system = inner + label_weight * (labelled.T @ labelled)
        system.flat[:: len(system) + 1] += mu * self._smoothness
        solved = linalg.solve(system, labelled.T, assume_a="pos")
        z = solved @ (label_weight * y[rows])
        values = outer @ z
        # without label i the system loses lambda phi_i phi_i': one step of Sherman and Morrison
        leverage = label_weight * np.einsum("ij,ji->i", labelled, solved)
        shift = label_weight * (labelled @ z - y[rows]) / np.maximum(1.0 - leverage, 1e-12)
        return values, values[rows] + np.einsum("ij,ji->i", outer[rows], solved) * shift


def row(parameters, split, values, y, rows, loo=None, **more):
    """One raw row: the error on all but the labelled rows, and the leave-one-out loss on these."""
    loss = float("nan") if loo is None else float(np.mean((loo - y[rows]) ** 2))
    common = {"parameters": json.dumps(parameters), "split": split}
    return common | {"error_pct": error_pct(values, y, rows), "loo_loss": loss} | more


def best_on_test(group):
    """Errors (one a split) of the parameters with the smallest mean error, and these parameters."""
    errors = group.pivot(index="parameters", columns="split", values="error_pct").loc[group["parameters"].unique()]
    best = errors.mean(axis=1).idxmin()
    return errors.loc[best], best


def chosen_honestly(group):
    """Errors with the parameters of smallest leave-one-out loss, split by split (first of the grid on ties)."""
    order = group["parameters"].unique()
    errors = group.pivot(index="parameters", columns="split", values="error_pct").loc[order]
    loo = group.pivot(index="parameters", columns="split", values="loo_loss").loc[order]
    return np.array([errors.loc[loo[s].idxmin(), s] for s in errors.columns])


def tidy_row(artifact, dataset, method, setting, values, parameters="{}", source="", metric="error_pct"):
    values = np.asarray(values, dtype=float)
    return {
        "artifact": artifact, "dataset": dataset, "method": method, "setting": setting, "metric": metric,
        "mean": float(values.mean()), "std": float(values.std(ddof=1)) if len(values) > 1 else float("nan"),
        "n_runs": len(values), "parameters": parameters, "data_source": source,
    }  # fmt: skip


def average_ranks(tidy, artifact, setting, source) -> list[dict]:
    """Average rank of every method over the data sets that all have; ties share the smaller rank, as printed."""
    cells = tidy[(tidy["setting"] == setting) & (tidy["metric"] == "error_pct")]
    table = cells.pivot(index="method", columns="dataset", values="mean").dropna(axis=1)
    ranks = table.round(2).rank(method="min")
    return [
        tidy_row(artifact, "all", method, setting, ranks.loc[method], metric="average_rank", source=source)
        for method in pd.unique(cells["method"])
    ]
