"""Tables of notebook 2: claims with verdicts, and result rows by size."""

import pandas as pd

from experiments.belkin2006.reading import COLOURS
from experiments.engine import paths
from experiments.scoreboard import judge_claims

PAPER = "tsang2006"


def claims() -> pd.DataFrame:
    """The paper's claims with their verdicts, as the pipeline wrote them, or judged now."""
    path = paths.data_file("claims_judged.csv")
    judged = pd.read_csv(path, keep_default_na=False) if path.exists() else judge_claims()
    return judged[judged["paper"] == PAPER]


def claims_table() -> str:
    """Every claim: what the paper says, verdict, our number, and a link to the section that shows it."""
    rows = claims()
    anchors = [artifact.partition(";")[0].removeprefix(f"{PAPER}_") for artifact in rows["artifact"]]
    numbers = pd.to_numeric(rows["ours"], errors="coerce")
    shown = pd.DataFrame({
        "section": rows["section"].to_list(), "claim": rows["claim"].to_list(), "verdict": rows["verdict"].to_list(),
        "our number": ["" if pd.isna(value) else f"{value:.3g}" for value in numbers],
        "shown in": [f'<a href="#{anchor}">{anchor}</a>' for anchor in anchors],
    })  # fmt: skip
    style = shown.style.set_uuid(f"{PAPER}-claims").hide(axis="index").map(_colour)
    return style.set_properties(**{"text-align": "left"}).to_html()


def verdicts(*artifacts: str) -> str:
    """Claims that rest on these artifacts, in Markdown: verdict, the numbers behind it, the note."""
    lines = []
    for claim in claims().to_dict("records"):
        if claim["artifact"].split("; ")[0].removeprefix(f"{PAPER}_") in artifacts:
            note = f" *{claim['note']}*" if claim["note"] else ""
            lines.append(f"- **{claim['verdict'].capitalize()}**: {claim['claim']} {claim['text']}.{note}")
    return "\n".join(lines)


def _colour(value) -> str:
    found = COLOURS.get(str(value).strip())
    return f"background-color: {found}" if found else ""
