"""Two Dask workers against one process on the same two cores: seconds, and the overhead of the workers.

    python benchmarks/dask_workers.py [--n 200000] [--only METHOD ...]

One process has the array in memory and two threads. The workers have one thread each, hold the chunks (persisted before
the clock starts, 50,000 rows each), and get functions. The graph of LapRLS is built outside of the clock; its edges
stay with the process that fits. Every method, data set and n adds a line to ``docs/dask_workers.csv``; medians of
three fits, after one that is not counted.
"""

import argparse
import csv
import statistics
import time
from pathlib import Path

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait
from scaling import DATA, graph_of, labelled

import mr

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "dask_workers.csv"
COLUMNS = ("data", "method", "n", "one_process", "two_workers", "overhead_pct", "difference")
CHUNK = 50_000
REPEATS = 3
METHODS = {
    "PVM(200)": lambda W: mr.PVM(n_prototypes=200, random_state=0),
    "AnchorGraph(500)": lambda W: mr.AnchorGraph(n_anchors=500),
    "LapRLS(basis=500)": lambda W: mr.LapRLS(basis=500, graph=W, random_state=0),
}


def seconds(model, X, y):
    found = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        model.fit(X, y)
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def compare(data, n, methods, client):
    X, truth = DATA[data](n, seed=0)
    y, new = labelled(truth), DATA[data](1000, seed=1)[0]
    lazy = client.persist(da.from_array(X, chunks=(CHUNK, -1)))
    wait(lazy)
    W = graph_of(data).fit(X).affinity_ if "LapRLS(basis=500)" in methods else None
    for method in methods:
        one, two = METHODS[method](W), METHODS[method](W)
        two.fit(lazy, y)  # workers import and load compiled code
        alone, shared = seconds(one, X, y), seconds(two, lazy, y)
        expected = one.decision_function(new)
        difference = np.abs(two.decision_function(new) - expected).max() / np.abs(expected).max()
        yield data, method, n, f"{alone:.3g}", f"{shared:.3g}", f"{100 * (shared / alone - 1):.0f}", f"{difference:.1e}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, nargs="*", default=[200_000])
    parser.add_argument("--data", nargs="*", choices=list(DATA), default=["moons"])
    parser.add_argument("--only", nargs="*", choices=list(METHODS), default=list(METHODS))
    args = parser.parse_args()
    new = not RESULTS.exists()
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client, RESULTS.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(COLUMNS)
        for data in args.data:
            for n in args.n:
                for row in compare(data, n, args.only, client):
                    writer.writerow(row)
                    file.flush()
                    print(*row, flush=True)


if __name__ == "__main__":
    main()
