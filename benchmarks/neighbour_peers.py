"""Approximate neighbour search: our clusters against pynndescent and faiss, seconds at equal recall.

    python benchmarks/neighbour_peers.py            measures what is missing in docs/neighbour_peers.csv, prints it
    python benchmarks/neighbour_peers.py --table    prints it

Ten neighbours of every point of the 50-dimensional mixture of benchmarks/scaling.py (100,000 points) and of MNIST
(70,000 x 784). Every method has a few settings, from fast to thorough. Seconds are those of the clock with all threads,
index included, compilation not. Recall is the share of true neighbours among those found, on 1000 rows. Packages that
are not installed are left out: pip install pynndescent faiss-cpu.
"""

import argparse
import importlib.util
import time
from functools import cache, partial

import numpy as np
from results import Others, Results, add_out
from scaling import mixture
from scipy.spatial.distance import cdist

from mr.graph import approximate_search, cluster_search, nearest_neighbors
from mr.graph.threads import n_threads

COLUMNS = ("data", "method", "setting", "seconds", "recall")
K = 10
ROWS = 1000
MIXTURE = 100_000


def mnist():
    from mr.datasets import load

    return np.ascontiguousarray(load("mnist").X, dtype=np.float32)


DATA = {"mixture": lambda: mixture(MIXTURE, seed=0)[0].astype(np.float32), "MNIST": mnist}


def exact(X):
    return nearest_neighbors(X, K, method="exact")[0]


def clusters(X, size, overlap):
    usual = cluster_search.SIZE, cluster_search.OVERLAP
    cluster_search.SIZE, cluster_search.OVERLAP = size, overlap
    try:
        return nearest_neighbors(X, K, method="clusters")[0]
    finally:
        cluster_search.SIZE, cluster_search.OVERLAP = usual


def pynndescent(X, extra):
    usual, approximate_search.EXTRA = approximate_search.EXTRA, extra
    try:
        return nearest_neighbors(X, K, method="approximate")[0]
    finally:
        approximate_search.EXTRA = usual


def searched(index, X):
    """Distances to the K nearest others; the nearest one is the point itself."""
    return np.sqrt(np.maximum(index.search(X, K + 1)[0][:, 1:], 0.0))


def faiss_clusters(X, probes):
    import faiss

    faiss.omp_set_num_threads(n_threads(None))
    cells = int(4 * len(X) ** 0.5)
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(X.shape[1]), X.shape[1], cells)
    index.train(X)
    index.add(X)
    index.nprobe = probes
    return searched(index, X)


def faiss_hnsw(X, depth):
    import faiss

    faiss.omp_set_num_threads(n_threads(None))
    index = faiss.IndexHNSWFlat(X.shape[1], 32)
    index.add(X)
    index.hnsw.efSearch = depth
    return searched(index, X)


def faiss_flat(X):
    import faiss

    faiss.omp_set_num_threads(n_threads(None))
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    return searched(index, X)


METHODS = {
    "exact": {"": exact},
    "clusters": {
        f"{size} points, joins {overlap}": partial(clusters, size=size, overlap=overlap)
        for size, overlap in ((1000, 2), (2000, 4), (2000, 8), (4000, 8))
    },
    "pynndescent": {f"{extra} more": partial(pynndescent, extra=extra) for extra in (5, 20, 50)},
    "faiss IVF": {f"{probes} cells": partial(faiss_clusters, probes=probes) for probes in (4, 16, 64)},
    "faiss HNSW": {f"depth {depth}": partial(faiss_hnsw, depth=depth) for depth in (32, 128)},
    "faiss flat": {"": faiss_flat},
}


@cache
def points(data):
    return DATA[data]()


@cache
def truth(data):
    """Some rows, and the distance of each to its K-th neighbour."""
    X = points(data)
    rows = np.random.default_rng(0).choice(len(X), ROWS, replace=False)
    return rows, np.sort(cdist(X[rows].astype(float), X.astype(float)), axis=1)[:, K]


def measure(data, call):
    call(points(data)[:3000])  # compiles
    others, start = Others(), time.perf_counter()
    distances = call(points(data))
    seconds, busy = time.perf_counter() - start, others.row()
    rows, farthest = truth(data)
    return seconds, float((distances[rows] <= farthest[:, None] * (1 + 1e-5)).mean()), busy


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="*", choices=list(DATA), default=list(DATA))
    parser.add_argument("--only", nargs="*", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--table", action="store_true")
    add_out(parser, "neighbour_peers.csv")
    args = parser.parse_args()
    results = Results(args.out, COLUMNS)
    done = {(row["data"], row["method"], row["setting"]) for row in results.rows()}
    for data in [] if args.table else args.data:
        for method in args.only:
            package = {"f": "faiss", "p": "pynndescent"}.get(method[0])
            if package and importlib.util.find_spec(package) is None:
                print(f"{package} is not installed: no comparison with {method}")
                continue
            for setting, call in METHODS[method].items():
                if (data, method, setting) in done:
                    continue
                seconds, recall, busy = measure(data, call)
                line = (data, method, setting, f"{seconds:.4g}", f"{recall:.4f}")
                results.add(dict(zip(COLUMNS, line, strict=True)) | busy)
                print(f"{data:8} {method:12} {setting:24}{seconds:9.1f} s  recall {recall:.4f}", flush=True)
    for row in results.rows() if args.table else []:
        print("{data:8} {method:12} {setting:24}{seconds:>9} s  recall {recall}".format(**row))


if __name__ == "__main__":
    main()
