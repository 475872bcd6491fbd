"""Flags from the keys of a row and from its numbers."""

import math

import pytest

from experiments.scoreboard import build_scoreboard
from experiments.scoreboard.flags import FLAGS, flags


def raised(metric="accuracy_pct", mean=80.0, std=2.0, reported_std=2.0, **parameters):
    return flags(metric, mean, std, parameters, reported_std)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [({}, []), ({"one_sided": 95.0}, ["constant answer"]), ({"one_sided": 94.9}, []), ({"C": 1.0, "edge": []}, []),
     ({"edge": ["gamma_A"]}, ["edge of grid"]), ({"equals_supervised": True}, ["graph off"]),
     ({"equals_supervised": False, "reduced": ""}, []), ({"reduced": "3 draws of 10"}, ["reduced"]),
     ({"read_from_print": "largest C only"}, ["read from print"]),
     ({"majority": 79.0}, ["chance level"]), ({"majority": 78.9}, [])],
)  # fmt: skip
def test_keys(parameters, expected):
    assert raised(**parameters) == expected


def test_chance_level_of_an_error_and_of_a_break_even_point():
    assert raised(metric="error_pct", mean=49.5, majority=50.0) == ["chance level"]
    assert raised(metric="error_pct", mean=20.0, majority=50.0) == []
    assert raised(metric="prbep_pct", mean=20.0, majority=50.0) == []  # says nothing about classes by size


def test_unstable_is_more_than_twice_the_printed_deviation():
    assert raised(std=4.0, reported_std=2.0) == []
    assert raised(std=4.01, reported_std=2.0) == ["unstable"]
    assert raised(std=math.nan) == raised(reported_std=math.nan, std=50.0) == []


def test_order_is_fixed():
    every = {"one_sided": 99.0, "majority": 90.0, "equals_supervised": True, "edge": ["C"], "read_from_print": True}
    assert raised(std=9.0, reduced="draws", **every) == list(FLAGS)


def test_committed_rows_of_wang2017_raise_what_the_audit_found():
    board = build_scoreboard().query("paper == 'wang2017'").set_index(["table", "dataset", "method"])["flags"]
    for dataset in ("Hepatitis", "Spectf", "Usps"):  # 96 to 100 % of the test points on one side
        for method in ("MR_LP", "MR_SP", "AGMR_entropy", "AGMR_sparse"):
            assert "constant answer" in board["1", dataset, method]
    assert "chance level" in board["1", "Bci", "MR_LP"]
    for dataset in ("Water", "Wdbc"):  # +- 19.9 and 14.2 against 0.25 and 0.00
        assert "unstable" in board["1", dataset, "MR_LP"]
