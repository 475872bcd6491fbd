"""Figures 1 to 4 of chen2012, and the tables of its notebook."""

import json

import matplotlib.pyplot as plt
import pandas as pd

from experiments.chen2012 import fig1 as chen2012_fig1
from experiments.chen2012.fig2 import NAMES as FIG2_NAMES
from experiments.chen2012.table2 import HONEST_SETTING, PAPER_SETTING, STATED_SETTING
from experiments.chen2012.table3 import NAMES as LARGE_NAMES
from experiments.chen2012.table3 import SETTING as LARGE_SETTING
from experiments.engine import params
from experiments.engine.files import canonical
from experiments.engine.inputs import Inputs
from experiments.plotting.style import GREY, line_style, use_style
from experiments.plotting.surfaces import decision_surfaces
from experiments.scoreboard.scoreboard import read_reported
from experiments.scoreboard.verdict import REPLICATED, reported_runs, verdict
from experiments.tidy import read_results
from mr import datasets

METRICS = {"error_pct": "error (%)", "train_seconds": "CPU seconds"}
LETTERS = "abcdefgh"
SHOWN = (4, 10, 20, 50, 100)  # numbers of eigenvectors named on the axis of Figure 3


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
        f"({letter}) $\\mu={mu:g}$, $n_{{ev}}={k}$: error {_error(model, data, y):.1f} %": model
        for letter, ((mu, k), model) in zip(LETTERS, chen2012_fig1.models(data.X, y, block).items(), strict=False)
    }
    return decision_surfaces(panels, data.X, y)


def _error(model, data, y) -> float:
    return 100.0 * float((model.transduction_ != data.y)[y == -1].mean())


