"""One look per method, in colour and in greyscale; figures that do not change by themselves."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pytest

from experiments import plotting
from experiments.engine.errors import UsageError
from experiments.scoreboard import read_reported


def test_every_reported_method_has_a_look_of_its_own():
    assert set(read_reported()["method"]) <= set(plotting.METHODS)
    greyscale = [(marker, line) for _, marker, line in plotting.METHODS.values()]
    assert len(set(greyscale)) == len(greyscale)


def test_an_unknown_method_is_an_error_that_helps():
    with pytest.raises(UsageError, match="did you mean 'LapRLS'"):
        plotting.line_style("LapRSL")
    assert plotting.line_style("LapRLS")["label"] == "LapRLS"


def test_saving_twice_gives_the_same_bytes_and_nothing_is_saved_unasked(monkeypatch, tmp_path):
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))
    monkeypatch.delenv("MR_FIGURES_STAGING", raising=False)
    contents = []
    plotting.use_style()
    for asked in (False, True, True):
        plotting.saving(asked)
        fig, ax = plt.subplots()
        ax.plot([0, 1], **plotting.line_style("LapSVM"))
        contents.append([file.read_bytes() for file in plotting.save(fig, "fake2000_fig1")])
        plt.close(fig)
    plotting.saving(False)
    assert contents[0] == [] and contents[1] == contents[2]
    folder = tmp_path / "figures" / "fake2000"
    assert sorted(file.name for file in folder.iterdir()) == ["fig1.pdf", "fig1.png"]


def test_a_save_that_fails_leaves_the_old_picture(monkeypatch, tmp_path):
    monkeypatch.setenv("MR_FIGURES_STAGING", str(tmp_path))
    old = tmp_path / "fake2000" / "fig1.pdf"
    old.parent.mkdir()
    old.write_text("old")
    fig, _ = plt.subplots()

    def half(path, **options):
        Path(path).write_text("half")
        raise OSError("disk full")

    monkeypatch.setattr(fig, "savefig", half)
    plotting.saving(True)
    try:
        with pytest.raises(OSError, match="disk full"):
            plotting.save(fig, "fake2000_fig1")
    finally:
        plotting.saving(False)
        plt.close(fig)
    assert old.read_text() == "old" and [file.name for file in old.parent.iterdir()] == ["fig1.pdf"]
