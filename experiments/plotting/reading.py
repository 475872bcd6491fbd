"""Claims and coloured tables for a paper's notebook; the same bytes always."""

import pandas as pd

from experiments.engine import paths
from experiments.scoreboard.claims import judge_claims

COLOURS = {
    "exact": "#cfe3f1", "match": "#dff0f8", "holds": "#cfe3f1", "holds in part": "#fbe6c3", "better": "#d9efe6",
    "worse": "#f6d5c3", "fails": "#f6d5c3", "cannot be tested": "#eeeeee",
}  # fmt: skip


def claims(paper: str) -> pd.DataFrame:
    """The paper's claims with their verdicts, as the pipeline wrote them, or judged now."""
    path = paths.data_file("claims_judged.csv")
    judged = pd.read_csv(path, keep_default_na=False) if path.exists() else judge_claims()
    return judged[judged["paper"] == paper]


def claims_table(paper: str) -> str:
    """Every claim: what the paper says, verdict, our number, and a link to the section that shows it."""
    rows = claims(paper)
    anchors = [artifact.partition(";")[0].removeprefix(f"{paper}_") for artifact in rows["artifact"]]
    shown = pd.DataFrame({
        "section": rows["section"].to_list(), "claim": rows["claim"].to_list(), "verdict": rows["verdict"].to_list(),
        "our number": [_short(value) for value in rows["ours"]],
        "shown in": [f'<a href="#{anchor}">{anchor}</a>' for anchor in anchors],
    })  # fmt: skip
    return coloured(shown, f"{paper}-claims")


def verdicts(paper: str, *artifacts: str) -> str:
    """Claims that rest on these artifacts, in Markdown: verdict, the numbers behind it, the note."""
    lines = []
    for claim in claims(paper).to_dict("records"):
        if claim["artifact"].split("; ")[0].removeprefix(f"{paper}_") in artifacts:
            note = f" *{claim['note']}*" if claim["note"] else ""
            lines.append(f"- **{claim['verdict'].capitalize()}**: {claim['claim']} {claim['text']}.{note}")
    return "\n".join(lines)


def coloured(frame: pd.DataFrame, name: str) -> str:
    """A table with left-aligned text whose cells are coloured by the verdict that they end with."""
    style = frame.style.set_uuid(name).hide(axis="index").map(_colour)
    return style.set_properties(**{"text-align": "left"}).to_html()


def _short(value) -> str:
    number = pd.to_numeric(value, errors="coerce")
    return "" if pd.isna(number) else f"{number:.3g}"


def _colour(value) -> str:
    """Background of a cell that is, or ends with, a verdict."""
    text = str(value).strip()
    found = [verdict for verdict in COLOURS if text == verdict or text.endswith(f"  {verdict}")]
    return f"background-color: {COLOURS[found[-1]]}" if found else ""
