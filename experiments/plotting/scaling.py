"""Figures and tables of the scaling study, from what ``benchmarks/`` measured into ``docs/*.csv``."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from experiments.engine import paths
from experiments.plotting.style import BLACK, GREY, line_style, use_style

PANELS = {"moons": "two moons, 2 dimensions", "mixture": "mixture, 50 dimensions", "MNIST": "MNIST, 784 pixels"}
LOOKS = {
    "LapRLS(basis=500)": "LapRLS", "LapRLS(basis=1000)": "LapRLS", "LapSVM(basis=1000)": "LapSVM",
    "PVM(200)": "PVM(sqr)", "PVM": "PVM(sqr)", "AnchorGraph(500)": "Anchor", "AnchorGraph": "Anchor",
    "LinearLapRLS": "LapRLS(Linear)",
}  # fmt: skip
"""Methods of the study that look like a method of the papers."""
GOAL = 1.1
"""Largest exponent of seconds in n."""


def measured(name: str) -> pd.DataFrame:
    """``docs/NAME.csv``; empty cells are not numbers."""
    return pd.read_csv(paths.ROOT / "docs" / f"{name}.csv")


def scaling() -> pd.DataFrame:
    """One row per data set, method and n; ``seconds`` are those of graph and fit."""
    rows = measured("scaling")
    rows["seconds"] = rows["graph_seconds"].fillna(0.0) + rows["fit_seconds"]
    return rows.sort_values(["data", "method", "n"], kind="stable", ignore_index=True)


def exponent(n, values) -> float:
    """Slope of log values over log n by least squares."""
    return float(np.polyfit(np.log(n), np.log(values), 1)[0])


def exponents() -> pd.DataFrame:
    """Per data set and method: sizes measured, exponents of seconds and of the peak beyond data, and the last line."""
    found = []
    for (data, method), rows in scaling().groupby(["data", "method"], sort=False):
        if len(rows) < 3:
            continue
        last = rows.iloc[-1]
        found.append({
            "data": data, "method": method, "sizes": f"{rows['n'].min():.0e} to {last['n']:.0e}".replace("e+0", "e"),
            "exponent": round(exponent(rows["n"], rows["seconds"]), 2),
            "from 1e5": round(exponent(*_large(rows)), 2) if (rows["n"] >= 1e5).sum() > 2 else np.nan,
            "seconds": last["seconds"], "GB": round(last["peak_mb"] / 1024, 1), "error (%)": last["error_pct"],
            "recall": last["recall"],
        })  # fmt: skip
    return pd.DataFrame(found)


def _large(rows):
    large = rows[rows["n"] >= 1e5]
    return large["n"], large["seconds"]


def against_n(column: str, label: str, slopes=True):
    """A panel per data set: a column against the number of points, a line per method, its exponent in the legend."""
    use_style()
    rows = scaling()
    fig, axes = plt.subplots(1, 2, figsize=(8.4, 4.2), sharey=True)
    for ax, data in zip(axes, ("moons", "mixture"), strict=True):
        for method, part in rows[rows["data"] == data].groupby("method", sort=False):
            slope = f"  $n^{{{exponent(part['n'], part[column]):.2f}}}$" if slopes and len(part) > 2 else ""
            ax.plot(part["n"], part[column], **look(method, slope))
        ax.set(xscale="log", yscale="log", xlabel="points", title=PANELS[data], xlim=(7e3, 1.5e7))
        if column == "seconds":
            _guide(ax)
        ax.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    axes[0].set_ylabel(label)
    plt.close(fig)
    return fig


def look(method: str, suffix: str = "") -> dict:
    return line_style(LOOKS.get(method, method)) | {"label": method + suffix}


def _guide(ax):
    """A thin line of slope 1."""
    n = np.array([1e4, 1e7])
    ax.plot(n, n * 2e-6, color=GREY, linewidth=0.8, zorder=0)
    ax.annotate("slope 1", (n[1], n[1] * 2e-6), fontsize=7, color=GREY, ha="right", va="top")


def memory():
    """Peak memory of the process against n, and the bytes of the data themselves."""
    fig = against_n("peak_mb", "peak memory of the process (MB)")
    for ax, width in zip(fig.axes, (2, 50), strict=True):
        n = np.array([1e4, 1e7])
        ax.plot(n, n * width * 8 / 2**20, color=GREY, linewidth=0.8, zorder=0)
        shown = 2e9 / (8 * width)
        ax.annotate(
            "the data", (min(shown, 9e6), min(shown, 9e6) * width * 8 / 2**20), fontsize=7, color=GREY, ha="right"
        )
        ax.set_ylim(100, 15_000)
        ax.axhline(8 * 1024, color=BLACK, linewidth=0.8, linestyle=":")
        ax.annotate("8 GiB", (1e4, 8.4 * 1024), fontsize=7)
    return fig


def preconditioners():
    """Iterations of conjugate gradients against the weight of the graph."""
    use_style()
    rows = measured("graph_preconditioner")
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 2.8), sharey=True)
    for ax, data in zip(axes, ("moons", "mixture"), strict=True):
        part = rows[rows["data"] == data]
        ax.plot(part["ratio"], part["labels_only"], "o--", color=GREY, markeredgecolor=BLACK, label="graph left out")
        ax.plot(part["ratio"], part["with_graph"], "s-", color="#0072B2", markeredgecolor=BLACK, label="with the graph")
        ax.set(xscale="log", yscale="log", title=PANELS[data], xlabel=r"$\gamma_I / (\gamma_A n^2)$")
        ax.legend()
    axes[0].set_ylabel("iterations")
    plt.close(fig)
    return fig


def searches():
    """Seconds of neighbour searches against what they miss; a line joins the settings of one method."""
    use_style()
    rows = measured("neighbour_peers")
    fig, axes = plt.subplots(1, 2, figsize=(7.6, 3.6), sharey=True)
    for ax, data in zip(axes, ("mixture", "MNIST"), strict=True):
        for method, part in rows[rows["data"] == data].groupby("method", sort=False):
            ax.plot(100 * np.maximum(1 - part["recall"], 1e-4), part["seconds"], **look(method))
        ax.set(xscale="log", yscale="log", xlabel="neighbours missed (%; 0.01 stands for none)", title=PANELS[data])
        ax.set_yticks([2, 5, 10, 20, 40], ["2", "5", "10", "20", "40"])
        ax.set_xticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
        ax.minorticks_off()
        ax.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=3)
    axes[0].set_ylabel("seconds")
    plt.close(fig)
    return fig


def mnist():
    """Error on images without a label against seconds, graph included: a mark per method, a panel per size."""
    use_style()
    rows = measured("mnist_scale")
    sizes = sorted(rows["n"].unique())
    fig, axes = plt.subplots(1, len(sizes), figsize=(1.6 + 3.6 * len(sizes), 3.4), sharey=True, squeeze=False)
    for ax, n in zip(axes[0], sizes, strict=True):
        for row in rows[rows["n"] == n].to_dict("records"):
            seconds = row["fit_seconds"] + np.nan_to_num(row["graph_seconds"])
            ax.plot(seconds, row["error_pct"], **look(row["method"]) | {"linestyle": "none", "markersize": 7})
        ax.set(
            xlabel="seconds, graph included", title=f"MNIST, {n:,} images, 100 labels", xlim=(0, None), ylim=(0, None)
        )
    axes[0, 0].set_ylabel("error on unlabelled images (%)")
    axes[0, -1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    plt.close(fig)
    return fig


def guide_table() -> str:
    """The table of docs/guide/large_data.md: seconds and peak memory of the largest size measured, and exponents."""
    rows = scaling()
    lines = [
        "| | two moons: points | seconds | GiB | exponent | mixture: points | seconds | GiB | exponent | recall |",
        "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for method in dict.fromkeys(rows["method"]):
        cells = []
        for data in ("moons", "mixture"):
            part = rows[(rows["data"] == data) & (rows["method"] == method)]
            cells += _cells(part) if len(part) else ["", "", "", ""]
            if data == "mixture":
                recall = part["recall"].dropna()
                cells.append(f"{recall.iloc[-1]:.2f}" if len(recall) else "")
        lines.append(f"| `{method}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cells(part):
    last = part.iloc[-1]
    slope = f"{exponent(part['n'], part['seconds']):.2f}" if len(part) > 2 else ""
    return [f"{int(last['n']):,}", f"{last['seconds']:.3g}", f"{last['peak_mb'] / 1024:.1f}", slope]
