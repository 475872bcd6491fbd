"""Graph, fit and prediction from 10,000 to 10,000,000 points: seconds, peak memory, error and recall, with exponents.

Two moons in the plane, and a mixture of ten Gaussians in 50 dimensions (two classes of five components). 50 labels per
class, all other points unlabelled, errors on the unlabelled points. Every line is measured in a process of its own, one
after the other: seconds are those of the clock with the threads of this machine, the peak is that of the process, data
included; cpu_seconds are those of graph and fit, of all threads, other_cpu_seconds those of other processes meanwhile.
Lines are added to ``docs/scaling.csv`` as they end; what is there is not run again.

    python benchmarks/scaling.py                          # what is missing, up to --largest
    python benchmarks/scaling.py --largest 1000000 --only "LapRLS(basis=500)" "PVM(200)"
    python benchmarks/scaling.py --largest 10000 --out /tmp/trial.csv     # a trial, in another file
    python benchmarks/scaling.py --table                  # the table and the exponents of what was measured

scikit-learn's LabelSpreading(knn) and graphlearning's Laplace (``pip install graphlearning``) stand beside. A method
that takes longer than --minutes, or more memory than the machine has, is not asked for a larger size.
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings
from functools import partial

import numpy as np
from results import OTHERS, Others, Results, add_out
from sklearn.exceptions import ConvergenceWarning

import mr

COLUMNS = (
    "data", "method", "n", "graph_seconds", "fit_seconds", "predict_seconds", "cpu_seconds", "peak_mb", "error_pct",
    "recall",
)  # fmt: skip
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
LABELS_PER_CLASS = 50
NEW = 10_000
"""Points to predict at that no fit has seen."""
NEIGHBORS = 6
SHORT, REPEATS = 5.0, 3
"""Fits of fewer seconds are repeated; the median is kept."""


def moons(n, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    angle = np.pi * rng.uniform(size=n)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[y == 1] = [1.0, 0.5] - X[y == 1]
    return X + 0.1 * rng.normal(size=X.shape), y


def mixture(n, seed):
    centres = np.random.default_rng(-1 % 2**32).normal(size=(10, 50))
    rng = np.random.default_rng(seed)
    part = rng.integers(10, size=n)
    X = rng.normal(size=(n, 50))
    X *= 1.3
    for start in range(0, n, 100_000):  # in place: the peak of a process is that of the method, not of its data
        X[start : start + 100_000] += centres[part[start : start + 100_000]]
    return X, part % 2


DATA = {"moons": moons, "mixture": mixture}


def graph_of(data):
    """Exact in the plane; by clusters in 50 dimensions."""
    return mr.KNNGraph(NEIGHBORS, method="exact" if data == "moons" else "clusters")


def lap_rls(data):
    return mr.LapRLS(basis=500, graph=graph_of(data), random_state=0)


METHODS = {
    "LapRLS(basis=500)": lap_rls,
    "PVM(200)": lambda data: mr.PVM(n_prototypes=200, random_state=0),
    "AnchorGraph(500)": lambda data: mr.AnchorGraph(n_anchors=500),
    "SLapCVM": lambda data: mr.SLapCVM(graph=graph_of(data)),
    "HarmonicFunction": lambda data: mr.HarmonicFunction(graph=graph_of(data)),
    "LabelSpreading(knn)": None,
    "LabelSpreading(knn, 1000 steps)": None,
    "graphlearning Laplace": None,
}


def label_spreading(X, y, max_iter=30):
    from sklearn.semi_supervised import LabelSpreading

    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 30 steps are its default and rarely enough
        model = LabelSpreading(kernel="knn", n_neighbors=NEIGHBORS, max_iter=max_iter).fit(X, y)
    return {"fit_seconds": time.perf_counter() - start}, model.transduction_, model.predict


def graphlearning(X, y):
    import graphlearning as gl

    start = time.perf_counter()
    W = gl.weightmatrix.knn(X, NEIGHBORS)
    built, labelled = time.perf_counter(), np.flatnonzero(y >= 0)
    found = gl.ssl.laplace(W).fit_predict(labelled, y[labelled])
    return {"graph_seconds": built - start, "fit_seconds": time.perf_counter() - built}, found, None


PEERS = {
    "LabelSpreading(knn)": label_spreading,
    "LabelSpreading(knn, 1000 steps)": partial(label_spreading, max_iter=1000),
    "graphlearning Laplace": graphlearning,
}


def ours(model, X, y):
    """The graph is built first and given to the estimator, so that both have a time of their own."""
    measured = {}
    if getattr(model, "graph", None) is not None:
        start = time.perf_counter()
        graph = model.graph.fit(X)
        measured |= {"graph_seconds": time.perf_counter() - start, "recall": graph.recall_}
        model.set_params(graph=graph.affinity_)
    start = time.perf_counter()
    model.fit(X, y)
    return measured | {"fit_seconds": time.perf_counter() - start}, model.transduction_, model.predict


def labelled(truth, seed=2) -> np.ndarray:
    """LABELS_PER_CLASS points of each class, drawn at random, keep their labels; -1 stands for the others."""
    rng, y = np.random.default_rng(seed), np.full(len(truth), -1)
    for c in np.unique(truth):
        y[rng.choice(np.flatnonzero(truth == c), LABELS_PER_CLASS, replace=False)] = c
    return y


def fitted(data, method, X, y):
    return PEERS[method](X, y) if method in PEERS else ours(METHODS[method](data), X, y)


def measure(data, method, n) -> dict:
    small, classes = DATA[data](2000, seed=3)
    fitted(data, method, small, labelled(classes))  # compiles, loads libraries, outside of the clock
    X, truth = DATA[data](n, seed=0)
    y = labelled(truth)
    runs, others = [], Others()
    while len(runs) < REPEATS and (not runs or seconds(runs[0][0]) < SHORT):
        used = time.process_time()
        runs.append(fitted(data, method, X, y))
        runs[-1][0]["cpu_seconds"] = time.process_time() - used
    busy = others.row()
    measured, found, predict = sorted(runs, key=lambda run: seconds(run[0]))[len(runs) // 2]
    if predict is not None:
        start = time.perf_counter()
        predict(DATA[data](NEW, seed=1)[0])
        measured["predict_seconds"] = time.perf_counter() - start
    hidden = y == -1
    measured["error_pct"] = 100.0 * float((np.asarray(found)[hidden] != truth[hidden]).mean())
    measured["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {name: f"{value:.4g}" for name, value in measured.items()} | busy


def run_missing(args, results):
    done = {(row["data"], row["method"], int(row["n"])) for row in results.rows()}
    for data in args.data:
        for method in args.only or METHODS:
            for n in (size for size in SIZES if size <= args.largest):
                if (data, method, n) not in done and not run_one(data, method, n, args.minutes, results):
                    break


def run_one(data, method, n, minutes, results) -> bool:
    """One line in a process of its own; whether a larger size should be tried."""
    command = [sys.executable, __file__, "--one", data, method, str(n)]
    start = time.perf_counter()
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=60 * minutes)
    except subprocess.TimeoutExpired:
        print(f"{data} {method} {n}: more than {minutes} minutes", flush=True)
        return False
    if result.returncode:
        reason = result.stderr.strip().splitlines()[-1] if result.stderr.strip() else f"exit {result.returncode}"
        print(f"{data} {method} {n}: {reason}", flush=True)
        return False
    values = dict(item.split("=", 1) for item in result.stdout.split())
    results.add({"data": data, "method": method, "n": n} | values)
    print(f"{data} {method} {n}: {values} ({time.perf_counter() - start:.0f} s in all)", flush=True)
    return True


def seconds(row) -> float:
    """Graph and fit."""
    return float(row.get("graph_seconds") or 0.0) + float(row["fit_seconds"])


def table(rows):
    shown = (*COLUMNS[2:], OTHERS)
    for data in DATA:
        print(" ".join([f"\n{data:24}", *(f"{name:>15}" for name in shown)]))
        for method in METHODS:
            mine = [row for row in rows if (row["data"], row["method"]) == (data, method)]
            for row in mine:
                print(" ".join([f"{method:24}", *(f"{row[name]:>15}" for name in shown)]))
            if len(mine) > 2:
                sizes, times = [float(row["n"]) for row in mine], [seconds(row) for row in mine]
                exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
                print(f"{'':24} exponent of graph + fit: {exponent:.2f} (goal: at most 1.1)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--minutes", type=float, default=30.0, help="longest time of one line")
    parser.add_argument("--data", nargs="*", choices=list(DATA), default=list(DATA))
    parser.add_argument("--only", nargs="*", choices=list(METHODS), default=[])
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    add_out(parser, "scaling.csv")
    args = parser.parse_args()
    if args.one:
        data, method, n = args.one
        print(*(f"{name}={value}" for name, value in measure(data, method, int(n)).items()))
        return
    results = Results(args.out, COLUMNS)
    if not args.table:
        run_missing(args, results)
    table(results.rows())


if __name__ == "__main__":
    main()
