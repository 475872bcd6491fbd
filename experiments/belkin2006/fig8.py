"""belkin2006 Figure 8: WebKB, 779 pages for training, 263 for testing; break-even point against the number of labels.

Claims: unlabelled pages help, most with few labels (top); LapSVM transduces better the more unlabelled pages there are
(bottom). The number of unlabelled pages is varied by taking the first pages of the training set.
"""

import numpy as np

from experiments.belkin2006 import protocol
from experiments.belkin2006.protocol import by_part, cell, draw_per_class, machine_path, prbep_pct, row
from experiments.belkin2006.webkb import Pages, label_counts
from experiments.splits import reveal

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
    # Labels come from the smallest training set, so that all sizes are compared with the same labels.
    pool = pages.y[train[: min(params["sizes"])]]
    most = label_counts(max(params["n_labelled"]), params["positive_share"])
    (labels,) = draw_per_class(pool, most, label_seeds, 1)
    rows = []
    for size in params["sizes"]:
        methods = params["methods"] if size == max(params["sizes"]) else ["LapSVM"]
        X, y = pages.X[train[:size]], pages.y[train[:size]]
        paths = {name: machine_path(name, params["kernel"], params["graph"], X, pages.X[test]) for name in methods}
        for l in params["n_labelled"]:
            labelled = _first(labels, pool, label_counts(l, params["positive_share"]))
            for method, path in paths.items():
                fit = path.fit(reveal(y, labelled), **cell(params["methods"][method]))
                for part, values, truth in by_part(fit, y, pages.y[test], labelled):
                    found = prbep_pct(values[:, 0], truth)
                    entries = {"n_labelled": l, "size": size, "part": part}
                    rows.append(row(method, f"l={l}, n={size}, {part}", "prbep_pct", found, **entries))
    return rows


def _first(labels, y, counts):
    """The first labels of each class: smaller sets are parts of larger ones."""
    return np.concatenate([labels[y[labels] == c][:count] for c, count in sorted(counts.items())])


def summarise(rows, params):
    return protocol.summarise(ID, rows, NAMES)
