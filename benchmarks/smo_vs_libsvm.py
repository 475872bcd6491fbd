"""Our working-set SMO with Newton steps against LIBSVM (scikit-learn's SVR, plain RBF kernel) on MNIST targets.

    python benchmarks/smo_vs_libsvm.py [--n 10000 20000] [--C 1 10]

Same points, targets (digits 0-4 against 5-9), kernel, C, epsilon, tolerance 1e-3 and cache (1000 MB); CPU seconds, one
thread.
"""

import argparse
import resource
import time

import numpy as np
from sklearn.svm import SVR
from threadpoolctl import threadpool_limits

from mr.datasets import load
from mr.kernels import Kernel
from mr.solvers.epsilon_decomposition import solve_epsilon_svr_rows
from mr.solvers.row_cache import EmbeddedRows, RowCache


def seconds(call):
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def compare(X, y, C, libsvm):
    kernel = Kernel("rbf", "mean").fit(X)

    def ours():
        return solve_epsilon_svr_rows(RowCache(EmbeddedRows(kernel, X), 1000 * 2**20, 1024), y, C, 0.1, 1e-3)

    solution, own = seconds(ours)
    line = f"n {len(y):6d}  C {C:5g}  ours {own:7.1f} s, {solution.n_support} support, gap {solution.gap:.1e}"
    if libsvm:
        machine, other = seconds(lambda: SVR(C=C, epsilon=0.1, gamma=kernel.gamma_, cache_size=1000).fit(X, y))
        a = np.zeros(len(y))
        a[machine.support_] = machine.dual_coef_[0]
        values = machine.predict(X[:500])
        difference = np.abs(solution.products[:500] + solution.bias - values).max()
        line += f"  LIBSVM {other:7.1f} s  ratio {own / other:.2f}  largest difference of f {difference:.1e}"
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{line}  peak {memory:.2f} GiB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=[10_000, 20_000])
    parser.add_argument("--C", type=float, nargs="+", default=[1.0, 10.0])
    parser.add_argument("--ours-only", action="store_true", help="leave LIBSVM out")
    arguments = parser.parse_args()
    data = load("mnist")
    for n in arguments.n:
        X = np.asarray(data.X[:n], dtype=float) / 255.0
        y = np.where(data.y[:n] < 5, 1.0, -1.0)
        for C in arguments.C:
            compare(X, y, C, not arguments.ours_only)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
