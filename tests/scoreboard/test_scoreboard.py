"""The join of printed and computed cells, status and variants, the tables, and the order of timings."""

import json
import math

import pandas as pd
import pytest

import experiments.scoreboard.scoreboard as module
from experiments.engine import paths
from experiments.engine.errors import UsageError
from experiments.scoreboard import (
    build_scoreboard,
    cells,
    compare,
    read_reported,
    read_scoreboard,
    render_all,
    summary,
    timing_order,
    write_all,
)
from experiments.scoreboard.scoreboard import NOTES, SCOREBOARD_COLUMNS, artifact_of, read_notes
from experiments.scoreboard.timing import kendall_tau
from experiments.scoreboard.verdict import DIRECTION
from experiments.tidy import tidy, to_csv_text

SETTING = "l=10, transductive, best on test"
NAMES = ["dataset", "method", "setting", "metric", "mean", "std", "n_runs", "parameters"]


@pytest.fixture
def workspace(monkeypatch, tmp_path):
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))
    return tmp_path


def put(artifact, *rows):
    """Commit rows; parameters are optional."""
    frame = pd.DataFrame([dict(zip(NAMES, (*row, {}), strict=False)) for row in rows])
    path = paths.results_file(artifact)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_csv_text(tidy(artifact, frame)), encoding="utf-8")


@pytest.fixture
def only(monkeypatch):
    """Keep the printed numbers of one paper: the others take time and say nothing here."""

    def keep(paper):
        printed = read_reported().query("paper == @paper")
        monkeypatch.setattr(module, "read_reported", lambda: printed)

    return keep


def cell_of(board, **equal):
    for name, value in equal.items():
        board = board[board[name] == value]
    (cell,) = board.to_dict("records")
    return cell


def test_artifact_ids():
    assert artifact_of("chen2012", "II") == "chen2012_table2"
    assert artifact_of("wang2017", "1") == "wang2017_table1"
    assert artifact_of("zhang2015", "VII") == "zhang2015_table7"


def test_printed_numbers_are_complete():
    reported = read_reported()
    assert len(cells(reported)) == 617 and len(reported) == 617 + 8
    assert set(reported["metric"]) == set(DIRECTION) | {"train_test_seconds", "test_seconds_per_point"}
    stars = reported[reported["star"] == "yes"].groupby(["table", "method"]).size()
    assert stars.to_dict() == {("1", "AGMR_entropy"): 6, ("1", "AGMR_sparse"): 7, ("2", "AGMR_entropy"): 8,
                               ("2", "AGMR_sparse"): 9}  # fmt: skip
    assert set(reported[reported["star"] != ""]["method"]) == {"AGMR_entropy", "AGMR_sparse"}
    decimals = reported.set_index(["paper", "table", "dataset", "method"])["decimals"].sort_index()
    assert decimals["belkin2006", "3", "USPS-test-multiclass", "SVM"] == 1  # printed 23.6
    assert decimals["wang2017", "1", "Automobile", "MR_LP"] == 2  # printed 79.60


def test_every_printed_number_has_one_row(workspace):
    board = build_scoreboard()
    assert list(board.columns) == SCOREBOARD_COLUMNS
    assert len(board) == len(read_reported()) and len(cells(board)) == 617
    assert not board.duplicated(["paper", "table", "dataset", "method", "setting", "metric"]).any()
    assert set(board["verdict"]) == {"pending"} and set(board["status"]) == {""} == set(board["flags"])


