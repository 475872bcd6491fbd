"""The smallest eigenpairs of large neighbour graphs: seconds, certified residual and peak memory.

    python benchmarks/large_spectrum.py --data moons --n 100000 1000000 [--k 10] [--weights heat] [--minutes 30]

k pairs beyond the null space of the graphs of benchmarks/scaling.py, with weights 1. Heat weights join groups of
outliers to the rest by weights down to 1e-300: the ten smallest eigenvalues of 100,000 points are below 2e-13, and
those of a million points were not found within two minutes. What takes longer than --minutes, or does not reach the
residual, is said and adds no line. The residual is max |L v - s v|, computed anew at the end,
for |v| = 1 and |L| up to 2. Every line has a process of its own and is added to ``docs/large_spectrum.csv``.
"""

import argparse
import resource
import subprocess
import sys
import time

from results import OTHERS, Others, Results, add_out
from scaling import DATA, graph_of

from mr.spectrum import smallest_eigenpairs

COLUMNS = ("data", "weights", "n", "k", "graph_seconds", "seconds", "residual", "smallest", "largest", "peak_mb")


def measure(data, weights, n, k):
    smallest_eigenpairs(graph_of(data).set_params(weights=weights).fit(DATA[data](3000, seed=1)[0]), k)  # compiles
    X = DATA[data](n, seed=0)[0]
    others, start = Others(), time.perf_counter()
    graph = graph_of(data).set_params(weights=weights).fit(X)
    built = time.perf_counter()
    found = smallest_eigenpairs(graph, k + graph.n_components_)
    seconds, values = time.perf_counter() - built, found.values[-k:]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    numbers = (built - start, seconds, found.residual, values[0], values[-1], peak)
    return (data, weights, n, k, *(f"{number:.3g}" for number in numbers), others.row().get(OTHERS, ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", choices=list(DATA), default="moons")
    parser.add_argument("--n", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--weights", choices=("binary", "heat"), default="binary")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=30.0, help="longest time of one line")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    add_out(parser, "large_spectrum.csv")
    args = parser.parse_args()
    if args.one:
        print(*measure(args.data, args.weights, args.n[0], args.k), sep=",")
        return
    results = Results(args.out, COLUMNS)
    for n in args.n:
        given = ["--one", "--data", args.data, "--weights", args.weights, "--n", str(n), "--k", str(args.k)]
        command = [sys.executable, "-W", "ignore", __file__, *given]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60 * args.minutes)
        except subprocess.TimeoutExpired:
            print(f"{args.data} {args.weights} {n}: more than {args.minutes} minutes", flush=True)
            continue
        if done.returncode:
            said = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
            print(f"{args.data} {args.weights} {n}: {said[-1]}", flush=True)
            continue
        line = done.stdout.strip()
        results.add(dict(zip(results.columns, line.split(","), strict=True)))
        print(line, flush=True)


if __name__ == "__main__":
    main()
