"""Figures 1 to 4 of chen2012, and the tables of its notebook."""

import json

import matplotlib.pyplot as plt
import pandas as pd

from experiments.chen2012 import fig1 as chen2012_fig1
from experiments.chen2012.table2 import HONEST_SETTING, PAPER_SETTING, STATED_SETTING
from experiments.engine import params
from experiments.plotting.style import line_style, use_style
from experiments.plotting.surfaces import decision_surfaces
from experiments.tidy import read_results
from mr import datasets

METRICS = {"error_pct": "error (%)", "train_seconds": "CPU seconds"}


def results(artifact) -> pd.DataFrame:
    """Rows of an artifact, with the entries of their parameters as columns."""
    frame = read_results(artifact)
    extra = pd.DataFrame([json.loads(text or "{}") for text in frame["parameters"]], index=frame.index)
    return frame.join(extra[[name for name in extra if name not in frame]])


def fig1(profile):
    """LapESVR on two moons: growing mu with all eigenvectors, and two eigenvectors."""
    block = params.block("chen2012_fig1", profile)
    data = datasets.load(block["dataset"], **block["options"])
    y = chen2012_fig1.labelled(data, block)
    panels = {
        f"$\\mu={mu:g}$, $n_{{ev}}={k}$: error {100 * (model.transduction_ != data.y)[y == -1].mean():.1f} %": model
        for (mu, k), model in chen2012_fig1.models(data.X, y, block).items()
    }
    return decision_surfaces(panels, data.X, y)


def fig2():
    """Error of LapESVR against the number of eigenvectors, one panel per data set."""
    frame = results("chen2012_fig2")
    names = list(frame["dataset"].unique()) or ["no results"]
    columns = min(3, len(names))
    fig, axes = _panels(-(-len(names) // columns), columns, (3.2, 2.4))
    for ax, name in zip(axes.flat, names, strict=False):
        _curve(ax, frame[frame["dataset"] == name], "n_eigenvectors")
        ax.set(title=name, xscale="log", xlabel="eigenvectors", ylabel="error (%)")
    return _done(fig)


def fig3():
    """Error and training time of LapESVR against the number of eigenvectors on the large sets."""
    return _error_and_time("chen2012_fig3", "n_eigenvectors", "eigenvectors")


def fig4():
    """Error on new points and training time against the number of unlabelled points."""
    return _error_and_time("chen2012_fig4", "n_unlabelled", "unlabelled points")


def protocol_table() -> pd.DataFrame:
    """Table II three times: as printed, with the stated grid, and with parameters that no test label chose."""
    frame = read_results("chen2012_table2")
    frame = frame[frame["metric"] == "error_pct"]
    names = {
        PAPER_SETTING: "best on test",
        STATED_SETTING: "best on test, stated grid",
        HONEST_SETTING: "leave-one-out",
    }
    frame = frame[frame["setting"].isin(names)]
    if frame.empty:
        return frame
    frame = frame.assign(setting=frame["setting"].map(names))
    order = list(frame["method"].unique())
    wide = frame.pivot(index=["method", "setting"], columns="dataset", values="mean")[list(frame["dataset"].unique())]
    rows = sorted(wide.index, key=lambda key: (order.index(key[0]), key[1]))
    return wide.loc[rows].round(2).rename_axis(columns=None)


def rank_table() -> pd.DataFrame:
    """Average ranks of Table II by the paper's protocol and by the honest one."""
    frame = read_results("chen2012_table2")
    frame = frame[frame["metric"] == "average_rank"]
    if frame.empty:
        return frame
    wide = frame.pivot(index="method", columns="setting", values="mean").loc[list(frame["method"].unique())]
    return wide.rename(columns={PAPER_SETTING: "best on test", HONEST_SETTING: "leave-one-out"}).round(2)


def large_table(metric="error_pct") -> pd.DataFrame:
    """Table III: mean and standard deviation over the draws."""
    frame = read_results("chen2012_table3")
    frame = frame[frame["metric"] == metric]
    if frame.empty:
        return frame
    cells = frame.assign(cell=[f"{m:.2f} ± {s:.2f}" for m, s in zip(frame["mean"], frame["std"], strict=True)])
    wide = cells.pivot(index="method", columns="dataset", values="cell")
    return wide.loc[list(frame["method"].unique()), list(frame["dataset"].unique())].fillna("")


def significance_table() -> pd.DataFrame:
    """Paired t-tests over the draws: p values of LapESVR against each other method."""
    frame = read_results("chen2012_table3")
    frame = frame[frame["metric"] == "p_value"]
    if frame.empty:
        return frame
    frame = frame.assign(against=frame["setting"].str.partition("against ")[2])
    return frame.pivot(index="against", columns="dataset", values="mean").map("{:.2g}".format).rename_axis(columns=None)


def new_points_table() -> pd.DataFrame:
    """Table IV: error on points never seen, and seconds per point."""
    frame = read_results("chen2012_table4")
    if frame.empty:
        return frame
    wide = frame.pivot(index="method", columns="metric", values="mean").loc[list(frame["method"].unique())]
    return wide.map("{:.3g}".format).rename_axis(columns=None)


def _error_and_time(artifact, x, label):
    frame = results(artifact)
    names = list(frame["dataset"].unique()) or ["no results"]
    fig, axes = _panels(2, len(names), (2.8, 2.3))
    for column, name in zip(axes.T, names, strict=True):
        of_set = frame[frame["dataset"] == name]
        for ax, (metric, text) in zip(column, METRICS.items(), strict=True):
            _curve(ax, of_set[of_set["metric"] == metric], x)
            ax.set(title=name, xscale="log", xlabel=label, ylabel=text)
            ax.set_ylim(bottom=0)
    return _done(fig)


def _curve(ax, rows, x):
    if len(rows):
        rows = rows.sort_values(x)
        error = rows["std"].fillna(0)
        ax.errorbar(rows[x], rows["mean"], yerr=error, capsize=2, elinewidth=0.7, **line_style("LapESVR"))


def _panels(rows, columns, size):
    use_style()
    return plt.subplots(rows, columns, figsize=(size[0] * columns, size[1] * rows), squeeze=False)


def _done(fig):
    plt.close(fig)  # the notebook shows the returned figure, once
    return fig
