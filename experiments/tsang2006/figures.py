"""Figures of tsang2006: one panel per measure against the number of points, and the map over C and theta."""

import json

import numpy as np
import pandas as pd

from experiments.engine import rows as raw
from experiments.plotting.style import (
    BLACK,
    BLUE,
    DASHDOT,
    DASHED,
    DOTTED,
    GREEN,
    GREY,
    METHODS,
    ORANGE,
    PURPLE,
    SKY,
    SOLID,
    VERMILION,
    line_style,
    use_style,
)
from experiments.tidy import read_results
from experiments.tsang2006.protocol import SHOWN

LABELS = {
    "accuracy_pct": "accuracy on fresh points (%)",
    "error_pct": "test error (%)",
    "auc_pct": "area under the ROC curve (%)",
    "balanced_loss_pct": "balanced loss (%)",
    "transductive_error_pct": "error on unlabelled points (%)",
    "fit_seconds": "seconds without the graph",
    "kernel_expansions": "kernel expansions",
    "peak_mib": "peak memory, first draw (MiB)",
}
LINEAR = {"accuracy_pct", "error_pct", "auc_pct", "balanced_loss_pct", "transductive_error_pct"}
GROWTH = ("fit_seconds", "kernel_expansions")
CLOSE = 1.2
"""Sizes nearer than this factor share a label."""
OWN = {
    "SLapCVM, sampled": (BLUE, "d", DASHED),
    "SLapCVM, sampled, own choice": (BLUE, "D", DOTTED),
    "SLapCVM, sampled, theta ~ edges": (ORANGE, "P", DASHED),
    "SLapCVM, sampled, core of 5000": (BLUE, "*", DOTTED),
    "SLapCVM, theta ~ edges": (SKY, "X", DOTTED),
    "SLapCVM, normalised": (GREEN, "p", DOTTED),
    "SLapCVM, m mu = 1": (GREEN, "v", DASHED),
    "SLapCVM, m mu = 1, theta ~ edges": (GREEN, "^", DOTTED),
    "SLapCVM, theta = 1": (GREEN, "<", DASHDOT),
    "LapSVM, normalised": (ORANGE, "s", DASHDOT),
    "LapSVM, b = 0": (VERMILION, "<", DOTTED),
    "LapSVM, by inversion": (VERMILION, "X", DASHDOT),
    "Reduced LapSVM": (PURPLE, ">", DASHED),
    "Reduced LapSVM, chosen at each n": (PURPLE, "^", SOLID),
    "SLapCVM, core sets": (BLUE, "d", DASHED),
    "SVM, all labels": (BLACK, "", SOLID),
    "degree rule": (GREY, "x", DOTTED),
}


def style_of(method) -> dict:
    if method in OWN:
        color, marker, line = OWN[method]
        return {"color": color, "marker": marker, "linestyle": line, "label": method}
    return line_style(method) if method in METHODS else {"label": method}


def draws_of(artifact) -> pd.DataFrame:
    """Raw rows: one per fit. Figure 3 also holds the rows that choose, which have no test error."""
    rows = raw.frame(list(raw.read_committed(artifact).values()))
    rows = rows[rows["error_pct"].notna()] if artifact == "tsang2006_fig3" else rows
    return rows.assign(method=rows["method"].replace(SHOWN)) if artifact == "tsang2006_fig1" else rows


