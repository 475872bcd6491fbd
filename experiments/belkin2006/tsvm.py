"""belkin2006's TSVM was the program SVM-light: its search and its read-outs, beside the printed algorithm of Joachims.

The paper says that its TSVM rows "were obtained when we ran the TSVM implementation using SVM-Light software". The
other artifacts run ``mr.TSVM``, the algorithm of Joachims (1999). Here are, for the same problems, draws and weights:

``SVM-light``
    the search of the program (:mod:`experiments.belkin2006.svmlight`), decision values on all points;
``SVM-light, predictions file``
    the same, with the unlabelled points read from the file that ``svm_learn -l`` writes;
``single switches, equal weights``
    the program's switches and tolerances, but positive and negative unlabelled points of equal weight;
``SVM-light, p=0.5``
    the program with half of the unlabelled points positive (its option ``-p``), the share of the two-class problem:
    "the parameters were held fixed as in the 2-class setting"; again with both read-outs;
``p=0.1, clipped``
    ``mr.TSVM`` with a tenth of the unlabelled points positive and decision values clipped to [-1, 1].

``USPS-unscaled`` are the pairs of digits with the kernel (x.z)^3, since the paper does not say how it is scaled, with
the other machines beside. LapSVM comes without bias there: with one it breaks down (``belkin2006_sensitivity``).

Every variant was committed before it was run on a data set of the paper; p = 0.5 came second, after the others had
left the printed failure on Isolet-26 unexplained. The last one had met the size of the printed errors of three speakers
in an earlier search among about 25 read-outs.
"""

import numpy as np

from experiments.belkin2006 import protocol
from experiments.belkin2006.isolet import Speakers
from experiments.belkin2006.protocol import (
    TEST,
    UNLABELLED,
    break_even_pct,
    cell,
    draw_per_class,
    kernel_options,
    machine_path,
    multiclass_pct,
    others,
    prbep_pct,
    row,
)  # fmt: skip
from experiments.belkin2006.svmlight import prediction_file, search
from experiments.belkin2006.table3 import SETTING as USPST_SETTING
from experiments.belkin2006.table5 import SETTING as PAGES_SETTING
from experiments.belkin2006.usps import PairProblem, pairs
from experiments.belkin2006.webkb import label_counts, pages_of
from experiments.splits import labelled_sets, reveal, signed
from mr.kernels import Kernel

ID = "belkin2006_tsvm"
NAMES = {"isolet": "Isolet-26", "halves": "Isolet-2", "uspst": "USPS-test-multiclass", "pages": "WebKB-course"}
TOLERANCE = protocol.SWITCHING
PROGRAM, CLIPPED = "SVM-light", "p=0.1, clipped"
SEARCHES = {
    PROGRAM: {},
    "SVM-light, p=0.5": {"positive_fraction": 0.5},
    "single switches, equal weights": {"positive_weight": 1.0},
}
FILE = ", predictions file"  # read-out of any of them


def datasets(params):
    return {key: entry["dataset"] for key, entry in params["datasets"].items()}


def tasks(params):
    found = []
    for key, entry in params["datasets"].items():
        if "digits" in entry:
            found += [{"dataset": key, "pair": pair} for pair in pairs(entry["digits"])]
        elif "pages" in entry:
            found.append({"dataset": key})
        else:
            found += [{"dataset": key, "draw": draw} for draw in range(entry["n_draws"])]
    return found


def run_task(task, params, store):
    entry = params["datasets"][task["dataset"]]
    return list(RUNS[task["dataset"]](task, entry, store.dataset(task["dataset"]), store))


class Machine:
    """Gram matrices of a problem, on which every variant searches."""

    def __init__(self, entry, X, X_new=None):
        self.entry, self.X, self.X_new = entry, X, X_new
        options = kernel_options(entry["kernel"])
        kernel = Kernel(*(options.get(key, default) for key, default in KERNEL_DEFAULTS)).fit(X)
        self.K = kernel(X)
        self.K_new = kernel(X_new if X_new is not None else X[:0], X)
        self.C = 1.0 / (2.0 * entry["a"])

    def values(self, variant, y, labelled):
        """Values on unlabelled and on new points, one column per class (two classes: one, positive for class 1)."""
        if variant == CLIPPED:
            return self._clipped(y, labelled)
        classes = np.unique(y[labelled])
        columns = [signed(y[labelled])] if len(classes) == 2 else [signed(y[labelled] == c) for c in classes]
        options, unlabelled = SEARCHES[variant.removesuffix(FILE)], others(len(y), labelled)
        found = [search(self.K, labelled, targets, self.C, **options) for targets in columns]
        new = np.column_stack([self.K_new @ one.coefficients + one.intercept for one in found])
        if variant.endswith(FILE):
            return np.column_stack([prediction_file(one, unlabelled) for one in found]), new
        return np.column_stack([one.values[unlabelled] for one in found]), new

    def _clipped(self, y, labelled):
        path = machine_path("TSVM", self.entry["kernel"], {}, self.X, self.X_new)
        shares = np.full(len(np.unique(y[labelled])), self.entry["positive_fraction"])
        fit = path.fit(reveal(y, labelled), **cell({"a": self.entry["a"]}), positive_fraction=shares)
        return np.clip(fit.values[others(len(y), labelled)], -1.0, 1.0), np.clip(fit.new_values, -1.0, 1.0)


