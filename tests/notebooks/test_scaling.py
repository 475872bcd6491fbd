"""Figures and tables of the scaling study follow from the rows that the benchmarks wrote."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest

from experiments.engine import paths
from experiments.plotting import scaling


def test_an_exponent_is_the_slope_of_logarithms():
    n = np.array([1e4, 1e5, 1e6])
    assert scaling.exponent(n, 3e-5 * n**1.25) == pytest.approx(1.25)


def test_exponents_come_from_the_rows(monkeypatch):
    rows = pd.DataFrame({
        "data": "moons", "method": ["PVM(200)"] * 3, "n": [10_000, 100_000, 1_000_000], "graph_seconds": np.nan,
        "fit_seconds": [1.0, 10.0, 100.0], "predict_seconds": 0.1, "cpu_seconds": 1.0,
        "peak_mb": [300.0, 400.0, 1024.0],
        "error_pct": 0.5, "recall": np.nan,
    })  # fmt: skip
    monkeypatch.setattr(scaling, "measured", lambda name: rows)
    found = scaling.exponents()
    assert found["exponent"].tolist() == [1.0] and found["GB"].tolist() == [1.0]
    assert np.isnan(found["from 1e5"]).all()  # two sizes have no exponent


def test_the_goal_holds_in_the_committed_rows():
    """Ten million points in the plane in 30 minutes and 8 GiB, exponents of at most 1.1 where every size is large."""
    rows = scaling.scaling()
    for method in ("LapRLS(basis=500)", "PVM(200)"):
        largest = rows[(rows["data"] == "moons") & (rows["method"] == method)].iloc[-1]
        assert largest["n"] == 10_000_000 and largest["seconds"] < 1800 and largest["peak_mb"] < 8 * 1024


def test_every_measured_method_has_a_look_and_every_figure_its_lines():
    drawn = {
        method for ax in scaling.against_n("seconds", "seconds").axes for method in ax.get_legend_handles_labels()[1]
    }
    assert {name.split("  $")[0] for name in drawn} == set(scaling.scaling()["method"])
    for figure in (scaling.memory, scaling.preconditioners, scaling.searches, scaling.mnist):
        assert all(ax.lines for ax in figure().axes)


def test_the_guide_shows_the_committed_rows():
    page = (paths.ROOT / "docs" / "guide" / "large_data.md").read_text(encoding="utf-8")
    assert scaling.guide_table() in page, "put what experiments.plotting.scaling.guide_table() returns into the page"