def test_results_are_joined_and_survive_a_round_trip(workspace):
    put("chen2012_table2", ("Digit1", "LapRLS", SETTING, "error_pct", 5.6436, 2.49, 12),
        ("Digit1", "LapRLS", "of our own", "error_pct", 9.0, 2.0, 12),
        ("Digit1", "LapERLS", SETTING, "error_pct", 9.0, 2.0, 12, {"read_from_print": "largest C"}),
        ("all", "LapRLS", SETTING, "average_rank", 2.5, math.nan, 6))  # fmt: skip
    put("zhang2015_table4", *[("BCI", m, "", "train_test_seconds", t, math.nan, 1) for m, t in
                              (("SVM", 1.0), ("LGC", 3.0), ("LapRLS", 2.0))])  # fmt: skip
    board = build_scoreboard()
    written = write_all()
    assert [path.name for path in written] == [
        "scoreboard.csv",
        "timing_order.csv",
        "claims_judged.csv",
        "metrics.json",
    ]
    assert {path: path.read_text(encoding="utf-8") for path in written} == render_all()
    pd.testing.assert_frame_equal(read_scoreboard(), board)
    done = board[board["verdict"] != "pending"]
    assert done["verdict"].tolist() == ["exact", "worse", "exact"] + 3 * ["not comparable"]
    assert done["status"].tolist() == ["replicated", "open", "", "", "", ""]  # a rank is no cell
    assert done["flags"].tolist() == ["", "read from print", "", "", "", ""]
    assert done["variants_tried"].tolist()[:2] == [1, 0]
    counts = summary(board)
    assert counts.loc["all", "cells"] == 617 and counts.loc["chen2012", "exact"] == counts.loc["all", "replicated"] == 1
    order = timing_order(board)
    assert order["n_methods"].tolist() == [3] and order["our_order"].tolist() == ["SVM < LapRLS < LGC"]
    metrics = json.loads(written[-1].read_text(encoding="utf-8"))
    assert metrics["all"]["replicated"] == 1 and metrics["all"]["open"] == 1 and metrics["ranks"]["replicated"] == 1


