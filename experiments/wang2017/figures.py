"""Notebook 5: the learned graph, its objective, and the tables of wang2017 next to ours."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection

from experiments.plotting.style import BLACK, BLUE, GREY, ORANGE, line_style, use_style
from experiments.scoreboard.scoreboard import read_reported
from experiments.tidy import read_results

PAIRS = {"AGMR_entropy": "MR_LP", "AGMR_sparse": "MR_SP"}
METHODS = ["MR_LP", "MR_SP", "AGMR_entropy", "AGMR_sparse"]


def objective_curves(models: dict):
    """J minus its last value after every half step (W, f, W, f, ...), one line per fitted AGMR; log scale.

    A line that rises is no descent; it is shown as |J - J_last|, and its rises are marked.
    """
    use_style()
    fig, ax = plt.subplots(figsize=(5.2, 3.2))
    lines = {"entropy": line_style("AGMR_entropy"), "sparse": line_style("AGMR_sparse")}
    for name, model in models.items():
        J = np.asarray(model.objective_)
        steps = np.arange(len(J)) / 2 + 1
        printed = getattr(model, "update", "") == "paper" and model.penalty == "sparse"
        style = lines[model.penalty] | ({"color": BLACK, "linestyle": ":", "marker": "x"} if printed else {})
        gap = np.maximum(np.abs(J - J[-1]), 1e-12 * np.abs(J).max())
        ax.semilogy(steps[:-1], gap[:-1], **(style | {"label": name}))
        up = np.flatnonzero(np.diff(J) > 1e-10 * np.abs(J).max()) + 1
        up = up[up < len(J) - 1]
        ax.plot(steps[up], gap[up], linestyle="none", marker="^", color="red", markersize=7, zorder=4)
    ax.set(xlabel="iteration (half steps: W, then f)", ylabel="|objective - last value|")
    ax.legend()
    plt.close(fig)
    return fig


def graphs(panels: dict, X, y, classes, strongest: int = 4):
    """Edges of several affinity matrices over points in the plane: the ``strongest`` of each point, darker for heavier.

    Edges between the true classes are orange. The title gives their share of the total weight.
    """
    use_style()
    fig, axes = plt.subplots(1, len(panels), figsize=(3.3 * len(panels), 2.9), squeeze=False, sharey=True)
    for ax, (title, affinity) in zip(axes[0], panels.items(), strict=True):
        W = affinity.toarray()
        across = classes[:, None] != classes
        share = 100 * W[across].sum() / max(W.sum(), 1e-300)
        order = np.argsort(-W, axis=1)[:, :strongest]
        pairs = {tuple(sorted((i, int(j)))) for i in range(len(W)) for j in order[i] if W[i, j] > 0}
        top = max(W[i, j] for i, j in pairs)
        for i, j in sorted(pairs):
            color = ORANGE if across[i, j] else BLUE
            line = LineCollection([X[[i, j]]], colors=color, alpha=0.15 + 0.75 * W[i, j] / top, linewidths=0.9)
            ax.add_collection(line)
        ax.scatter(*X.T, s=7, color=GREY, linewidths=0, zorder=2)
        labelled = y != -1
        ax.scatter(*X[labelled].T, s=60, c=[BLUE if c else "white" for c in y[labelled]], edgecolors=BLACK, zorder=3)
        ax.set(title=f"{title}\n{share:.1f} % of the weight joins the classes", xticks=[], yticks=[], aspect="equal")
        ax.grid(False)
    plt.close(fig)
    return fig


def _notes(frame: pd.DataFrame) -> pd.DataFrame:
    """The JSON of ``parameters`` as columns; star, majority are always there."""
    notes = pd.DataFrame([json.loads(text or "{}") for text in frame["parameters"]], index=frame.index)
    return notes.reindex(columns=list(dict.fromkeys([*notes.columns, "star", "majority"])))


def _rows(artifact: str, methods=("RLS", *METHODS)) -> pd.DataFrame:
    """Our rows that hold a number; none before the first run."""
    frame = read_results(artifact)
    return frame[frame["mean"].notna() & frame["method"].isin(methods)]


def table(artifact: str, setting: str) -> pd.DataFrame:
    """Data sets x methods, ``mean ± std`` of one setting; * as in the paper: a significant gain over its MR."""
    frame = _rows(artifact)
    frame = frame[frame["setting"] == setting]
    notes = _notes(frame)
    cells = zip(frame["mean"], frame["std"], notes["star"].eq(True), strict=True)
    frame = frame.assign(
        text=[f"{mean:.2f} ± {std:.2f}{'*' if star else ''}" for mean, std, star in cells], majority=notes["majority"]
    )
    wide = frame.pivot(index="dataset", columns="method", values="text").reindex(frame["dataset"].unique())
    wide = wide[[m for m in ("RLS", *METHODS) if m in wide]]
    wide["majority"] = frame.groupby("dataset")["majority"].first().astype(float).round(1)
    return wide.rename_axis(index=None, columns=None)


def collapse() -> pd.DataFrame:
    """What is left of f in Table 1: its standard deviation, per cent of test points on one side, information of W."""
    frame = _rows("wang2017_table1")
    frame = frame[frame["setting"] == "l=10"]
    notes = _notes(frame)
    parts = {}
    for name in ("spread", "one_sided", "information"):
        column = frame.assign(value=notes[name] if name in notes else np.nan)
        wide = column.pivot(index="dataset", columns="method", values="value").reindex(frame["dataset"].unique())
        parts |= {(name, m): wide[m] for m in ("RLS", *METHODS) if m in wide and wide[m].notna().any()}
    shown = pd.DataFrame(parts)
    return shown.round(dict.fromkeys(shown.columns, 4)).rename_axis(index=None)


def _printed(number: str) -> pd.DataFrame:
    reported = read_reported()
    reported = reported[(reported["paper"] == "wang2017") & (reported["table"] == number)]
    return reported.pivot(index="dataset", columns="method", values="mean")


def gains(number: str) -> pd.DataFrame:
    """Gain of AGMR over its MR in Table ``number``, in points: as printed, and ours for every setting."""
    frame = _rows(f"wang2017_table{number}", METHODS)
    printed = _printed(number)
    parts = {}
    for ours, base in PAIRS.items():
        parts[ours, "printed"] = printed[ours] - printed[base]
        for setting, group in frame.groupby("setting", sort=False):
            wide = group.pivot(index="dataset", columns="method", values="mean")
            if {ours, base} <= set(wide):
                parts[ours, setting] = wide[ours] - wide[base]
    return pd.DataFrame(parts).reindex(printed.index)  # the paper's sets, not our other readings of them


def gains_summary(number: str) -> pd.DataFrame:
    """For each setting: mean gain of AGMR over its MR, sets where it wins and loses, and significant gains."""
    frame = _rows(f"wang2017_table{number}", METHODS)
    frame = frame[frame["dataset"].isin(_printed(number).index)]
    rows = []
    for (method, setting), gain in gains(number).items():
        known = gain.dropna()
        own = _notes(frame[(frame["method"] == method) & (frame["setting"] == setting)])
        stars = "" if setting == "printed" else int(own["star"].eq(True).sum())
        rows.append([method, setting, known.mean(), int((known > 0).sum()), int((known < 0).sum()), stars])
    columns = ["method", "setting", "mean gain", "wins", "losses", "significant"]
    return pd.DataFrame(rows, columns=columns).round(2).set_index(["method", "setting"])


def against_no_graph(number: str) -> pd.DataFrame:
    """Mean over data sets of (method - RLS), in points, for each setting: what any graph is worth here."""
    frame = _rows(f"wang2017_table{number}")
    frame = frame[frame["dataset"].isin(_printed(number).index)]
    wide = frame.pivot(index=["setting", "dataset"], columns="method", values="mean")
    if "RLS" not in wide:
        return wide
    gain = wide.sub(wide["RLS"], axis=0).drop(columns="RLS").dropna(how="all")
    mean = gain.groupby(level="setting", sort=False).mean()
    return mean[[m for m in METHODS if m in mean]].round(2).rename_axis(columns=None)


def gains_picture(number: str, settings: dict):
    """One row per data set: gain of AGMR over its MR as printed (hollow) and ours (filled, one marker per setting)."""
    use_style()
    frame = gains(number)
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 0.24 * len(frame) + 1.2), sharey=True)
    looks = (("o", BLUE), ("D", ORANGE), ("s", GREY))
    rows = np.arange(len(frame))
    for ax, (ours, base) in zip(axes, PAIRS.items(), strict=True):
        ax.axvline(0, color=BLACK, linewidth=0.8)
        ax.scatter(frame[ours, "printed"], rows, facecolors="none", edgecolors=BLACK, s=40, label="printed")
        for (setting, label), (marker, color) in zip(settings.items(), looks, strict=False):
            if (ours, setting) in frame:
                ax.scatter(frame[ours, setting], rows, marker=marker, color=color, s=22, label=label, zorder=3)
        ax.set(title=f"{ours} minus {base}", xlabel="points of accuracy", yticks=rows, yticklabels=frame.index)
    axes[0].invert_yaxis()
    axes[1].legend(fontsize=7)
    plt.close(fig)
    return fig


def sensitivity(method: str = "MR_LP") -> pd.DataFrame:
    """Table 1 of one method under every choice the paper leaves open, with the mean distance to the printed column."""
    frame = _rows("wang2017_table1", [method])
    wide = frame.pivot(index="setting", columns="dataset", values="mean").reindex(frame["setting"].unique())
    wide = wide[list(frame["dataset"].unique())]
    printed = _printed("1")[method]
    known = [name for name in wide if name in printed.index]
    wide.insert(0, "mean distance", (wide[known] - printed[known]).abs().mean(axis=1))
    paper = pd.DataFrame([printed.reindex(wide.columns)], index=["printed"])
    return pd.concat([paper, wide]).round(1).rename_axis(index=None, columns=None)
