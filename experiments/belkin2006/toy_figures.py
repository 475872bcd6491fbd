"""Pictures of belkin2006 in the plane: Figures 1, 2, 3, 9 and 10, from the models that the runs measure."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D

from experiments.belkin2006 import fig1 as belkin2006_fig1
from experiments.belkin2006 import fig10 as belkin2006_fig10
from experiments.belkin2006 import toys
from experiments.engine import params
from experiments.plotting.style import BLUE, ORANGE, use_style
from mr import datasets

CLASSES = ((BLUE, "o"), (ORANGE, "s"))
FILL = ("#cfe3f1", "#fbe6c3")


def fig1(profile):
    """Two labelled points alone, and the same with unlabelled ones."""
    block = params.block("belkin2006_fig1", profile)
    data = datasets.load("ring", **block["options"])
    y = belkin2006_fig1.partly_labelled(data)
    models = toys.ring_models(data.X, y, block)
    fig, axes = _panels(2, height=3.0)
    _surface(axes[0], models["SVM"], data.X, y, "(a) SVM: two labelled points", points=False)
    _surface(axes[1], models["LapSVM"], data.X, y, "(b) LapSVM: and unlabelled ones")
    return _done(fig, legend=True)


def fig2(profile):
    """LapSVM on two moons for growing gamma_I, with the bias of section 4.4 and without it."""
    block = params.block("belkin2006_fig2", profile)
    data, note = _plane(block)
    y = data.partly_labelled(data.central_rows())
    fig, axes = _panels(2 * len(block["gamma_I"]), note, height=2.6, columns=len(block["gamma_I"]))
    panels = [(name, bias, gamma) for name, bias in toys.LAPSVM.items() for gamma in block["gamma_I"]]
    models = {bias: toys.moon_models(data.X, y, block, bias=bias) for bias in toys.LAPSVM.values()}
    for letter, ax, (name, bias, gamma) in zip("abcdef", axes, panels, strict=False):
        model = models[bias][gamma]
        error = toys.error_pct(model, data.X[y == -1], data.y[y == -1])
        _surface(ax, model, data.X, y, f"({letter}) {name}, $\\gamma_I={gamma:g}$: error {error:.1f} %")
    return _done(fig, legend=True)


def fig3(profile):
    """Best surface of each method over the grid, with the parameters that gave it."""
    block = params.block("belkin2006_fig3", profile)
    data, note = _plane(block)
    y = data.partly_labelled(data.central_rows())
    best = toys.best_models(data.X, y, data.y, block)
    fig, axes = _panels(len(best), note, height=2.9, columns=2, width=4.4)
    for letter, ax, (method, (error, cell, model)) in zip("abcd", axes, best.items(), strict=False):
        names = {"sigma": "\\sigma", "gamma_A": "\\gamma_A", "gamma_I": "\\gamma_I"}
        chosen = ", ".join(f"${names[key]}={_power(value)}$" for key, value in cell.items())
        _surface(ax, model, data.X, y, f"({letter}) {method}: error {error:.1f} %\n{chosen}")
    return _done(fig, legend=True)


def fig9(profile):
    """Regularised spectral clustering of two moons."""
    block = params.block("belkin2006_fig9", profile)
    data, note = _plane(block)
    fig, axes = _panels(len(block["gamma"]), note, height=2.7, columns=2, width=4.4)
    _clusterings(axes, data, block, "abcd")
    return _done(fig, legend=True)


def fig10(profile):
    """Regularised spectral clustering of two spirals: the authors' points, the same curves denser, generated ones."""
    block = params.block("belkin2006_fig10", profile)
    rows = {}
    for key, entry in block["datasets"].items():
        try:
            data = belkin2006_fig10.plane(key, datasets.load(entry["name"], **entry["options"]), entry)
        except datasets.DataUnavailable:
            continue
        rows[key] = data, block | entry | {"graph": block["graph"] | {"n_neighbors": min(entry["n_neighbors"])}}
    fig, axes = _panels(len(rows) * len(block["gamma"]), height=2.75, columns=len(block["gamma"]), width=2.7)
    for i, (key, (data, entry)) in enumerate(rows.items()):
        line = axes[i * len(block["gamma"]) : (i + 1) * len(block["gamma"])]
        _clusterings(line, data, entry, "abcdefghijkl"[i * len(line) :], lines=False)
        line[0].set_ylabel(f"{key}\n{len(data.y)} points, {entry['graph']['n_neighbors']} neighbours", fontsize=9)
    return _done(fig, legend=True, lines=False)


