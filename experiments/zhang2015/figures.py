"""Figures 1 to 4 of zhang2015, its timings as ratios, and the tables of its notebook, from the result files."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats

from experiments.plotting.style import BLUE, DASHED, DOTTED, GREEN, ORANGE, line_style, use_style
from experiments.scoreboard import VERDICTS, judge_claims, read_results
from experiments.scoreboard.scoreboard import read_reported
from experiments.scoreboard.verdict import REPLICATED, verdict
from experiments.zhang2015 import table3 as zhang2015_table3
from experiments.zhang2015 import table5 as zhang2015_table5
from experiments.zhang2015.fig1 import box, models
from experiments.zhang2015.methods import VARIANTS
from experiments.zhang2015.sweep import EACH, ONCE

METHODS = ["SVM", "LGC", "LapRLS", "LapSVMp", "NYS-LGC", "NFI", "Anchor", "PVM(sqr)", "PVM(hinge)"]
REFERENCE = "PVM(sqr)"
SETTING, EACH_SETTING = zhang2015_table3.SETTING, zhang2015_table3.EACH_SETTING
RUNS = 30  # draws behind a printed mean
NORMALISED = {"color": BLUE, "marker": "s", "linestyle": DASHED}  # PVM(sqr) with S of equation 14


def fig1(X, y, gamma=3.0, n_prototypes=6, seed=0):
    """Boundaries of the SVM on all labels and of the prototype model; circles: support vectors, crosses: prototypes."""
    svm, prototypes = models(X, y, gamma, n_prototypes, seed)
    fig, (ax,) = _panels(1, (4.2, 3.4))
    steps = 120
    grid = box(X, steps)
    shape = (steps, steps)
    ax.scatter(*X.T, s=8, c=np.where(y == 1, ORANGE, "0.5"), linewidths=0)
    for model, color, name in ((svm, GREEN, "SVM"), (prototypes, BLUE, "prototypes")):
        values = model.decision_function(grid).reshape(shape)
        ax.contour(grid[:, 0].reshape(shape), grid[:, 1].reshape(shape), values, levels=[0.0], colors=color)
        ax.plot([], [], color=color, label=name)
    support = svm.points_[np.abs(svm.dual_coef_[:, 0]) > 1e-8]
    ax.scatter(*support.T, s=40, facecolors="none", edgecolors=GREEN, linewidths=0.8)
    ax.scatter(*prototypes.prototypes.T, s=50, marker="x", color=BLUE)
    (left, low), (right, high) = X.min(axis=0) - 0.1, X.max(axis=0) + 0.1
    ax.set(xticks=[], yticks=[], aspect="equal", xlim=(left, right), ylim=(low, high))
    ax.legend(loc="lower left")
    return _done(fig)


def fig2():
    """Training time and error of PVM(sqr) against the number of points, parameters chosen once per number."""
    frame = read_results("zhang2015_fig2")
    frame = frame[~frame["setting"].str.endswith(EACH)]
    fig, (left, right) = _panels(2, (7.5, 3.0))
    frame = frame.assign(n=frame["setting"].str.extract(r"^n=(\d+)")[0].astype(float))
    _curve(left, frame[frame["metric"] == "training_seconds"], "n")
    _curve(right, frame[frame["metric"] == "error_pct"], "n")
    exponent = frame.loc[frame["metric"] == "time_exponent", "mean"]
    if len(frame):  # an empty axis cannot be logarithmic
        left.set(xscale="log", yscale="log")
        right.set(xscale="log")
        ticks = sorted(set(frame["n"].dropna()))
        for ax in (left, right):
            ax.set_xticks(ticks, [f"{tick:.0f}" for tick in ticks])
            ax.minorticks_off()
    left.set(xlabel="points n", ylabel="training time (s)",
             title=f"time ~ n^{exponent.iloc[0]:.2f}" if len(exponent) else "")  # fmt: skip
    right.set(xlabel="points n", ylabel="error on unlabelled points (%)", ylim=(0, None))
    return _done(_lettered(fig, (left, right)))


def fig3():
    """Error of PVM(sqr) against the number of labels and of prototypes, with S of equation 13 and of equation 14."""
    frame = read_results("zhang2015_fig3")
    fig, axes = _panels(2, (7.5, 3.0))
    for ax, letter, name in zip(axes, "lm", ("labels in all", "prototypes m"), strict=True):
        value = frame["setting"].str.extract(rf"^{letter}=(\d+)")[0].astype(float)
        known = frame.assign(value=value).dropna(subset=["value"])
        known = known[~known["setting"].str.endswith(EACH)]
        normalised = known["setting"].str.contains(VARIANTS["(14)"], regex=False)
        _curve(ax, known[~normalised], "value", label="S of equation 13 (stated)")
        if normalised.any():
            _curve(ax, known[normalised], "value", label="S of equation 14", **NORMALISED)
        ax.set(xlabel=name, ylabel="error on unlabelled points (%)", ylim=(0, None))
    if len(frame):
        axes[1].set_xscale("log")
        axes[1].set_xticks(ticks := sorted(set(known["value"])), [f"{tick:.0f}" for tick in ticks])
        axes[1].minorticks_off()
    axes[0].legend()
    return _done(_lettered(fig, axes))


def points_of_fig3() -> pd.DataFrame:
    """Every point of Figure 3: error, deviation, draws and the usual choice, parameters chosen once."""
    frame = read_results("zhang2015_fig3")
    frame = frame[~frame["setting"].str.endswith(EACH)]
    chosen = pd.DataFrame([json.loads(text or "{}") for text in frame["parameters"]], index=frame.index)
    shown = [f"{row.mean:.2f} ± {row.std:.2f}" if row.n_runs > 1 else f"{row.mean:.2f}" for row in frame.itertuples()]
    return frame[["setting", "n_runs"]].assign(error=shown, **chosen.fillna("")).set_index("setting")


def fig4():
    """Error against the share of points that the model reached, PVM(sqr) and L1-LRK, one panel per data set."""
    frame = read_results("zhang2015_fig4")
    names = list(dict.fromkeys(frame["dataset"])) or ["no results yet"]
    columns = min(4, len(names))
    rows = -(-len(names) // columns)
    use_style()
    fig, axes = plt.subplots(rows, columns, figsize=(2.4 * columns, 2.2 * rows), squeeze=False, sharex=True)
    reached = [json.loads(text or "{}").get("used") for text in frame["parameters"]]
    frame = frame.assign(used=np.array(reached, dtype=float))
    for ax, name in zip(axes.flat, names, strict=False):
        for method in ("PVM(sqr)", "L1-LRK"):
            part = frame[(frame["dataset"] == name) & (frame["method"] == method)].sort_values("used")
            ax.plot(part["used"], part["mean"], **line_style(method))
        ax.set(title=name, ylim=(0, 1.08 * ax.dataLim.y1))  # room for the highest marker
    for ax in axes[-1]:
        ax.set_xlabel("share of points in the model")
    for ax in axes[:, 0]:
        ax.set_ylabel("error (%)")
    axes[0, 0].legend()
    return _done(_lettered(fig, axes.flat))


def growth():
    """Seconds of training, and of prediction per new point, against the number of points; m is fixed."""
    frame = read_results("zhang2015_growth")
    fig, axes = _panels(2, (7.5, 3.4))
    for ax, metric, title in zip(axes, ("training_seconds", "seconds_per_point"),
                                 ("training (s)", "prediction per point (s)"), strict=True):  # fmt: skip
        known = frame[frame["metric"] == metric]
        known = known.assign(n=known["setting"].str.extract(r"^n=(\d+)")[0].astype(float))
        for method in [name for name in METHODS if name in set(known["method"])]:
            part = known[known["method"] == method].sort_values("n")
            ax.plot(part["n"], part["mean"], **line_style(method))
        if len(known):
            ax.set(xscale="log", yscale="log")
            ax.set_xticks(ticks := sorted(set(known["n"])), [f"{tick:.0f}" for tick in ticks])
            ax.minorticks_off()
        ax.set(xlabel="points n", ylabel=title)
    axes[0].legend(fontsize=6, ncols=2)
    return _done(_lettered(fig, axes))


def exponents() -> pd.DataFrame:
    """Exponent of n in training time and in prediction time per point, mean and deviation over the draws."""
    frame = read_results("zhang2015_growth").query("metric == 'exponent'")
    shown = [f"{mean:.2f} ± {std:.2f}" for mean, std in zip(frame["mean"], frame["std"], strict=True)]
    part = frame["setting"].str.removeprefix("fitted over n, ").replace(
        {"training_seconds": "training", "seconds_per_point": "prediction per point"}
    )  # fmt: skip
    wide = frame.assign(shown=shown, part=part).pivot_table(
        index="method", columns="part", values="shown", aggfunc="first", sort=False
    )
    return wide.rename_axis(columns=None).fillna("no prediction")


def matrices():
    """Low-rank error with k-means centres and random rows beside the bound, and the condition of H'SH, by width."""
    frame = read_results("zhang2015_theory")
    value = frame["setting"].str.extract(r"2\^(-?[\d.]+)")[0].astype(float)
    frame = frame.assign(exponent=value).dropna(subset=["exponent"])
    names = list(dict.fromkeys(frame["dataset"])) or ["no results yet"]
    use_style()
    fig, axes = plt.subplots(2, len(names), figsize=(1.9 * len(names), 4.0), squeeze=False, sharex=True, sharey="row")
    lines = ({("k-means", "relative_error"): (ORANGE, "-", "k-means centres"),
              ("random rows", "relative_error"): ("0.4", DASHED, "random rows"),
              ("k-means", "bound"): (BLUE, DOTTED, "bound (k-means)")},
             {("k-means", "log10_condition_13"): (ORANGE, "-", "S of (13)"),
              ("k-means", "log10_condition_14"): (BLUE, DASHED, "S of (14)")})  # fmt: skip
    for column, name in enumerate(names):
        for ax, kinds in zip(axes[:, column], lines, strict=True):
            for (method, metric), (color, style, label) in kinds.items():
                part = frame[(frame["dataset"] == name) & (frame["method"] == method) & (frame["metric"] == metric)]
                part = part.sort_values("exponent")
                ax.plot(part["exponent"], part["mean"], color=color, linestyle=style, label=label)
        axes[0, column].set_title(name)
        axes[1, column].set_xlabel(r"$\log_2(\beta/\beta_0)$")
    if len(frame):
        axes[0, 0].set_yscale("log")
    axes[0, 0].set_ylabel(r"$\Vert K-\hat K\Vert/\Vert K\Vert$")
    axes[1, 0].set_ylabel(r"$\log_{10}$ cond$(H^\top SH)$")
    axes[0, 0].legend(fontsize=6)
    axes[1, 0].legend(fontsize=6)
    return _done(fig)


