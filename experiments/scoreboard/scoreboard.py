"""``data/scoreboard.csv``: every number the papers print, next to ours, with verdict, flags and status."""

import json

import pandas as pd

from experiments.engine import paths
from experiments.engine.errors import UsageError
from experiments.scoreboard.flags import flags
from experiments.scoreboard.variants import EXTERNAL, demonstrates, place, variants_tried
from experiments.scoreboard.verdict import JUDGED, RANK, REPLICATED, VERDICTS, reported_runs, same_splits, verdict
from experiments.tidy import COLUMNS, NO_DATA, read_tidy

CELL = ["paper", "table", "dataset", "method", "setting", "metric"]
NUMBERS = ["reported_mean", "reported_std", "ours_mean", "ours_std", "n_runs", "variants_tried"]
SCOREBOARD_COLUMNS = [*CELL, *NUMBERS, "verdict", "status", "flags", "reported_star", "ours_star", "variant", "note"]
STATUSES = ("replicated", "demonstrated", "open")  # empty: not judged, or no cell (ranks)
NOTES = ["paper", "table", "dataset", "method", "note", "variant", "reason"]
# A table that prints columns of an earlier one: that table, the setting of its rows, the setting of the cells here.
TAKEN_OVER = {("zhang2015", "V"): ("III", "unlabelled, 30 runs, 5-fold CV", "unlabelled")}
ROMAN = {name: i for i, name in enumerate("I II III IV V VI VII VIII IX X".split(), start=1)}


def artifact_of(paper: str, table: str) -> str:
    """Id of the artifact that regenerates a table: ("chen2012", "II") -> "chen2012_table2"."""
    return f"{paper}_table{ROMAN.get(table, table)}"


def read_reported() -> pd.DataFrame:
    """The printed numbers, with their number of printed decimals (12.70 has two)."""
    frame = pd.read_csv(paths.reported_file(), dtype=str, keep_default_na=False)
    decimals = frame["mean"].str.partition(".")[2].str.len()
    return frame.assign(mean=frame["mean"].astype(float), std=pd.to_numeric(frame["std"]), decimals=decimals)


def read_notes() -> pd.DataFrame:
    """Why cells differ: ``*`` for any, later rows win; see :mod:`experiments.scoreboard.variants` for the variants."""
    path = paths.reported_file().with_name("notes.csv")
    notes = pd.read_csv(path, dtype=str, keep_default_na=False)
    if list(notes.columns) != NOTES:
        raise UsageError(f"{path} must have the columns {', '.join(NOTES)}, got {', '.join(notes.columns)}")
    for reason in notes["reason"]:
        if reason and not reason.startswith(EXTERNAL):
            raise UsageError(f"{path}: a reason begins with one of {', '.join(EXTERNAL)}; got {reason!r}")
    return notes


def paper_rows(paper: str) -> pd.DataFrame:
    """Committed result rows of all artifacts of a paper."""
    frames = [read_tidy(path) for path in sorted(paths.results_file(f"{paper}_x").parent.glob("*.csv"))]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=COLUMNS)


def build_scoreboard() -> pd.DataFrame:
    """Join the printed numbers with the result rows, judge each, and attach flags, status and notes."""
    printed = read_reported().rename(columns={"mean": "reported_mean", "std": "reported_std", "star": "reported_star"})
    notes, judged = read_notes().to_dict("records"), []
    for paper, numbers in printed.groupby("paper", sort=False):
        rows = paper_rows(paper)
        for _, column in numbers.groupby(["table", "method"], sort=False):
            judged += _judge_column(column.to_dict("records"), rows, notes, set(numbers["setting"]))
    board = printed[CELL].merge(pd.DataFrame(judged), on=CELL, validate="one_to_one")  # in the order of the print
    return board[SCOREBOARD_COLUMNS].astype({"n_runs": "Int64", "ours_mean": float, "ours_std": float})


def cells(board: pd.DataFrame) -> pd.DataFrame:
    """The printed cells alone: average ranks follow from them and are not counted again."""
    return board[board["metric"] != RANK]


def read_scoreboard() -> pd.DataFrame:
    """The scoreboard as written; built afresh when there is no file."""
    path = paths.data_file("scoreboard.csv")
    if not path.exists():
        return build_scoreboard()
    text = [name for name in SCOREBOARD_COLUMNS if name not in NUMBERS]
    return pd.read_csv(path, dtype=dict.fromkeys(text, str)).fillna(dict.fromkeys(text, "")).astype({"n_runs": "Int64"})


def summary(board: pd.DataFrame) -> pd.DataFrame:
    """Cells per paper by status and by verdict, with a row of totals."""
    board = cells(board)
    status = pd.crosstab(board["paper"], board["status"]).reindex(columns=list(STATUSES), fill_value=0)
    verdicts = pd.crosstab(board["paper"], board["verdict"]).reindex(columns=list(VERDICTS), fill_value=0)
    counts = pd.concat([status, verdicts], axis=1).assign(cells=verdicts.sum(axis=1))
    counts.loc["all"] = counts.sum()
    return counts.rename_axis(columns=None)


