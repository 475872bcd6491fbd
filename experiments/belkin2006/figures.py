"""Figures 4 to 8 of belkin2006 from their result files, and the tables of its notebook."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator

from experiments.plotting import line_style, use_style
from experiments.plotting.style import ORANGE, SKY, VERMILION
from experiments.tidy import read_results

UNLABELLED, TEST = "unlabelled", "test"
DUELS = (("RLS", "LapRLS"), ("SVM", "LapSVM"), ("TSVM", "LapSVM"))
LETTERS = "abcdef"
SMALLEST = 0.05  # points: smaller deviations are drawn there
SIZES = ((SKY, "^", ":"), (ORANGE, "s", "--"), (VERMILION, "o", "-"))  # colour, marker and line of three curves


def results(artifact) -> pd.DataFrame:
    """Rows of an artifact, with the entries of their parameters as columns."""
    frame = read_results(artifact)
    extra = pd.DataFrame([json.loads(text or "{}") for text in frame["parameters"]], index=frame.index)
    return frame.join(extra[[name for name in extra if name not in frame]])


def fig4():
    """45 pairs of digits: three duels, pair by pair, with the spread over draws; test against unlabelled; spreads."""
    frame = results("belkin2006_fig4")
    errors = frame[frame["metric"] == "error_pct"]
    mean = errors.pivot(index="dataset", columns=["method", "setting"], values="mean")
    std = errors.pivot(index="dataset", columns=["method", "setting"], values="std")
    use_style()
    fig = plt.figure(figsize=(10, 11.5))
    grid = fig.add_gridspec(4, 3, height_ratios=[1, 1, 1, 1.35])
    shown = [pair for pair in {(method, UNLABELLED) for duel in DUELS for method in duel} if pair in mean]
    highest = max((mean[pair] + std[pair]).max() for pair in shown)
    first = None
    for i, duel in enumerate(DUELS):
        first = ax = fig.add_subplot(grid[i, :], sharex=first, sharey=first)
        x = np.arange(len(mean))
        for method, shift in zip(duel, (-0.17, 0.17), strict=True):
            if (method, UNLABELLED) in mean:
                _points(ax, x + shift, mean[method, UNLABELLED], std[method, UNLABELLED], method)
        names = [name.split()[-1] for name in mean.index]
        ax.set_xticks(x, names, rotation=90, fontsize=7)
        ax.set(ylabel="error (%)", ylim=(0, 1.03 * highest), xlim=(-0.7, len(mean) - 0.3))
        ax.set_title(f"({LETTERS[i]}) {duel[0]} and {duel[1]} on unlabelled points: mean and deviation over 10 draws")
        ax.legend(ncols=2, loc="upper center", bbox_to_anchor=(0.28, 1.0))
    first.set_xlabel("pair of digits")
    for i, method in enumerate(("LapRLS", "LapSVM")):
        ax = fig.add_subplot(grid[3, i])
        _scatter(ax, mean, (method, UNLABELLED), (method, TEST), method, log=True)
        ax.set(title=f"({LETTERS[3 + i]}) {method}: out of sample", xlabel="error on unlabelled points (%)")
        ax.set_ylabel("error on test points (%)")
    ax = fig.add_subplot(grid[3, 2])
    for method in ("SVM", "TSVM"):
        spread = std.clip(lower=SMALLEST)  # some deviations are zero
        _scatter(ax, spread, ("LapSVM", TEST), (method, TEST), method, label=method, log=True)
    ax.set(title="(f) deviation of the test error over draws", xlabel=f"LapSVM (points, at least {SMALLEST})")
    ax.set_ylabel(f"SVM, TSVM (points, at least {SMALLEST})")
    ax.legend(loc="lower right")
    return _done(fig)


def fig5():
    """Mean error over the pairs as labels grow, on test (T) and unlabelled (U) points; bars: standard error."""
    frame = results("belkin2006_fig5")
    fig, axes = _grid(1, 2, (9, 3.8), sharey=True)
    for letter, ax, duel in zip(LETTERS, axes[0], DUELS[:2], strict=False):
        for method in duel:
            for part, fill in ((TEST, "full"), (UNLABELLED, "none")):
                rows = _of(frame, method=method, part=part)
                style = line_style(method) | {"label": f"{method} ({part[0].upper()})", "fillstyle": fill}
                _plot(ax, rows, "n_labelled", style)
        _doubling(ax)
        _log_errors(ax)
        ax.set(xlabel="labels per class", title=f"({letter}) {' and '.join(duel)}")
        ax.legend()
    axes[0, 0].set_ylabel("mean error at break-even (%)")
    return _done(fig)


def fig6():
    """Isolet: error of each labelled speaker's problem, on the other speakers and on a new group."""
    frame = results("belkin2006_fig6")
    fig, axes = _grid(4, 1, (9.5, 10), sharex=True)
    titles = {UNLABELLED: "unlabelled speakers (isolet1)", TEST: "new speakers (isolet5)"}
    panels = [(part, methods) for part in titles for methods in (("RLS", "LapRLS"), ("SVM", "TSVM", "LapSVM"))]
    for letter, ax, (part, methods) in zip(LETTERS, axes[:, 0], panels, strict=False):
        for method, shift in zip(methods, (-0.15, 0.15) if len(methods) == 2 else (-0.2, 0.0, 0.2), strict=True):
            rows = _of(frame, method=method, part=part)
            if len(rows):
                _points(ax, rows["speaker"] + shift, rows["mean"], None, method)
        ax.set(ylabel="error (%)", title=f"({letter}) {titles[part]}: {', '.join(methods)}")
        ax.legend(ncols=len(methods), loc="upper right")
    shared = [ax.get_ylim() for ax in axes[:, 0]]
    for ax in axes[:, 0]:  # one scale for all four; room for the legends
        ax.set_ylim(min(low for low, _ in shared), max(high for _, high in shared) * 1.12)
    axes[-1, 0].set(xlabel="labelled speaker", xticks=sorted(frame["speaker"].dropna().unique()))
    return _done(fig)


