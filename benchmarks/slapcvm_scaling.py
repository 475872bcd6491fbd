"""How SLapCVM grows with the number of points: two moons, one label per class, up to a million.

    python benchmarks/slapcvm_scaling.py [--largest 1000000] [--exact]

Every size is fitted in a process of its own (one thread). Printed: seconds of the graph and beyond it, peak memory
above the imported libraries, core size, kernel expansions, accuracy on fresh points; at the end the exponent of the
time beyond the graph, the slope of log(seconds) over log(n).
"""

import argparse
import time

import numpy as np

import mr
from experiments.tsang2006.protocol import fit_graph, in_child, partly_labelled, timed_fit
from mr.datasets import load

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)


def fit(n, exact):
    start = time.perf_counter()
    data = load("two_moons", n=n, noise=0.05)
    graph, seconds = fit_graph(data.X, {"laplacian": "unnormalized", "n_jobs": 1})
    options = {"gamma": 4.0, "C": 1e8, "theta": 10.0 * (graph.nnz // 2), "epsilon": 1e-10 * (1000.0 / n) ** 0.5}
    options |= {"solver": "core-set", "exact_check": exact, "max_core": 1000, "max_iter": None, "random_state": 0}
    estimator = mr.SLapCVM(graph=mr.PrecomputedGraph(graph, laplacian="unnormalized"), **options)
    estimator, report = timed_fit(estimator, data.X, partly_labelled(data.y, [0, 1]))
    total = time.perf_counter() - start
    fresh = load("two_moons", n=10_000, noise=0.05, seed=1)
    return report | {"graph": seconds, "total": total, "accuracy": 100 * estimator.score(fresh.X, fresh.y)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--exact", action="store_true", help="check all edges before stopping")
    options = parser.parse_args()
    print(f"mr {mr.__version__}")
    print(f"{'n':>9} {'graph s':>8} {'beyond s':>8} {'total s':>8} {'MiB':>6} {'core':>5} {'exp.':>5} "
          f"{'accuracy':>8} {'epsilon':>8} {'gap':>8}")  # fmt: skip
    seconds = {}
    for n in [n for n in SIZES if n <= options.largest]:
        r, mib = in_child(fit, n, options.exact)
        seconds[n] = r["fit_seconds"]
        print(f"{n:9,} {r['graph']:8.2f} {r['fit_seconds']:8.2f} {r['total']:8.2f} {mib:6.0f} {r['core_size']:5.0f} "
              f"{r['kernel_expansions']:5} {r['accuracy']:8.2f} {r['achieved_epsilon']:8.1e} {r['duality_gap']:8.1e}",
              flush=True)  # fmt: skip
    for name, chosen in (("all sizes", seconds), ("from 100,000", {n: s for n, s in seconds.items() if n >= 100_000})):
        if len(chosen) > 1:
            slope = np.polyfit(np.log(list(chosen)), np.log(list(chosen.values())), 1)[0]
            print(f"growth exponent of the time beyond the graph, {name}: {slope:.2f}")


if __name__ == "__main__":
    main()
