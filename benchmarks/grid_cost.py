"""What a whole LapRLS experiment costs: a 7 x 7 grid on 12 splits against one dense n x n eigendecomposition.

    python benchmarks/grid_cost.py [--n 1500] [--repeat 3]

The shared factorisation (``mr.paths.LapRLSPath``) makes the grid cost little more than itself. The ratio is
measured in one run, alternating the two, and the median is printed; the goal is at most 3.
"""

import argparse
import time

import numpy as np
from scipy import linalg

import mr
from experiments.splits import labelled_sets
from mr.datasets import load
from mr.kernels import Kernel

GRID = [1e-6, 1e-4, 1e-2, 1e-1, 1, 10, 100]


def seconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def experiment(data, graph, splits):
    path = mr.paths.LapRLSPath(mr.LapRLS(gamma="mean", graph=graph), data.X)
    for rows in splits:
        y = np.full(len(data.y), -1)
        y[rows] = data.y[rows]
        for _ in path.grid(y, ridge=GRID, smoothness=GRID):
            pass
        for _ in path.held_out_grid(y, ridge=GRID, smoothness=GRID):
            pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=1500)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    data = load("g241c_like", n=options.n)
    splits = labelled_sets(data, 10, 12, np.random.SeedSequence(0))
    graph = mr.PrecomputedGraph(mr.KNNGraph(5).fit(data.X).affinity_, power=2)
    K = Kernel("rbf", "mean").fit(data.X)(data.X)
    ratios = []
    for _ in range(options.repeat):
        eigen = seconds(linalg.eigh, K)
        grid = seconds(experiment, data, graph, splits)
        ratios.append(grid / eigen)
        print(f"eigendecomposition {eigen:6.2f} s   7 x 7 grid on 12 splits {grid:6.2f} s   ratio {ratios[-1]:.2f}")
    print(f"median ratio {np.median(ratios):.2f} (goal: at most 3), n = {options.n}")


if __name__ == "__main__":
    main()
