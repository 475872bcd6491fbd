"""Tables of notebook 1: claims with verdicts, printed cells beside ours, variants; coloured, the same bytes always."""

import pandas as pd

from experiments.belkin2006.figures import results
from experiments.engine import paths
from experiments.scoreboard import compare, judge_claims

PAPER = "belkin2006"
COLOURS = {
    "exact": "#cfe3f1", "match": "#dff0f8", "holds": "#cfe3f1", "holds in part": "#fbe6c3", "better": "#d9efe6",
    "worse": "#f6d5c3", "fails": "#f6d5c3", "cannot be tested": "#eeeeee",
}  # fmt: skip


def claims() -> pd.DataFrame:
    """The paper's claims with their verdicts, as the pipeline wrote them, or judged now."""
    path = paths.data_file("claims_judged.csv")
    judged = pd.read_csv(path, keep_default_na=False) if path.exists() else judge_claims()
    return judged[judged["paper"] == PAPER]


def claims_table() -> str:
    """Every claim: what the paper says, verdict, our number, and a link to the section that shows it."""
    rows = claims()
    anchors = [artifact.partition(";")[0].removeprefix(f"{PAPER}_") for artifact in rows["artifact"]]
    shown = pd.DataFrame({
        "section": rows["section"].to_list(), "claim": rows["claim"].to_list(), "verdict": rows["verdict"].to_list(),
        "our number": [_short(value) for value in rows["ours"]],
        "shown in": [f'<a href="#{anchor}">{anchor}</a>' for anchor in anchors],
    })  # fmt: skip
    return _html(shown, "claims")


def verdicts(*artifacts: str) -> str:
    """Claims that rest on these artifacts, in Markdown: verdict, the numbers behind it, the note."""
    lines = []
    for claim in claims().to_dict("records"):
        if claim["artifact"].split("; ")[0].removeprefix(f"{PAPER}_") in artifacts:
            note = f" *{claim['note']}*" if claim["note"] else ""
            lines.append(f"- **{claim['verdict'].capitalize()}**: {claim['claim']} {claim['text']}.{note}")
    return "\n".join(lines)


def table(board: pd.DataFrame, number: str) -> str:
    """A table of the paper: paper | ours, verdict; coloured by verdict, with status and flags of each cell."""
    wide = compare(board, PAPER, number)
    return _html(wide.reset_index(), f"table{number}")


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


def _short(value) -> str:
    number = pd.to_numeric(value, errors="coerce")
    return "" if pd.isna(number) else f"{number:.3g}"


def _html(frame: pd.DataFrame, name: str) -> str:
    """A table with left-aligned text whose cells are coloured by the verdict that they end with."""
    style = frame.style.set_uuid(f"{PAPER}-{name}").hide(axis="index").map(_colour)
    return style.set_properties(**{"text-align": "left"}).to_html()


def _colour(value) -> str:
    """Background of a cell that is, or ends with, a verdict."""
    text = str(value).strip()
    found = [verdict for verdict in COLOURS if text == verdict or text.endswith(f"  {verdict}")]
    return f"background-color: {COLOURS[found[-1]]}" if found else ""