def _clusterings(axes, data, block, letters, lines=True):
    """One panel per gamma; clusters are named so that they agree with the classes, and all panels look alike.

    ``lines`` False leaves out the level lines, which would fill the gaps between narrow spirals.
    """
    for letter, ax, (gamma, model) in zip(letters, axes, toys.cluster_models(data.X, block).items(), strict=False):
        sign = 1.0 if np.mean(model.labels_ == data.y) >= 0.5 else -1.0
        _regions(ax, lambda grid, model=model, sign=sign: sign * model.decision_function(grid), data.X, lines=lines)
        for c, (color, marker) in enumerate(CLASSES):
            style = {"color": color, "marker": marker, "linewidths": 0.2, "edgecolors": "black"}
            every = 1 + len(data.y) // 800  # of many points some are drawn
            ax.scatter(*data.X[data.y == c][::every].T, s=9, label=f"class {c + 1}", **style)
        error = toys.clustering_error_pct(model.labels_, data.y)
        ax.set_title(f"({letter}) $\\gamma={_power(gamma)}$: {error:.1f} % wrong")


def _power(value) -> str:
    """A number in mathtext, powers of ten as powers."""
    exponent = np.log10(value)
    if value < 0.01 and np.isclose(exponent, round(exponent)):
        return f"10^{{{round(exponent)}}}"
    return f"{value:g}"


def _plane(block):
    """The block's points; where the original file cannot be had, generated ones and a note that says so."""
    try:
        return toys.Plane(datasets.load(block["dataset"], **block["options"])), ""
    except datasets.DataUnavailable:
        return toys.Plane(datasets.load("two_moons", n=400, noise=0.05)), f"{block['dataset']} unavailable: generated"


def _panels(count, note="", height=2.2, columns=None, width=3.2):
    use_style()
    columns = columns or count
    rows = -(-count // columns)
    fig, axes = plt.subplots(rows, columns, figsize=(width * columns, height * rows), squeeze=False)
    if note:
        fig.suptitle(note)
    return fig, axes.ravel()


def _surface(ax, model, X, y, title, points=True):
    """Where a model says which class; all points, and the labelled ones larger (``y`` is -1 on the others)."""
    _regions(ax, model.decision_function, X)
    if points:
        ax.scatter(*X[y == -1].T, s=7, color="0.35", linewidths=0, label="unlabelled")
    for label, (color, marker) in enumerate(CLASSES):
        style = {"color": color, "marker": marker, "edgecolors": "black", "label": f"labelled, class {label + 1}"}
        ax.scatter(*X[y == label].T, s=80, zorder=3, **style)
    ax.set_title(title)


def _regions(ax, function, X, steps=160, lines=True):
    """Colour of the sign, its boundary, and level lines of the function: their distance shows how smooth it is."""
    margin = 0.12 * np.ptp(X, axis=0).max()
    low, high = X.min(axis=0) - margin, X.max(axis=0) + margin
    mesh = np.meshgrid(np.linspace(low[0], high[0], steps), np.linspace(low[1], high[1], steps))
    values = np.ravel(function(np.column_stack([axis.ravel() for axis in mesh]))).reshape(mesh[0].shape)
    ax.contourf(*mesh, values > 0, levels=[-0.5, 0.5, 1.5], colors=FILL)
    if lines:
        ax.contour(*mesh, values, levels=7, colors="0.6", linewidths=0.4, linestyles="solid")
    ax.contour(*mesh, values, levels=[0.0], colors="black", linewidths=1.4)
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(True)
    ax.grid(False)


def _done(fig, legend=False, lines=True):
    """Close the figure: the notebook shows it once. The legend names points, boundary and level lines of all panels."""
    if legend:
        handles, labels = fig.axes[-1].get_legend_handles_labels()
        drawn = {"boundary": ("black", 1.4)} | ({"level lines of the function": ("0.6", 0.6)} if lines else {})
        handles += [Line2D([], [], color=color, linewidth=width) for color, width in drawn.values()]
        fig.legend(handles, [*labels, *drawn], loc="outside lower center", ncols=len(handles))
    plt.close(fig)
    return fig
