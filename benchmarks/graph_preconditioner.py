"""Iterations of conjugate gradients for LapRLS over a basis, with and without the graph in the preconditioner.

    python benchmarks/graph_preconditioner.py [--n 20000] [--basis 500]

Two moons and a 50-dimensional mixture, 100 labels, relative residual 1e-8. ``ratio`` is gamma_I / (gamma_A n^2), the
weight of f'Lf against ||f||^2. "labels only" holds the labelled part exactly and leaves the graph out, which is more
than the preconditioner of Nystroem-PCG LapRLS (IJCAI 2019) holds. Iterations do not depend on the machine's load;
``docs/graph_preconditioner.csv`` gets them.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from sklearn.datasets import make_moons

from mr.graph import KNNGraph
from mr.kernels import Kernel
from mr.kernels.features import HeldFeatures
from mr.solvers.prototypes import nystrom_map
from mr.solvers.reduced_cg import solve_reduced_cg

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "graph_preconditioner.csv"
COLUMNS = ("data", "n", "basis", "ratio", "labels_only", "with_graph")
RATIOS = (0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4)


def moons(n):
    X, y = make_moons(n, noise=0.1, random_state=0)
    return X, y, 10.0


def mixture(n, d=50, k=10):
    rng = np.random.default_rng(0)
    centres, y = rng.normal(size=(k, d)), rng.integers(k, size=n)
    return centres[y] + 0.5 * rng.normal(size=(n, d)), y % 2, "scale"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--basis", type=int, default=500)
    parser.add_argument("--out", type=Path, default=RESULTS, help="file for the lines")
    args = parser.parse_args()
    rows, found = np.arange(100), []
    for make in (moons, mixture):
        X, y, gamma = make(args.n)
        kernel = Kernel("rbf", gamma).fit(X)
        points = X[np.random.default_rng(1).choice(args.n, args.basis, replace=False)]
        features = HeldFeatures(kernel(X, points) @ nystrom_map(kernel(points)))
        graph, targets = KNNGraph().fit(X), np.where(y[rows] > 0, 1.0, -1.0)[:, None]
        print(f"{make.__name__}, n = {args.n}, rank {features.shape[1]}")
        print(f"{'ratio':>8} {'labels only':>12} {'with graph':>11}")
        for ratio in RATIOS:
            counts = [
                solve_reduced_cg(features, graph, rows, targets, 0.1, ratio, tol=1e-8, with_graph=with_graph).n_iter
                for with_graph in (False, True)
            ]
            found.append((make.__name__, args.n, args.basis, f"{ratio:g}", *counts))
            print(f"{ratio:8g} {counts[0]:12d} {counts[1]:11d}", flush=True)
    with args.out.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *found])


if __name__ == "__main__":
    main()