def against_size(artifact, panels, legend=3):
    """One panel per (metric, methods; None for all): single draws as points, their mean as a line.

    Draws that a cap on the core ended are crosses, and left out of the mean of what grows.
    """
    import matplotlib.pyplot as plt

    use_style()
    table = draws_of(artifact)
    columns = min(len(panels), 2)
    count = -(-len(panels) // columns)
    fig, axes = plt.subplots(count, columns, figsize=(4.4 * columns, 3.1 * count), squeeze=False)
    named = {}
    for letter, ax, (metric, methods) in zip("abcdef", axes.flat, panels, strict=False):
        for name in methods or dict.fromkeys(table["method"]):
            part = table[(table["method"] == name) & (table[metric].notna() if metric in table else False)]
            if len(part):
                _curve(ax, part, metric, style_of(name))
        ax.set(xlabel="points n", ylabel=LABELS[metric], xscale="log", title=f"({letter})")
        _label_sizes(ax, sorted(table.loc[table["method"] != "SVM, all labels", "n"].unique()))
        if metric not in LINEAR:
            ax.set_yscale("log")
            _label_few(ax.yaxis)
        handles, labels = ax.get_legend_handles_labels()
        named |= dict(zip(labels, handles, strict=True))
    for ax in axes.flat[len(panels) :]:
        ax.remove()
    fig.legend(named.values(), named, loc="outside lower center", ncols=legend)
    plt.close(fig)
    return fig


def _label_sizes(ax, sizes):
    """Label the axis at the sizes of the rows, in thousands; of two close ones the larger."""
    from matplotlib.ticker import NullFormatter

    shown = [n for n, larger in zip(sizes, [*sizes[1:], np.inf], strict=True) if larger / n > CLOSE]
    ax.set_xticks(shown, [f"{n / 1e6:.3g}M" if n >= 1e6 else f"{n / 1e3:.3g}k" for n in shown])
    ax.xaxis.set_minor_formatter(NullFormatter())


def _label_few(axis):
    """Plain numbers at 1, 2 and 5 on a logarithmic axis of less than two decades; else decades only."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    low, high = axis.get_view_interval()
    if high / low < 100:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def _curve(ax, part, metric, style):
    """Draws and mean of one method; a constant for the machine that has all labels."""
    if style["label"] == "SVM, all labels":
        if metric not in GROWTH:
            ax.axhline(part[metric].iloc[0], **style)
        return
    capped = part["capped"].fillna(0) > 0 if "capped" in part else pd.Series(False, index=part.index)
    for rows, marker, size in ((part[~capped], ".", 3), (part[capped], "x", 5)):
        ax.plot(rows["n"], rows[metric], marker, color=style.get("color"), alpha=0.35, markersize=size)
    mean = (part[~capped] if metric in GROWTH else part).groupby("n")[metric].mean()
    ax.plot(mean.index, mean.to_numpy(), **style)


def moons_map(artifact="tsang2006_map"):
    """Accuracy over C and theta: the exact optimum above, the sampled stopping rule below, one column per n."""
    import matplotlib.pyplot as plt

    use_style()
    table = draws_of(artifact)
    rules = [name for name in ("SLapCVM, exact", "SLapCVM, sampled") if name in set(table["method"])]
    table = table[table["method"].isin(rules)]
    table = table.join(pd.DataFrame([json.loads(text) for text in table["parameters"]], index=table.index))
    sizes = sorted(table["n"].unique())
    shape = len(rules), len(sizes)
    fig, axes = plt.subplots(*shape, figsize=(3.4 * shape[1], 2.6 * shape[0]), squeeze=False, sharex=True, sharey=True)
    for i, rule in enumerate(rules):
        for j, n in enumerate(sizes):
            ax, part = axes[i, j], table[(table["method"] == rule) & (table["n"] == n)]
            wide = part.pivot_table(index="C", columns="theta", values="accuracy_pct", aggfunc="mean")
            capped = part.pivot_table(index="C", columns="theta", values="capped", aggfunc="max")
            shown = ax.imshow(wide, origin="lower", aspect="auto", cmap="viridis", vmin=50, vmax=100)
            ax.grid(False)
            for (y, x), value in np.ndenumerate(wide.to_numpy()):
                mark = "*" if capped.iloc[y, x] > 0 else ""
                text = f"{value:.0f}" if value < 99.95 else "100"
                ax.text(
                    x, y, text + mark, ha="center", va="center", color="white" if value < 85 else "black", fontsize=8
                )
            ax.set_xticks(range(wide.shape[1]), [_power(v) for v in wide.columns], fontsize=8)
            ax.set_yticks(range(wide.shape[0]), [_power(v) for v in wide.index], fontsize=8)
            ax.set_title(f"({'abcdefgh'[i * shape[1] + j]}) {rule.split(', ')[1]}, n = {n}")
            ax.set_xlabel("theta" if i == len(rules) - 1 else "")
            ax.set_ylabel("C" if j == 0 else "")
    fig.colorbar(shown, ax=axes, label="accuracy (%)", shrink=0.8)
    plt.close(fig)
    return fig


def _power(value) -> str:
    return f"$10^{{{round(np.log10(value))}}}$"


def choice_table(artifact="tsang2006_choice") -> pd.DataFrame:
    """Per method: chosen parameters, validation accuracy, and error and area on other test images."""
    rows = read_results(artifact)
    rows = rows[rows["setting"].str.endswith("chosen")]
    wide = rows.pivot_table(index="method", columns="metric", values="mean", sort=False).round(1)
    first = rows.drop_duplicates("method").set_index("method")["parameters"].map(json.loads)
    wide["parameters"] = [
        ", ".join(f"{k}={v:g}" for k, v in p.items() if k not in ("cells", "edges")) for p in first[wide.index]
    ]
    wide["at an end of its grid"] = [", ".join(p["edges"]) for p in first[wide.index]]
    return wide.drop(columns=[name for name in ("tube",) if name in wide])


def wide(artifact, metrics) -> pd.DataFrame:
    """Table: one row per (method, n), one column per metric."""
    table = read_results(artifact)
    n = table["setting"].str.extract(r"n=(\d+)", expand=False).astype(int)
    table = table.assign(n=n)[table["metric"].isin(metrics)]
    out = table.pivot_table(index=["method", "n"], columns="metric", values="mean", sort=False)
    draws = table.pivot_table(index=["method", "n"], values="n_runs", aggfunc="max")
    out = out[[metric for metric in metrics if metric in out]].sort_index()
    return out.assign(draws=draws["n_runs"].astype(int)).round(3)


def processor_minutes(artifacts) -> pd.DataFrame:
    """Per artifact its tasks and the processor minutes that their committed rows took, and the sum of both."""
    records = {name: raw.read_committed(name).values() for name in artifacts}
    seconds = {name: sum(record["provenance"]["seconds"] for record in some) for name, some in records.items()}
    table = pd.DataFrame({
        "tasks": {name: len(some) for name, some in records.items()},
        "processor minutes": {name: value / 60.0 for name, value in seconds.items()},
    })  # fmt: skip
    table.loc["all"] = table.sum()
    return table.astype({"tasks": int}).round(1)


def theory_table(*parts, artifact="tsang2006_theory") -> pd.DataFrame:
    """Rows of some parts of section 3: one line per data set and setting, one column per quantity."""
    rows = read_results(artifact)
    rows = rows[rows["method"].isin(parts)]
    table = rows.pivot_table(index=["dataset", "setting"], columns="metric", values="mean", sort=False)
    return table.rename_axis(columns=None).map(_number)


def _number(value) -> str:
    if value != value:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
