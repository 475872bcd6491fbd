"""Figures of tsang2006: one panel a measure, against the number of points, one line a method."""

import numpy as np
import pandas as pd

from mr.figures.style import BLACK, DASHDOT, DOTTED, GREY, METHODS, VERMILION, line_style, use_style

LABELS = {
    "accuracy_pct": "accuracy on fresh points (%)",
    "error_pct": "test error (%)",
    "auc_pct": "area under the ROC curve (%)",
    "balanced_loss_pct": "balanced loss (%)",
    "seconds_fit": "seconds beyond the graph",
    "seconds_graph": "seconds of the graph",
    "kernel_expansions": "kernel expansions",
    "peak_mib": "peak memory of the fit (MiB)",
    "achieved_epsilon": "achieved epsilon",
    "duality_gap": "relative duality gap",
}
LOGARITHMIC = {"seconds_fit", "seconds_graph", "kernel_expansions", "peak_mib", "achieved_epsilon"}
OWN = {
    "SLapCVM, exact check": (VERMILION, "d", DASHDOT),
    "SVM, all labels": (GREY, "o", DASHDOT),
    "kNN graph": (BLACK, "+", DOTTED),
}


def by_size(results):
    """Result rows with their number of points, from the setting ``n=..., ...``."""
    n = results["setting"].str.extract(r"n=(\d+)", expand=False).astype(int)
    return results.assign(n=n).sort_values(["method", "n"], kind="stable")


def style_of(method) -> dict:
    if method in METHODS:
        return line_style(method)
    color, marker, line = OWN[method]
    return {"color": color, "marker": marker, "linestyle": line, "label": method}


def against_size(results, metrics):
    """One panel a metric; lines with error bars where there were several draws."""
    import matplotlib.pyplot as plt

    use_style()
    table = by_size(results)
    fig, axes = plt.subplots(1, len(metrics), figsize=(3.3 * len(metrics), 3.0), squeeze=False)
    for ax, metric in zip(axes[0], metrics):
        shown = table[table["metric"] == metric]
        for method, line in shown.groupby("method", sort=False):
            ax.errorbar(line["n"], line["mean"], yerr=line["std"].fillna(0.0), capsize=2, **style_of(method))
        if metric == "seconds_fit":
            _graph_line(ax, table)
        ax.set(xscale="log", xlabel="points n", ylabel=LABELS[metric])
        if metric in LOGARITHMIC:
            ax.set_yscale("log")
    handles, names = axes[0][min(1, len(metrics) - 1)].get_legend_handles_labels()
    fig.legend(handles, names, loc="outside lower center", ncols=min(len(names), 5))
    return fig


def _graph_line(ax, table):
    graph = table[table["metric"] == "seconds_graph"].groupby("n")["mean"].median()
    ax.plot(graph.index, graph.to_numpy(), **style_of("kNN graph"))


def growth(results, metric="seconds_fit", smallest=0):
    """Slope of log(metric) over log(n) a method: 0 is flat, 1 linear, 3 cubic."""
    table = by_size(results)
    rows = []
    for method, line in table[(table["metric"] == metric) & (table["n"] >= smallest)].groupby("method", sort=False):
        if len(line) > 1:
            slope = np.polyfit(np.log(line["n"]), np.log(np.maximum(line["mean"].astype(float), 1e-6)), 1)[0]
            rows.append([method, int(line["n"].min()), int(line["n"].max()), round(float(slope), 2)])
    return pd.DataFrame(rows, columns=["method", "from n", "to n", f"exponent of {metric}"])


def wide(results, metrics):
    """Table: one row a (method, n), one column a metric."""
    table = by_size(results)
    table = table[table["metric"].isin(metrics)]
    out = table.pivot_table(index=["method", "n"], columns="metric", values="mean", sort=False)
    return out[[metric for metric in metrics if metric in out]].sort_index()
