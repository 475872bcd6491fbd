"""belkin2006 Figure 8: WebKB, 779 pages for training, 263 for testing; break-even point against the number of labels.

Claims: unlabelled pages help, most with few labels (top); LapSVM transduces better the more unlabelled pages there are
(bottom). The number of unlabelled pages is varied by taking the first pages of the training set.
"""

import numpy as np

from experiments.belkin2006 import protocol as belkin2006
from experiments.belkin2006.protocol import TEST, UNLABELLED, draw_per_class, others, prbep_pct, row
from experiments.belkin2006.webkb import Pages, label_counts

ID = "belkin2006_fig8"
NAMES = {"webkb": "WebKB-course"}


def datasets(params):
    return [params["dataset"]]


def tasks(params):
    return [{"dataset": params["dataset"], "split": split} for split in range(params["n_splits"])]


def run_task(task, params, store):
    pages = Pages(store.dataset(task["dataset"]))
    seeds, label_seeds = store.seed_sequence(task).spawn(2)
    order = np.random.default_rng(seeds).permutation(len(pages.y))
    test, train = order[: params["n_test"]], order[params["n_test"] : params["n_test"] + params["n_train"]]
    largest = max(params["n_labelled"])
    # Labels come from the smallest training set, so that all sizes are compared with the same labels.
    pool = train[: min(params["sizes"])]
    (labels,) = draw_per_class(pages.y[pool], label_counts(largest, params["positive_share"]), label_seeds, 1)
    rows = []
    for size in params["sizes"]:
        methods = params["methods"] if size == max(params["sizes"]) else {"LapSVM": params["methods"]["LapSVM"]}
        machines = pages.machines(params, train[:size], test)
        for l in params["n_labelled"]:
            labelled = _first(labels, pages.y[pool], label_counts(l, params["positive_share"]))
            for method, weights in methods.items():
                rows += _rows(machines, method, weights, labelled, pages.y[train[:size]], pages.y[test], size)
    return rows


def _first(labels, y, counts):
    """The first labels of each class: smaller sets are parts of larger ones."""
    return np.concatenate([labels[y[labels] == c][:count] for c, count in sorted(counts.items())])


def _rows(machines, method, weights, labelled, y, y_test, size):
    unlabelled = others(len(y), labelled)
    train, test = machines.values(method, weights, labelled, y[labelled, None])
    found = ((UNLABELLED, train[unlabelled, 0], y[unlabelled]), (TEST, test[:, 0], y_test))
    l = len(labelled)
    return [
        row(
            method,
            f"l={l}, n={size}, {part}",
            "prbep_pct",
            prbep_pct(values, truth),
            n_labelled=l,
            size=size,
            part=part,
        )
        for part, values, truth in found
    ]


def summarise(rows, params):
    return belkin2006.summarise(rows, NAMES)