def test_a_damaged_result_file_is_not_pending(workspace, only):
    only("chen2012")
    put("chen2012_table2", ("Digit1", "LapRLS", SETTING, "error_pct", 5.6436, 2.49, 12))
    path = paths.results_file("chen2012_table2")
    path.write_text(path.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    with pytest.raises(UsageError, match="damaged"):
        build_scoreboard()


def test_columns_printed_again_are_judged_by_the_first_computation(workspace, only):
    only("zhang2015")
    first = "unlabelled, 30 runs, 5-fold CV"
    put("zhang2015_table3", ("BCI", "PVM(sqr)", first, "error_pct", 31.0, 2.0, 30),
        ("BCI", "PVM(sqr)", "of our own", "error_pct", 1.0, 2.0, 30))  # fmt: skip
    put("zhang2015_table5", ("BCI", "CB-LapRLS", "unlabelled", "error_pct", 40.0, 2.0, 30))
    board = build_scoreboard()
    done = board[board["verdict"] != "pending"]
    assert done[["table", "method", "ours_mean"]].to_numpy().tolist() == [
        ["III", "PVM(sqr)", 31.0], ["V", "CB-LapRLS", 40.0], ["V", "PVM(sqr)", 31.0]
    ]  # fmt: skip


def _note(variant, reason="", method="LapRLS", dataset="*"):
    return dict(zip(NOTES, ("chen2012", "II", dataset, method, "a note", variant, reason), strict=True))


@pytest.mark.parametrize(
    ("n_met", "reason", "expected"),
    [(4, "", "demonstrated"), (3, "", "open"), (1, "code: the demo", "demonstrated"), (6, "", "demonstrated")],
)
def test_a_variant_demonstrates_what_it_meets(workspace, only, monkeypatch, n_met, reason, expected):
    only("chen2012")
    printed = read_reported().query(
        "paper == 'chen2012' and table == 'II' and method == 'LapRLS' and metric != 'average_rank'"
    )
    rows = []
    for i, (dataset, mean) in enumerate(zip(printed["dataset"], printed["mean"], strict=True)):
        rows.append((dataset, "LapRLS", SETTING, "error_pct", mean - 5, 1.0, 12))
        rows.append((dataset, "LapRLS", f"{SETTING}, v", "error_pct", mean if i < n_met else 99.0, 1.0, 12))
    put("chen2012_table2", *rows)
    monkeypatch.setattr(
        module, "read_notes", lambda: pd.DataFrame([_note("{setting}, v", reason), _note("", dataset="Text")])
    )
    board = build_scoreboard().query("table == 'II' and method == 'LapRLS' and metric == 'error_pct'")
    # the 60 % of six cells are four; a later note without a variant leaves the variant in force
    assert board["verdict"].tolist() == ["better"] * 6
    assert board["status"].tolist() == [expected] * n_met + ["open"] * (6 - n_met)
    assert set(board["variants_tried"]) == {1} and set(board["variant"]) == {"{setting}, v"}


def test_a_variant_must_cover_the_column(workspace, only, monkeypatch):
    only("chen2012")
    put("chen2012_table2", ("Digit1", "LapRLS", SETTING, "error_pct", 20.0, 1.0, 12),
        ("Text", "LapRLS", SETTING, "error_pct", 50.0, 1.0, 12),
        ("Digit1", "LapRLS", "v", "error_pct", 5.64, 1.0, 12))  # fmt: skip
    monkeypatch.setattr(module, "read_notes", lambda: pd.DataFrame([_note("v", "text: Section 5")]))
    assert cell_of(build_scoreboard(), table="II", dataset="Digit1", method="LapRLS")["status"] == "open"


def test_notes_refuse_reasons_that_are_not_external(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "reported_file", lambda: tmp_path / "reported.csv")
    path = tmp_path / "notes.csv"
    path.write_text(to_csv_text(pd.DataFrame([_note("v", "it fits")])), encoding="utf-8")
    with pytest.raises(UsageError, match="reason begins with"):
        read_notes()
    path.write_text("paper,table,dataset,method,note\n", encoding="utf-8")
    with pytest.raises(UsageError, match="columns"):
        read_notes()


def test_committed_variants_exist():
    """A variant in the notes names committed rows for every judged cell of its column."""
    board, notes = build_scoreboard(), read_notes()
    named = notes[notes["variant"] != ""]
    for note in named.to_dict("records"):
        column = board[(board["variant"] == note["variant"]) & (board["paper"] == note["paper"])]
        assert (column["status"] == "demonstrated").any(), note


def test_stars_are_joined(workspace, only):
    only("wang2017")
    put("wang2017_table1", ("Sonar", "AGMR_sparse", "l=10", "accuracy_pct", 57.0, 1.0, 30, {"star": True}),
        ("Sonar", "AGMR_entropy", "l=10", "accuracy_pct", 48.0, 1.0, 30, {"star": True}))  # fmt: skip
    board = build_scoreboard().query("table == '1' and dataset == 'Sonar'").set_index("method")
    assert board["reported_star"].to_dict() == {"MR_LP": "", "MR_SP": "", "AGMR_entropy": "no", "AGMR_sparse": "yes"}
    assert board["ours_star"].to_dict() == {"MR_LP": "", "MR_SP": "", "AGMR_entropy": "yes", "AGMR_sparse": "yes"}


def test_tables_side_by_side(workspace):
    board = build_scoreboard()
    for paper, table in board[["paper", "table"]].drop_duplicates().itertuples(index=False):
        part = board[(board["paper"] == paper) & (board["table"] == table)]
        assert (compare(board, paper, table) != "").sum().sum() == len(part)
    put("chen2012_table2", ("Digit1", "LapRLS", SETTING, "error_pct", 5.6436, 2.49, 12))
    shown = compare(build_scoreboard(), "chen2012", "II")
    assert shown.loc["LapRLS", "Digit1"] == "5.64 ± 2.49 | 5.64 ± 2.49  exact"
    assert shown.loc["LapRLS", "USPS"] == "14.75 ± 2.52 | -  pending"
    assert shown.loc["LapRLS", "average rank"] == "2.50 | -  pending"


def test_kendall_tau():
    assert kendall_tau([1, 2, 3], [10, 20, 30]) == 1
    assert kendall_tau([1, 2, 3], [3, 2, 1]) == -1
    assert kendall_tau([1, 2, 3, 4], [1, 2, 4, 3]) == pytest.approx(4 / 6)
    assert kendall_tau([1, 1], [1, 2]) == 0
