"""The shared sweep against one plain solve a cell, and against leaving each label out in turn."""

import numpy as np
import pytest

from experiments.splits import error_pct, labelled_sets
from experiments.sweep import lap_rls_sweep
from mr.graph import KNNGraph
from mr.kernels import Kernel, SharedDeformation
from mr.solvers.rls import solve_lap_rls

rng = np.random.default_rng(0)
X = rng.standard_normal((50, 4))
Y = np.where(X[:, 0] > 0, 1.0, -1.0)
SPLITS = np.array([rng.choice(50, 6, replace=False) for _ in range(3)])
GRAPH = KNNGraph(5, power=2).fit(X)
K = Kernel("rbf", "mean").fit(X)(X)


def plain(rows, a, b):
    return K @ solve_lap_rls(K, GRAPH, rows, Y[rows][:, None], a, b)[:, 0]


def test_every_cell_equals_a_solve_of_its_own():
    grid = [1e-4, 1e-2, 1.0]
    cells = list(lap_rls_sweep(SharedDeformation.from_gram(K, GRAPH), SPLITS, Y, grid, grid))
    assert sorted((a, b) for a, b, *_ in cells) == sorted((a, b) for a in grid for b in grid)
    for a, b, values, _ in cells:
        for s, rows in enumerate(SPLITS):
            assert np.allclose(values[:, s], plain(rows, a, b), atol=1e-7)


def test_leave_one_out_equals_leaving_out():
    ((a, b, _, loo),) = lap_rls_sweep(SharedDeformation.from_gram(K, GRAPH), SPLITS, Y, [0.01], [0.1])
    for s, rows in enumerate(SPLITS):
        for i, row in enumerate(rows):
            assert np.isclose(loo[i, s], plain(np.delete(rows, i), a, b)[row])


class FakeDataset:
    def __init__(self, y, splits):
        self.y, self.splits = y, splits


def test_official_sets_come_first_and_draws_hold_every_class():
    official = np.arange(24).reshape(12, 2)
    seeds = np.random.SeedSequence(0)
    assert (labelled_sets(FakeDataset(None, {"labeled2": official}), 2, 3, seeds) == official[:3]).all()
    y = np.repeat([0, 1, 2], [97, 2, 1])
    for rows in labelled_sets(FakeDataset(y, {}), 5, 20, seeds):
        assert len(set(rows)) == 5 and set(y[rows]) == {0, 1, 2}


def test_error_leaves_out_the_labelled_rows_and_counts_zero_as_negative():
    truth = np.array([1.0, 1.0, -1.0, -1.0, 1.0])
    values = np.array([-9.0, 2.0, 3.0, 0.0, 0.0])
    assert error_pct(values, truth, [0]) == 50.0  # rows 2 and 4 of four
    assert error_pct(values, truth, [2, 4]) == pytest.approx(100 / 3)
