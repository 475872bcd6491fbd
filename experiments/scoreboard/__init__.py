"""Tidy result files, the verdict on every reported cell, and the scoreboard."""

from experiments.scoreboard.scoreboard import SCOREBOARD_COLUMNS, build_scoreboard, compare, read_scoreboard, summary
from experiments.scoreboard.timing import timing_order
from experiments.scoreboard.verdict import VERDICTS, verdict
from experiments.tidy import COLUMNS, read_results

__all__ = [
    "COLUMNS",
    "SCOREBOARD_COLUMNS",
    "VERDICTS",
    "build_scoreboard",
    "compare",
    "read_results",
    "read_scoreboard",
    "summary",
    "timing_order",
    "verdict",
]
