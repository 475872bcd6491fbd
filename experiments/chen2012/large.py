"""chen2012's large sets: labelled, validation and test rows, one neighbour search per data set, choice of parameters.

Section V-C: S_l (10 images of every class), S_v (1000) and S_u (the rest) are drawn ten times. Parameters are those
with the smallest mean error on S_v over the draws when learning from S_l and S_v; then S_l and S_u are learnt from, and
S_u is the test set. The graph of S_l and S_u comes from one search over all rows for more neighbours than needed: what
remains of a row's list when S_v is taken out is still its nearest neighbours.
"""

import json
import time
from functools import cached_property

import numpy as np
from scipy import sparse

import mr
from experiments.splits import error_pct, signed

NEW_AT_ONCE = 8192
TASKS = {
    "binary": (lambda y: y, lambda y: y),
    # what is told apart, and the classes ten images of each of which are labelled
    "first five digits": (lambda y: (y >= 5).astype(int), lambda y: y),
    "odd digits": (lambda y: y % 2, lambda y: y),
}


class LargeSet:
    """One data set with its draws, as the tables and figures of section V-C use it."""

    def __init__(self, data, spec, graph=None):
        rows = data.splits[spec["part"]] if "part" in spec else slice(None)
        target, classes = TASKS[spec["task"]]
        labels = np.asarray(data.y)[rows]
        self.X, self.scale = data.X if "part" not in spec else data.X[rows], spec.get("scale", 1.0)
        self.y, self.classes = signed(target(labels)), classes(labels)
        self.spec, self._graph = spec, graph

    def draws(self, seed_sequence, n_runs, n_validation):
        """(labelled, validation, rest): row numbers, ``n_runs`` times."""
        for child in seed_sequence.spawn(n_runs):
            rng = np.random.default_rng(child)
            order = rng.permutation(len(self.y))
            labelled = np.concatenate([order[self.classes[order] == c][: self.spec["per_class"]] for c in
                                       np.unique(self.classes)])  # fmt: skip
            others = order[~np.isin(order, labelled)]
            yield np.sort(labelled), np.sort(others[:n_validation]), np.sort(others[n_validation:])

    def part(self, labelled, others, stored=True) -> "Part":
        """The labelled rows and (most of the) others as one problem; with ``stored``, on the graph searched for."""
        rows = np.sort(np.concatenate([labelled, others]))
        affinity = None
        if stored and self._graph is not None:
            affinity = nearest_in(self._graph.affinity_, rows, self.spec["n_neighbors"], self.spec["search"]["sigma"])
        return Part(self.points(rows), self.y[rows], np.searchsorted(rows, labelled), self.spec, affinity)

    def points(self, rows=slice(None)) -> np.ndarray:
        """Points in the scale of the experiment."""
        return np.asarray(self.X[rows], dtype=float) / self.scale


class Part:
    """A transductive problem: points, targets +-1 (known on ``rows``), and its graph when asked for."""

    def __init__(self, X, y, rows, spec, affinity=None):
        self.X, self.y, self.rows, self.spec, self._affinity = X, y, rows, spec, affinity

    @property
    def labels(self) -> np.ndarray:
        """Classes 0 and 1 on the labelled rows, -1 elsewhere."""
        labels = np.full(len(self.y), -1)
        labels[self.rows] = self.y[self.rows] > 0
        return labels

    @cached_property
    def graph(self) -> mr.PrecomputedGraph:
        """Ready to be given to an estimator, which then searches no neighbours."""
        affinity = self._affinity
        if affinity is None:
            affinity = mr.KNNGraph(n_neighbors=self.spec["n_neighbors"]).fit(self.X).affinity_
        return mr.PrecomputedGraph(affinity)

    def error_pct(self, values) -> float:
        """Percentage of wrong signs on the unlabelled rows."""
        return error_pct(np.ravel(values), self.y, self.rows)

    def scores(self, values) -> dict:
        """The error, the share of the predictions on the more frequent side, and of the larger class, in percent."""
        others = np.setdiff1d(np.arange(len(self.y)), self.rows)
        predicted, true = (100.0 * float((np.ravel(found)[others] > 0).mean()) for found in (values, self.y))
        sides = {"one_sided": max(predicted, 100.0 - predicted), "majority": max(true, 100.0 - true)}
        return {"error_pct": self.error_pct(values)} | sides


def nearest_in(affinity, rows, k, sigma) -> sparse.csr_array:
    """k-nearest-neighbour graph (union, heat weights of mean width) of some rows, from a graph of more neighbours.

    ``affinity`` holds exp(-d^2 / (2 sigma^2)) for at least the nearest of every row; the k largest that remain in a row
    are its k nearest neighbours as long as no more are missing than it holds to spare.
    """
    W = sparse.csr_array(affinity)[rows][:, rows]
    n = W.shape[0]
    owner = np.repeat(np.arange(n), np.diff(W.indptr))
    order = np.lexsort((-W.data, owner))
    rank = np.arange(len(order)) - np.repeat(W.indptr[:-1], np.diff(W.indptr))
    kept = order[rank < k]
    squares = -2.0 * sigma**2 * np.log(np.minimum(W.data[kept], 1.0))
    width = float(np.sqrt(squares).mean()) or 1.0
    directed = sparse.csr_array((np.exp(-squares / (2.0 * width**2)), (owner[kept], W.indices[kept])), shape=(n, n))
    return directed.maximum(directed.T).tocsr()


def validate(data, draws, method, params) -> list[dict]:
    """One row: the parameters with the smallest mean error on S_v over the draws, and that error."""
    errors, cells = [], []
    for labelled, validation, _ in draws:
        part = data.part(labelled, validation, stored=False)
        cells, values = zip(*method.grid(part, params), strict=True)
        errors.append([part.error_pct(found) for found in values])
    means = np.mean(errors, axis=0)
    best = int(np.argmin(means))
    return [{"parameters": json.dumps(cells[best]), "validation_error_pct": float(means[best])}]


def validated(rows) -> dict:
    """The parameters that a validation task chose."""
    return json.loads(rows["parameters"].iloc[0])


def on_new(decide, new, whole=False) -> dict:
    """Error on all points of a set that no model has seen, and CPU seconds for all of them.

    Points are made by blocks when they are asked for, outside of the clock; with ``whole``, ``decide`` is asked once,
    without points.
    """
    wrong, seconds, n = 0, 0.0, len(new.y)
    for rows in [slice(None)] if whole else [slice(i, i + NEW_AT_ONCE) for i in range(0, n, NEW_AT_ONCE)]:
        X = None if whole else new.points(rows)
        values, used = cpu_seconds(lambda X=X: decide(X))
        wrong += int(((np.ravel(values) > 0) != (new.y[rows] > 0)).sum())
        seconds += used
    return {"new_error_pct": 100.0 * wrong / n, "n_new": n, "test_seconds": seconds}


def cpu_seconds(call):
    """Result of a call, and its CPU seconds."""
    start = time.process_time()
    result = call()
    return result, time.process_time() - start
