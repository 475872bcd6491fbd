"""TSVM with its defaults: seconds, and how many ordinary support vector machines of the same size that is.

    python benchmarks/tsvm_speed.py [--samples 5000] [--labels 100] [--threads 1] [--cpu]

The search of each class solves dozens of quadratic programs over all points. The measure is scikit-learn's SVC fitted
once per class to the labels that the search ended with, on the same kernel matrix. The goal is a minute at 5000 points.
"""

import argparse
import time

import numpy as np
from images import images, labelled
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import mr
from mr.kernels import Kernel


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=5000)
    parser.add_argument("--labels", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cpu", action="store_true")
    args = parser.parse_args()
    clock = time.process_time if args.cpu else time.perf_counter
    X, classes, name = images(args.samples)
    y = labelled(classes, args.labels // len(np.unique(classes)))
    with threadpool_limits(limits=args.threads):
        mr.TSVM().fit(X[:200], np.where(np.arange(200) < 100, classes[:200], -1))  # compiles
        start = clock()
        model = mr.TSVM().fit(X, y)
        search = clock() - start
        C = 1.0 / (2.0 * model.gamma_A * (y != -1).sum())
        start = clock()
        K = Kernel("rbf", "scale").fit(X)(X)
        for solution in model.solutions_:
            SVC(C=C, kernel="precomputed").fit(K, solution.labels)
        once = clock() - start
    accuracy = 100 * (model.transduction_ == classes)[y == -1].mean()
    programs = sum(solution.n_solves for solution in model.solutions_)
    gap = max(solution.gap for solution in model.solutions_)
    print(f"{name}, {len(X)} points, {(y != -1).sum()} labels, {len(model.solutions_)} classes, {args.threads} threads")
    print(f"TSVM               {search:8.1f} s  ratio {search / once:5.2f}  accuracy {accuracy:6.2f} %  ", end="")
    print(f"{programs} programs, largest gap {gap:.0e}")
    print(f"SVC, once per class{once:8.1f} s")


if __name__ == "__main__":
    main()
