"""The measures, on cases small enough to do by hand."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mr.metrics import area_under_roc, balanced_loss, break_even_error, break_even_point


def test_perfect_and_inverted_rankings():
    y = [0, 0, 0, 1, 1]
    assert break_even_point(y, [0, 1, 2, 3, 4]) == 1.0 and break_even_error(y, [0, 1, 2, 3, 4]) == 0.0
    assert break_even_point(y, [4, 3, 2, 1, 0]) == 0.0 and break_even_error(y, [4, 3, 2, 1, 0]) == pytest.approx(0.8)


def test_without_ties_it_is_where_precision_meets_recall():
    y = np.array([1, 0, 1, 1, 0, 0, 0])
    scores = -np.arange(7.0)
    hits = np.cumsum(y)
    precision, recall = hits / np.arange(1, 8), hits / 3
    meet = np.flatnonzero(precision == recall)
    assert break_even_point(y, scores) == precision[meet[0]] == pytest.approx(2 / 3)
    # one false positive and one false negative among seven
    assert break_even_error(y, scores) == pytest.approx(2 / 7)


def test_all_scores_equal_give_the_base_rate():
    y = [1, 0, 0, 0]
    assert break_even_point(y, np.zeros(4)) == pytest.approx(0.25)
    assert break_even_error(y, np.zeros(4)) == pytest.approx(2 * 0.25 * 0.75)


def test_a_tie_at_the_cut_is_the_mean_over_its_orders():
    y, scores = np.array([1, 1, 0, 0, 1, 0]), np.array([5.0, 2.0, 2.0, 2.0, 2.0, 0.0])
    tied = np.flatnonzero(scores == 2)
    values = []
    for order in itertools.permutations(range(len(tied))):
        broken = scores.copy()
        broken[tied] += 0.01 * np.array(order)
        values.append(break_even_point(y, broken))
    assert break_even_point(y, scores) == pytest.approx(np.mean(values))


def test_ties_away_from_the_cut_change_nothing():
    assert break_even_point([1, 1, 0, 0], [2.0, 2.0, 1.0, 1.0]) == 1.0


def test_positive_class_can_be_named():
    y, scores = np.array(["a", "b", "b"]), [3.0, 2.0, 1.0]
    assert break_even_point(y, scores, positive="a") == 1.0
    assert break_even_point(y, scores) == 0.5


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=20), st.randoms())
def test_order_of_points_and_scale_of_scores_do_not_matter(pairs, random):
    y, scores = np.array([p[0] for p in pairs], int), np.array([p[1] for p in pairs], float)
    if y.all() or not y.any():
        return
    order = list(range(len(y)))
    random.shuffle(order)
    assert break_even_point(y[order], 3 * scores[order] + 1) == pytest.approx(break_even_point(y, scores))
    assert 0 <= break_even_error(y, scores) <= 1


def test_balanced_loss_weighs_classes_equally():
    assert balanced_loss([0] * 9 + [1], [0] * 10) == 0.5
    assert balanced_loss(["a", "b", "c"], ["a", "b", "a"]) == pytest.approx(1 / 3)


def test_area_under_roc_counts_ties_half():
    assert area_under_roc([1, -1, -1], [1.0, 1.0, 0.0]) == 0.75


@pytest.mark.parametrize(
    "y, scores, message",
    [
        ([1, 1], [0.0, 1.0], "two classes"),
        ([0, 1, 2], [0.0, 1.0, 2.0], "two classes"),
        ([0, 1], [0.0, np.nan], "finite"),
        ([0, 1], [0.0], "one score per point"),
    ],
)
def test_errors_say_what_was_expected(y, scores, message):
    with pytest.raises(ValueError, match=message):
        break_even_point(y, scores)
