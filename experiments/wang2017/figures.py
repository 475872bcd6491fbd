"""Pictures of notebook 5: learned graphs and what they predict, the objective, gains with honest parameters."""

import json

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from experiments.plotting.style import BLACK, BLUE, GREY, ORANGE, VERMILION, line_style, use_style
from experiments.tidy import read_results
from experiments.wang2017.protocol import PAIRS
from experiments.wang2017.reading import HONEST, gains, printed

MACHINES = {
    "corrected": {"linestyle": "-", "marker": "s"},
    "as printed, solved in the primal": {"color": GREY, "linestyle": "--", "marker": "o"},
    "as printed, by an inverse": {"color": BLACK, "linestyle": ":", "marker": "x"},
}
BETWEEN = 1.96  # standard errors on either side: 95 %
PALE = "#bbbbbb"
FLOOR = 1e-4  # of the lowest objective: gaps below it are drawn there


def objective_picture(dataset: str = "Sonar", weights: str = "every weight 1"):
    """The objective after every half step above the lowest value that any machine reaches; rises are marked.

    One reference for all lines of a panel: a machine that stops early or high shows it.
    """
    use_style()
    rows = read_results("wang2017_convergence")
    rows = rows[(rows["dataset"] == dataset) & (rows["metric"] == "rises")]
    fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.3))
    for letter, ax, method in zip("ab", axes, PAIRS, strict=True):
        curves = {}
        for name in MACHINES:
            found = rows[(rows["method"] == method) & (rows["setting"] == f"{weights}, {name}")]
            if len(found):
                curves[name] = np.array(json.loads(found["parameters"].iloc[0])["objective"])
        lowest = min((curve.min() for curve in curves.values()), default=0.0)
        for name, curve in curves.items():
            style = line_style(method) | MACHINES[name] | {"label": name, "markersize": 3.5, "linewidth": 1.2}
            gap = np.maximum(curve - lowest, FLOOR * abs(lowest))
            steps = np.arange(len(curve)) / 2 + 1
            ax.semilogy(steps, gap, **style)
            up = np.flatnonzero(np.diff(curve) > 1e-9 * np.abs(curve[:-1])) + 1
            ax.plot(steps[up], gap[up], linestyle="none", marker="^", color=VERMILION, markersize=4, zorder=4)
        ax.axhline(FLOOR * abs(lowest), color=BLACK, linewidth=0.6)
        ax.set(title=f"({letter}) {method}", xlabel="iteration (f-step, then W-step)")
    axes[0].set_ylabel("objective above the lowest reached")
    handles, labels = axes[0].get_legend_handles_labels()
    handles.append(Line2D([], [], linestyle="none", marker="^", color=VERMILION))
    fig.legend(handles, [*labels, "a half step that raises it"], loc="outside lower center", ncols=2)
    plt.close(fig)
    return fig


