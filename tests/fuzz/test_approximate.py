"""KNNGraph(method="approximate") gives a sound graph or refuses in words, whatever it is given.

What is ours is tried: the descent itself, which compiles for a minute, is replaced by neighbours at random, some of
them missing. ``make fuzz`` takes the real one.
"""

import os
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

import mr
from mr.graph import approximate_search
from tests.fuzz.graphs import COUNTS, REALS
from tests.fuzz.points import draw_points
from tests.fuzz.profiles import CASES
from tests.fuzz.rule import Case
from tests.fuzz.trial import try_estimator

CHOICES = {
    "n_neighbors": COUNTS,
    "metric": ("cosine", "manhattan", "precomputed"),
    "weights": ("binary", "cosine", "distance", "tf-idf", None),
    "sigma": REALS,
    "laplacian": ("unnormalized", "signless"),
    "power": (2, 3, *COUNTS),
    "n_jobs": (1, 2, 0, "a", 1.5),
    "random_state": (None, -1, "a"),
}


@dataclass(frozen=True)
class GraphCase(Case):
    def exercise(self, model, X, y, arguments):
        W = model.fit(X).affinity_
        alone = self.points.n == 1  # nothing to search for
        if W.shape != (self.points.n, self.points.n) or (model.method_ != "approximate" and not alone):
            return f"gave a graph of shape {W.shape} by the search {model.method_!r}"
        if not np.isfinite(W.data).all() or (W.data < 0).any() or W.diagonal().any():
            return "gave weights that are negative, not finite, or of a point with itself"
        return "gave a graph that is not symmetric" if abs(W - W.T).max() > 0 else None

    @property
    def ordinary(self):
        return set(self.parameters) == {"method"} and self.points.ordinary


def draw_graph_case(estimator, number) -> GraphCase:
    rng = Random(number)
    names = rng.sample(sorted(CHOICES), rng.choice([0, 0, 1, 2]))
    parameters = {"method": "approximate"} | {name: rng.choice(CHOICES[name]) for name in names}
    return GraphCase(estimator, parameters, draw_points(rng, rng.random() < 0.5), None)


def neighbours_at_random(data, size, metric, n_jobs, random_state):
    """Other points in any order, the point itself among them, and one place in ten that could not be filled."""
    rng, n = np.random.default_rng(data.shape[0]), data.shape[0]
    found = np.argsort(rng.random((n, n)), axis=1)[:, :size].astype(np.int32)
    found[rng.random(found.shape) < 0.1] = -1
    return found


def test_gives_a_sound_graph_or_refuses(monkeypatch):
    if CASES in os.environ:
        pytest.importorskip("pynndescent")
    else:
        monkeypatch.setattr(approximate_search, "_descent", neighbours_at_random)
    faults = try_estimator(
        mr.KNNGraph, draw_graph_case, lambda estimator: estimator(method="approximate").fit(np.eye(30))
    )
    assert not faults, faults
