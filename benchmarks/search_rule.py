"""What LapERLSCV and PVMCV should choose from, and when a graph is taken: the table behind both.

    python benchmarks/search_rule.py [--draws 3] [--small-draws 20] [--sets german spectf]

The held-out values and the errors of all cells, without and with a constant and (without a graph) at two widths, on the
development sets of default_errors.py and on seven small sets that are in neither of its halves. Of the cells that a
variant has, the best held-out alignment is taken; cells without a graph are preferred unless they are worse by so many
standard errors (:func:`mr.solvers.choice.choose_by_alignment`). Prints the mean error (%) over the problems and the
largest excess over SVC on the labels.
"""

import argparse
from itertools import product

import numpy as np
from default_errors import DEVELOPMENT, draw_labels, problem
from default_rule import FIRST_SEED, SMALL, decide
from sklearn.svm import SVC

import mr
from mr.estimators.pvm import LOCAL_CELLS
from mr.kernels import mean_gamma, scale_gamma
from mr.labels import encode_labels
from mr.model_selection.embedded import RLS_LISTS
from mr.solvers import choice
from mr.solvers.graph_weight import RIDGES
from mr.solvers.scale_free import AUTO, NO_GRAPH
from mr.spectrum import smallest_eigenpairs

MARGINS = (0.0, 0.25, 0.5, 1.0)
VARIANTS = {
    "before": lambda cell: cell["width"] == "mean" and not cell["fit_intercept"],
    "and a constant": lambda cell: cell["width"] == "mean",
    'and "scale" without a graph': lambda cell: True,
}


class Embedded:
    """Cells of LapERLSCV; "scale" is tried without a graph only."""

    def __init__(self, X):
        graph = mr.KNNGraph().fit(X)
        pairs = smallest_eigenpairs(graph, min(100, X.shape[0]))
        widths = {w: mr.LapERLS(gamma=w, graph=graph) for w in ("mean", "scale")}
        self.paths = {w: mr.paths.LapERLSPath(model, X, eigenpairs=pairs) for w, model in widths.items()}

    def cells(self, rows):
        lists = RLS_LISTS | {"fit_intercept": (False, True)}
        for width, values in product(self.paths, product(*lists.values())):
            cell = dict(zip(lists, values, strict=True))
            if width == "mean" or cell["mu"] == 0:
                yield width, cell, cell["mu"] == 0


class Prototypes:
    """Cells of PVMCV; "mean" and "scale" are the wide kernels without a graph."""

    def __init__(self, X):
        local = mr.paths.PVMPath(mr.PVM(gamma="local", random_state=0), X)
        width = local.graph.kernel.gamma_
        self.paths = {}
        for name, gamma in {"mean": mean_gamma(X), "scale": scale_gamma(X), "half": width / 2, "local": width}.items():
            self.paths[name] = mr.paths.PVMPath(mr.PVM(gamma=gamma, random_state=0), X)
            self.paths[name].prototypes = local.prototypes
        self.n = X.shape[0]

    def cells(self, rows):
        l = len(rows)
        for (width, path), constant in product(self.paths.items(), (False, True)):
            wide = width in ("mean", "scale")
            for pair in [(NO_GRAPH, ridge / l) for ridge in sorted(RIDGES, reverse=True)] if wide else LOCAL_CELLS:
                C1, C2 = path.estimator._weights(AUTO, AUTO, *pair, self.n, l, path.graph.kernel_scale)
                yield width, {"C1": C1, "C2": C2, "fit_intercept": constant}, wide


def tried(machine, y, truth):
    """(cell with its width, whether it is supervised, held-out values, error) of every cell; and the targets."""
    labels, hidden, found = encode_labels(y), y == -1, []
    for width, cell, supervised in machine.cells(labels.rows):
        path = machine.paths[width]
        held_out = path.held_out(y, **cell)
        error = 100 * np.mean(decide(path.fit(y, **cell).values[hidden]) != truth[hidden])
        local = {"width": width if width == "scale" else "mean"}  # of the other widths there is one list
        found.append((cell | local, supervised, held_out, error))
    return found, labels.signed


def chosen_error(found, targets, variant, margin):
    found = [cell for cell in found if VARIANTS[variant](cell[0])]
    choice.CLEARLY = margin
    weights = choice.weights_with_rare_classes(targets, np.ones(len(targets)))
    supervised = [cell[1] for cell in found]
    return found[choice.choose_by_alignment([cell[2] for cell in found], targets, weights, supervised)][3]


def measure(kind, spec, size, draws):
    """Mean errors of one problem: SVC, and every variant at every margin."""
    X, truth = problem(*spec)
    machine, rows = kind(X), []
    for seed in range(FIRST_SEED, FIRST_SEED + draws):
        y = draw_labels(truth, size, seed)
        hidden = y == -1
        svc = 100 * np.mean(SVC().fit(X[~hidden], y[~hidden]).predict(X[hidden]) != truth[hidden])
        found = tried(machine, y, truth)
        rows.append([svc, *(chosen_error(*found, *rule) for rule in product(VARIANTS, MARGINS))])
    return np.mean(rows, axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--small-draws", type=int, default=20)
    parser.add_argument("--sets", nargs="*")
    options = parser.parse_args()
    problems = [(name, spec[:3], spec[3], options.draws) for name, spec in DEVELOPMENT.items()]
    problems += [(name, spec, size, options.small_draws) for name, spec in SMALL.items() for size in (30, 60)]
    for search, kind in (("LapERLSCV", Embedded), ("PVMCV", Prototypes)):
        found = np.array([measure(kind, *p) for name, *p in problems if options.sets is None or name in options.sets])
        print(f"{search}: {len(found)} problems, SVC {found[:, 0].mean():.2f}")
        for (variant, margin), errors in zip(product(VARIANTS, MARGINS), found[:, 1:].T, strict=True):
            excess = (errors - found[:, 0]).max()
            print(f"  {variant:30s} margin {margin:4.2f}: {errors.mean():6.2f} {excess:+6.2f}")


if __name__ == "__main__":
    main()
