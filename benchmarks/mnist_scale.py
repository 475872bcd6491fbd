"""MNIST with 100 labels and 60,000 or 70,000 points: error against seconds of every scalable estimator, and of peers.

    python benchmarks/mnist_scale.py [--n 60000 70000]     measures what is missing in docs/mnist_scale.csv
    python benchmarks/mnist_scale.py --n 2000 --out /tmp/trial.csv     a trial: the first so many training images
    python benchmarks/mnist_scale.py --table

Ten random labels per class. 60,000: the training images, errors on those without a label and on the 10,000 test images,
which no fit has seen. 70,000: all images, errors on those without a label. Each method has a short list of parameters.
One is chosen on labels alone: fitted to CHOICE images with half of the labels hidden, then with the other half, least
errors on the hidden labels, ties to the first of the list. Weights that the list does not name are those that the
estimator chooses itself. Then one fit, timed with all threads. The 10-nearest-neighbour graph is built once, and its
seconds are counted for every method that uses it; graphlearning and scikit-learn build their own.
"""

import argparse
import time
import warnings

import numpy as np
from images import labelled
from results import Others, Results, add_out

import mr

COLUMNS = ("n", "method", "chosen", "graph_seconds", "fit_seconds", "error_pct", "error_new_pct", "hidden_errors")
LABELS_PER_CLASS, NEIGHBORS, CHOICE = 10, 10, 10_000
WIDTHS = ({"gamma": 0.01}, {"gamma": 0.02}, {"gamma": 0.04})
"""Of Gaussians on pixels between 0 and 1; "scale" is 0.0134."""


def over_basis(machine):
    def fit(X, y, graph, **given):
        return machine(basis=min(1000, len(X)), graph=graph, random_state=0, **given).fit(X, y)

    return fit


def on_graph(machine):
    return lambda X, y, graph, **given: machine(graph=graph, **given).fit(X, y)


def without_graph(machine):
    return lambda X, y, graph, **given: machine(**given).fit(X, y)


def label_spreading(X, y, graph, alpha):
    from sklearn.semi_supervised import LabelSpreading

    return LabelSpreading(kernel="knn", n_neighbors=NEIGHBORS, alpha=alpha, max_iter=200).fit(X, y)


class Found:
    """Answers of a method that gives nothing else."""

    def __init__(self, answers):
        self.transduction_ = answers


def graphlearning(method):
    def fit(X, y, graph, **given):
        import graphlearning as gl

        labelled_rows = np.flatnonzero(y >= 0)
        model = getattr(gl.ssl, method)(gl.weightmatrix.knn(X, NEIGHBORS), **given)
        return Found(model.fit_predict(labelled_rows, y[labelled_rows]))

    return fit


def options(name, *values):
    return tuple({name: value} for value in values)


METHODS = {
    "LapRLS(basis=1000)": (over_basis(mr.LapRLS), WIDTHS),
    "LapSVM(basis=1000)": (over_basis(mr.LapSVM), WIDTHS),
    "PVM": (without_graph(mr.PVM), tuple({"n_prototypes": m, "random_state": 0} for m in (200, 500, 1000))),
    "AnchorGraph": (without_graph(mr.AnchorGraph), options("n_anchors", 500, 1000, 2000)),
    "LapERLS": (on_graph(mr.LapERLS), ({"random_state": 0},)),
    "LapESVR": (on_graph(mr.LapESVR), ({"random_state": 0},)),
    "HarmonicFunction": (on_graph(mr.HarmonicFunction), options("class_mass_normalization", False, True)),
    "LGC": (on_graph(mr.LGC), options("eta", 0.9, 0.99)),
    "SLapCVM": (on_graph(mr.SLapCVM), WIDTHS),
    "LinearLapRLS": (on_graph(mr.LinearLapRLS), ({},)),
    "LabelSpreading(knn)": (label_spreading, options("alpha", 0.2, 0.9)),
    "graphlearning Laplace": (graphlearning("laplace"), options("reweighting", "none", "poisson")),
    "graphlearning Poisson": (graphlearning("poisson"), ({},)),
}
OWN_GRAPH = {"PVM", "AnchorGraph", "LabelSpreading(knn)", "graphlearning Laplace", "graphlearning Poisson"}


