"""Rules of choice that look at the direction of held-out values, or at class shares."""

import numpy as np
import pytest

from mr.solvers import choice
from mr.solvers.choice import LONGEST, choose_by_alignment, choose_by_balance, class_mass_gap, held_out_alignment

rng = np.random.default_rng(0)


def signed(codes, k):
    return np.where(codes[:, None] == np.arange(k), 1.0, -1.0)[:, (1 if k == 2 else 0) :]


@pytest.mark.parametrize("k", [2, 4])
class TestAlignment:
    def test_it_lies_between_nothing_and_all(self, k):
        targets = signed(rng.integers(k, size=30), k)
        assert np.isclose(held_out_alignment(3.0 * targets, targets), 1.0)
        assert held_out_alignment(-targets, targets) == 0.0
        assert held_out_alignment(np.zeros_like(targets), targets) == 0.0
        assert 0.0 < held_out_alignment(targets + rng.normal(size=targets.shape), targets) < 1.0

    def test_scale_and_what_all_classes_share_do_not_count(self, k):
        targets = signed(rng.integers(k, size=30), k)
        values = targets + rng.normal(size=targets.shape)
        moved = 1e-6 * values
        if k > 2:
            moved = moved + rng.normal(size=(30, 1))
        assert np.isclose(held_out_alignment(moved, targets), held_out_alignment(values, targets))

    def test_it_is_the_share_that_the_best_multiple_explains(self, k):
        targets = signed(rng.integers(k, size=30), k)
        values = targets + 0.05 * rng.normal(size=targets.shape)  # of much the same length
        centre = (lambda v: v - v.mean(axis=1, keepdims=True)) if k > 2 else (lambda v: v)
        v, t = centre(values), centre(targets)
        rest = [np.square(a * v - t).sum() for a in np.linspace(0, 2, 20001)]
        assert np.isclose(held_out_alignment(values, targets), 1 - min(rest) / np.square(t).sum(), atol=1e-6)


def test_one_long_value_does_not_decide():
    targets = signed(np.repeat([0, 1], 10), 2)
    values = targets.copy()
    values[0] = 1e6  # wrong, and by far the longest
    limited = targets.copy()
    limited[0] = LONGEST
    assert np.isclose(held_out_alignment(values, targets), held_out_alignment(limited, targets))
    assert held_out_alignment(values, targets) > 0.6


def test_gap_of_class_shares():
    targets = signed(np.array([0, 1]), 2)
    assert class_mass_gap(np.array([[-1.0], [1.0]]), targets) == 0.0
    assert class_mass_gap(np.array([[1.0], [1.0], [1.0]]), targets) == 0.5
    # three labels of the first class and one of the second count as four and two
    targets = signed(np.array([0, 0, 0, 1]), 2)
    assert np.isclose(class_mass_gap(np.array([[-1.0], [1.0]]), targets), 4 / 6 - 1 / 2)
    three = signed(np.array([0, 1, 2]), 3)
    assert np.isclose(class_mass_gap(np.eye(3)[[0, 0, 1]], three), 1 / 3)


def test_the_strongest_graph_that_keeps_the_shares():
    assert choose_by_balance([0.30, 0.02, 0.11, 0.13]) == 2
    assert choose_by_balance([0.30, 0.02, 0.11, 0.13], tolerance=0.2) == 3
    assert choose_by_balance([0.0, 0.5, 0.05]) == 2


class TestClearlyBetter:
    """A cell with a graph is taken only if it is ahead of the best one without by more than chance."""

    def cells(self, noise, l=60):
        rng = np.random.default_rng(0)
        targets = np.where(rng.random((l, 1)) < 0.5, 1.0, -1.0)
        common = targets + rng.normal(size=(l, 1))
        return [common, common + 1e-3 * rng.normal(size=(l, 1)), targets + noise * rng.normal(size=(l, 1))], targets

    def test_ahead_by_chance(self):
        cells, targets = self.cells(noise=1.0)
        values = [held_out_alignment(cell, targets) for cell in cells[:2]]
        ahead, behind = np.argmax(values), np.argmin(values)
        supervised = [i == behind for i in range(2)]
        assert choose_by_alignment(cells[:2], targets, np.ones(60), [False, False]) == ahead
        assert choose_by_alignment(cells[:2], targets, np.ones(60), supervised) == behind

    def test_ahead_for_a_reason(self):
        cells, targets = self.cells(noise=0.2)
        assert choose_by_alignment(cells, targets, np.ones(60), [True, True, False]) == 2

    def test_parts_of_many_labels_say_the_same(self, monkeypatch):
        cells, targets = self.cells(noise=0.8, l=400)
        chosen = choose_by_alignment(cells, targets, np.ones(400), [True, False, False])
        monkeypatch.setattr(choice, "PARTS", 400)
        assert choose_by_alignment(cells, targets, np.ones(400), [True, False, False]) == chosen
