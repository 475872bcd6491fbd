"""Claims of the papers, judged by code from committed result rows.

``data/claims.csv`` has one line per claim that a number can judge: id, paper, section, the claim in our words, the
artifacts whose rows judge it, the test, a note. A test is a function of ``experiments/PAPER/claims.py`` that takes the
rows of those artifacts and returns a :class:`Judgement`. A claim ``cannot be tested`` while rows are missing, or while
its note begins with ``pending:``: the run that would judge it is still to come.
"""

import importlib
import json
from typing import NamedTuple

import pandas as pd

from experiments.engine import paths
from experiments.engine.errors import UsageError
from experiments.scoreboard.scoreboard import paper_rows

CLAIMS = ["id", "paper", "section", "claim", "artifact", "test", "note"]
JUDGED_CLAIMS = ["id", "paper", "section", "claim", "verdict", "ours", "text", "artifact", "test", "note"]
CLAIM_VERDICTS = ("holds", "holds in part", "fails", "cannot be tested")
PENDING = "pending:"


class Judgement(NamedTuple):
    """Verdict on a claim, the number it rests on, and that number in words."""

    verdict: str
    ours: float
    text: str


def pick(rows: pd.DataFrame, **equal) -> pd.DataFrame:
    """Rows with these entries (a list: any of them); KeyError when there are none."""
    for name, value in equal.items():
        rows = rows[rows[name].isin(value if isinstance(value, (list, tuple)) else [value])]
    if rows.empty:
        raise KeyError(f"no row with {equal}")
    return rows


def with_parameters(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the entries of their JSON parameters as columns."""
    return rows.join(pd.DataFrame([json.loads(text or "{}") for text in rows["parameters"]], index=rows.index))


def decide(*parts: bool) -> str:
    """``holds`` when every part of a claim does, ``fails`` when none does."""
    return "holds" if all(parts) else "holds in part" if any(parts) else "fails"


def judge_claims() -> pd.DataFrame:
    """Every claim with its verdict."""
    path = paths.reported_file().with_name("claims.csv")
    claims = pd.read_csv(path, dtype=str, keep_default_na=False)
    if list(claims.columns) != CLAIMS:
        raise UsageError(f"{path} must have the columns {', '.join(CLAIMS)}, got {', '.join(claims.columns)}")
    rows = {paper: paper_rows(paper) for paper in claims["paper"].unique()}
    judged = [claim | _judge(claim, rows[claim["paper"]])._asdict() for claim in claims.to_dict("records")]
    frame = pd.DataFrame(judged, columns=JUDGED_CLAIMS)
    return frame.assign(ours=[float(f"{value:.6g}") for value in frame["ours"]])


def _judge(claim: dict, rows: pd.DataFrame) -> Judgement:
    untested = Judgement("cannot be tested", float("nan"), "")
    if not claim["test"]:
        return untested
    test = getattr(importlib.import_module(f"experiments.{claim['paper']}.claims"), claim["test"])
    try:
        found = test(pick(rows, artifact=claim["artifact"].split("; ")))
    except KeyError as missing:  # rows, or a method or variant in a table made of them: a quick run has fewer
        return untested._replace(text=f"rows are missing: {missing}")
    if found.verdict not in CLAIM_VERDICTS:
        raise UsageError(f"claim {claim['id']}: unknown verdict {found.verdict!r}")
    return found._replace(verdict=untested.verdict) if claim["note"].startswith(PENDING) else found
