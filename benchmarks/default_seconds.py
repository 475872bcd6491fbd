"""What a user waits for on a first try: seconds of fits with default parameters on scikit-learn's 1797 digits.

    python benchmarks/default_seconds.py [--samples 1797] [--labels 50] [--threads 1] [--repeat 1] [--cpu] [NAME ...]

NAME is a class of ``mr`` (default: SLapCVM, LapESVR, and for comparison LapERLS and LapRLS). The goal is 5 s for
SLapCVM and LapESVR. ``--cpu`` counts processor seconds, for a machine that others use too. Compilation is not counted.
"""

import argparse
import statistics
import time
import warnings

import numpy as np
from images import labelled
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

import mr

NAMES = ("SLapCVM", "LapESVR", "LapERLS", "LapRLS")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", default=NAMES)
    parser.add_argument("--samples", type=int, default=1797)
    parser.add_argument("--labels", type=int, default=50)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--cpu", action="store_true")
    args = parser.parse_args()
    clock = time.process_time if args.cpu else time.perf_counter
    X, classes = (part[: args.samples] for part in load_digits(return_X_y=True))
    y = labelled(classes, args.labels // len(np.unique(classes)))
    print(f"digits, {len(X)} points, {(y != -1).sum()} labels, {args.threads} threads")
    warnings.simplefilter("ignore")
    with threadpool_limits(limits=args.threads):
        for name in args.names:
            machine = getattr(mr, name)
            few = {"random_state": 0} if "random_state" in machine().get_params() else {}
            machine(**few).fit(X[:200], np.where(np.arange(200) < 60, classes[:200], -1))  # compiles
            seconds = []
            for _ in range(args.repeat):
                start = clock()
                model = machine(**few).fit(X, y)
                seconds.append(clock() - start)
            accuracy = 100 * (model.transduction_ == classes)[y == -1].mean()
            print(f"{name:12}{statistics.median(seconds):8.1f} s  accuracy {accuracy:6.2f} %", flush=True)


if __name__ == "__main__":
    main()
