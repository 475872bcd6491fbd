"""The picture of the scoreboard: one square per cell, readable in greyscale."""

import numpy as np
from matplotlib.patches import Polygon, Rectangle

from experiments.plotting.scoreboard import MARKS, mark, scoreboard_picture
from experiments.scoreboard import build_scoreboard, cells
from experiments.scoreboard.scoreboard import STATUSES
from experiments.scoreboard.verdict import REPLICATED, VERDICTS


def test_every_status_and_verdict_has_its_own_mark():
    found = {mark("replicated", v) for v in REPLICATED} | {mark("open", v) for v in ("better", "worse")}
    found |= {mark(STATUSES[1], "worse")} | {mark("", v) for v in VERDICTS[4:]}
    assert found == set(MARKS)
    letters = [letter for _, letter, _ in MARKS.values()]
    assert len(set(letters)) == len(letters)  # told apart without colour


def test_the_picture_has_a_square_for_every_cell_and_a_corner_for_every_flag(monkeypatch, tmp_path):
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))
    board = build_scoreboard()
    kinds = [
        ("replicated", "exact"),
        ("replicated", "match"),
        ("demonstrated", "worse"),
        ("open", "worse"),
        ("", "no data"),
    ]
    board[["status", "verdict"]] = np.resize(kinds, (len(board), 2))
    board["flags"] = np.resize(["", "unstable", ""], len(board))
    patches = scoreboard_picture(board).axes[0].patches
    squares = [patch for patch in patches if isinstance(patch, Rectangle)]
    corners = [patch for patch in patches if isinstance(patch, Polygon)]
    assert len(squares) == 617 + len(MARKS) + 1  # the legend has one more, for the flag
    assert len(corners) == (cells(board)["flags"] != "").sum() + 1
