"""The verdict at its boundaries, against cases computed by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.scoreboard.verdict import (
    DIRECTION,
    RANK,
    VERDICTS,
    floor,
    reported_runs,
    same_splits,
    tolerance,
    verdict,
)

means = st.floats(0, 100)
stds = st.one_of(st.just(math.nan), st.floats(0, 30))
runs = st.integers(1, 100)


def judge(ours, reported=20.0, metric="error_pct", s1=math.nan, n1=None, s2=math.nan, n2=None, **more):
    return verdict(metric, reported, s1, n1, ours, s2, n2, **more)


@pytest.mark.parametrize(
    ("ours", "decimals", "expected"),
    [(20.004, 2, "exact"), (20.005, 2, "exact"), (19.995, 2, "exact"), (20.0051, 2, "match"),
     (20.04, 1, "exact"), (20.051, 1, "match"), (20.4, 0, "exact"), (20.51, 0, "match")],
)  # fmt: skip
def test_exact_is_equality_at_the_printed_decimals(ours, decimals, expected):
    assert judge(ours, decimals=decimals) == expected


def test_a_tie_of_rounding_holds_in_binary():
    assert 0.025 - 0.02 > 0.005  # as floats
    assert judge(0.025, 0.02) == "exact"


@pytest.mark.parametrize(
    ("metric", "printed", "expected"),
    [("error_pct", 7.0, 0.7), ("error_pct", 2.0, 0.3), ("error_pct", 45.0, 1.0), ("error_pct", 3.0, 0.3),
     ("accuracy_pct", 95.0, 0.5), ("prbep_pct", 88.0, 1.0), ("accuracy_pct", 100.0, 0.3), (RANK, 2.33, 0.5)],
)  # fmt: skip
def test_floor_is_a_tenth_of_the_printed_error(metric, printed, expected):
    assert floor(metric, printed) == pytest.approx(expected)


def test_with_the_papers_own_splits_the_floor_is_all():
    # printed 7.00 +- 6.00: the floor is 0.7 though twice the combined standard error is 2 sqrt(36/12 + 36/12) = 4.9
    spread = {"reported": 7.0, "s1": 6.0, "n1": 12, "s2": 6.0, "n2": 12}
    assert judge(7.7, own_splits=True, **spread) == "match"
    assert judge(7.71, own_splits=True, **spread) == "worse"
    assert judge(6.29, own_splits=True, **spread) == "better"
    assert judge(11.8, **spread) == "match"
    assert judge(11.91, **spread) == "worse"


def test_match_widens_with_the_combined_standard_error():
    # sqrt(6^2/9 + 8^2/16) = sqrt(8), twice that is 5.657
    spread = {"s1": 6.0, "n1": 9, "s2": 8.0, "n2": 16}
    assert judge(25.656, **spread) == "match"
    assert judge(25.658, **spread) == "worse"
    assert judge(14.342, **spread) == "better"


def test_an_unstable_result_of_ours_cannot_make_a_match():
    # ours +- 20 counts as 2 x 1: 2 sqrt(1/10 + 4/10) = 1.414 instead of 12.7
    assert tolerance("error_pct", 20.0, 1.0, 10, 20.0, 10) == pytest.approx(2 * math.sqrt(0.5))
    assert judge(21.41, s1=1.0, n1=10, s2=20.0, n2=10) == "match"
    assert judge(21.42, s1=1.0, n1=10, s2=20.0, n2=10) == "worse"
    assert tolerance("error_pct", 20.0, 0.0, 10, 20.0, 10) == 1.0


def test_without_a_printed_deviation_the_floor_is_all():
    assert tolerance("error_pct", 20.0, math.nan, 10, 20.0, 10) == 1.0
    assert judge(21.0, s2=8.0, n2=4) == "match" and judge(21.01, s2=8.0, n2=4) == "worse"


def test_an_unknown_run_count_of_the_paper_is_taken_as_ours():
    assert judge(23.9, s1=8.0, n1=None, s2=0.0, n2=16) == "match"  # 2 * 8 / sqrt(16) = 4
    assert judge(24.1, s1=8.0, n1=None, s2=0.0, n2=16) == "worse"


def test_direction_follows_the_metric():
    for metric, direction in DIRECTION.items():
        assert judge(30.0, metric=metric) == ("better" if direction > 0 else "worse")


def test_ranks_match_within_half_a_rank():
    # verdict of the committed average ranks of chen2012 Table II, by hand: |2.83 - 2.33| = 0.5
    assert judge(2.3333, 2.33, RANK) == "exact"
    assert judge(2.83, 2.33, RANK) == "match"
    assert judge(2.8334, 2.33, RANK) == "worse"
    assert judge(1.6667, 2.33, RANK, s2=5.0, n2=6) == "better"  # deviations over data sets do not count


def test_missing_results_and_seconds():
    assert judge(None) == "pending"
    assert judge(math.nan) == "pending"
    assert judge(None, available=False) == "no data"
    assert judge(20.0, metric="train_test_seconds") == "not comparable"
    assert judge(None, metric="train_test_seconds") == "pending"
    assert judge(20.0, available=False) == "exact"  # a kept result still counts


def test_run_counts_and_splits():
    assert reported_runs("zhang2015", "III", "BCI", "unlabelled, 30 runs, 5-fold CV") == 30
    assert reported_runs("belkin2006", "3", "USPS", "one-vs-rest, l=50, u=1957, 10 splits") == 10
    assert reported_runs("chen2012", "II", "Text", "l=10, transductive, best on test") == 12
    assert reported_runs("wang2017", "1", "Usps", "l=10") == 12
    assert reported_runs("wang2017", "1", "Sonar", "l=10") == 30
    assert reported_runs("belkin2006", "4", "Isolet-26", "test") is None
    fixed = [("chen2012", "II", "Text"), ("wang2017", "2", "Bci"), ("belkin2006", "3", "x"), ("belkin2006", "4", "x")]
    drawn = [
        ("chen2012", "III", "FACEMIT"),
        ("wang2017", "2", "Sonar"),
        ("belkin2006", "5", "x"),
        ("zhang2015", "V", "x"),
    ]
    assert all(same_splits(*cell) for cell in fixed) and not any(same_splits(*cell) for cell in drawn)


@given(st.sampled_from(["error_pct", "accuracy_pct", "prbep_pct"]), means, stds, runs, means, stds, runs, st.booleans())
def test_one_verdict_always_and_closer_is_never_less_than_match(metric, m1, s1, n1, m2, s2, n2, own):
    found = verdict(metric, m1, s1, n1, m2, s2, n2, own_splits=own)
    assert found in VERDICTS[:4]
    if found in ("exact", "match"):
        assert verdict(metric, m1, s1, n1, (m1 + m2) / 2, s2, n2, own_splits=own) in ("exact", "match")


@given(st.floats(0, 99), stds, stds)
def test_tolerance_of_an_error_and_of_its_accuracy_agree(error, s1, s2):
    one, other = (tolerance(m, v, s1, 12, s2, 12) for m, v in (("error_pct", error), ("accuracy_pct", 100 - error)))
    assert one == pytest.approx(other)
