"""Smallest eigenpairs against plain Lanczos iteration, in one run: seconds and ratios.

    python benchmarks/spectrum.py                   two moons of several sizes, and MNIST with 20 neighbours
    python benchmarks/spectrum.py --no-mnist

Plain Lanczos is scipy's eigsh on 2 I - L with the same tolerance, given up after --plain-limit points on two moons,
where eigenvalues crowd at 0.
"""

import argparse
import time
import warnings

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn.datasets import make_moons

from mr.graph import GraphWarning, KNNGraph
from mr.spectrum import smallest_eigenpairs


def plain(L, k, tol=1e-9):
    n = L.shape[0]
    start = np.random.default_rng(0).standard_normal(n)
    eigsh(2.0 * sparse.eye_array(n, format="csr") - L, k, which="LA", v0=start, tol=tol)


def compare(name, graph, k, with_plain=True):
    start = time.perf_counter()
    found = smallest_eigenpairs(graph, k)
    ours = time.perf_counter() - start
    ratio = "-"
    if with_plain:
        start = time.perf_counter()
        try:
            plain(graph.laplacian_, k)
            ratio = f"{(time.perf_counter() - start) / ours:.2f}"
        except ArpackNoConvergence:
            ratio = "fails"
    print(
        f"{name:16}{graph.laplacian_.shape[0]:8}{k:5}{ours:9.2f}{ratio:>9}{found.residual:11.1e}{graph.n_components_:7}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moons", type=int, nargs="*", default=[5_000, 20_000, 75_000])
    parser.add_argument("--plain-limit", type=int, default=5_000)
    parser.add_argument("-k", type=int, default=20)
    parser.add_argument("--no-mnist", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore", GraphWarning)
    print(f"{'graph':16}{'n':>8}{'k':>5}{'seconds':>9}{'plain/mr':>9}{'residual':>11}{'zeros':>7}")
    for n in args.moons:
        graph = KNNGraph(6).fit(make_moons(n, noise=0.1, random_state=0)[0])
        compare("two moons", graph, args.k, n <= args.plain_limit)
    if not args.no_mnist:
        from mr.datasets import load

        data = load("mnist")
        compare("MNIST, 20-NN", KNNGraph(20).fit(data.X[data.splits["train"]]), args.k)


if __name__ == "__main__":
    main()
