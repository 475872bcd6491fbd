"""What zhang2015 says of its matrices, in numbers: sections II-C (low-rank error), III-B2 (sparse H), and conditioning.

``matrices``: for several clusterings and every width of the grid, the relative error of K^ = E W^-1 E' with k-means
centres and with as many random rows, both beside the bound

    ||K - K^||_F <= trace(K - K^) <= sum_i ||phi(x_i) - phi(c(x_i))||^2 <= 2 beta sum_i ||x_i - c(x_i)||^2.

It holds because K - K^ is a Schur complement, and because the feature of the nearest centre c(x) is one of the
functions that the span of the centres offers; the paper cites a bound by the same encoding error without printing it.
Also the condition number of H'SH, for S of equations 13 and 14.

``sparse``: errors of PVM(sqr) when every prototype keeps its similarity to its nearest samples only, at the parameters
that Table III chose.
"""

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.methods import Points
from experiments.zhang2015.sweep import once_chosen

ID = "zhang2015_theory"
NAMES = zhang2015.NAMES
RANGE = 1e-10  # eigenvalues of W below this share of the largest count as zero, as in mr.PVM
datasets = zhang2015.datasets


def tasks(params):
    return [{"dataset": key, "question": part} for part in ("matrices", "sparse") for key in params["datasets"]]


def needs(task, params):
    return [_table3(task)] if task["question"] == "sparse" else []


def _table3(task):
    return "zhang2015_table3", {"dataset": task["dataset"], "method": "PVM(sqr)"}


def run_task(task, params, store):
    return sparse_rows(task, params, store) if task["question"] == "sparse" else matrix_rows(task, params, store)


def matrix_rows(task, params, store):
    """Low-rank error, bound and condition numbers for every clustering and width."""
    X, _ = zhang2015.points(store, task["dataset"])
    squares = euclidean_distances(X, squared=True)
    rows = []
    for number in range(params["n_clusterings"]):
        seed = zhang2015.centre_seed(task, number, params, store)
        centres = Points(X, params, seed).centres
        chosen = np.random.default_rng(seed).choice(len(X), len(centres), replace=False)
        for exponent, width in zip(params["width_exponents"], zhang2015.widths(X, params), strict=True):
            K = np.exp(-width * squares)
            for kind, V in (("k-means", centres), ("random rows", X[chosen])):
                E, W = np.exp(-width * euclidean_distances(X, V, squared=True)), _gram(V, width)
                row = {"clustering": number, "width_exponent": exponent, "kind": kind,
                       "relative_error": np.linalg.norm(K - _low_rank(E, W)) / np.linalg.norm(K),
                       "bound": 2 * width * euclidean_distances(X, V, squared=True).min(axis=1).sum()
                       / np.linalg.norm(K)}  # fmt: skip
                if kind == "k-means":
                    row |= {f"condition_{name}": np.linalg.cond(_smoothness(E, W, name)) for name in ("13", "14")}
                rows.append(row)
    return rows


def sparse_rows(task, params, store):
    """Error of every draw with H cut to a share of the samples per prototype."""
    X, y = zhang2015.points(store, task["dataset"])
    chosen = once_chosen(store.rows(_table3(task)))
    rows = []
    for number, draw in zhang2015.draws(y, params, store, task, range(params["n_draws"])):
        V = Points(X, params, zhang2015.centre_seed(task, number, params, store)).centres
        distances = euclidean_distances(X, V, squared=True)
        E, W = np.exp(-chosen["width"] * distances), _gram(V, chosen["width"])
        for share in params["shares"]:
            kept = max(1, round(share * len(y)))
            H = np.where(distances <= np.partition(distances, kept - 1, axis=0)[kept - 1], E, 0.0)
            values = square_machine(E, W, H, draw, chosen["C1"])
            rows.append({"draw": number, "share": share, "unreached_pct": 100.0 * float((H == 0).all(axis=1).mean()),
                         "error_pct": 100.0 * draw.wrong(zhang2015.decide(values[draw.rest]), draw.rest)
                         / len(draw.rest)})  # fmt: skip
    return rows


def square_machine(E, W, H, draw, C1) -> np.ndarray:
    """Values of equation 23 with C2 = 0 and S of equation 13; H may hold fewer similarities than E."""
    degrees, labelled = _degrees(E, W), H[draw.rows]
    crossed = H.T @ E @ _inverse_root(W)
    system = H.T @ (H * degrees[:, None]) - crossed @ crossed.T + C1 * labelled.T @ labelled
    labels = draw.y[draw.rows]
    signs = np.where(labels[:, None] == np.arange(draw.n_classes), 1.0, -1.0)
    signs = signs[:, 1:] if draw.n_classes == 2 else signs
    return H @ np.linalg.lstsq(system, C1 * labelled.T @ signs, rcond=1e-14)[0]


def summarise(rows, params):
    tidy = []
    for (dataset, exponent, kind), group in rows[rows["question"] == "matrices"].groupby(
        ["dataset", "width_exponent", "kind"], sort=False
    ):
        for metric in ("relative_error", "bound", "condition_13", "condition_14"):
            values = group[metric].dropna()
            values = np.log10(values) if metric.startswith("condition") else values
            name = f"log10_{metric}" if metric.startswith("condition") else metric
            if len(values):
                tidy.append(zhang2015.row(ID, dataset, kind, f"width 2^{exponent:g} beta_0", name, values, group))
    for (dataset, share), group in rows[rows["question"] == "sparse"].groupby(["dataset", "share"], sort=False):
        for metric in ("error_pct", "unreached_pct"):
            setting = f"each prototype keeps {100 * share:g} % of the samples"
            tidy.append(zhang2015.row(ID, dataset, "PVM(sqr)", setting, metric, group[metric], group))
    return zhang2015.frame(tidy)


def _gram(V, width):
    return np.exp(-width * euclidean_distances(V, squared=True))


def _inverse_root(W):
    values, vectors = np.linalg.eigh(W)
    kept = values > RANGE * values[-1]
    return vectors[:, kept] / np.sqrt(values[kept])


def _low_rank(E, W):
    F = E @ _inverse_root(W)
    return F @ F.T


def _degrees(E, W):
    """Row sums of K^, raised to its diagonal where they fall below it, as in mr.PVM."""
    F = E @ _inverse_root(W)
    return np.maximum(F @ F.sum(axis=0), np.square(F).sum(axis=1))


def _smoothness(E, W, equation):
    """H'SH with H = E."""
    degrees = _degrees(E, W)
    weights = degrees if equation == "13" else np.ones_like(degrees)
    scaled = E if equation == "13" else E / np.sqrt(degrees)[:, None]
    crossed = E.T @ scaled @ _inverse_root(W)
    return E.T @ (E * weights[:, None]) - crossed @ crossed.T
