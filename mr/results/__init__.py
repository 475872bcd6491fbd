"""Tidy result files, the verdict on every reported cell, and the scoreboard."""

from mr.results.scoreboard import SCOREBOARD_COLUMNS, build_scoreboard, compare, read_scoreboard, summary
from mr.results.tidy import COLUMNS, read_results
from mr.results.timing import timing_order
from mr.results.verdict import VERDICTS, verdict

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
