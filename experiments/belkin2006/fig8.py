"""belkin2006 Figure 8: WebKB, 779 pages for training, 263 for testing; break-even point against the number of labels.

Claims: unlabelled pages help, most with few labels (top); transduction improves with the number of unlabelled pages, on
test pages this is not observed consistently (bottom). The number of unlabelled pages is varied by taking the first
pages of the training set. Sizes are compared on ``common`` pages, the unlabelled ones of the smallest training set,
which every size has: each size's own unlabelled pages would be other pages for each curve. Features and graph are those
of Table 5.
"""

import numpy as np

from experiments.belkin2006 import protocol
from experiments.belkin2006.protocol import TEST, UNLABELLED, cell, draw_per_class, machine_path, others, prbep_pct, row
from experiments.belkin2006.table5 import pages_from
from experiments.belkin2006.webkb import label_counts
from experiments.splits import reveal

ID = "belkin2006_fig8"
VERSION = 2
NAMES = {"pages": "WebKB-course"}
COMMON = "common"


def datasets(params):
    return {key: entry["name"] for key, entry in params["datasets"].items()}


def tasks(params):
    return [{"dataset": key, "split": split} for key in params["datasets"] for split in range(params["n_splits"])]


def run_task(task, params, store):
    pages = pages_from(store, task["dataset"], params["datasets"][task["dataset"]])
    seeds, label_seeds = store.seed_sequence(task).spawn(2)
    order = np.random.default_rng(seeds).permutation(len(pages.y))
    test, train = order[: params["n_test"]], order[params["n_test"] : params["n_test"] + params["n_train"]]
    # Labels come from the smallest training set, so that all sizes are compared with the same labels.
    smallest = min(params["sizes"])
    pool = pages.y[train[:smallest]]
    most = label_counts(max(params["n_labelled"]), params["positive_share"])
    (labels,) = draw_per_class(pool, most, label_seeds, 1)
    rows = []
    for size in params["sizes"]:
        methods = params["methods"] if size == max(params["sizes"]) else ["LapRLS", "LapSVM"]
        X, y = pages.X[train[:size]], pages.y[train[:size]]
        paths = {name: machine_path(name, params["kernel"], params["graph"], X, pages.X[test]) for name in methods}
        for l in params["n_labelled"]:
            labelled = _first(labels, pool, label_counts(l, params["positive_share"]))
            unlabelled, common = others(size, labelled), others(smallest, labelled)
            for method, path in paths.items():
                fit = path.fit(reveal(y, labelled), **cell(params["methods"][method]))
                parts = {UNLABELLED: (fit.values[unlabelled], y[unlabelled]), COMMON: (fit.values[common], y[common]),
                         TEST: (fit.new_values, pages.y[test])}  # fmt: skip
                for part, (values, truth) in parts.items():
                    entries = {"n_labelled": l, "size": size, "part": part}
                    found = prbep_pct(values[:, 0], truth)
                    rows.append(row(method, f"l={l}, n={size}, {part}", "prbep_pct", found, **entries))
    return rows


def _first(labels, y, counts):
    """The first labels of each class: smaller sets are parts of larger ones."""
    return np.concatenate([labels[y[labels] == c][:count] for c, count in sorted(counts.items())])


def summarise(rows, params):
    return protocol.summarise(ID, rows, NAMES)
