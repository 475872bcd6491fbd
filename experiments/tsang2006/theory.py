"""What tsang2006 says without a figure: sections 3.1 to 3.4, Table 1, and the memory of the machines it compares with.

``zero tube``  the optimum whose tube is 0 is the two-norm LapSVM (section 3.1);
``lasso``      core vector regression is LASSO in the norm of the kernel, equations (10) and (11);
``epsilon``    points of the core against epsilon, and the bound 2 / epsilon (section 3.4);
``sparsity``   edges and points in the solution (section 3.3.1), and Newton's method against core sets by duality gap;
``table 1``    sizes of our data sets;
``memory``     what LapSVM and reduced LapSVM would need on all points, in GiB;
``refusal``    what our LapSVM answers when it is asked for all points.
"""

import re

import numpy as np
import pandas as pd
from scipy import linalg, sparse
from sklearn.linear_model import Lasso
from sklearn.metrics.pairwise import rbf_kernel

import mr
from experiments.tidy import tidy_row
from experiments.tsang2006.images import draw_of, training_part
from experiments.tsang2006.protocol import fit_graph, labelled_rows, partly_labelled

ID = "tsang2006_theory"
GIB = 2**30
TOLERANCE = {"value": 1e-6}  # differences near rounding are others on other machines
GRAPH = {"n_neighbors": 6, "n_jobs": 1}


def datasets(params):
    return {key: (spec["name"], spec.get("options", {})) for key, spec in params["datasets"].items()}


def tasks(params):
    return [{"dataset": key, "question": part} for key, spec in params["datasets"].items() for part in spec["parts"]]


def run_task(task, params, store):
    """Long rows: setting, metric, value."""
    spec, data = params["datasets"][task["dataset"]], store.dataset(task["dataset"])
    rows = PARTS[task["question"]](data, spec | spec["parts"][task["question"]], store, task)
    return [{"data": spec["title"], "method": task["question"]} | row for row in rows]


def summarise(rows, params):
    groups = rows.groupby(["data", "method", "setting", "metric"], sort=False)
    return pd.DataFrame([
        tidy_row(ID, *key[:3], group["value"], key[3], None, group) for key, group in groups
    ])  # fmt: skip


def entries(setting, **values):
    return [{"setting": setting, "metric": name, "value": float(value)} for name, value in values.items()]


def few_moons(data, n, seed):
    """n points, one label per class, their affinity."""
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(data.y))[:n])
    X, y = data.X[rows], data.y[rows]
    return X, y, partly_labelled(y, labelled_rows(y, 1, rng)), fit_graph(X, GRAPH)[0]


def zero_tube(data, spec, store, task):
    """t falls as mu grows with C / mu fixed. Where it crosses 0 only squared losses are left: the two-norm LapSVM.

    With a = C / mu: min 1/m sum_i (1 - y_i f_i)_+^2 + 1/a (||w||^2 + b^2) + theta / |E| f'Lf. A penalised bias is a
    constant in the kernel.
    """
    X, _, given, affinity = few_moons(data, spec["n"], 0)
    graph, gamma = mr.PrecomputedGraph(affinity, laplacian="unnormalized"), spec["gamma"]

    def machine(mu):
        options = {"theta": spec["theta"], "gamma": gamma, "graph": graph, "solver": "newton", "max_iter": None}
        return mr.SLapCVM(C=spec["strength"] * mu, mu=mu, **options).fit(X, given)

    def kernel(A, B):
        return rbf_kernel(A, B, gamma=gamma) + 1.0

    weights = {"gamma_A": 1.0 / spec["strength"], "gamma_I": len(X) ** 2 * spec["theta"] / (affinity.nnz / 2)}
    values = mr.PrimalLapSVM(kernel=kernel, graph=graph, **weights).fit(X, given).decision_function(X)
    scale, out = np.abs(values).max(), []
    low, high = np.log10(spec["mu"])  # t > 0 at the first, t < 0 at the second
    for _ in range(spec["halvings"]):
        middle = 0.5 * (low + high)
        fitted = machine(10.0**middle)
        low, high = (middle, high) if fitted.tube_[0] > 0 else (low, middle)
    for mu in (spec["mu"][0], 10.0**middle, spec["mu"][1]):
        fitted = machine(mu)
        difference = np.abs(fitted.decision_function(X) - values).max() / scale
        out += entries(f"mu={mu:.3g}", tube=fitted.tube_[0], difference_from_lapsvm=difference)
    return out


def lasso(data, spec, store, task):
    """Coefficients of core vector regression (SLapCVR without edges) and of LASSO, by a solver that knows no SVM.

    (10) is min_b (y - Kb)'K^-1(y - Kb) + m mu / C ||b||^2 with ||b||_1 = C; the multiplier of the constraint is twice
    the tube. With K + m mu / C I = RR', that is ||R^-1 y - R'b||^2 + 2 t ||b||_1.
    """
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(0.0, 6.0, spec["n"]))[:, None]
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=len(X))
    y = (y - y.mean()) / y.std()
    out = []
    for mu in spec["mu"]:
        options = {"theta": 0.0, "gamma": spec["gamma"], "solver": "newton", "max_iter": None}
        fitted = mr.SLapCVR(C=spec["C"], mu=mu, **options).fit(X, y)
        ours = np.zeros(len(X))
        ours[fitted.support_] = fitted.dual_coef_[:, 0]
        tube = fitted.tube_[0]
        K = rbf_kernel(X, gamma=spec["gamma"]) + 1.0
        R = linalg.cholesky(K + len(X) * mu / spec["C"] * np.eye(len(X)), lower=True)
        model = Lasso(alpha=tube / len(X), fit_intercept=False, tol=1e-14, max_iter=10**6)
        theirs = model.fit(R.T, linalg.solve_triangular(R, y, lower=True)).coef_
        out += entries(
            f"mu={mu:g}", tube=tube, norm_1_over_C=np.abs(theirs).sum() / spec["C"],
            difference_of_coefficients=np.abs(ours - theirs).max() / np.abs(ours).max(),
            nonzero_core_vector=(np.abs(ours) > 1e-6 * np.abs(ours).max()).sum(),
            nonzero_lasso=(np.abs(theirs) > 1e-6 * np.abs(ours).max()).sum(),
        )  # fmt: skip
    return out