def images(n):
    """Images and classes to fit to, and those to predict."""
    data = mr.datasets.load("mnist")
    X, classes = np.ascontiguousarray(data.X / 255.0, dtype=float), data.y.astype(int)
    if n == len(X):
        return X, classes, None, None
    train, test = data.splits["train"][:n], data.splits["test"]
    return X[train], classes[train], X[test], classes[test]


def build(X):
    start = time.perf_counter()
    graph = mr.KNNGraph(NEIGHBORS).fit(X.astype(np.float32)).affinity_
    return graph, time.perf_counter() - start


def hidden_errors(fit, given, X, y, graph):
    """Errors on the labels that are hidden, one half at a time; every class keeps half of its labels."""
    half, wrong = np.arange(len(y)) % 2, 0
    for c in np.unique(y[y >= 0]):
        rows = np.flatnonzero(y == c)
        half[rows] = np.arange(len(rows)) % 2
    for side in (0, 1):
        hidden = (y >= 0) & (half == side)
        answers = fit(X, np.where(hidden, -1, y), graph, **given).transduction_
        wrong += int((answers[hidden] != y[hidden]).sum())
    return wrong


def measure(n, methods, results):
    X, classes, new, new_classes = images(n)
    y = labelled(classes, LABELS_PER_CLASS)
    rng = np.random.default_rng(1)
    others = rng.choice(np.flatnonzero(y < 0), min(CHOICE, n // 2), replace=False)
    few = np.sort(np.concatenate([np.flatnonzero(y >= 0), others]))
    needed = not OWN_GRAPH.issuperset(methods)
    few_graph = build(X[few])[0] if needed else None
    graph, graph_seconds = build(X) if needed else (None, 0.0)
    for method in methods:
        fit, candidates = METHODS[method]
        wrong = [hidden_errors(fit, given, X[few], y[few], few_graph) for given in candidates]
        chosen = candidates[int(np.argmin(wrong))]
        meanwhile, start = Others(), time.perf_counter()
        model = fit(X, y, graph, **chosen)
        seconds, busy = time.perf_counter() - start, meanwhile.row()
        hidden = y < 0
        error = 100.0 * float((model.transduction_[hidden] != classes[hidden]).mean())
        error_new = ""
        if new is not None and hasattr(model, "predict"):
            error_new = f"{100.0 * float((model.predict(new) != new_classes).mean()):.2f}"
        shown = " ".join(f"{name}={value}" for name, value in chosen.items() if name != "random_state")
        built = "" if method in OWN_GRAPH else f"{graph_seconds:.4g}"
        line = (n, method, shown, built, f"{seconds:.4g}", f"{error:.2f}", error_new, " ".join(map(str, wrong)))
        results.add(dict(zip(COLUMNS, line, strict=True)) | busy)
        print(*line, sep=", ", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, nargs="*", default=[70_000, 60_000])
    parser.add_argument("--only", nargs="*", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--table", action="store_true")
    add_out(parser, "mnist_scale.csv")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    results = Results(args.out, COLUMNS)
    done = {(int(row["n"]), row["method"]) for row in results.rows()}
    for n in [] if args.table else args.n:
        missing = [method for method in args.only if (n, method) not in done]
        if missing:
            measure(n, missing, results)
    shown = ("n", "method", "graph_seconds", "fit_seconds", "error_pct", "error_new_pct", "chosen")
    for row in results.rows() if args.table else []:
        print("{:>6} {:24} {:>8} {:>8} {:>6} {:>6} {}".format(*(row[name] for name in shown)))


if __name__ == "__main__":
    main()