def graph_panels(panels: dict, X, y, classes, strongest: int = 4):
    """Graphs over points in the plane, points coloured by what a machine on each graph predicts.

    ``panels`` maps a title to (affinity or None, predicted classes). Of each point the ``strongest`` edges are drawn,
    wider for heavier; edges between the true classes are vermilion and on top. A cross marks a wrong prediction.
    """
    use_style()
    columns = min(len(panels), 2)
    lines = -(-len(panels) // columns)
    fig, axes = plt.subplots(lines, columns, figsize=(3.9 * columns, 2.75 * lines), squeeze=False)
    for ax in axes.ravel()[len(panels) :]:
        ax.set_axis_off()
    across = classes[:, None] != classes
    for letter, ax, (title, (affinity, predicted)) in zip("abcdef", axes.ravel(), panels.items(), strict=False):
        correct = 100 * np.mean(predicted == classes)
        words = f"({letter}) {title}: {correct:.1f} % correct"
        if affinity is not None:
            W = affinity.toarray()
            _edges(ax, W, X, across, strongest)
            share = 100 * W[across].sum() / max(W.sum(), 1e-300)
            shown = "less than 0.1" if 0 < share < 0.1 else f"{share:.1f}"
            words += f"\n{shown} % of the weight joins the classes"
        for c, (color, marker) in enumerate(((ORANGE, "s"), (BLUE, "o"))):
            ax.scatter(*X[predicted == c].T, s=12, color=color, marker=marker, linewidths=0, zorder=3)
        wrong = predicted != classes
        ax.scatter(*X[wrong].T, s=14, color=BLACK, marker="x", linewidths=0.6, zorder=4)
        for c, (color, marker) in enumerate(((ORANGE, "s"), (BLUE, "o"))):
            ax.scatter(*X[y == c].T, s=70, color=color, marker=marker, edgecolors=BLACK, linewidths=1.2, zorder=5)
        ax.set(title=words, xticks=[], yticks=[], aspect="equal")
        ax.grid(False)
    fig.legend(handles=_graph_legend(), loc="outside lower center", ncols=3)
    plt.close(fig)
    return fig


def _edges(ax, W, X, across, strongest):
    order = np.argsort(-W, axis=1)[:, :strongest]
    pairs = sorted({tuple(sorted((i, int(j)))) for i in range(len(W)) for j in order[i] if W[i, j] > 0})
    top = max(W[i, j] for i, j in pairs)
    for color, between, z in ((GREY, False, 1), (VERMILION, True, 2)):
        chosen = [(i, j) for i, j in pairs if across[i, j] == between]
        if chosen:
            width = [(0.8 if between else 0.2) + 0.8 * W[i, j] / top for i, j in chosen]
            faint = 1.0 if between else min(1.0, 300 / len(chosen))  # many edges: lighter, so that points stay visible
            segments = [X[[i, j]] for i, j in chosen]
            ax.add_collection(LineCollection(segments, colors=color, linewidths=width, alpha=faint, zorder=z))


def _graph_legend():
    point = {"linestyle": "none", "markersize": 5}
    return [
        Line2D([], [], color=ORANGE, marker="s", label="predicted class 0", **point),
        Line2D([], [], color=BLUE, marker="o", label="predicted class 1", **point),
        Line2D([], [], color=BLACK, marker="x", label="wrong", **point),
        Line2D(
            [], [], color="white", marker="o", markeredgecolor=BLACK, label="labelled", linestyle="none", markersize=8
        ),
        Line2D([], [], color=GREY, label="edge within a class"),
        Line2D([], [], color=VERMILION, label="edge between classes"),
    ]


def gains_picture(number: str = "2", setting: str = HONEST, limit: float = 4.5):
    """Does an adapted graph help anywhere? Gain of each AGMR over its MR with honest parameters, 95 % intervals.

    Data sets by their mean gain, the same order and axis in both panels. Hollow: the printed gain, with an arrow where
    it leaves the panel.
    """
    use_style()
    ours = gains(number)
    ours = ours[ours["setting"] == setting]
    mean = ours.groupby("dataset")["gain"].mean().sort_values()
    at = {name: i for i, name in enumerate(mean.index)}
    fig, axes = plt.subplots(1, 2, figsize=(8.2, 0.25 * max(len(at), 4) + 1.5), sharey=True, sharex=True)
    theirs, beyond = printed(number), False
    for letter, ax, (method, base) in zip("ab", axes, PAIRS.items(), strict=True):
        ax.axvline(0, color=BLACK, linewidth=0.8)
        part = ours[ours["method"] == method].dropna(subset=["gain"])
        rows = [at[name] for name in part["dataset"]]
        style = line_style(method) | {"linestyle": "none", "markersize": 6, "label": "ours, 95 % interval"}
        ax.errorbar(part["gain"], rows, xerr=BETWEEN * part["gain_error"], capsize=2, elinewidth=1, **style)
        for name, row in at.items():
            value = theirs[method].get(name, np.nan) - theirs[base].get(name, np.nan)
            _printed_gain(ax, value, row, limit)
            beyond |= bool(abs(value) > limit)
        won, lost = part["star"].eq(True).sum(), ((part["gain"] < 0) & (part["p"] < 0.05)).sum()
        ax.set(
            title=f"({letter}) {method} minus {base}\nsignificant gains {won}, losses {lost}, of {len(part)} sets",
            xlabel="points of accuracy", xlim=(-limit * 1.08, limit * 1.08),
        )  # fmt: skip
    axes[0].set_yticks(range(len(at)), list(at))
    handles, labels = axes[0].get_legend_handles_labels()
    handles.append(Line2D([], [], linestyle="none", marker="o", markerfacecolor="none", color=BLACK))
    fig.legend(
        handles, [*labels, "printed" + beyond * " (arrow: beyond the panel)"], loc="outside lower center", ncols=2
    )
    plt.close(fig)
    return fig


def _printed_gain(ax, value, row, limit):
    if np.isnan(value):
        return
    if abs(value) <= limit:
        ax.plot(value, row, marker="o", markerfacecolor="none", color=BLACK, markersize=6, linestyle="none", zorder=3)
        return
    marker, side = (">", "right") if value > 0 else ("<", "left")
    edge = np.sign(value) * limit
    ax.plot(edge, row, marker=marker, markerfacecolor="none", color=BLACK, markersize=6, linestyle="none", zorder=3)
    offset = (-6, -3) if value > 0 else (6, -3)
    ax.annotate(f"{value:+.1f}", (edge, row), xytext=offset, textcoords="offset points", ha=side, fontsize=7)


def digits_picture(tables: dict):
    """Cells a protocol can print against those by chance, one bar per protocol; ``tables`` maps a title to a table."""
    use_style()
    fig, axes = plt.subplots(1, len(tables), figsize=(4.1 * len(tables), 3.0), sharey=True, squeeze=False)
    for letter, ax, (title, table) in zip("abcd", axes[0], tables.items(), strict=False):
        parts = {"half": "half of the set", "unlabelled": "all unlabelled"}
        names = [f"{runs} runs, {parts.get(part, part)}" for runs, part in table.index]
        rows = np.arange(len(table))
        share = 100 * table["printable"] / table["cells"]
        ax.barh(rows, share, color=[BLUE if float(p) < 0.001 else PALE for p in table["probability"]], height=0.6)
        chance = 100 * table["by chance"] / table["cells"]
        ax.plot(chance, rows, "|", color=BLACK, markersize=14, markeredgewidth=2)
        for row, p, value in zip(rows, table["probability"], np.maximum(share, chance), strict=True):
            ax.annotate(f"p = {p}", (value + 2, row), va="center", fontsize=7)
        ax.set(title=f"({letter}) {title}", xlabel="printed cells that this protocol can print, %", xlim=(0, 100))
        ax.grid(axis="y", visible=False)
        ax.set_yticks(rows, names)
    axes[0][0].invert_yaxis()
    mark = Line2D([], [], linestyle="none", marker="|", color=BLACK, markersize=10, markeredgewidth=2)
    bars = [Patch(color=BLUE), Patch(color=PALE)]
    words = ["share of cells, p below 0.001", "p of 0.001 or more", "by chance"]
    fig.legend([*bars, mark], words, loc="outside lower center", ncols=3)
    plt.close(fig)
    return fig
