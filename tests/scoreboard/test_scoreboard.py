"""The join of printed and computed cells, the tables, and the order of timings."""

import math

import pandas as pd
import pytest

from experiments.engine.errors import UsageError
from experiments.engine.paths import results_file
from experiments.scoreboard import (
    COLUMNS,
    SCOREBOARD_COLUMNS,
    build_scoreboard,
    compare,
    read_scoreboard,
    summary,
    timing_order,
)
from experiments.scoreboard.scoreboard import artifact_of, read_reported, write_scoreboard
from experiments.scoreboard.timing import kendall_tau
from experiments.scoreboard.verdict import DIRECTION
from experiments.tidy import read_results, tidy

SETTING = "l=10, transductive, best on test"


@pytest.fixture
def workspace(monkeypatch, tmp_path):
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))
    return tmp_path


def put(artifact, *rows):
    names = ["dataset", "method", "setting", "metric", "mean", "std", "n_runs"]
    frame = tidy(artifact, pd.DataFrame([dict(zip(names, row, strict=True)) for row in rows]))
    results_file(artifact).parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(results_file(artifact), index=False)


def test_artifact_ids():
    assert artifact_of("chen2012", "II") == "chen2012_table2"
    assert artifact_of("wang2017", "1") == "wang2017_table1"
    assert artifact_of("zhang2015", "VII") == "zhang2015_table7"


def test_every_printed_cell_has_one_row(workspace):
    board = build_scoreboard()
    reported = read_reported()
    assert list(board.columns) == SCOREBOARD_COLUMNS
    assert len(board) == len(reported) == 617
    assert not board.duplicated(["paper", "table", "dataset", "method", "setting", "metric"]).any()
    assert set(board["verdict"]) == {"pending"}
    assert set(board["metric"]) == set(DIRECTION) | {"train_test_seconds", "test_seconds_per_point"}


def test_results_are_joined_and_survive_a_round_trip(workspace):
    put("chen2012_table2", ("Digit1", "LapRLS", SETTING, "error_pct", 5.6436, 2.49, 12),
        ("Digit1", "LapRLS", "of our own", "error_pct", 9.0, 2.0, 12))  # fmt: skip
    put("zhang2015_table4", *[("BCI", m, "", "train_test_seconds", t, math.nan, 1) for m, t in
                              (("SVM", 1.0), ("LGC", 3.0), ("LapRLS", 2.0))])  # fmt: skip
    board = build_scoreboard()
    write_scoreboard(board)
    pd.testing.assert_frame_equal(read_scoreboard(), board, check_dtype=False)
    done = board[board["verdict"] != "pending"]
    assert done["verdict"].tolist() == ["exact"] + 3 * ["not comparable"]
    assert summary(board).loc["all", "cells"] == 617 and summary(board).loc["chen2012", "exact"] == 1
    order = timing_order(board)
    assert order["n_methods"].tolist() == [3] and order["our_order"].tolist() == ["SVM < LapRLS < LGC"]


def test_columns_printed_again_are_judged_by_the_first_computation(workspace):
    first = "unlabelled, 30 runs, 5-fold CV"
    put("zhang2015_table3", ("BCI", "PVM(sqr)", first, "error_pct", 31.0, 2.0, 30),
        ("BCI", "PVM(sqr)", "of our own", "error_pct", 1.0, 2.0, 30))  # fmt: skip
    put("zhang2015_table5", ("BCI", "CB-LapRLS", "unlabelled", "error_pct", 40.0, 2.0, 30))
    board = build_scoreboard()
    done = board[board["verdict"] != "pending"]
    assert done[["table", "method", "ours_mean"]].to_numpy().tolist() == [
        ["III", "PVM(sqr)", 31.0], ["V", "CB-LapRLS", 40.0], ["V", "PVM(sqr)", 31.0]
    ]  # fmt: skip


def test_tables_side_by_side(workspace):
    board = build_scoreboard()
    for paper, table in board[["paper", "table"]].drop_duplicates().itertuples(index=False):
        part = board[(board["paper"] == paper) & (board["table"] == table)]
        assert (compare(board, paper, table) != "").sum().sum() == len(part)
    put("chen2012_table2", ("Digit1", "LapRLS", SETTING, "error_pct", 5.6436, 2.49, 12))
    shown = compare(build_scoreboard(), "chen2012", "II")
    assert shown.loc["LapRLS", "Digit1"] == "5.64 ± 2.49 | 5.64 ± 2.49  exact"
    assert shown.loc["LapRLS", "USPS"] == "14.75 ± 2.52 | -  pending"


def test_tidy_rounds_fills_and_refuses(workspace):
    row = {"dataset": "a", "method": "b", "metric": "error_pct", "mean": 1 / 3, "n_runs": 2}
    raw = pd.DataFrame({"dataset": ["a"], "data_source": ["local"]})
    frame = tidy("x", pd.DataFrame([row | {"parameters": {"C": 0.1 + 0.2, "k": [1, 2.0]}}]), raw)
    assert list(frame.columns) == COLUMNS
    assert frame.iloc[0][["mean", "parameters", "data_source"]].tolist() == [0.333333, '{"C":0.3,"k":[1,2.0]}', "local"]
    with pytest.raises(UsageError, match="twice"):
        tidy("x", pd.DataFrame([row, row]))
    with pytest.raises(UsageError, match="columns method"):
        tidy("x", pd.DataFrame([row]).drop(columns="method"))
    assert read_results("x").empty


def test_kendall_tau():
    assert kendall_tau([1, 2, 3], [10, 20, 30]) == 1
    assert kendall_tau([1, 2, 3], [3, 2, 1]) == -1
    assert kendall_tau([1, 2, 3, 4], [1, 2, 4, 3]) == pytest.approx(4 / 6)
    assert kendall_tau([1, 1], [1, 2]) == 0
