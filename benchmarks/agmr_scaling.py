"""AGMR: processor seconds and peak memory against n, and the sparse W-steps on a support against each other.

    python benchmarks/agmr_scaling.py [largest n, default 20000]

Two moons, 1 label in 100, linear kernel (the f-step is 2 x 2, so what is timed is the graph). The entropy penalty with
support=None is the paper's W over all pairs: it is never formed. "defaults" is ``mr.AGMR()`` as it stands: Gaussian
kernel over a basis, weights and width chosen by leave-one-out, its own graph included.
"""

import sys
import tracemalloc
from time import process_time

import numpy as np
from sklearn.datasets import make_moons
from threadpoolctl import threadpool_limits

import mr
from mr.graph import nearest_neighbors
from mr.graph.sparse_coding import local_grams
from mr.solvers import row_descent
from mr.solvers.row_descent import costs

CASES = {
    "entropy, all pairs": {"penalty": "entropy", "support": None},
    "entropy, support 10": {"penalty": "entropy", "support": 10},
    "sparse, support 20": {"penalty": "sparse", "support": 20},
    "sparse, all pairs": {"penalty": "sparse", "support": None},
    "defaults": None,
}


def problem(n):
    X, classes = make_moons(n, noise=0.1, random_state=0)
    return X, np.where(np.arange(n) % 100 == 0, classes, -1), classes


def measure(n, settings):
    X, y, classes = problem(n)
    model = mr.AGMR(random_state=0) if settings is None else _linear(X, settings)
    start = process_time()
    model.fit(X, y)
    seconds = process_time() - start
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return seconds, peak, model.n_iter_, model.score(X, classes)


def _linear(X, settings):
    graph = mr.KNNGraph(10, laplacian="unnormalized").fit(X).affinity_
    graph = mr.PrecomputedGraph(graph, laplacian="unnormalized")  # the initial graph is not what is timed
    weights = {"gamma_1": 10.0, "gamma_2": 1.0, "eta": 0.1, "eta_1": 1.0}
    return mr.AGMR(graph=graph, kernel="linear", **weights, **settings)


def compare_updates(n=300, d=10, k=40):
    """One W-step from uniform rows to a relative excess of 1e-4 over the best of the two."""
    rng = np.random.default_rng(0)
    X, F = rng.normal(size=(n, d)), rng.normal(size=(n, 1))
    candidates = nearest_neighbors(X, k)[1]
    problem = row_descent.LocalRows(local_grams(X, candidates), 1.0)
    cost = costs(F, candidates)
    best = row_descent.pairwise(problem, problem.uniform(), F, candidates, tol=1e-10, max_steps=10**6)
    target = (1 + 1e-4) * value(problem, best, cost)
    for name in ("pairwise", "multiplicative"):
        step = getattr(row_descent, name)
        step(problem, problem.uniform(), F, candidates, max_steps=1)  # compile
        for steps in np.unique(np.round(2.0 ** np.arange(0, 15, 0.5))).astype(int):
            start = process_time()
            W = step(problem, problem.uniform(), F, candidates, tol=0.0, max_steps=steps)
            seconds = process_time() - start
            if value(problem, W, cost) <= target:
                break
        print(f"{name:15} {steps:6} steps {seconds:8.4f} s")


def value(problem, W, cost):
    return float((W * cost).sum() + problem.eta_1 * problem.errors(W).sum())


def main(largest):
    measure(200, CASES["sparse, support 20"])
    measure(200, CASES["sparse, all pairs"])
    print(f"{'':22} {'n':>7} {'CPU s':>8} {'MB':>8} {'iter':>5} {'correct':>8}")
    for name, settings in CASES.items():
        for n in (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000):
            if n > largest or (name == "sparse, all pairs" and n > 2000):
                break
            seconds, peak, iterations, correct = measure(n, settings)
            print(f"{name:22} {n:7} {seconds:8.2f} {peak:8.0f} {iterations:5} {100 * correct:7.1f}%", flush=True)
    print("\nsparse W-step, 300 rows of 40 candidates, to 1e-4 of the optimum")
    compare_updates()


if __name__ == "__main__":
    with threadpool_limits(1):
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
