"""Figures of tsang2006: one panel per measure, against the number of points, one line per method."""

import json

import numpy as np
import pandas as pd

import mr
from experiments.plotting.style import BLACK, BLUE, DASHDOT, DOTTED, GREEN, GREY, METHODS, SOLID, line_style, use_style

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
    "steepest_edge": "steepest edge / deviation of f",
    "rms_edge": "r.m.s. edge / deviation of f",
}
LINEAR = {"accuracy_pct", "error_pct", "auc_pct", "balanced_loss_pct"}
OWN = {
    "SLapCVM, sampled, C=1e6": (GREEN, "*", SOLID),
    "SLapCVM, exact, C=1e6": (BLUE, "d", DASHDOT),
    "SVM, all labels": (GREY, "o", DASHDOT),
    "kNN graph": (BLACK, "+", DOTTED),
}


def by_size(results):
    """Result rows with their number of points, from the setting ``n=..., ...``."""
    n = results["setting"].str.extract(r"n=(\d+)", expand=False).astype(int)
    return results.assign(n=n).sort_values(["method", "n"], kind="stable")


def stopping_rules(results):
    """The two lines that differ in the stopping rule only."""
    return results[results["method"].str.endswith("C=1e6")]


def without_stopping_rules(results):
    return results[~results["method"].str.endswith("C=1e6")]


def style_of(method) -> dict:
    if method in METHODS:
        return line_style(method)
    color, marker, line = OWN[method]
    return {"color": color, "marker": marker, "linestyle": line, "label": method}


def against_size(results, metrics):
    """One panel per metric; lines with error bars where there were several draws."""
    import matplotlib.pyplot as plt

    use_style()
    table = by_size(results)
    fig, axes = plt.subplots(1, len(metrics), figsize=(3.3 * len(metrics), 3.0), squeeze=False)
    for ax, metric in zip(axes[0], metrics, strict=True):
        shown = table[table["metric"] == metric]
        for method, line in shown.groupby("method", sort=False):
            ax.errorbar(line["n"], line["mean"], yerr=line["std"].fillna(0.0), capsize=2, **style_of(method))
        if metric == "seconds_fit":
            _graph_line(ax, table)
        ax.set(xlabel="points n", ylabel=LABELS[metric])
        if not shown["mean"].notna().any():
            ax.text(0.5, 0.5, "not computed yet", ha="center", va="center", transform=ax.transAxes)
            continue
        ax.set_xscale("log")
        if metric in LINEAR:  # a percentage; deviations over few draws may reach beyond
            low, high = ax.get_ylim()
            ax.set_ylim(max(low, -2.0), min(high, 102.0))
        else:
            ax.set_yscale("log")
    named = {}  # of all panels: not every method has every measure
    for ax in axes[0]:
        handles, names = ax.get_legend_handles_labels()
        named |= dict(zip(names, handles, strict=True))
    if named:
        fig.legend(named.values(), named, loc="outside lower center", ncols=min(len(named), 6))
    return fig


def _graph_line(ax, table):
    graph = table[table["metric"] == "seconds_graph"].groupby("n")["mean"].median()
    ax.plot(graph.index, graph.to_numpy(), **style_of("kNN graph"))


def growth(results, metric="seconds_fit", smallest=0):
    """Slope of log(metric) over log(n) per method: 0 is flat, 1 linear, 3 cubic."""
    table = by_size(results)
    rows = []
    for method, line in table[(table["metric"] == metric) & (table["n"] >= smallest)].groupby("method", sort=False):
        if len(line) > 1:
            slope = np.polyfit(np.log(line["n"]), np.log(np.maximum(line["mean"].astype(float), 1e-6)), 1)[0]
            rows.append([method, int(line["n"].min()), int(line["n"].max()), round(float(slope), 2)])
    return pd.DataFrame(rows, columns=["method", "from n", "to n", f"exponent of {metric}"])


def wide(results, metrics):
    """Table: one row per (method, n), one column per metric."""
    table = by_size(results)
    table = table[table["metric"].isin(metrics)]
    out = table.pivot_table(index=["method", "n"], columns="metric", values="mean", sort=False)
    return out[[metric for metric in metrics if metric in out]].sort_index()


