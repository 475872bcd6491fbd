"""
What the number of neighbours does
==================================

Too few neighbours tear the graph apart, too many join the classes. :class:`mr.KNNGraph` counts the components, and the
edges between classes are the ones that mislead.
"""

import matplotlib.pyplot as plt
from matplotlib.collections import LineCollection
from sklearn.datasets import make_moons

import mr

X, truth = make_moons(200, noise=0.08, random_state=3)

fig, axes = plt.subplots(1, 3, figsize=(10, 3.2), sharex=True, sharey=True, layout="constrained")
for ax, k in zip(axes, [2, 6, 25], strict=True):
    graph = mr.KNNGraph(n_neighbors=k).fit(X)
    edges = graph.affinity_.tocoo()
    wrong = truth[edges.row] != truth[edges.col]
    for mask, colour in ((~wrong, "#9bbbd4"), (wrong, "#D55E00")):
        ends = X[[edges.row[mask], edges.col[mask]]].transpose(1, 0, 2)
        ax.add_collection(LineCollection(ends, colors=colour, linewidths=0.8))
    ax.scatter(*X.T, c=truth, cmap="coolwarm", s=12, zorder=2)
    parts = f"{graph.n_components_} part" + ("s" if graph.n_components_ > 1 else "")
    ax.set(title=f"k = {k}: {parts}, {100 * wrong.mean():.1f} % of edges between classes", aspect="equal")
    ax.title.set_fontsize(9)
plt.show()
