"""The verdict at its boundaries."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.scoreboard.verdict import DIRECTION, VERDICTS, reported_runs, verdict

means = st.floats(0, 100)
stds = st.one_of(st.just(math.nan), st.floats(0, 30))
runs = st.one_of(st.none(), st.integers(1, 100))


def judge(ours, reported=20.0, metric="error_pct", s1=math.nan, n1=None, s2=math.nan, n2=None, **more):
    return verdict(metric, reported, s1, n1, ours, s2, n2, **more)


@pytest.mark.parametrize(
    ("ours", "expected"),
    [(20.0, "exact"), (20.015, "exact"), (19.985, "exact"), (20.0151, "match"), (21.0, "match"), (19.0, "match"),
     (21.0001, "worse"), (18.9999, "better")],
)  # fmt: skip
def test_boundaries_without_spread(ours, expected):
    assert judge(ours) == expected


def test_decimal_boundary_holds_in_binary():
    assert 5.655 - 5.64 > 0.015  # as floats
    assert judge(5.655, 5.64) == "exact"


def test_match_widens_with_the_combined_standard_error():
    # sqrt(6^2/9 + 8^2/16) = sqrt(8), twice that is 5.657
    spread = {"s1": 6.0, "n1": 9, "s2": 8.0, "n2": 16}
    assert judge(25.656, **spread) == "match"
    assert judge(25.658, **spread) == "worse"
    assert judge(14.342, **spread) == "better"


def test_direction_follows_the_metric():
    for metric, direction in DIRECTION.items():
        assert judge(30.0, metric=metric) == ("better" if direction > 0 else "worse")


def test_missing_results_and_seconds():
    assert judge(None) == "pending"
    assert judge(math.nan) == "pending"
    assert judge(None, available=False) == "no data"
    assert judge(20.0, metric="train_test_seconds") == "not comparable"
    assert judge(None, metric="train_test_seconds") == "pending"
    assert judge(20.0, available=False) == "exact"  # a kept result still counts


def test_an_unknown_run_count_of_the_paper_is_taken_as_ours():
    assert judge(23.9, s1=8.0, n1=None, s2=0.0, n2=16) == "match"  # 2 * 8 / sqrt(16) = 4
    assert judge(24.1, s1=8.0, n1=None, s2=0.0, n2=16) == "worse"


def test_run_counts():
    assert reported_runs("zhang2015", "III", "BCI", "unlabelled, 30 runs, 5-fold CV") == 30
    assert reported_runs("belkin2006", "3", "USPS", "one-vs-rest, l=50, u=1957, 10 splits") == 10
    assert reported_runs("chen2012", "II", "Text", "l=10, transductive, best on test") == 12
    assert reported_runs("wang2017", "1", "Usps", "l=10") == 12
    assert reported_runs("wang2017", "1", "Sonar", "l=10") == 30
    assert reported_runs("belkin2006", "4", "Isolet-26", "test") is None


@given(st.sampled_from(list(DIRECTION)), means, stds, runs, means, stds, runs)
def test_one_verdict_always_and_swapping_sides_swaps_better_and_worse(metric, m1, s1, n1, m2, s2, n2):
    n1, n2 = n1 or 5, n2 or 5
    here, there = verdict(metric, m1, s1, n1, m2, s2, n2), verdict(metric, m2, s2, n2, m1, s1, n1)
    assert here in VERDICTS
    assert there == {"better": "worse", "worse": "better"}.get(here, here)


@given(means, st.floats(0, 0.0149))
def test_exact_does_not_depend_on_spread(mean, step):
    assert judge(mean + step, mean, s1=3.0, n1=10, s2=0.0, n2=10) == "exact"
