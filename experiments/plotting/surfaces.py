"""Decision surfaces of classifiers in the plane."""

import matplotlib.pyplot as plt
import numpy as np

from experiments.plotting.style import BLUE, ORANGE, use_style

CLASSES = ((BLUE, "o"), (ORANGE, "s"))


def decision_surfaces(models: dict, X, y):
    """One panel a fitted two-class model: where it says which class, all points, and the labelled ones larger.

    ``y`` is the partly labelled target the models were fitted on (-1 is unlabelled).
    """
    use_style()
    fig, axes = plt.subplots(1, len(models), figsize=(3.6 * len(models), 3.0), squeeze=False, sharey=True)
    grid, mesh = _grid(X)
    for ax, (title, model) in zip(axes[0], models.items(), strict=True):
        values = np.ravel(model.decision_function(grid)).reshape(mesh[0].shape)
        ax.contourf(*mesh, values > 0, levels=[-0.5, 0.5, 1.5], colors=["#cfe3f1", "#fbe6c3"])
        ax.contour(*mesh, values, levels=[0.0], colors="black", linewidths=1.2)
        ax.scatter(*X.T, s=6, color="0.35", linewidths=0)
        for label, (color, marker) in zip(np.unique(y[y != -1]), CLASSES, strict=False):
            ax.scatter(*X[y == label].T, s=90, color=color, marker=marker, edgecolors="black", zorder=3,
                       label=f"labelled {label}")  # fmt: skip
        ax.set(title=title, xticks=[], yticks=[], aspect="equal")
        ax.grid(False)
    axes[0, 0].legend(loc="lower left", fontsize=7)
    plt.close(fig)  # the notebook shows the returned figure, once
    return fig


def _grid(X, steps: int = 150, margin: float = 0.25):
    low, high = X.min(axis=0) - margin, X.max(axis=0) + margin
    mesh = np.meshgrid(np.linspace(low[0], high[0], steps), np.linspace(low[1], high[1], steps))
    return np.column_stack([axis.ravel() for axis in mesh]), mesh
