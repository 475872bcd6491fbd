"""Two Dask workers against one process on the same two cores: seconds, and the overhead of the workers.

    python benchmarks/dask_workers.py [--n 200000] [--data moons mixture] [--only METHOD ...]

One process has the array in memory and two threads. The workers have one thread each, hold the chunks (persisted before
the clock starts, 50,000 rows each unless --chunk says otherwise), and get functions. The graph of LapRLS is built
outside of the clock; its edges stay with the process that fits. Every method, data set and n adds a line to
``docs/dask_workers.csv``; medians of three fits, after one that is not counted.
"""

import argparse
import statistics
import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait
from results import Others, Results, add_out
from scaling import DATA, graph_of, labelled

import mr

COLUMNS = ("data", "method", "n", "one_process", "two_workers", "overhead_pct", "difference")
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


def compare(data, n, methods, client, chunk):
    X, truth = DATA[data](n, seed=0)
    y, new = labelled(truth), DATA[data](1000, seed=1)[0]
    lazy = client.persist(da.from_array(X, chunks=(chunk, -1)))
    wait(lazy)
    W = graph_of(data).fit(X).affinity_ if "LapRLS(basis=500)" in methods else None
    for method in methods:
        one, two = METHODS[method](W), METHODS[method](W)
        two.fit(lazy, y)  # workers import and load compiled code
        others = Others()
        alone, shared = seconds(one, X, y), seconds(two, lazy, y)
        busy = others.row()
        expected = one.decision_function(new)
        difference = np.abs(two.decision_function(new) - expected).max() / np.abs(expected).max()
        overhead = f"{100 * (shared / alone - 1):.0f}"
        line = (data, method, n, f"{alone:.3g}", f"{shared:.3g}", overhead, f"{difference:.1e}")
        yield dict(zip(COLUMNS, line, strict=True)) | busy


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, nargs="*", default=[200_000])
    parser.add_argument("--data", nargs="*", choices=list(DATA), default=["moons"])
    parser.add_argument("--only", nargs="*", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--chunk", type=int, default=50_000, help="rows of a chunk")
    add_out(parser, "dask_workers.csv")
    args = parser.parse_args()
    results = Results(args.out, COLUMNS)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        for data in args.data:
            for n in args.n:
                for row in compare(data, n, args.only, client, args.chunk):
                    results.add(row)
                    print(*row.values(), flush=True)


if __name__ == "__main__":
    main()
