"""Our working-set SMO with Newton steps against LIBSVM (scikit-learn's SVR, plain RBF kernel) on MNIST targets.

    python benchmarks/smo_vs_libsvm.py [--n 10000 20000] [--C 1 10] [--embedded]

Same points, targets (digits 0-4 against 5-9), kernel, C, epsilon, tolerance 1e-3 and cache (1000 MB); CPU seconds, one
thread. With ``--embedded`` the problem is LapESVR's own: virtual labels from 100 labels and 20 eigenvectors as targets
of both, k(x_i, x_j) + Phi~_i . Phi~_j for ours where LIBSVM has k alone (so their functions differ).
"""

import argparse
import resource
import time

import numpy as np
from sklearn.svm import SVR
from threadpoolctl import threadpool_limits

from mr.datasets import load
from mr.graph import KNNGraph
from mr.kernels import Kernel
from mr.solvers.embedding import embed
from mr.solvers.epsilon_svr import solve_epsilon_svr
from mr.solvers.row_cache import EmbeddedMatrix, KernelRows, RowCache
from mr.spectrum import smallest_eigenpairs


def seconds(call):
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def embedded(X, y, digits):
    """Features and targets of LapESVR on these points, at the parameters that Table III validated for MNIST1."""
    labelled = np.sort(np.concatenate([np.flatnonzero(digits == digit)[:10] for digit in range(10)]))
    pairs = smallest_eigenpairs(KNNGraph(n_neighbors=20).fit(X), 20)
    found = embed(pairs.values, pairs.vectors, labelled, y[labelled][:, None], 1e4, 1e2, free=True)
    return found.features, np.ascontiguousarray(found.targets[:, 0])


def compare(X, y, C, libsvm, features=None):
    kernel = Kernel("rbf", "mean").fit(X)

    def ours():
        return solve_epsilon_svr(
            EmbeddedMatrix(RowCache(KernelRows(kernel, X), 1000 * 2**20, 1024), features), y, C, 0.1, 1e-3
        )

    solution, own = seconds(ours)
    line = f"n {len(y):6d}  C {C:5g}  ours {own:7.1f} s, {solution.n_support} support, gap {solution.gap:.1e}"
    if libsvm:
        machine, other = seconds(lambda: SVR(C=C, epsilon=0.1, gamma=kernel.gamma_, cache_size=1000).fit(X, y))
        line += f"  LIBSVM {other:7.1f} s  ratio {own / other:.2f}"
        if features is None:
            difference = np.abs(solution.products[:500] + solution.bias - machine.predict(X[:500])).max()
            line += f"  largest difference of f {difference:.1e}"
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{line}  peak {memory:.2f} GiB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=[10_000, 20_000])
    parser.add_argument("--C", type=float, nargs="+", default=[1.0, 10.0])
    parser.add_argument("--ours-only", action="store_true", help="leave LIBSVM out")
    parser.add_argument("--embedded", action="store_true", help="LapESVR's kernel and virtual labels")
    arguments = parser.parse_args()
    data = load("mnist")
    for n in arguments.n:
        X = np.asarray(data.X[:n], dtype=float) / 255.0
        y = np.where(data.y[:n] < 5, 1.0, -1.0)
        features, y = embedded(X, y, data.y[:n]) if arguments.embedded else (None, y)
        for C in arguments.C:
            compare(X, y, C, not arguments.ours_only, features)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