def compare(board: pd.DataFrame, paper: str, table: str) -> pd.DataFrame:
    """One table of a paper, side by side: methods x data sets, each cell ``paper | ours  verdict``."""
    part = board[(board["paper"] == paper) & (board["table"] == table)]
    several = cells(part).groupby("dataset")["metric"].nunique().max() > 1
    unit = " (" + part["metric"].str.replace("_pct", " %").str.replace("_", " ") + ")" if several else ""
    column = (part["dataset"] + unit).where(part["metric"] != RANK, "average rank")
    shown = part.assign(shown=[_side_by_side(cell) for cell in part.to_dict("records")], column=column)
    wide = shown.pivot_table(index=["setting", "method"], columns="column", values="shown", aggfunc="first", sort=False)
    if part["setting"].nunique() == 1:
        wide = wide.droplevel("setting")
    return wide.rename_axis(columns=None).fillna("")


def _judge_column(column: list[dict], rows: pd.DataFrame, notes: list[dict], printed: set) -> list[dict]:
    """One column of a table: every cell judged, then the variant (if a note names one) judged on the whole column.

    ``printed`` are the settings of all the paper's columns; variants of other columns are not tried for this one.
    """
    artifact = artifact_of(column[0]["paper"], column[0]["table"])
    rows = _own_rows(column[0], artifact, rows)
    absent = set(rows.loc[(rows["artifact"] == artifact) & (rows["data_source"] == NO_DATA), "dataset"])
    found = {(r["artifact"], r["setting"], r["dataset"], r["metric"]): r for r in rows.to_dict("records")}
    tried = variants_tried(pd.DataFrame(column), rows, artifact, printed)

    def ours(cell: dict, variant: str = "{setting}") -> dict | None:
        return found.get((*place(variant, artifact, cell["setting"]), cell["dataset"], cell["metric"]))

    for cell in column:
        cell |= (
            _beside(cell, ours(cell), cell["dataset"] not in absent) | _note(cell, notes) | {"variants_tried": tried}
        )
    judged = [cell for cell in column if cell["verdict"] in JUDGED and cell["metric"] != RANK]
    for i, cell in enumerate(judged):
        proofs = [(other, ours(other, cell["variant"])) for other in judged] if cell["variant"] else []
        verdicts = [_beside(other, row)["verdict"] if row else None for other, row in proofs]
        met = demonstrates(verdicts, cell["reason"]) and verdicts[i] in REPLICATED
        cell["status"] = "replicated" if cell["verdict"] in REPLICATED else "demonstrated" if met else "open"
    return column


def _own_rows(cell: dict, artifact: str, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of a column's method and of "no data"; a column that is printed again has those of its first print."""
    rows = rows[rows["method"].isin([cell["method"], ""])]
    again = TAKEN_OVER.get((cell["paper"], cell["table"]))
    if again and not ((rows["artifact"] == artifact) & (rows["method"] != "")).any():
        table, setting, printed = again
        taken = (rows["artifact"] == artifact_of(cell["paper"], table)) & (rows["setting"] == setting)
        where = {"artifact": rows["artifact"].mask(taken, artifact), "setting": rows["setting"].mask(taken, printed)}
        rows = rows.assign(**where)
    return rows


def _beside(cell: dict, ours: dict | None, available: bool = True) -> dict:
    """Our number beside a printed one: verdict and flags."""
    mean, std, n_runs = (ours["mean"], ours["std"], ours["n_runs"]) if ours else (float("nan"), float("nan"), pd.NA)
    place_of_cell = cell["paper"], cell["table"], cell["dataset"]
    judged = verdict(
        cell["metric"], cell["reported_mean"], cell["reported_std"], reported_runs(*place_of_cell, cell["setting"]),
        mean, std, None if pd.isna(n_runs) else int(n_runs), cell["decimals"], same_splits(*place_of_cell), available,
    )  # fmt: skip
    parameters = json.loads(ours["parameters"] or "{}") if ours else {}
    raised = flags(cell["metric"], mean, std, parameters, cell["reported_std"]) if judged in JUDGED else []
    star = {True: "yes", False: "no"}.get(parameters.get("star"), "")
    return {"ours_mean": mean, "ours_std": std, "n_runs": n_runs, "verdict": judged, "status": "",
            "flags": "; ".join(raised), "ours_star": star}  # fmt: skip


def _note(cell: dict, notes: list[dict]) -> dict:
    """The last note on a cell, and the last variant with its reason."""
    on_cell = [n for n in notes if all(n[name] in (cell[name], "*") for name in NOTES[:4])]
    named = [n for n in on_cell if n["variant"]] or [{"variant": "", "reason": ""}]
    note = on_cell[-1]["note"] if on_cell else ""
    return {"note": note, "variant": named[-1]["variant"], "reason": named[-1]["reason"]}


def _side_by_side(cell: dict) -> str:
    printed, ours = (_number(cell[f"{whose}_mean"], cell[f"{whose}_std"]) for whose in ("reported", "ours"))
    return f"{printed} | {ours}  {cell['verdict']}"


def _number(mean: float, std: float) -> str:
    if pd.isna(mean):
        return "-"
    shown = f"{mean:.2f}" if abs(mean) >= 0.01 or mean == 0 else f"{mean:.2g}"
    return shown if pd.isna(std) else f"{shown} ± {std:.2f}"
