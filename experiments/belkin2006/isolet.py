"""belkin2006, section 5.3: one speaker is labelled, the others are not. Shared by Figures 6 and 7 and Table 4.

Experiment 1 trains on the 30 speakers of isolet1 and tests on those of isolet5. Experiment 2 trains on the first
utterances of isolet1 and tests on the second ones. The graph is open in the paper; ours has the defaults of the
authors' MATLAB code, as for the digits.
"""

import numpy as np

from experiments.belkin2006.protocol import (
    break_even_pct,
    by_part,
    cell,
    draws_of,
    machine_path,
    method_tasks,
    multiclass_pct,
    row,
)  # fmt: skip
from experiments.splits import reveal

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

    def path(self, method, kernel, graph):
        """The method on this problem, from the entries ``kernel`` and ``graph`` of params."""
        return machine_path(method, kernel, graph, self.X, self.X_test)

    def first_half(self, y):
        """1 for letters of the first half of the alphabet, 0 for the second."""
        return (y < self.n_classes // 2).astype(int)

    def labelled(self, speaker):
        """Training rows of a speaker."""
        return np.flatnonzero(self.speaker == speaker)

    def half_errors(self, path, weights, speaker) -> dict:
        """Error at the break-even point, first half of the alphabet against the second, by part."""
        labelled = self.labelled(speaker)
        y, y_test = self.first_half(self.y), self.first_half(self.y_test)
        fit = path.fit(reveal(y, labelled), **cell(weights))
        return {part: break_even_pct(values[:, 0], truth) for part, values, truth in by_part(fit, y, y_test, labelled)}

    def letter_errors(self, path, weights, speaker) -> dict:
        """One-versus-rest error over all letters, by part."""
        labelled = self.labelled(speaker)
        fit = path.fit(reveal(self.y, labelled), **cell(weights))
        letters = np.unique(self.y[labelled])
        parts = by_part(fit, self.y, self.y_test, labelled)
        return {part: multiclass_pct(values, letters, truth) for part, values, truth in parts}


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
    return method_tasks(params["dataset"], params["methods"], params["n_speakers"])


def half_rows(task, params, store, experiment):
    """Rows of Figures 6 and 7: error of each speaker's problem, first half of the alphabet against the second."""
    data, path = _prepared(task, params, store, experiment)
    method = task["method"]
    return [
        row(method, f"speaker {speaker + 1}, {part}", "error_pct", error, speaker=speaker + 1, part=part)
        for speaker in draws_of(task, params["n_speakers"])
        for part, error in data.half_errors(path, params["methods"][method], speaker).items()
    ]


def letter_rows(task, params, store):
    """Rows of Table 4: one-versus-rest error over all letters, for each labelled speaker."""
    data, path = _prepared(task, params, store, experiment=1)
    method = task["method"]
    return [
        row(method, part, "error_pct", error)
        for speaker in draws_of(task, params["n_speakers"])
        for part, error in data.letter_errors(path, params["methods"][method], speaker).items()
    ]


def _prepared(task, params, store, experiment):
    data = Speakers(store.dataset(task["dataset"]), experiment, params["n_speakers"])
    return data, data.path(task["method"], params["kernel"], params["graph"])