def fig7():
    """Isolet: test against unlabelled error, for new speakers (experiment 1) and for known ones (experiment 2)."""
    fig, axes = _grid(2, 2, (8.5, 8), sharex=True, sharey=True)
    experiments = {"Experiment 1, new speakers": "belkin2006_fig6", "Experiment 2, same speakers": "belkin2006_fig7"}
    panels = [(name, artifact, duel) for name, artifact in experiments.items() for duel in DUELS[:2]]
    for letter, ax, (name, artifact, duel) in zip(LETTERS, axes.flat, panels, strict=False):
        frame = results(artifact)
        for method in duel:
            wide = _of(frame, method=method)
            if len(wide):
                wide = wide.pivot(index="speaker", columns="part", values="mean")
                label = f"{method}, r = {np.corrcoef(wide[UNLABELLED], wide[TEST])[0, 1]:.2f}"
                _scatter(ax, wide, UNLABELLED, TEST, method, label=label, limits=False)
        ax.set_title(f"({letter}) {name}")
        ax.legend(loc="lower right")
    _equal_limits(axes.flat)
    for ax in axes[1]:
        ax.set_xlabel("error on unlabelled points (%)")
    for ax in axes[:, 0]:
        ax.set_ylabel("error on test points (%)")
    return _done(fig)


