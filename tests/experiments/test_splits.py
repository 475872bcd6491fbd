"""Labelled sets: official ones first, else draws that hold every class; and the error on the rest."""

import numpy as np
import pytest

from experiments.splits import error_pct, labelled_sets


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
