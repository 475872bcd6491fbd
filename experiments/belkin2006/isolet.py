"""belkin2006, section 5.3: one speaker is labelled, the others are not. Shared by Figures 6 and 7 and Table 4.

Experiment 1 trains on the 30 speakers of isolet1 and tests on those of isolet5. Experiment 2 trains on the first
utterances of isolet1 and tests on the second ones. The graph is open in the paper; ours has the defaults of the
authors' MATLAB code, as for the digits.
"""

import numpy as np

from experiments.belkin2006.protocol import (
    TEST,
    UNLABELLED,
    Machines,
    break_even_pct,
    grouped_tasks,
    kernel_of,
    multiclass_pct,
    one_versus_rest,
    others,
    row,
)  # fmt: skip
from mr.graph import KNNGraph

UTTERANCES = 2  # of a letter by a speaker


class Speakers:
    """Training and test points; ``speaker`` of each training point (0..n_speakers-1)."""

    def __init__(self, dataset, experiment, n_speakers):
        speaker, utterance, fresh = _speakers(dataset, n_speakers)
        known = (speaker >= 0) & (speaker < n_speakers)
        train = known if experiment == 1 else known & (utterance == 0)
        test = fresh if experiment == 1 else known & (utterance == 1)
        self.X, self.y, self.speaker = dataset.X[train], dataset.y[train], speaker[train]
        self.X_test, self.y_test = dataset.X[test], dataset.y[test]
        self.n_classes = dataset.n_classes

    def machines(self, kernel, graph) -> Machines:
        """All methods on this problem, from the entries ``kernel`` and ``graph`` (or None) of params."""
        kernel = kernel_of(kernel, self.X)
        graph = None if graph is None else KNNGraph(**graph).fit(self.X)
        return Machines(kernel(self.X), graph, kernel(self.X_test, self.X))

    def halves(self, y):
        """+1 for the first half of the alphabet, -1 for the second."""
        return np.where(y < self.n_classes // 2, 1.0, -1.0)


def _speakers(dataset, n_speakers):
    """Speaker and utterance of each row, and which rows are the separate group of experiment 1's test.

    Data without speakers (quick scale) gets them by position: the 2j-th and 2j+1-st example of each class are "speaker"
    j's.
    """
    if "speaker" in dataset.splits:
        fresh = np.zeros(len(dataset.y), dtype=bool)
        fresh[dataset.splits["part5"]] = True
        return dataset.splits["speaker"], dataset.splits["utterance"], fresh
    rank = np.empty(len(dataset.y), dtype=int)
    for c in range(dataset.n_classes):
        rows = np.flatnonzero(dataset.y == c)
        rank[rows] = np.arange(len(rows))
    return rank // UTTERANCES, rank % UTTERANCES, rank >= UTTERANCES * n_speakers


def tasks(params):
    return grouped_tasks(params["dataset"], params, params["n_speakers"])


def two_class_rows(task, params, store, experiment):
    """Error at the break-even point of each speaker's problem, first half of the alphabet against the second."""
    data, machines = _prepared(task, params, store, experiment)
    y, y_test = data.halves(data.y), data.halves(data.y_test)
    rows = []
    for speaker in range(*task["units"]):
        labelled, unlabelled = _labelled(data, speaker)
        for method in task["methods"]:
            train, test = machines.values(method, params["methods"][method], labelled, y[labelled, None])
            for part, error in ((UNLABELLED, break_even_pct(train[unlabelled, 0], y[unlabelled])),
                                (TEST, break_even_pct(test[:, 0], y_test))):  # fmt: skip
                setting = f"speaker {speaker + 1}, {part}"
                rows.append(row(method, setting, "error_pct", error, speaker=speaker + 1, part=part))
    return rows


def multiclass_rows(task, params, store, experiment):
    """One-versus-rest error over all letters, for each labelled speaker."""
    data, machines = _prepared(task, params, store, experiment)
    rows = []
    for speaker in range(*task["units"]):
        labelled, unlabelled = _labelled(data, speaker)
        targets = one_versus_rest(data.y[labelled], data.n_classes)
        for method in task["methods"]:
            train, test = machines.values(method, params["methods"][method], labelled, targets)
            rows.append(row(method, UNLABELLED, "error_pct", multiclass_pct(train[unlabelled], data.y[unlabelled])))
            rows.append(row(method, TEST, "error_pct", multiclass_pct(test, data.y_test)))
    return rows


def _prepared(task, params, store, experiment):
    data = Speakers(store.dataset(task["dataset"]), experiment, params["n_speakers"])
    laplacian = any("b" in params["methods"][method] for method in task["methods"])
    return data, data.machines(params["kernel"], params["graph"] if laplacian else None)


def _labelled(data, speaker):
    labelled = np.flatnonzero(data.speaker == speaker)
    return labelled, others(len(data.y), labelled)