def time_ratios(tables=("4", "6", "7")):
    """Seconds of each method over those of PVM(sqr) on the same data: ours against the paper's, on logarithmic axes."""
    merged = ratio_table(tables)
    fig, (ax,) = _panels(1, (4.6, 4.2))
    for method, part in merged.groupby("method", sort=False):
        style = line_style(method)
        # without lines, dashes become hollow markers and dots half-filled ones
        filled = {DASHED: "none", DOTTED: "left"}.get(style["linestyle"], "full")
        style |= {"linestyle": "", "fillstyle": filled}
        if filled == "none":
            style |= {"markeredgecolor": style["color"], "markeredgewidth": 1.2}
        ax.plot(part["paper"], part["ours"], **style)
    limits = (0.02, 2000)
    ax.plot(limits, limits, color="0.6", linewidth=0.8, zorder=0)
    ax.set(xscale="log", yscale="log", xlim=limits, ylim=limits, xlabel="paper", ylabel="ours")
    ax.set_title("time / time of PVM(sqr)")
    if len(merged):
        ax.legend(fontsize=6, ncols=2)
    return _done(fig)


def ratio_table(tables=("4", "6", "7")) -> pd.DataFrame:
    """One row per (table, data set, method): the ratio to PVM(sqr), printed and measured."""
    roman = {"4": "IV", "6": "VI", "7": "VII"}
    reported = read_reported().query("paper == 'zhang2015'")
    parts = []
    for table in tables:
        paper = _ratios(reported[reported["table"] == roman[table]], "paper")
        ours = _ratios(read_results(f"zhang2015_table{table}"), "ours")
        if paper is not None and ours is not None:
            both = pd.concat([paper, ours], axis=1, join="inner").reset_index()
            parts.append(both.assign(table=roman[table]))
    columns = ["table", "dataset", "method", "paper", "ours"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def _ratios(frame, side):
    """Times over those of PVM(sqr), by data set and method; None without PVM(sqr)."""
    seconds = frame.pivot_table(index="dataset", columns="method", values="mean", sort=False, aggfunc="first")
    if REFERENCE not in seconds:
        return None
    return seconds.div(seconds[REFERENCE], axis=0).drop(columns=REFERENCE).stack().rename(side)


def time_growth(tables=("4", "6")) -> pd.DataFrame:
    """Geometric mean over the data sets of each method's time relative to PVM(sqr): paper and ours."""
    merged = ratio_table(tables)
    numbers = merged.astype({"paper": float, "ours": float})
    groups = numbers.groupby("method", sort=False)[["paper", "ours"]]
    return groups.agg(lambda v: float(np.exp(np.log(v).mean()))).round(2)


def claims() -> pd.DataFrame:
    """The paper's claims with verdict and the numbers behind it."""
    judged = judge_claims().query("paper == 'zhang2015'")
    return judged[["section", "claim", "verdict", "text", "note"]].reset_index(drop=True)


def variants(method) -> pd.DataFrame:
    """A method of Table III by data set: print, ours, best cell of the grid on test labels, and every variant."""
    frame = read_results("zhang2015_table3").query("method == @method")
    printed = read_reported().query("paper == 'zhang2015' and table == 'III' and method == @method")
    shown = [f"{mean:.2f} ± {std:.2f}" for mean, std in zip(frame["mean"], frame["std"], strict=True)]
    setting = frame["setting"].str.removeprefix(f"{SETTING}, ").replace({SETTING: ONCE, EACH_SETTING: EACH})
    wide = frame.assign(shown=shown, setting=setting).pivot_table(
        index="dataset", columns="setting", values="shown", aggfunc="first", sort=False
    )
    paper = printed.set_index("dataset").apply(lambda row: f"{row['mean']:.2f} ± {row['std']:.2f}", axis=1)
    return wide.assign(paper=paper)[["paper", *wide.columns]].rename_axis(columns=None).fillna("")


def norm_effect() -> pd.DataFrame:
    """PVM(hinge) with S of equation 14: what the RKHS norm does, C2 chosen too, against C2 = 0, on the same draws."""
    frame = read_results("zhang2015_table3")
    change = frame[frame["setting"] == f"{SETTING}, (14) C2 K_v minus C2 = 0"]
    change = change.astype({"mean": float, "std": float, "n_runs": float})
    t = change["mean"] / (change["std"] / np.sqrt(change["n_runs"]))
    shown = change.assign(change=change["mean"].round(2), std=change["std"].round(2), t=t.round(1))
    return shown[["dataset", "change", "std", "t"]].set_index("dataset")


def replicated(methods=METHODS) -> pd.DataFrame:
    """Per method of Table III how many cells the main rows and each variant replicate, of those that have rows."""
    printed = read_reported().query("paper == 'zhang2015' and table == 'III'")
    frame = read_results("zhang2015_table3").query("metric == 'error_pct'")
    both = printed.merge(frame, on=["dataset", "method"], suffixes=("_paper", ""))
    met = [verdict("error_pct", c.mean_paper, c.std_paper, RUNS, c.mean, c.std, c.n_runs) in REPLICATED
           for c in both.itertuples()]  # fmt: skip
    both = both.assign(met=met, convention=both["setting"].str.removeprefix(f"{SETTING}, ").replace(
        {SETTING: "as stated", EACH_SETTING: EACH}))  # fmt: skip
    groups = both.groupby(["convention", "method"], sort=False)["met"]
    table = groups.agg(lambda values: f"{int(values.sum())} of {len(values)}").unstack()
    known = [name for name in methods if name in table]
    return table.reindex(columns=known).rename_axis(index=None, columns=None).fillna("")


def differences():
    """Heat map of paper minus ours over Table III: blue where ours has the lower error."""
    printed = read_reported().query("paper == 'zhang2015' and table == 'III'")
    ours = read_results("zhang2015_table3").query("setting == @SETTING")
    both = printed.merge(ours, on=["dataset", "method"], suffixes=("_paper", ""))
    both["difference"] = both["mean_paper"] - both["mean"]
    wide = both.pivot_table(index="dataset", columns="method", values="difference", sort=False)
    wide = wide.reindex(columns=[name for name in METHODS if name in wide])
    fig, (ax,) = _panels(1, (7.0, 4.6))
    image = ax.imshow(wide.to_numpy(float), cmap="RdBu", vmin=-10, vmax=10, aspect="auto")
    for (i, j), value in np.ndenumerate(wide.to_numpy(float)):
        if np.isfinite(value):
            ax.text(j, i, f"{value:+.1f}", ha="center", va="center", fontsize=7, color="w" if abs(value) > 7 else "k")
    ax.set_xticks(range(wide.shape[1]), wide.columns, rotation=30, ha="right")
    ax.set_yticks(range(wide.shape[0]), wide.index)
    ax.grid(False)
    fig.colorbar(image, label="paper minus ours (points of error)", extend="both")
    return _done(fig)


def rules() -> pd.DataFrame:
    """Both rules of choosing parameters against the print: verdicts (176 cells), and deviations (cells printed once).

    ``ratio of std`` is the median of ours over printed; ``factor`` how far apart the two are, whichever is larger
    (1 is equal); ``std differs`` counts the cells where an F test at 5 % tells the two variances apart.
    """
    return pd.DataFrame({rule: _against_print(rule) for rule in (ONCE, EACH)})


def _against_print(rule) -> pd.Series:
    cells = _cells(rule)
    judged = [
        verdict("error_pct", c.mean_paper, c.std_paper, RUNS, c.mean, c.std, c.n_runs) for c in cells.itertuples()
    ]
    counts = pd.Series(judged, dtype=object).value_counts().reindex(VERDICTS[:4], fill_value=0)
    own = cells[~((cells["table"] == "V") & cells["method"].str.startswith("PVM"))]  # the rest is printed again
    own = own[["std", "std_paper", "n_runs"]].astype(float)  # without results columns have no type
    ratio = own["std"] / own["std_paper"]
    tail = stats.f.cdf(ratio**2, own["n_runs"] - 1, RUNS - 1)
    deviations = {
        "ratio of std": round(float(ratio.median()), 2),
        "factor": round(float(np.exp(np.log(ratio).abs().median())), 2),
        "std differs": int((np.minimum(tail, 1 - tail) < 0.025).sum()),
        "of": len(own),
    }
    return pd.concat([counts.astype(object), pd.Series(deviations, dtype=object)])  # counts stay integers


def _cells(rule) -> pd.DataFrame:
    """Printed cells of Tables III and V (those printed twice count twice) beside ours by one rule."""
    printed = read_reported().query("paper == 'zhang2015'")[["table", "dataset", "method", "mean", "std"]]
    parts = []
    for table, modules in (("III", [zhang2015_table3]), ("V", [zhang2015_table3, zhang2015_table5])):
        settings = {module.ID: module.SETTING if rule == ONCE else module.EACH_SETTING for module in modules}
        found = [read_results(name).query("setting == @setting") for name, setting in settings.items()]
        ours = pd.concat(found)[["dataset", "method", "mean", "std", "n_runs"]]
        keys = ["dataset", "method"]
        parts.append(printed[printed["table"] == table].merge(ours, on=keys, suffixes=("_paper", "")))
    return pd.concat(parts, ignore_index=True)


def _panels(count, size):
    use_style()
    fig, axes = plt.subplots(1, count, figsize=size, squeeze=False)
    return fig, axes[0]


def _lettered(fig, axes):
    """Panel letters as in the paper."""
    for letter, ax in zip("abcdefgh", axes, strict=False):
        ax.set_title(f"({letter})", loc="left")
    return fig


def _curve(ax, part, column, **style):
    part = part.sort_values(column)
    std = part["std"].fillna(0.0)
    ax.errorbar(part[column], part["mean"], yerr=std, capsize=2, **(line_style(REFERENCE) | style))


def _done(fig):
    plt.close(fig)  # the notebook shows the returned figure, once
    return fig