def fig2(profile):
    """Error of LapESVR against the number of eigenvectors, one panel per data set; Table II's number is marked.

    Bars are one standard deviation over the labelled sets.
    """
    frame = results("chen2012_fig2")
    specs = params.block("chen2012_fig2", profile)["datasets"]
    names = list(frame["dataset"].unique()) or ["no results"]
    columns = min(3, len(names))
    fig, axes = _panels(-(-len(names) // columns), columns, (2.8, 2.2), sharex=True, sharey=True)
    for letter, ax, name in zip(LETTERS, axes.flat, names, strict=False):
        rows = frame[frame["dataset"] == name].sort_values("n_eigenvectors")
        style = line_style("LapESVR")
        ax.errorbar(
            rows["n_eigenvectors"], rows["mean"], yerr=rows["std"].fillna(0), capsize=2, elinewidth=0.7, **style
        )
        chosen = [spec["n_eigenvectors"] for key, spec in specs.items() if FIG2_NAMES.get(key, key) == name]
        for k in chosen:
            ax.axvline(k, color="black", linestyle=":", linewidth=1, label="chosen in Table II")
        ax.set(title=f"({letter}) {name}{_draws(rows)}", xscale="log")
        ax.label_outer()
    fig.supxlabel("eigenvectors", fontsize=9)
    fig.supylabel("error (%)", fontsize=9)
    axes.flat[0].legend(loc="lower right")
    return _done(fig)


def fig3(profile):
    """Error and training time of LapESVR against the number of eigenvectors on the large sets; Table III's is marked.

    Small points are single draws, the line joins their means.
    """
    specs = params.block("chen2012_fig3", profile)["datasets"]
    chosen = {LARGE_NAMES.get(key, key): spec["n_eigenvectors"] for key, spec in specs.items()}
    return _error_and_time("chen2012_fig3", "n_eigenvectors", "eigenvectors", chosen)


def fig4():
    """Error on new points and training time against the number of unlabelled points, as in Figure 3."""
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


def data_table(profile) -> pd.DataFrame:
    """Table I from the parameters of Tables II and III; sizes are those recorded in ``data/inputs``."""
    known, rows = Inputs().known["datasets"], []
    for artifact, names in (("chen2012_table2", FIG2_NAMES), ("chen2012_table3", LARGE_NAMES)):
        for key, spec in params.block(artifact, profile)["datasets"].items():
            options = f" {canonical(spec['options'])}" if spec.get("options") else ""
            points, attributes = known.get(spec["name"] + options, {}).get("shape", ("", ""))
            graph = spec.get("graph", spec)
            rows.append({
                "data set": names.get(key, key), "points": points, "attributes": attributes,
                "labels": "10" if "graph" in spec else f"{spec['per_class']} per class", "$n_k$": graph["n_neighbors"],
                "$p$": graph.get("power", 1), "$n_{ev}$": spec["n_eigenvectors"],
            })  # fmt: skip
    return pd.DataFrame(rows).set_index("data set")


def large_table(metric="error_pct") -> pd.DataFrame:
    """Table III with its variants: mean and standard deviation over the draws, and how many draws if not all."""
    frame = results("chen2012_table3")
    frame = frame[frame["metric"] == metric]
    if frame.empty:
        return frame
    reduced = frame["reduced"] if "reduced" in frame else pd.Series("", index=frame.index)
    cells = [
        f"{m:.2f}" + (f" ± {s:.2f}" if s == s else "") + (f" ({text})" if isinstance(text, str) and text else "")
        for m, s, text in zip(frame["mean"], frame["std"], reduced, strict=True)
    ]
    frame = frame.assign(cell=cells, variant=frame["setting"].str.removeprefix(LARGE_SETTING).str.removeprefix(", "))
    wide = frame.pivot_table(index=["method", "variant"], columns="dataset", values="cell", aggfunc="first", sort=False)
    return wide[list(frame["dataset"].unique())].rename_axis(columns=None).fillna("")


def column_table(method) -> pd.DataFrame:
    """A printed column of Table III by each convention that has rows: error and verdict on the cells it is tried on."""
    frame = results("chen2012_table3")
    frame = frame[(frame["metric"] == "error_pct") & (frame["method"] == method)]
    printed = read_reported().query("paper == 'chen2012' and table == 'III' and method == @method").set_index("dataset")
    shown = {}
    for (setting, name), row in frame.set_index(["setting", "dataset"]).iterrows():
        if name not in printed.index:
            continue
        cell, variant = printed.loc[name], setting.removeprefix(LARGE_SETTING).removeprefix(", ") or "as stated"
        n_printed = reported_runs("chen2012", "III", name, LARGE_SETTING)
        found = verdict("error_pct", cell["mean"], cell["std"], n_printed, row["mean"], row["std"], row["n_runs"])
        draws = "" if row["n_runs"] == n_printed else f", {row['n_runs']} draws"
        of_variant = shown.setdefault(variant, {"replicates": 0})
        of_variant[name] = f"{row['mean']:.2f} ± {row['std']:.2f}{draws}: {found}"
        of_variant["replicates"] += found in REPLICATED
    table = pd.DataFrame.from_dict(shown, orient="index", columns=[*printed.index, "replicates"])
    table["replicates"] = [f"{n} of {len(printed)}" for n in table["replicates"]]
    table.loc["printed"] = [f"{m:.2f} ± {s:.2f}" for m, s in zip(printed["mean"], printed["std"], strict=True)] + [""]
    return table.fillna("not run")


def status_of(board, table, dataset, method) -> str:
    """Verdict, status and variant of a printed cell, as the scoreboard has them, in a sentence."""
    where = {"paper": "chen2012", "table": table, "dataset": dataset, "method": method, "metric": "error_pct"}
    (cell,) = board[(board[list(where)] == pd.Series(where)).all(axis=1)].to_dict("records")
    variant = cell["variant"].replace("{setting}", cell["setting"]).removeprefix(cell["setting"]).removeprefix(", ")
    words = f"The scoreboard has this cell as **{cell['verdict']}**, status **{cell['status']}**"
    return words + (f' (variant named in the notes: "{variant}").' if variant else ".")


def significance_table() -> pd.DataFrame:
    """Paired t-tests over the draws: p values of LapESVR against each other method, and which of the two is better."""
    frame = results("chen2012_table3")
    frame = frame[frame["metric"] == "p_value"]
    if frame.empty:
        return frame
    better = ["LapESVR" if d < 0 else "other" for d in frame.get("difference", pd.Series(0.0, index=frame.index))]
    shown = [f"{p:.2g} ({name} better)" for p, name in zip(frame["mean"], better, strict=True)]
    frame = frame.assign(against=frame["setting"].str.partition("against ")[2], shown=shown)
    wide = frame.pivot_table(index="against", columns="dataset", values="shown", aggfunc="first", sort=False)
    return wide.rename_axis(columns=None).fillna("")


def new_points_table() -> pd.DataFrame:
    """Table IV with its variants: error on points never seen, and seconds per point."""
    frame = read_results("chen2012_table4")
    frame = frame[frame["metric"] != "p_value"]
    if frame.empty:
        return frame
    rule = frame["setting"].str.replace(r"^out of sample(, \d+ points)?(, )?", "", regex=True)
    wide = frame.assign(rule=rule).pivot_table(
        index=["method", "rule"], columns="metric", values="mean", aggfunc="first", sort=False
    )
    return wide.map("{:.3g}".format).rename_axis(columns=None)


def notes(board) -> str:
    """Notes on the printed cells, in Markdown; once per note."""
    part, lines = board[(board["paper"] == "chen2012") & (board["note"] != "")], []
    for (table, note), group in part.groupby(["table", "note"], sort=False):
        sets, methods = (", ".join(dict.fromkeys(group[name])) for name in ("dataset", "method"))
        status = ", ".join(name for name in dict.fromkeys(group["status"]) if name)
        lines.append(f"- Table {table}, {methods}, {sets} ({status}): {note}")
    return "\n".join(lines)


def _error_and_time(artifact, x, label, chosen=None):
    """A column of two panels per data set; errors of different data sets are not compared, seconds are."""
    frame = results(artifact)
    names = list(frame["dataset"].unique()) or ["no results"]
    fig, axes = _panels(2, len(names), (2.5 if len(names) > 1 else 3.6, 2.1), sharex=True)
    for ax in axes[1, 1:]:
        ax.sharey(axes[1, 0])
        ax.tick_params(labelleft=False)
    letters = iter(LETTERS)
    for column, name in zip(axes.T, names, strict=True):
        of_set = frame[frame["dataset"] == name]
        for ax, metric in zip(column, METRICS, strict=True):
            rows = of_set[of_set["metric"] == metric].sort_values(x)
            _draw(ax, rows, x)
            if chosen:
                ax.axvline(chosen[name], color="black", linestyle=":", linewidth=1, label="chosen in Table III")
            title = f"({next(letters)}) {name}{_draws(rows)}" if metric == "error_pct" else f"({next(letters)})"
            ax.set(title=title, xscale="log")
            if chosen:
                ax.set_xticks(SHOWN, labels=SHOWN)
                ax.set_xticks([], minor=True)
            ax.set(yscale="log") if metric == "train_seconds" else ax.set_ylim(bottom=0)
        column[1].set_xlabel(label)
    for ax, text in zip(axes[:, 0], METRICS.values(), strict=True):
        ax.set_ylabel(text)
    axes[0, -1].legend(loc="best")
    return _done(fig)


def _draw(ax, rows, x):
    """Means joined by a line, single draws as small points behind them."""
    if rows.empty:
        return
    for i, (place, draws) in enumerate(zip(rows[x], rows.get("draws", [[]] * len(rows)), strict=True)):
        label = None if i else "one draw"
        ax.plot([place] * len(draws), draws, ".", color=GREY, markersize=3, zorder=1, label=label)
    ax.plot(rows[x], rows["mean"], **line_style("LapESVR") | {"label": "mean"})


def _draws(rows) -> str:
    """The number of draws behind a panel, where it is not that of the paper everywhere."""
    if "reduced" not in rows or not rows["reduced"].notna().any():
        return ""
    counts = sorted(set(rows["n_runs"].astype(int)))
    if len(counts) == 1:
        return " (one draw)" if counts == [1] else f" ({counts[0]} draws)"
    return f" ({counts[0]} to {counts[-1]} draws)"


def _panels(rows, columns, size, **shared):
    use_style()
    return plt.subplots(rows, columns, figsize=(size[0] * columns, size[1] * rows), squeeze=False, **shared)


def _done(fig):
    plt.close(fig)  # the notebook shows the returned figure, once
    return fig
