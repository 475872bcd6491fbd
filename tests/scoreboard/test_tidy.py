"""Tidy rows: made, checked, rounded, written, read back, and refused when damaged."""

import json
import math

import pandas as pd
import pytest

from experiments.engine import paths
from experiments.engine.errors import UsageError
from experiments.tidy import COLUMNS, read_results, tidy, tidy_row, to_csv_text


@pytest.fixture
def committed(monkeypatch, tmp_path):
    """A committed file with two rows; returns its path."""
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))
    rows = [tidy_row("x_table1", "a, b", "RLS", "l=10", [1.0, 2.0, 6.0], parameters={"C": 0.1 + 0.2, "k": (1, 2.0)}),
            tidy_row("x_table1", "a, b", "SVM", "l=10", [1 / 3], metric="accuracy_pct")]  # fmt: skip
    path = paths.results_file("x_table1")
    path.parent.mkdir(parents=True)
    path.write_text(to_csv_text(tidy("x_table1", pd.DataFrame(rows))), encoding="utf-8", newline="\n")
    return path


def test_a_row_has_mean_deviation_and_number_of_runs():
    group = pd.DataFrame({"data_source": ["local", "local"]})
    row = tidy_row("x_table1", "a", "RLS", "l=10", pd.Series([1.0, 2.0, 6.0], index=[5, 7, 9]), group=group)
    assert list(row) == COLUMNS
    assert (row["mean"], row["n_runs"], row["data_source"], row["metric"]) == (3.0, 3, "local", "error_pct")
    assert row["std"] == pytest.approx(math.sqrt((4 + 1 + 9) / 2))  # ddof = 1
    assert math.isnan(tidy_row("x_table1", "a", "RLS", "", [4.0])["std"])
    assert tidy_row("x_table1", "a", "RLS", "", [4.0], group={"data_source": "generated"})["data_source"] == "generated"
    with pytest.raises(UsageError, match="at least one value"):
        tidy_row("x_table1", "a", "RLS", "", [])


def test_what_is_written_is_read_back(committed):
    frame = read_results("x_table1")
    assert frame["mean"].tolist() == [3.0, 0.333333]
    assert frame["parameters"].map(json.loads).tolist() == [{"C": 0.3, "k": [1, 2.0]}, {}]
    assert frame["n_runs"].tolist() == [3, 1] and math.isnan(frame["std"][1])
    assert to_csv_text(frame) == committed.read_text(encoding="utf-8")
    assert read_results("x_table2").empty  # not computed yet: no file


def test_every_cut_through_a_row_is_an_error(committed):
    text = committed.read_text(encoding="utf-8")
    ends = [i + 1 for i, letter in enumerate(text) if letter == "\n"]
    for cut in range(len(text)):
        if cut in ends[1:]:
            continue  # whole rows: only the raw rows can tell that some are missing
        committed.write_text(text[:cut], encoding="utf-8", newline="\n")
        with pytest.raises(UsageError, match="damaged"):
            read_results("x_table1")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3.0", "3.o"),
        ("x_table1,", ""),
        ("artifact", "artefact"),
        ('""C""', '""C'),
        ("SVM,l=10,accuracy", "RLS,l=10,error"),
    ],
)
def test_a_damaged_row_is_an_error(committed, old, new):
    text = committed.read_text(encoding="utf-8")
    committed.write_text(text.replace(old, new, 1), encoding="utf-8", newline="\n")
    assert committed.read_text(encoding="utf-8") != text
    with pytest.raises(UsageError, match="damaged"):
        read_results("x_table1")


def test_tidy_fills_and_refuses():
    row = {"dataset": "a", "method": "b", "metric": "error_pct", "mean": 1 / 3, "n_runs": 2}
    raw = pd.DataFrame({"dataset": ["a"], "data_source": ["local"]})
    frame = tidy("x", pd.DataFrame([row | {"parameters": {"C": 0.1 + 0.2}}]), raw)
    assert list(frame.columns) == COLUMNS
    assert frame.iloc[0][["mean", "parameters", "data_source"]].tolist() == [0.333333, '{"C":0.3}', "local"]
    with pytest.raises(UsageError, match="twice"):
        tidy("x", pd.DataFrame([row, row]))
    with pytest.raises(UsageError, match="columns method"):
        tidy("x", pd.DataFrame([row]).drop(columns="method"))
