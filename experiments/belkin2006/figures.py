"""Figures 4 to 8 of belkin2006 from their result files, and the tables of its notebook."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from experiments.plotting import line_style, use_style
from experiments.tidy import read_results

UNLABELLED, TEST = "unlabelled", "test"
DUELS = (("RLS", "LapRLS"), ("SVM", "LapSVM"), ("TSVM", "LapSVM"))


def results(artifact) -> pd.DataFrame:
    """Rows of an artifact, with the entries of their parameters as columns."""
    frame = read_results(artifact)
    extra = pd.DataFrame([json.loads(text or "{}") for text in frame["parameters"]], index=frame.index)
    return frame.join(extra[[name for name in extra if name not in frame]])


def fig4():
    """45 pairs of digits: three duels of methods; unlabelled against test error; standard deviations."""
    frame = results("belkin2006_fig4")
    errors = frame[frame["metric"] == "error_pct"]
    mean = errors.pivot(index="dataset", columns=["method", "setting"], values="mean")
    std = errors.pivot(index="dataset", columns=["method", "setting"], values="std")
    fig, axes = _grid(2, 3, (10, 6))
    for ax, duel in zip(axes[0], DUELS, strict=True):
        for method in duel:
            _line(ax, np.arange(1, len(mean) + 1), mean, method, UNLABELLED)
        ax.set(
            title=" vs ".join(duel),
            xlabel="pair of digits, 0v1 to 8v9",
            ylabel="error at break-even (%)",
            ylim=(0, None),
        )
        ax.legend()
    for ax, method in zip(axes[1], ("LapRLS", "LapSVM"), strict=False):
        _scatter(ax, mean, (method, UNLABELLED), (method, TEST), method)
        ax.set(
            title=f"Out of sample: {method}", xlabel="error on unlabelled points (%)", ylabel="error on test points (%)"
        )
    for method in ("SVM", "TSVM"):
        _scatter(axes[1, 2], std, ("LapSVM", TEST), (method, TEST), method, label=method)
    axes[1, 2].set(
        title="Stability over 10 draws", xlabel="LapSVM std of test error", ylabel="SVM, TSVM std of test error"
    )
    axes[1, 2].legend()
    return _done(fig)


def fig5():
    """Mean error over the pairs as labels grow, on test (T) and unlabelled (U) points."""
    frame = results("belkin2006_fig5")
    fig, axes = _grid(1, 2, (8, 3.2), sharey=True)
    for ax, duel in zip(axes[0], DUELS[:2], strict=True):
        for method in duel:
            for part, fill in ((TEST, "full"), (UNLABELLED, "none")):
                rows = _of(frame, method=method, part=part)
                style = line_style(method) | {"label": f"{method} ({part[0].upper()})", "fillstyle": fill}
                _plot(ax, rows, "n_labelled", style)
        _doubling(ax)
        ax.set(xlabel="labels per class", ylabel="mean error at break-even (%)")
        ax.legend()
    return _done(fig)


def fig6():
    """Isolet: error of each labelled speaker's problem, on the other speakers and on a new group."""
    frame = results("belkin2006_fig6")
    fig, axes = _grid(2, 2, (9, 6), sharey="row")
    titles = {UNLABELLED: "unlabelled speakers (isolet1)", TEST: "new speakers (isolet5)"}
    for line, part in zip(axes, titles, strict=True):
        for ax, methods in zip(line, (("RLS", "LapRLS"), ("SVM", "TSVM", "LapSVM")), strict=True):
            for method in methods:
                _plot(ax, _of(frame, method=method, part=part), "speaker", line_style(method))
            ax.set(title=titles[part], xlabel="labelled speaker", ylabel="error at break-even (%)")
            ax.margins(y=0.15)  # room for the legend
            ax.legend(ncols=len(methods), loc="upper right")
    return _done(fig)


