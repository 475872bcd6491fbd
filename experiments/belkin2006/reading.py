"""Tables of notebook 1: claims with verdicts, printed cells beside ours, variants; coloured, the same bytes always."""

from functools import partial

import pandas as pd

from experiments.belkin2006.figures import results
from experiments.plotting import reading
from experiments.scoreboard import compare

PAPER = "belkin2006"
claims_table = partial(reading.claims_table, PAPER)
verdicts = partial(reading.verdicts, PAPER)


def table(board: pd.DataFrame, number: str) -> str:
    """A table of the paper: paper | ours, verdict; coloured by verdict, with status and flags of each cell."""
    return reading.coloured(compare(board, PAPER, number).reset_index(), f"{PAPER}-table{number}")


def notes(board: pd.DataFrame, number: str) -> str:
    """Why cells differ, or what was chosen where the paper is silent, in Markdown; once per note."""
    part = board[(board["paper"] == PAPER) & (board["table"] == number)]
    lines = []
    for note, group in part[part["note"] != ""].groupby("note", sort=False):
        methods = ", ".join(dict.fromkeys(group["method"]))
        status = ", ".join(dict.fromkeys(group["status"]))
        lines.append(f"- {methods} ({status}): {note}")
    return "\n".join(lines)


def rows_of(artifact: str, columns: str, digits: int = 2, **where) -> pd.DataFrame:
    """Means of an artifact's rows, one line per method and setting; ``where`` keeps rows with these entries."""
    frame = results(artifact)
    for name, value in where.items():
        frame = frame[frame[name].isin(value if isinstance(value, list) else [value])] if name in frame else frame[:0]
    if frame.empty:
        return frame
    shown = [f"{mean:.{digits}f}" + (f" ± {std:.{digits}f}" if std == std else "") for mean, std in
             zip(frame["mean"], frame["std"], strict=True)]  # fmt: skip
    wide = frame.assign(shown=shown).pivot_table(
        index=["method", "setting"], columns=columns, values="shown", aggfunc="first", sort=False
    )
    return wide.rename_axis(columns=None).fillna("")
