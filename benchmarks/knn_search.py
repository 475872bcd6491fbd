"""Neighbour search against its peers, in one run: seconds and ratios.

    python benchmarks/knn_search.py                 MNIST 60,000 x 784 (or --samples), 20 neighbours; two moons
    python benchmarks/knn_search.py --approximate   adds nearest neighbour descent (30 s of compilation)

All have the same number of threads (--threads, default: all cores). MNIST comes through ``mr.datasets`` (see
MR_DATA_DIR). faiss is optional: pip install faiss-cpu.
"""

import argparse
import os
import time

import numpy as np
from sklearn.datasets import make_moons
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from mr.graph import KNNGraph, nearest_neighbors


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def scikit_learn(X, k):
    return NearestNeighbors(n_neighbors=k + 1, algorithm="brute").fit(X).kneighbors(X)


def faiss_flat(X, k, threads):
    import faiss

    faiss.omp_set_num_threads(threads)
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    squares, indices = index.search(X, k + 1)
    return np.sqrt(np.maximum(squares, 0)), indices


def mnist(args):
    from mr.datasets import load

    data = load("mnist")
    X = np.ascontiguousarray(data.X[data.splits["train"]][: args.samples], dtype=np.float32)
    k = args.n_neighbors
    nearest_neighbors(X[:200], k, method="exact")  # compiled code is loaded before the clock starts
    rows = [("mr exact", *timed(lambda: nearest_neighbors(X, k, method="exact", n_jobs=args.threads)))]
    exact = rows[0][2][0]
    rows.append(("scikit-learn", *timed(lambda: scikit_learn(X, k))))
    try:
        rows.append(("faiss flat", *timed(lambda: faiss_flat(X, k, args.threads))))
    except ImportError:
        print("faiss is not installed: no comparison with its flat index")
    if args.approximate:
        nearest_neighbors(X[:2000], k, method="approximate")
        rows.append(
            ("mr approximate", *timed(lambda: nearest_neighbors(X, k, method="approximate", n_jobs=args.threads)))
        )
    print(f"\nMNIST {X.shape[0]} x {X.shape[1]}, {k} neighbours, {args.threads} threads each")
    print(f"{'':16}{'seconds':>9}{'ratio':>8}{'recall':>9}")
    for name, seconds, found in rows:
        distances = found[0][:, -k:]
        recall = (distances <= exact[:, -1:] * (1 + 1e-5)).mean()
        print(f"{name:16}{seconds:9.1f}{seconds / rows[0][1]:8.2f}{recall:9.4f}")


def moons(args):
    X, _ = make_moons(args.moons, noise=0.1, random_state=0)
    KNNGraph(6).fit(X[:1000])
    search, _ = timed(lambda: nearest_neighbors(X, 6, n_jobs=args.threads))
    whole, graph = timed(lambda: KNNGraph(6, n_jobs=args.threads).fit(X))
    print(
        f"\nTwo moons, {args.moons} points, 6 neighbours: search {search:.1f} s, "
        f"graph with Laplacian and {graph.n_components_} components {whole:.1f} s"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=60_000)
    parser.add_argument("--n-neighbors", type=int, default=20)
    parser.add_argument("--moons", type=int, default=1_000_000)
    parser.add_argument("--approximate", action="store_true")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    args = parser.parse_args()
    with threadpool_limits(limits=args.threads):
        moons(args)
        mnist(args)


if __name__ == "__main__":
    main()
