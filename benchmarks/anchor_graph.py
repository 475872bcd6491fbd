"""AnchorGraph against PVM with as many centres: seconds, ratio and accuracy in one run.

    python benchmarks/anchor_graph.py [--samples 70000] [--centres 1000] [--repeat 1] [--threads 2] [--cpu] [--sparse]

Both cluster the points first (10 and 5 iterations of k-means). The goal is a ratio of at most 2. ``--cpu`` counts
processor seconds: the way to compare on a machine that others use too (with --threads 1). ``--sparse`` gives
AnchorGraph the same points once more as a CSR matrix.
"""

import argparse
import os
import statistics
import time

from images import images, labelled
from scipy import sparse
from threadpoolctl import threadpool_limits

import mr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=70_000)
    parser.add_argument("--centres", type=int, default=1000)
    parser.add_argument("--per-class", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--sparse", action="store_true")
    args = parser.parse_args()
    clock = time.process_time if args.cpu else time.perf_counter
    X, classes, name = images(args.samples)
    y = labelled(classes, args.per_class)
    methods = {
        "PVM": (mr.PVM(args.centres, random_state=0), X),
        "AnchorGraph": (mr.AnchorGraph(args.centres, random_state=0), X),
    }
    if args.sparse:
        methods["AnchorGraph, CSR"] = (mr.AnchorGraph(args.centres, random_state=0), sparse.csr_array(X))
    times = {method: [] for method in methods}
    print(f"{name}, {len(X)} points, {args.centres} centres, {args.per_class} labels per class, {args.threads} threads")
    with threadpool_limits(limits=args.threads):
        for model, points in methods.values():
            type(model)(20).fit(points[:500], classes[:500])  # compiles
        for _ in range(args.repeat):
            for method, (model, points) in methods.items():
                start = clock()
                model.fit(points, y)
                times[method].append(clock() - start)
    base = statistics.median(times["PVM"])
    for method, (model, _) in methods.items():
        seconds = statistics.median(times[method])
        accuracy = 100 * (model.transduction_ == classes)[y == -1].mean()
        print(f"{method:18}{seconds:8.1f} s  ratio {seconds / base:5.2f}  accuracy {accuracy:6.2f} %", flush=True)


if __name__ == "__main__":
    main()