def fig8():
    """WebKB: break-even point against labels; and with more and more unlabelled pages. Bars: standard error."""
    frame = results("belkin2006_fig8")
    fig, axes = _grid(3, 2, (9.5, 10), sharex=True)
    sizes = sorted(frame["size"].dropna().unique()) if "size" in frame else []
    for ax, part in zip(axes[0], (UNLABELLED, TEST), strict=True):
        for method in ("RLS", "SVM", "LapRLS", "LapSVM"):
            _plot(ax, _of(frame, method=method, part=part, size=sizes[-1]), "n_labelled", line_style(method))
        ax.set_title(f"({'ab'[part == TEST]}) {part} pages, {int(sizes[-1])} pages for training")
    for line, method in zip(axes[1:], ("LapSVM", "LapRLS"), strict=True):
        for ax, part in zip(line, ("common", TEST), strict=True):
            for size, (color, marker, style) in zip(sizes, SIZES, strict=False):
                look = {"label": f"{int(size)} pages", "color": color, "marker": marker, "linestyle": style}
                _plot(ax, _of(frame, method=method, part=part, size=size), "n_labelled", look)
            letter = {"LapSVM": "cd", "LapRLS": "ef"}[method][part == TEST]
            where = "unlabelled pages that all sizes have" if part == "common" else "test pages"
            ax.set_title(f"({letter}) {method}, {where}")
    for ax in axes.flat:
        _doubling(ax)
        ax.legend(loc="lower right")
    for group in (axes[0], axes[1:].ravel()):  # panels that are to be compared have one scale
        limits = [ax.get_ylim() for ax in group]
        for ax in group:
            ax.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
    for ax in axes[-1]:
        ax.set_xlabel("labelled pages")
    for ax in axes[:, 0]:
        ax.set_ylabel("break-even point (%)")
    return _done(fig)


def weights():
    """Section 5.2, "a wide choice of parameters": mean test error on the pairs over gamma_I, beside the baselines."""
    frame = results("belkin2006_parameters")
    frame = frame[(frame["dataset"] == "USPS-45-pairs") & (frame["metric"] == "error_pct")]
    fig, axes = _grid(1, 2, (9, 3.6), sharey=True)
    for letter, ax, duel in zip(LETTERS, axes[0], DUELS[:2], strict=False):
        rows = _of(frame, method=duel[1], part=TEST)
        for a, (color, marker, style) in zip(sorted(rows["a"].unique()) if len(rows) else [], SIZES, strict=False):
            look = {"color": color, "marker": marker, "linestyle": style, "label": f"{duel[1]}, $\\gamma_A l={a:g}$"}
            line = rows[rows["a"] == a].sort_values("b")
            ax.plot(line["b"], line["mean"], **look)
        best = _of(frame, method=duel[0], part=TEST)
        for value, style in zip(sorted(best["mean"]), ("-", "--", ":"), strict=False):
            row = best[best["mean"] == value].iloc[0]
            ax.axhline(value, color="black", linestyle=style, linewidth=1, label=f"{duel[0]}, $\\gamma l={row['a']:g}$")
        ax.set(xscale="log", ylim=(0, 13), xlabel="$\\gamma_I l / n^2$", title=f"({letter}) {duel[0]} and {duel[1]}")
        ax.legend(fontsize=7, ncols=2, loc="upper center")
    axes[0, 0].set_ylabel("mean test error of 45 pairs (%)")
    return _done(fig)


def limits_table() -> pd.DataFrame:
    """Table 2: relative difference between manifold regularisation and the algorithm it becomes."""
    frame = results("belkin2006_table2")
    if frame.empty:
        return frame
    wide = frame.pivot_table(index=["limit", "gamma_A"], columns="method", values="mean", sort=False)
    return wide.map("{:.1e}".format).rename_axis(columns=None)


def summary_table(artifact, by, digits=2, metrics=None) -> pd.DataFrame:
    """Means of an artifact, methods as columns; over the data sets where ``by`` does not tell them apart.

    ``metrics`` are those that end with "_pct" unless they are named.
    """
    frame = results(artifact)
    if frame.empty:
        return frame
    frame = frame[frame["metric"].isin(metrics) if metrics else frame["metric"].str.endswith("_pct")]
    wide = frame.pivot_table(index=by, columns="method", values="mean", aggfunc="mean", sort=False)
    shown = wide[list(frame["method"].unique())].map(lambda value: "" if pd.isna(value) else f"{value:.{digits}f}")
    return shown.rename_axis(columns=None)