KERNEL_DEFAULTS = (("kernel", "rbf"), ("gamma", "scale"), ("degree", 3), ("coef0", 0.0))


def _parts(task, entry, machine, y, y_new, labelled, error):
    """Rows of every variant on unlabelled and test points."""
    for variant in entry["variants"]:
        inside, new = machine.values(variant, y, labelled)
        yield variant, UNLABELLED, error(inside, y[others(len(y), labelled)])
        if len(new):
            yield variant, TEST, error(new, y_new)


def _letters(task, entry, data, store):
    data = Speakers(data, 1, entry["n_draws"])
    labelled = data.labelled(task["draw"])
    machine, letters = Machine(entry, data.X, data.X_test), np.unique(data.y[labelled])
    parts = _parts(task, entry, machine, data.y, data.y_test, labelled, lambda f, y: multiclass_pct(f, letters, y))
    for variant, part, error in parts:
        yield row("TSVM", f"{variant}, {part}", "error_pct", error, variant=variant, part=part)


def _halves(task, entry, data, store):
    data, speaker = Speakers(data, 1, entry["n_draws"]), task["draw"]
    y, y_test, labelled = data.first_half(data.y), data.first_half(data.y_test), data.labelled(speaker)
    parts = _parts(task, entry, Machine(entry, data.X, data.X_test), y, y_test, labelled, _at_break_even)
    for variant, part, error in parts:
        entries = {"variant": variant, "speaker": speaker + 1, "part": part}
        yield row("TSVM", f"{variant}, speaker {speaker + 1}, {part}", "error_pct", error, **entries)


def _digits(task, entry, data, store):
    splits = labelled_sets(data, entry["n_labelled"], entry["n_draws"], store.seed_sequence({"dataset": "uspst"}))
    labelled = splits[task["draw"]]
    machine, classes = Machine(entry, data.X), np.unique(data.y[labelled])
    for variant, _, error in _parts(task, entry, machine, data.y, None, labelled,
                                    lambda f, y: multiclass_pct(f, classes, y)):  # fmt: skip
        yield row("TSVM", f"{variant}, {USPST_SETTING}", "error_pct", error, variant=variant)


def _pairs(task, entry, data, store):
    problem = PairProblem(data, task["pair"], entry["n_first"], entry["n_components"])
    machine = Machine(entry, problem.X, problem.X_test)
    for labelled in problem.draws(entry["n_labelled"], store.seed_sequence(task, "pair"), entry["n_draws"]):
        for variant, part, error in _parts(task, entry, machine, problem.y, problem.y_test, labelled, _at_break_even):
            entries = {"variant": variant, "part": part}
            found = row("TSVM", f"{variant}, {part}", "error_pct", error, **entries)
            yield {"dataset": f"{PAIRS[task['dataset']]} {task['pair']}"} | found
    yield from _machines(task, entry, problem, store)


def _machines(task, entry, problem, store):
    """Rows of other machines on the same draws, where params name them."""
    draws = problem.draws(entry["n_labelled"], store.seed_sequence(task, "pair"), entry["n_draws"])
    for method, weights in entry.get("machines", {}).items():
        path = problem.path(method, entry["kernel"], entry["graph"])
        for labelled in draws:
            for part, error in problem.errors(path, weights, labelled)[0].items():
                found = row(method, part, "error_pct", error, part=part)
                yield {"dataset": f"{PAIRS[task['dataset']]} {task['pair']}"} | found


def _pages(task, entry, data, store):
    pages = pages_of(data, None, tuple(sorted(entry["pages"].items())))
    counts = label_counts(entry["n_labelled"], entry["positive_share"])
    machine = Machine(entry, pages.X)
    # the draws of Table 5
    for labelled in draw_per_class(pages.y, counts, store.seed_sequence(task, "dataset"), entry["n_draws"]):
        unlabelled = others(len(pages.y), labelled)
        for variant in entry["variants"]:
            values = machine.values(variant, pages.y, labelled)[0][:, 0]
            for metric, measure in (("prbep_pct", prbep_pct), ("error_pct", break_even_pct)):
                found = measure(values, pages.y[unlabelled])
                yield row("TSVM", f"{variant}, {PAGES_SETTING}", metric, found, variant=variant)


def _at_break_even(values, y):
    return break_even_pct(values[:, 0], y)


RUNS = {"pages": _pages, "isolet": _letters, "halves": _halves, "uspst": _digits, "usps": _pairs,
        "usps_unscaled": _pairs}  # fmt: skip
PAIRS = {"usps": "USPS", "usps_unscaled": "USPS-unscaled"}


def summarise(rows, params):
    return protocol.summarise(ID, rows, NAMES)