def verdicts_fig1(results):
    """The claims of Figure 1 and whether these results show them."""
    ours = _line(results, "SLapCVM", "accuracy_pct")
    exact = _line(results, "LapSVM", "accuracy_pct")
    return _verdicts([
        ("SLapCVM reaches 100 % at every size", ours.min(), ours.min() >= 99.9),
        ("LapSVM reaches 100 % at every size", exact.min(), exact.min() >= 99.9),
        *_flatness(results),
        ("LapSVM stops at a few thousand points", exact.index.max(), exact.index.max() < ours.index.max()),
    ])  # fmt: skip


def verdicts_fig2(results):
    """The claims of Figure 2 and whether these results show them, errors at the largest size of either method."""
    errors = {method: _line(results, method, "error_pct") for method in ("SLapCVM", "SVM", "LapSVM", "Reduced LapSVM")}
    last = errors["SLapCVM"].iloc[-1]
    rows = [("better than the SVM on two labels (error, largest n)", last, last < errors["SVM"].iloc[-1])]
    for method in ("LapSVM", "Reduced LapSVM"):
        n = errors[method].index.max()
        here = errors["SLapCVM"].get(n, np.nan)
        rows.append((f"not worse than {method} (error, n={n})", here, here <= errors[method].loc[n]))
    return _verdicts(rows + _flatness(results))


def verdicts_fig3(results):
    """The claims of Figure 3: the share of the way from the SVM on few labels to the SVM on all, at the largest n."""
    rows = []
    for metric, sign in (("auc_pct", 1), ("balanced_loss_pct", -1)):
        few, ours, full = (_line(results, m, metric).iloc[-1] for m in ("SVM", "SLapCVM", "SVM, all labels"))
        share = (ours - few) / (full - few) if full != few else float("nan")
        rows.append((f"near the SVM on all labels: share of the way ({metric})", share, share >= 0.8))
        rows.append((f"better than the SVM on few labels ({metric})", ours, sign * (ours - few) > 0))
        reduced = _line(results, "Reduced LapSVM", metric)
        here = _line(results, "SLapCVM", metric).get(reduced.index.max(), np.nan)
        rows.append((f"reduced LapSVM is poorer ({metric})", reduced.iloc[-1], sign * (here - reduced.iloc[-1]) > 0))
    return _verdicts(rows + _flatness(results))


def full_cores(results, method="SLapCVM"):
    """Sizes at which max_core, not the stopping rule, ended the fit: flatness there says nothing about the method."""
    table = by_size(results[(results["method"] == method) & (results["metric"] == "core_size")])
    caps = [json.loads(text).get("max_core", mr.SLapCVM().max_core) for text in table["parameters"]]
    return sorted(n for n, size, cap in zip(table["n"], table["mean"], caps, strict=True) if size >= cap)


def _flatness(results):
    """Growth over the sizes whose core was not full; unknown with fewer than three of them."""
    full = full_cores(results)
    table = by_size(results[results["method"] == "SLapCVM"])
    table = table[~table["n"].isin(full)]
    rows = []
    for metric in ("seconds_fit", "kernel_expansions"):
        grown = growth(table, metric)
        slope = grown.iloc[0, -1] if len(grown) and table["n"].nunique() > 2 else float("nan")
        rows.append((f"sublinear growth of {metric} (exponent; core full at {full or 'no size'})", slope, slope < 0.9))
    return rows


def _line(results, method, metric):
    """Means of one method by n, ascending; one NaN when there are none yet."""
    table = by_size(results[(results["method"] == method) & (results["metric"] == metric)])
    line = table.set_index("n")["mean"].astype(float).sort_index()
    return line if len(line) else pd.Series([np.nan], index=[0])


def _verdicts(rows):
    answers = [
        [claim, f"{value:.4g}", "unknown" if np.isnan(value) else "yes" if shown else "no"]
        for claim, value, shown in rows
    ]
    return pd.DataFrame(answers, columns=["claim", "measured", "shown here"])
