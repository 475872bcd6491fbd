"""Training time and peak memory of PVM from 10,000 to 1,000,000 generated points, m = 200.

zhang2015, Fig. 2(a), claims time linear in n. Prints the exponent of a power law fitted to the times (at most 1.1
expected), and the peak memory beyond the data itself (flat expected). The points come in blocks made on demand, so
that even the data is never in memory as a whole; ``--in-memory`` holds it as one array.

    python benchmarks/pvm_scaling.py [--largest 1000000] [--features 20] [--loss square] [--in-memory]
"""

import argparse
import resource
import time

import numpy as np

import mr

BLOCK = 10_000
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)


def make_block(index, n_features):
    """Rows of two noisy rings in a random plane; always the same for one index."""
    rng = np.random.default_rng(index)
    plane = np.random.default_rng(-1 % 2**32).normal(size=(2, n_features)) / np.sqrt(n_features)
    label = np.arange(BLOCK) % 2
    angle = rng.uniform(0, 2 * np.pi, BLOCK)
    radius = 1.0 + 2.0 * label
    rings = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return rings @ plane + 0.1 * rng.normal(size=(BLOCK, n_features)), label


def measure(n, n_features, loss, in_memory):
    labels = np.concatenate([make_block(i, 1)[1] for i in range(n // BLOCK)])
    y = np.full(n, -1)
    y[:100] = labels[:100]

    def blocks():
        return (make_block(i, n_features)[0] for i in range(n // BLOCK))

    source = np.concatenate(list(blocks())) if in_memory else blocks
    start = time.perf_counter()
    model = mr.PVM(n_prototypes=200, loss=loss, C1=float(n), C2=0.0, gamma=1.0, random_state=0)
    model = model.fit(source, y) if in_memory else model.fit_blocks(source, y)
    seconds = time.perf_counter() - start
    generating = 0.0
    if not in_memory:  # the blocks are made anew in each of the nine passes: not the machine's own time
        start = time.perf_counter()
        for _ in blocks():
            pass
        generating = 9 * (time.perf_counter() - start)
    error = 100 * float((model.transduction_ != labels).mean())
    return seconds, generating, error, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--loss", choices=("square", "hinge"), default="square")
    parser.add_argument("--in-memory", action="store_true")
    args = parser.parse_args()
    measure(BLOCK, args.features, args.loss, args.in_memory)  # compiles, loads libraries
    print(f"{'n':>9} {'seconds':>9} {'of which data':>13} {'error %':>8} {'peak MB':>8}")
    sizes, times = [n for n in SIZES if n <= args.largest], []
    for n in sizes:
        seconds, generating, error, peak = measure(n, args.features, args.loss, args.in_memory)
        times.append(seconds - generating)
        print(f"{n:9} {seconds:9.2f} {generating:13.2f} {error:8.2f} {peak:8.0f}", flush=True)
    exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    print(f"fitted exponent of training time in n: {exponent:.3f} (at most 1.1 expected)")


if __name__ == "__main__":
    main()
