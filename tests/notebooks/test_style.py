"""One look a method, in colour and in greyscale; figures that do not change by themselves."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from mr import figures
from experiments.engine.errors import UsageError
from experiments.scoreboard import VERDICTS
from experiments.scoreboard import build_scoreboard
from experiments.scoreboard.scoreboard import read_reported


def test_every_reported_method_has_a_look_of_its_own():
    assert set(read_reported()["method"]) <= set(figures.METHODS)
    greyscale = [(marker, line) for _, marker, line in figures.METHODS.values()]
    assert len(set(greyscale)) == len(greyscale)


def test_an_unknown_method_is_an_error_that_helps():
    with pytest.raises(UsageError, match="did you mean 'LapRLS'"):
        figures.line_style("LapRSL")
    assert figures.line_style("LapRLS")["label"] == "LapRLS"


def test_saving_twice_gives_the_same_bytes(monkeypatch, tmp_path):
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))
    monkeypatch.delenv("MR_FIGURES_STAGING", raising=False)
    contents = []
    for _ in range(2):
        figures.use_style()
        fig, ax = plt.subplots()
        ax.plot([0, 1], **figures.line_style("LapSVM"))
        contents.append([file.read_bytes() for file in figures.save(fig, "x")])
        plt.close(fig)
    assert contents[0] == contents[1]
    assert sorted(file.name for file in (tmp_path / "figures").iterdir()) == ["x.pdf", "x.png"]


def test_the_picture_has_a_square_for_every_cell():
    board = build_scoreboard()
    board["verdict"] = np.resize(VERDICTS, len(board))
    fig = figures.scoreboard_picture(board)
    assert len(fig.axes[0].patches) == len(board) + len(VERDICTS)