def fig7():
    """Isolet: test against unlabelled error, for new speakers (experiment 1) and for known ones (experiment 2)."""
    fig, axes = _grid(2, 2, (7.5, 6.5))
    experiments = {"Experiment 1, new speakers": "belkin2006_fig6", "Experiment 2, same speakers": "belkin2006_fig7"}
    for line, (name, artifact) in zip(axes, experiments.items(), strict=True):
        frame = results(artifact)
        for ax, duel in zip(line, DUELS[:2], strict=True):
            for method in duel:
                wide = _of(frame, method=method)
                if len(wide):
                    wide = wide.pivot(index="speaker", columns="part", values="mean")
                    label = f"{method}, r = {np.corrcoef(wide[UNLABELLED], wide[TEST])[0, 1]:.2f}"
                    _scatter(ax, wide, UNLABELLED, TEST, method, label=label)
            ax.set(title=name, xlabel="error on unlabelled points (%)", ylabel="error on test points (%)")
            ax.legend()
    return _done(fig)


def fig8():
    """WebKB: break-even point against labels, for all methods and for LapSVM with more and more unlabelled pages."""
    frame = results("belkin2006_fig8")
    fig, axes = _grid(2, 2, (8.5, 6), sharey="row")
    sizes = sorted(frame["size"].dropna().unique()) if len(frame) else []
    for j, part in enumerate((UNLABELLED, TEST)):
        for method in ("RLS", "SVM", "LapRLS", "LapSVM"):
            if sizes:
                _plot(
                    axes[0, j], _of(frame, method=method, part=part, size=sizes[-1]), "n_labelled", line_style(method)
                )
        for size, line in zip(sizes, (":", "--", "-"), strict=False):
            style = line_style("LapSVM") | {"label": f"{int(size)} pages", "linestyle": line}
            _plot(axes[1, j], _of(frame, method="LapSVM", part=part, size=size), "n_labelled", style)
        axes[0, j].set(title=f"{part} pages")
        axes[1, j].set(title=f"LapSVM, {part} pages, by size of the training set")
    for ax in axes.flat:
        _doubling(ax)
        ax.set(xlabel="labelled pages", ylabel="break-even point (%)")
        ax.legend()
    return _done(fig)


def limits_table() -> pd.DataFrame:
    """Table 2: relative difference between manifold regularisation and the algorithm it becomes."""
    frame = results("belkin2006_table2")
    if frame.empty:
        return frame
    wide = frame.pivot_table(index=["limit", "gamma_A"], columns="method", values="mean", sort=False)
    return wide.map("{:.1e}".format).rename_axis(columns=None)


def summary_table(artifact, by, digits=2) -> pd.DataFrame:
    """Means of an artifact, methods as columns; over the data sets where ``by`` does not tell them apart."""
    frame = results(artifact)
    if frame.empty:
        return frame
    frame = frame[frame["metric"].str.endswith("_pct")]
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
    if len(rows):
        rows = rows.sort_values(x)
        ax.plot(rows[x], rows["mean"], **style)


def _doubling(ax):
    """Labels on a scale on which doubling is one step, written as numbers."""
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter("{x:.0f}")


def _line(ax, x, wide, method, part):
    if (method, part) in wide:
        ax.plot(x, wide[method, part], **line_style(method))


def _scatter(ax, wide, x, y, method, label=None):
    """Points of a method, the diagonal, and the same limits on both axes."""
    if x not in wide or y not in wide:
        return
    color, marker = (line_style(method)[key] for key in ("color", "marker"))
    ax.scatter(wide[x], wide[y], s=18, color=color, marker=marker, edgecolors="black", linewidths=0.4, label=label)
    shown = np.concatenate([points.get_offsets() for points in ax.collections])
    margin = 0.05 * np.ptp(shown)
    low, high = max(shown.min() - margin, -margin), shown.max() + margin
    ax.axline((0, 0), slope=1, color="0.6", linewidth=0.8, zorder=0)
    ax.set(aspect="equal", xlim=(low, high), ylim=(low, high))


def _done(fig):
    plt.close(fig)  # the notebook shows the returned figure, once
    return fig
