"""``data/scoreboard.csv``: every cell the papers print, next to ours, with a verdict."""

from pathlib import Path

import pandas as pd

from experiments.engine import paths
from experiments.engine.files import replacing
from experiments.scoreboard.verdict import VERDICTS, reported_runs, verdict
from experiments.tidy import NO_DATA, read_results

SCOREBOARD_COLUMNS = [
    "paper", "table", "dataset", "method", "setting", "metric",
    "reported_mean", "reported_std", "ours_mean", "ours_std", "n_runs", "verdict", "note",
]  # fmt: skip
CELL = ["dataset", "method", "setting", "metric"]
# Columns that a table takes over from an earlier one: (paper, table) -> that table and the setting of its cells. They
# are computed once.
TAKEN_OVER = {("zhang2015", "V"): ("III", "unlabelled, 30 runs, 5-fold CV")}
ROMAN = {name: i for i, name in enumerate("I II III IV V VI VII VIII IX X".split(), start=1)}


def artifact_of(paper: str, table: str) -> str:
    """Id of the artifact that regenerates a table: ("chen2012", "II") -> "chen2012_table2"."""
    return f"{paper}_table{ROMAN.get(table, table)}"


def read_reported() -> pd.DataFrame:
    """The printed cells; an empty setting is the empty string."""
    return pd.read_csv(paths.reported_file(), dtype={"table": str, "setting": str}).fillna({"setting": ""})


def notes_file() -> Path:
    """Why a cell differs: ``paper,table,dataset,method,note``, ``*`` for any, later rows win."""
    return paths.reported_file().with_name("notes.csv")


def read_notes() -> pd.DataFrame:
    return pd.read_csv(notes_file(), dtype=str, keep_default_na=False)


def build_scoreboard() -> pd.DataFrame:
    """Join the printed cells with the result files, judge each, and attach the notes."""
    board = read_reported().rename(columns={"mean": "reported_mean", "std": "reported_std"})
    artifacts = [artifact_of(p, t) for p, t in zip(board["paper"], board["table"], strict=True)]
    results = {artifact: read_results(artifact) for artifact in dict.fromkeys(artifacts)}
    _take_over(board, results)
    notes = read_notes()
    judged = [
        _judge(cell, results[artifact], notes)
        for artifact, cell in zip(artifacts, board.to_dict("records"), strict=True)
    ]
    return pd.DataFrame(judged, columns=SCOREBOARD_COLUMNS).astype({"n_runs": "Int64"})


def _take_over(board: pd.DataFrame, results: dict[str, pd.DataFrame]) -> None:
    """Give tables that print columns of an earlier one the results of that one, in place."""
    for (paper, table), (earlier, setting) in TAKEN_OVER.items():
        printed = board[(board["paper"] == paper) & (board["table"] == table)]
        if len(printed):
            own, other = results[artifact_of(paper, table)], results[artifact_of(paper, earlier)]
            taken = other[(other["setting"] == setting) & ~other["method"].isin(own["method"])]
            taken = taken.assign(setting=printed["setting"].iloc[0])
            results[artifact_of(paper, table)] = pd.concat([own, taken])


def write_scoreboard(board: pd.DataFrame) -> None:
    with replacing(paths.scoreboard_file()) as temporary:
        board.to_csv(temporary, index=False, lineterminator="\n")


def read_scoreboard() -> pd.DataFrame:
    """The scoreboard as written; built afresh when there is no file."""
    path = paths.scoreboard_file()
    if not path.exists():
        return build_scoreboard()
    text = {"table": str, "setting": str, "note": str}
    return pd.read_csv(path, dtype=text).fillna({"setting": "", "note": ""}).astype({"n_runs": "Int64"})


def summary(board: pd.DataFrame) -> pd.DataFrame:
    """Cells a paper and verdict, with a row of totals."""
    counts = pd.crosstab(board["paper"], board["verdict"]).reindex(columns=list(VERDICTS), fill_value=0)
    counts.loc["all"] = counts.sum()
    counts["cells"] = counts.sum(axis=1)
    return counts.rename_axis(columns=None)


def compare(board: pd.DataFrame, paper: str, table: str) -> pd.DataFrame:
    """One table of a paper, side by side: methods x data sets, each cell ``paper | ours  verdict``."""
    part = board[(board["paper"] == paper) & (board["table"] == table)]
    shown = part.assign(
        shown=[_side_by_side(cell) for cell in part.to_dict("records")],
        column=part["dataset"] + part["metric"].map(_unit) if part["metric"].nunique() > 1 else part["dataset"],
    )
    wide = shown.pivot_table(index=["setting", "method"], columns="column", values="shown", aggfunc="first", sort=False)
    if part["setting"].nunique() == 1:
        wide = wide.droplevel("setting")
    return wide.rename_axis(columns=None).fillna("")


def _judge(cell: dict, results: pd.DataFrame, notes: pd.DataFrame) -> dict:
    ours = results
    for name in CELL:
        ours = ours[ours[name] == cell[name]]
    available = not ((results["dataset"] == cell["dataset"]) & (results["data_source"] == NO_DATA)).any()
    row = ours.iloc[0] if len(ours) else None
    mean, std, n_runs = (row["mean"], row["std"], row["n_runs"]) if row is not None else (None, None, None)
    n_runs = None if n_runs is None or pd.isna(n_runs) else int(n_runs)
    n_reported = reported_runs(cell["paper"], cell["table"], cell["dataset"], cell["setting"])
    judged = verdict(
        cell["metric"], cell["reported_mean"], cell["reported_std"], n_reported, mean, std, n_runs, available
    )
    return cell | {
        "ours_mean": mean, "ours_std": std, "n_runs": n_runs, "verdict": judged, "note": _note(cell, notes),
    }  # fmt: skip


def _note(cell: dict, notes: pd.DataFrame) -> str:
    hit = pd.Series(True, index=notes.index)
    for name in ("paper", "table", "dataset", "method"):
        hit &= notes[name].isin([cell[name], "*"])
    return notes.loc[hit, "note"].iloc[-1] if hit.any() else ""


def _side_by_side(cell: dict) -> str:
    ours = "-" if pd.isna(cell["ours_mean"]) else _number(cell["ours_mean"], cell["ours_std"])
    return f"{_number(cell['reported_mean'], cell['reported_std'])} | {ours}  {cell['verdict']}"


def _number(mean: float, std: float) -> str:
    shown = f"{mean:.2f}" if abs(mean) >= 0.01 or mean == 0 else f"{mean:.2g}"
    return shown if pd.isna(std) else f"{shown} ± {std:.2f}"


def _unit(metric: str) -> str:
    return f" ({metric.replace('_pct', ' %').replace('_', ' ')})"
