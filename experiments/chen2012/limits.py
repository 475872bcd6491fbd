"""Equations of chen2012 shown numerically: the embedding (28), lemma 1, and the limits of proposition 2.

Each row is the largest difference between two ways to the same numbers, on the authors' two moons; every limit at three
values of the weight that grows, so that one sees it shrink. One row is an eigenvalue that the paper takes to be
non-negative.
"""

import numpy as np
import pandas as pd
from scipy import linalg
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVR

import mr
from experiments.tidy import tidy_row
from mr.spectrum import smallest_eigenpairs

ID = "chen2012_limits"
NAMES = {"two_moons_belkin": "two moons"}
SMALLEST = "smallest eigenvalue of W~"
WHAT = ("lemma 1", SMALLEST, "equation 28", "no labels", "SVR", "RLS", "LapRLS")
TOLERANCE = {"difference": float("inf")}  # rounding, or the tolerance of a solver: judged against a bound instead


def datasets(params):
    return {params["dataset"]: (params["dataset"], params["options"])}


def tasks(params):
    return [{"dataset": params["dataset"], "what": what} for what in WHAT]


def run_task(task, params, store):
    data = store.dataset(task["dataset"])
    y = np.full(len(data.y), -1)
    y[params["labelled"]] = np.asarray(data.y)[params["labelled"]]
    graph = mr.KNNGraph(**params["graph"]).fit(data.X)
    found = CHECKS[task["what"]](data.X, y, graph, params)
    return [{"weight": weight, "difference": float(difference)} for weight, difference in found.items()]


def _signs(y):
    rows = np.flatnonzero(y >= 0)
    return rows, np.where(y[rows] == y.max(), 1.0, -1.0)


def _largest(a, b) -> float:
    return float(np.abs(np.ravel(a) - np.ravel(b)).max())


def lemma_1(X, y, graph, params):
    """sigma_i is an eigenvalue of L where 1 - sigma_i is one of W~ = D^-1/2 W D^-1/2."""
    return {0: _largest(smallest_eigenpairs(graph, len(y)).values, 1.0 - _spectrum_of_affinity(graph)[::-1])}


def smallest_of_affinity(X, y, graph, params):
    """The smallest eigenvalue of W~, which the paper calls a kernel matrix, positive semidefinite."""
    return {0: _spectrum_of_affinity(graph)[0]}


def _spectrum_of_affinity(graph):
    W = graph.affinity_.toarray()
    d = 1.0 / np.sqrt(W.sum(axis=1))
    return linalg.eigvalsh(d[:, None] * W * d)


def _embedding(X, y, graph, params, lam):
    """Phi, eigenvalues, Lambda, S and Phi~ of equation 28."""
    pairs = smallest_eigenpairs(graph, params["n_eigenvectors"])
    Lambda = np.where(y >= 0, lam, 0.0)
    S = (pairs.vectors.T * Lambda) @ pairs.vectors + params["mu"] * np.diag(pairs.values)
    values, V = linalg.eigh(S)
    return pairs, S, pairs.vectors @ V / np.sqrt(np.maximum(values, np.finfo(float).tiny))


def equation_28(X, y, graph, params):
    """Phi~ Phi~' against Phi S^-1 Phi', relative to its largest entry."""
    pairs, S, embedding = _embedding(X, y, graph, params, params["lambda"])
    G = pairs.vectors @ linalg.solve(S, pairs.vectors.T)
    return {0: _largest(embedding @ embedding.T, G) / np.abs(G).max()}


def no_labels(X, y, graph, params):
    """Without labels each column of Phi~ is an eigenvector over sqrt(mu sigma), up to its sign; the constant left out.

    Eigenvectors of a repeated eigenvalue are known up to a rotation, so that their projectors are compared.
    """
    pairs, _, embedding = _embedding(X, y, graph, params, 0.0)
    kept = pairs.values > 1e-9
    expected = pairs.vectors[:, kept] / np.sqrt(params["mu"] * pairs.values[kept])
    found = embedding[:, -kept.sum() :]
    return {0: _largest(found @ found.T, expected @ expected.T) / np.abs(expected @ expected.T).max()}


def supervised(X, y, graph, params):
    """Proposition 2: LapESVR with mu = 0 against scikit-learn's SVR (LIBSVM) on the labelled points."""
    rows, targets = _signs(y)
    svr = SVR(C=params["C"], gamma=params["gamma"], epsilon=0.1, tol=1e-9).fit(X[rows], targets).predict(X)
    common = {"C": params["C"], "mu": 0.0, "gamma": params["gamma"], "graph": graph}
    models = {lam: mr.LapESVR(label_weight=lam, tol=1e-9, **common).fit(X, y) for lam in params["growing"]}
    return {lam: _largest(model.decision_function(X), svr) for lam, model in models.items()}


def supervised_rls(X, y, graph, params):
    """Proposition 2: LapERLS with mu = 0 against scikit-learn's kernel ridge regression on the labelled points."""
    rows, targets = _signs(y)
    rls = KernelRidge(alpha=1.0 / params["C"], kernel="rbf", gamma=params["gamma"]).fit(X[rows], targets).predict(X)
    common = {"C": params["C"], "mu": 0.0, "gamma": params["gamma"], "graph": graph}
    models = {lam: mr.LapERLS(label_weight=lam, **common).fit(X, y) for lam in params["growing"]}
    return {lam: _largest(model.decision_function(X), rls) for lam, model in models.items()}


def laplacian_rls(X, y, graph, params):
    """LapERLS with all eigenvectors as C grows, against LapRLS: min 1/2 |f|^2 + lambda/2 |f_l - y|^2 + mu/2 f'Lf."""
    rows, targets = _signs(y)
    K, J = rbf_kernel(X, gamma=params["gamma"]), (y >= 0).astype(float)
    L = graph.laplacian_.toarray()
    system = params["lambda"] * J[:, None] * K + np.eye(len(y)) + params["mu"] * L @ K
    right = np.zeros(len(y))
    right[rows] = params["lambda"] * targets
    lap_rls = K @ linalg.solve(system, right)
    common = {"mu": params["mu"], "label_weight": params["lambda"], "gamma": params["gamma"], "graph": graph}
    models = {C: mr.LapERLS(C=C, n_eigenvectors=len(y), solver="exact", **common).fit(X, y) for C in params["growing"]}
    return {C: _largest(model.decision_function(X), lap_rls) for C, model in models.items()}


CHECKS = dict(
    zip(
        WHAT,
        (lemma_1, smallest_of_affinity, equation_28, no_labels, supervised, supervised_rls, laplacian_rls),
        strict=True,
    )
)


def summarise(rows, params):
    return pd.DataFrame(
        tidy_row(ID, NAMES.get(row["dataset"], row["dataset"]), row["what"], f"weight={row['weight']:g}",
                 [row["difference"]], "eigenvalue" if row["what"] == SMALLEST else "difference", {}, row)
        for row in rows.to_dict("records")
    )  # fmt: skip
