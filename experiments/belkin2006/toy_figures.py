"""Pictures of belkin2006 in the plane: Figures 1, 2, 3, 9 and 10, from the models that the runs measure."""

import matplotlib.pyplot as plt
import numpy as np

from experiments.belkin2006 import fig1 as belkin2006_fig1
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
    _surface(axes[0], models["SVM"], data.X, y, "SVM: two labelled points", points=False)
    _surface(axes[1], models["LapSVM"], data.X, y, "LapSVM: and unlabelled ones")
    return _done(fig)


def fig2(profile):
    """LapSVM on two moons for growing gamma_I."""
    block = params.block("belkin2006_fig2", profile)
    data, note = _plane(block)
    y = data.partly_labelled(data.central_rows())
    models = toys.moon_models(data.X, y, block)
    fig, axes = _panels(len(models), note)
    for ax, (gamma_I, model) in zip(axes, models.items(), strict=True):
        error = toys.error_pct(model, data.X[y == -1], data.y[y == -1])
        title = f"$\\gamma_A={block['gamma_A']:g}$, $\\gamma_I={gamma_I:g}$: error {error:.1f} %"
        _surface(ax, model, data.X, y, title)
    return _done(fig)


def fig3(profile):
    """Best surface of each method over the grid."""
    block = params.block("belkin2006_fig3", profile)
    data, note = _plane(block)
    y = data.partly_labelled(data.central_rows())
    best = toys.best_models(data.X, y, data.y, block)
    fig, axes = _panels(len(best), note)
    for ax, (method, (error, _, model)) in zip(axes, best.items(), strict=True):
        _surface(ax, model, data.X, y, f"{method}: error {error:.1f} %")
    return _done(fig)


def fig9(profile):
    """Regularised spectral clustering of two moons."""
    return _clusterings("belkin2006_fig9", profile)


def fig10(profile):
    """Regularised spectral clustering of two spirals."""
    return _clusterings("belkin2006_fig10", profile)


def _clusterings(artifact, profile):
    block = params.block(artifact, profile)
    data, note = _plane(block)
    models = toys.cluster_models(data.X, block)
    fig, axes = _panels(len(models), note, height=3.1 * np.ptp(data.X[:, 1]) / np.ptp(data.X[:, 0]) + 0.5)
    for ax, (gamma, model) in zip(axes, models.items(), strict=True):
        clusters = model.labels_
        # The clusters' names are arbitrary; take those that agree with the classes, so that all panels look alike.
        if np.mean(clusters == data.y) < 0.5:
            clusters = 1 - clusters
            _regions(ax, lambda grid, model=model: -model.decision_function(grid), data.X)
        else:
            _regions(ax, model.decision_function, data.X)
        for c, (color, marker) in enumerate(CLASSES):
            ax.scatter(*data.X[data.y == c].T, s=9, color=color, marker=marker, linewidths=0.2, edgecolors="black")
        error = toys.clustering_error_pct(clusters, data.y)
        ax.set_title(f"$\\gamma={gamma:g}$: {error:.1f} % in the wrong cluster")
    return _done(fig)


def _plane(block):
    """The block's points; where the original file cannot be had, generated ones and a note that says so."""
    try:
        return toys.Plane(datasets.load(block["dataset"], **block["options"])), ""
    except datasets.DataUnavailable:
        return toys.Plane(datasets.load("two_moons", n=400, noise=0.05)), f"{block['dataset']} unavailable: generated"


def _panels(count, note="", height=2.2):
    use_style()
    fig, axes = plt.subplots(1, count, figsize=(3.2 * count, height), squeeze=False)
    if note:
        fig.suptitle(note)
    return fig, axes[0]


def _surface(ax, model, X, y, title, points=True):
    """Where a model says which class; all points, and the labelled ones larger (``y`` is -1 on the others)."""
    _regions(ax, model.decision_function, X)
    if points:
        ax.scatter(*X[y == -1].T, s=7, color="0.35", linewidths=0)
    for label, (color, marker) in enumerate(CLASSES):
        ax.scatter(*X[y == label].T, s=80, color=color, marker=marker, edgecolors="black", zorder=3)
    ax.set_title(title)


def _regions(ax, function, X, steps=160):
    """Colour of the sign, its boundary, and level lines of the function: their distance shows how smooth it is."""
    margin = 0.12 * np.ptp(X, axis=0).max()
    low, high = X.min(axis=0) - margin, X.max(axis=0) + margin
    mesh = np.meshgrid(np.linspace(low[0], high[0], steps), np.linspace(low[1], high[1], steps))
    values = np.ravel(function(np.column_stack([axis.ravel() for axis in mesh]))).reshape(mesh[0].shape)
    ax.contourf(*mesh, values > 0, levels=[-0.5, 0.5, 1.5], colors=FILL)
    ax.contour(*mesh, values, levels=9, colors="0.6", linewidths=0.4, linestyles="solid")
    ax.contour(*mesh, values, levels=[0.0], colors="black", linewidths=1.4)
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(True)
    ax.grid(False)


def _done(fig):
    plt.close(fig)  # the notebook shows the returned figure, once
    return fig
