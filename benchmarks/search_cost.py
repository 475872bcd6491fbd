"""What LapRLSCV().fit costs as a whole: graph, Gram matrix, a 7 x 7 grid with leave-one-out, the machine itself.

    python benchmarks/search_cost.py [--n 1500] [--labels 100] [--repeat 5] [--threads 1] [--only NAME ...]

Measured against one eigendecomposition of the n x n Gram matrix (scipy.linalg.eigh) in the same run, alternating the
two, in processor seconds and on the wall. The goal is a ratio of at most 2.5 for 7 x 7 weights; every one is tried
without and with a constant, so these are 98 cells. Beside it stand the other searches with their default lists, and
with ``--refits`` a grid search by refits on 7 x 7 cells and five folds only (minutes). Compilation is not counted.
"""

import argparse
import time
import warnings

import numpy as np
from scipy import linalg
from threadpoolctl import threadpool_limits

import mr
from mr.datasets import load
from mr.kernels import Kernel
from mr.model_selection import PVMCV, LapERLSCV, LapESVRCV, LapRLSCV, LapSVMCV, TransductiveSearchCV

GOAL = 2.5
RIDGES = [1e-6, 1e-4, 1e-2, 1e-1, 1, 10, 100]


def seconds(function, *arguments):
    """Processor and wall seconds."""
    start = time.process_time(), time.perf_counter()
    function(*arguments)
    return np.array([time.process_time() - start[0], time.perf_counter() - start[1]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=1500)
    parser.add_argument("--labels", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", nargs="*", help='names as printed, "LapRLSCV 7 x 7" say')
    parser.add_argument("--refits", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(limits=options.threads):
        compare(options)


def compare(options):
    data = load("g241c_like", n=options.n)
    rows = np.random.default_rng(0).choice(options.n, options.labels, replace=False)
    y = np.full(options.n, -1)
    y[rows] = data.y[rows]
    K = Kernel("rbf", "scale").fit(data.X)(data.X)
    weights = [ridge / options.labels for ridge in RIDGES]
    refits = {"gamma_A": weights, "graph_weight": [0.0, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4]}
    searches = {
        "LapRLSCV 7 x 7": LapRLSCV(gamma_A=weights),
        "LapRLSCV": LapRLSCV(),
        "LapSVMCV": LapSVMCV(),
        "LapERLSCV": LapERLSCV(),
        "LapESVRCV": LapESVRCV(),
        "PVMCV": PVMCV(),
        "by refits 7 x 7": TransductiveSearchCV(mr.LapRLS(fit_intercept=False), refits),
    }
    if not options.refits:
        del searches["by refits 7 x 7"]
    some = rows[: options.labels // 2]
    few = np.append(some, np.setdiff1d(np.arange(options.n), rows)[: 2 * len(some)])
    for name, search in searches.items():
        if options.only and name not in options.only:
            continue
        if "refits" not in name:
            search.fit(data.X[few], y[few])  # compiles
        ratios = []
        for _ in range(1 if "refits" in name else options.repeat):
            eigen = seconds(linalg.eigh, K)
            ratios.append(seconds(search.fit, data.X, y) / eigen)
        processor, wall = np.median(ratios, axis=0)
        goal = f" (goal {GOAL})" if name == "LapRLSCV 7 x 7" else ""
        cells = len(search.cv_results_["params"])
        print(f"{name:16s} {cells:4d} cells  {processor:6.2f} eigendecompositions of processor time{goal}, ", end="")
        print(f"{wall:6.2f} on the wall{goal}", flush=True)


if __name__ == "__main__":
    main()
