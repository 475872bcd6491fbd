"""Demonstration by a variant, and the rule against fishing."""

import pandas as pd
import pytest

from experiments.scoreboard.variants import demonstrates, place, variants_tried

MET, MISSED = "match", "worse"


def test_where_a_variant_lies():
    assert place("l=10, whole grid", "chen2012_table2", "l=10") == ("chen2012_table2", "l=10, whole grid")
    assert place("{setting}, whole grid", "chen2012_table2", "l=10") == ("chen2012_table2", "l=10, whole grid")
    assert place("zhang2015_reach:best cell", "zhang2015_table3", "") == ("zhang2015_reach", "best cell")
    assert place("k: 5", "belkin2006_table5", "") == ("belkin2006_table5", "k: 5")  # no artifact's name


@pytest.mark.parametrize(
    ("verdicts", "reason", "expected"),
    [
        ([MET, "exact", MET, MISSED, MISSED], "", True),  # 3 of 5 are 60 %
        ([MET, "exact", MISSED, MISSED, MISSED], "", False),
        ([MET, MISSED, MISSED, MISSED], "code: released demo, every 3 iterations", True),
        ([MET, MISSED, MISSED, MISSED], "it fits better", False),
        ([MET, MET, MET, None], "", False),  # not applied to every data set
        ([MET, None], "text: Remark 3", False),
        ([MET], "", False),  # one cell: any lucky hit is 100 %
        ([MET, MET], "", False),
        ([MET, MET, MISSED], "", True),
        ([MET], "data: the file has 3186 rows", True),
        (["better", "better", "better"], "", False),
        ([], "text: x", False),
    ],
)
def test_rule_against_fishing(verdicts, reason, expected):
    assert demonstrates(verdicts, reason) is expected


def test_variants_are_counted_once_per_convention():
    cells = pd.DataFrame([("a", "test", "error_pct"), ("a", "unlabelled", "error_pct"), ("b", "test", "error_pct")],
                         columns=["dataset", "setting", "metric"])  # fmt: skip
    rows = [
        ("p2000_table1", "a", "test", "error_pct"),  # the judged rows themselves
        ("p2000_table1", "a", "unlabelled", "error_pct"),
        ("p2000_table1", "a", "k=1, test", "error_pct"),  # one convention,
        ("p2000_table1", "a", "k=1, unlabelled", "error_pct"),  # in both parts
        ("p2000_table1", "b", "k=1, test", "error_pct"),  # and on both sets
        ("p2000_sensitivity", "b", "k=1, test", "error_pct"),  # another artifact: another
        ("p2000_table1", "a", "k=1, test", "seconds"),  # not a metric of the column
        ("p2000_table1", "c", "k=7, test", "error_pct"),  # not a data set of the column
        ("p2000_fig2", "a", "k=8, test", "error_pct"),  # printed for itself
    ]
    rows = pd.DataFrame(rows, columns=["artifact", "dataset", "setting", "metric"])
    assert variants_tried(cells, rows, "p2000_table1") == 2


def test_variants_of_another_table_are_not_tried_for_this_one():
    cells = pd.DataFrame([("a", "l=10", "error_pct")], columns=["dataset", "setting", "metric"])
    settings = ("l=10, scaled", "l=100, scaled", "l=100, best draw by draw, scaled", "scaled")
    rows = pd.DataFrame([("p2000_variants", "a", setting, "error_pct") for setting in settings],
                        columns=["artifact", "dataset", "setting", "metric"])  # fmt: skip
    assert variants_tried(cells, rows, "p2000_table1", frozenset({"l=100"})) == 2
    # a setting that begins as the column's own is a variant of it, even if another table prints that beginning
    cells = cells.assign(setting="l=100, 30 runs")
    assert variants_tried(cells, rows, "p2000_table1", frozenset({"l=100", "l=10"})) == 3