def iterations(data, spec, store, task):
    """Points that the core gained against epsilon: at most 2 / epsilon by the theory of core sets."""
    X, _, given, affinity = few_moons(data, spec["n"], 0)
    graph, out = mr.PrecomputedGraph(affinity, laplacian="unnormalized"), []
    for epsilon in spec["epsilon"]:
        options = {"epsilon": epsilon, "solver": "core-set", "max_core": 20000, "max_iter": None}
        fitted = mr.SLapCVM(graph=graph, **spec["cell"], **options).fit(X, given)
        out += entries(
            f"epsilon={epsilon:g}", points_gained=fitted.core_size_ - 2, bound=2.0 / epsilon,
            achieved_epsilon=fitted.achieved_epsilon_, duality_gap=fitted.dual_gap_,
        )  # fmt: skip
    return out


def sparsity(data, spec, store, task):
    """Edges outside the tube and points in the solution, in percent; and how far the two solvers are apart."""
    out = []
    for draw in range(spec["n_draws"]):
        if "per_class" in spec:
            drawn = draw_of({"dataset": task["dataset"], "n": spec["n"], "draw": draw}, data, spec, store)
            X, given, affinity = drawn.X, drawn.given, drawn.affinity
        else:
            X, _, given, affinity = few_moons(data, spec["n"], draw)
        options = {"graph": mr.PrecomputedGraph(affinity, laplacian="unnormalized"), "max_iter": None} | spec["cell"]
        newton = mr.SLapCVM(solver="newton", **options).fit(X, given)
        core = mr.SLapCVM(solver="core-set", epsilon=spec["epsilon"], max_core=20000, **options).fit(X, given)
        values = newton.decision_function(X)
        edges = affinity.tocoo()
        keep = edges.row < edges.col
        size = np.sqrt(edges.data[keep]) * np.abs(values[edges.row[keep]] - values[edges.col[keep]])
        outside = size > newton.tube_[0] + 1e-9 * np.abs(values).max()
        endpoints = np.union1d(edges.row[keep][outside], edges.col[keep][outside])
        known = np.union1d(endpoints, np.flatnonzero(given >= 0))
        out += entries(
            f"n={spec['n']}", edges_pct=100.0 * outside.mean(), points_pct=100.0 * newton.n_support_ / len(X),
            points_without_such_edge=len(np.setdiff1d(newton.support_, known)), gap_newton=newton.dual_gap_,
            gap_core_set=core.dual_gap_, difference_of_solvers=np.abs(core.decision_function(X) - values).max(),
        )  # fmt: skip
    return out


def table1(data, spec, store, task):
    """Attributes, and training and test rows of each class."""
    train, test = (data.y[data.splits[name]] for name in ("train", "test"))
    counts = {
        "train": len(train),
        "train_class_1": (train == 1).sum(),
        "test": len(test),
        "test_class_1": (test == 1).sum(),
    }
    return entries("all rows", attributes=data.X.shape[1], **counts)


def memory(data, spec, store, task):
    """GiB of a Gram matrix (LapSVM; the factorisation takes more) and of an n x r kernel with its factor (reduced)."""
    n, r = spec["n"], spec["r"]
    return entries(f"n={n}, r={r}", full_gib=8 * n**2 / GIB, reduced_gib=2 * 8 * n * r / GIB)


def refusal(data, spec, store, task):
    """Our LapSVM on all training points: the GiB that it asks for before it gives up.

    The graph is a mere chain: the refusal comes before it is used.
    """
    rows = training_part(data)
    X, y = np.asarray(data.X[rows], dtype=np.float32), data.y[rows]
    given = partly_labelled(y, labelled_rows(y, 1, np.random.default_rng(0)))
    links = np.ones(len(X) - 1)
    chain = sparse.diags_array([links, links], offsets=[-1, 1], format="csr")
    machine = mr.LapSVM(graph=mr.PrecomputedGraph(chain, laplacian="unnormalized"), **spec["options"])
    try:
        machine.fit(X, given)
    except MemoryError as error:
        (asked,) = re.findall(r"needs ([0-9.]+) GiB", str(error))
        return entries(f"n={len(X)}", gib_asked_for=asked)
    raise RuntimeError(f"LapSVM was expected to refuse {len(X)} points for want of memory, and did not")


PARTS = {
    "zero tube": zero_tube, "lasso": lasso, "epsilon": iterations, "sparsity": sparsity, "table 1": table1,
    "memory": memory, "refusal": refusal,
}  # fmt: skip
