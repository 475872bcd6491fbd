"""Points that occur many times: neighbours as by ranking all rows, in a time that depends on distinct points."""

import time

import numpy as np
import pytest

import mr
from mr.graph.duplicates import copies
from mr.graph.neighbors import nearest_neighbors


def by_ranking(X, k):
    """Distances and indices by direct differences, the row itself left out, ties by index."""
    D = np.sqrt(((X[:, None].astype(float) - X[None]) ** 2).sum(axis=-1))
    np.fill_diagonal(D, np.inf)
    indices = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, indices, axis=1), indices


@pytest.mark.parametrize("d", [1, 2, 12])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(20))
def test_neighbours_are_those_of_ranking_all_rows(d, dtype, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    k = int(rng.integers(1, 15))
    points = rng.integers(-2, 3, (int(rng.integers(1, 8)), d)).astype(dtype)
    X = points[rng.integers(0, len(points), n)]
    X[X == 0] = rng.choice([-0.0, 0.0], (X == 0).sum())
    if seed % 2:  # some rows occur once
        X[: n // 3] += rng.integers(0, 50, (n // 3, d)).astype(dtype)
    assert copies(X, 2) is not None
    distances, indices, _ = nearest_neighbors(X, k)
    expected, ranked = by_ranking(X, k)
    assert np.array_equal(indices, ranked) and np.array_equal(distances, expected)


def test_distinct_points_are_numbered_by_their_first_row():
    X = np.array([[2.0], [1.0], [2.0], [0.0], [1.0], [2.0]])
    assert copies(X, 2).tolist() == [0, 1, 0, 2, 1, 0]
    assert copies(X, 3) is None and copies(X[:2], 5) is None


@pytest.mark.parametrize("d", [1, 30])
def test_few_distinct_points_take_no_time(d):
    n = 20_000
    value = np.random.default_rng(0).integers(0, 7, n)
    X = value[:, None] * np.ones(d)
    begun = time.process_time()
    nearest_neighbors(X, 6)
    assert time.process_time() - begun < 1.0  # a search that ranks all copies takes 5 s and more
    y = np.where(np.arange(n) < 40, value > 3, -1)
    with pytest.warns(mr.graph.GraphWarning, match="duplicate"):
        assert ((mr.LapRLS().fit(X, y).transduction_ == 1) == (value > 3)).all()