def win_table() -> pd.DataFrame:
    """Figure 4 in numbers: how many pairs the Laplacian machine wins, ties, loses, and varies less over draws."""
    frame = results("belkin2006_fig4")
    if frame.empty:
        return frame
    cells = frame[frame["metric"] == "error_pct"]
    errors = cells.pivot(index="dataset", columns=["method", "setting"], values="mean")
    spread = cells.pivot(index="dataset", columns=["method", "setting"], values="std")
    rows = []
    for part in (UNLABELLED, TEST):
        for other, ours in DUELS:
            gain = errors[other, part] - errors[ours, part]
            rows.append((f"{ours} vs {other}", part, (gain > 0.5).sum(), (gain.abs() <= 0.5).sum(), (gain < -0.5).sum(),
                         round(errors[other, part].mean(), 2), round(errors[ours, part].mean(), 2),
                         (spread[ours, part] < spread[other, part]).sum()))  # fmt: skip
    names = ["duel", "points", "wins", "within 0.5", "losses", "mean error of the other", "of the Laplacian machine",
             "pairs with less spread"]  # fmt: skip
    return pd.DataFrame(rows, columns=names).set_index(["duel", "points"])


def _grid(rows, columns, size, **options):
    use_style()
    return plt.subplots(rows, columns, figsize=size, squeeze=False, **options)


def _of(frame, **where):
    for name, value in where.items():
        if name not in frame:
            return frame.iloc[:0]
        frame = frame[frame[name] == value]
    return frame


def _plot(ax, rows, x, style):
    """A curve of means with their standard errors over runs (draws, or pairs of digits)."""
    if len(rows):
        rows = rows.sort_values(x)
        error = rows["std"] / np.sqrt(rows["n_runs"].astype(float))
        ax.errorbar(rows[x], rows["mean"], yerr=error, capsize=2, elinewidth=0.8, **style)


def _points(ax, x, y, spread, method):
    """Points of a method, not joined: the x axis is no scale."""
    style = line_style(method) | {"linestyle": "none", "markersize": 4.5}
    if spread is None:
        ax.plot(x, y, **style)
    else:
        low = np.minimum(spread, y)  # an error is not negative
        ax.errorbar(x, y, yerr=[low, spread], elinewidth=0.7, ecolor=style["color"], **style)


def _doubling(ax):
    """Labels on a scale on which doubling is one step, written as numbers."""
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter("{x:.0f}")


def _log_errors(ax):
    """Errors on a log axis, written as numbers."""
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_yticks([0.5, 1, 2, 5, 10])
    ax.minorticks_off()


def _scatter(ax, wide, x, y, method, label=None, log=False, limits=True):
    """Points of a method and the diagonal; with ``limits``, the same ones on both axes."""
    if x not in wide or y not in wide:
        return
    color, marker = (line_style(method)[key] for key in ("color", "marker"))
    ax.scatter(wide[x], wide[y], s=22, color=color, marker=marker, edgecolors="black", linewidths=0.4, label=label)
    if log:
        ax.set(xscale="log", yscale="log")
    if limits:
        _equal_limits([ax], log)


def _equal_limits(axes, log=False):
    """One range for both axes of all panels, and the diagonal."""
    axes = list(axes)
    shown = np.concatenate([points.get_offsets() for ax in axes for points in ax.collections if len(ax.collections)])
    if log:
        shown = shown[shown > 0]
        low, high = shown.min() / 1.3, shown.max() * 1.3
    else:
        margin = 0.05 * np.ptp(shown)
        low, high = max(shown.min() - margin, -margin), shown.max() + margin
    for ax in axes:
        ax.plot([low, high], [low, high], color="0.6", linewidth=0.8, zorder=0)
        ax.set(aspect="equal", xlim=(low, high), ylim=(low, high))
        if log:
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_locator(FixedLocator([0.1, 0.3, 1, 3, 10, 30]))
                axis.set_major_formatter("{x:g}")
            ax.minorticks_off()


def _done(fig):
    plt.close(fig)  # the notebook shows the returned figure, once
    return fig
