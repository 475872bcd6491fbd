"""Printed numbers beside ours: verdicts, flags, demonstrated or open; claims; and the headline.

:func:`write_all` writes ``scoreboard.csv``, ``timing_order.csv``, ``claims_judged.csv`` and ``metrics.json``;
:func:`render_all` gives the same texts without writing.
"""

import json
from pathlib import Path

from experiments.engine.files import write_text
from experiments.engine.paths import data_file
from experiments.scoreboard.claims import judge_claims
from experiments.scoreboard.headline import headline_markdown, metrics
from experiments.scoreboard.scoreboard import build_scoreboard, cells, compare, read_reported, read_scoreboard, summary
from experiments.scoreboard.timing import timing_order
from experiments.scoreboard.verdict import VERDICTS, verdict
from experiments.tidy import COLUMNS, read_results, to_csv_text

__all__ = [
    "COLUMNS", "VERDICTS", "build_scoreboard", "cells", "compare", "headline_markdown", "judge_claims", "metrics",
    "read_reported", "read_results", "read_scoreboard", "render_all", "summary", "timing_order", "verdict", "write_all",
]  # fmt: skip


def render_all() -> dict[Path, str]:
    """Texts of the four files, from the result rows."""
    board, claims = build_scoreboard(), judge_claims()
    return {
        data_file("scoreboard.csv"): to_csv_text(board),
        data_file("timing_order.csv"): to_csv_text(timing_order(board)),
        data_file("claims_judged.csv"): to_csv_text(claims),
        data_file("metrics.json"): json.dumps(metrics(board, claims), indent=2) + "\n",
    }


def write_all() -> list[Path]:
    """Write the four files, each atomically; returns their paths."""
    texts = render_all()
    for path, text in texts.items():
        write_text(path, text)
    return list(texts)
