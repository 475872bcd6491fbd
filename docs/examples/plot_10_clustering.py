"""
No labels at all: clusters that predict
=======================================

:class:`mr.RegularizedSpectralClustering` finds a function, so that every point of the plane has a cluster, not only the
training points.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans

import mr

X = mr.datasets.load("two_spirals", n=400).X
grid = np.stack(np.meshgrid(np.linspace(-1.2, 1.2, 150), np.linspace(-1.2, 1.2, 150)), axis=-1)
models = {
    "k-means": KMeans(2, n_init=10, random_state=0),
    "regularised spectral clustering": mr.RegularizedSpectralClustering(gamma=15.0, graph=mr.KNNGraph(n_neighbors=10)),
}

fig, axes = plt.subplots(1, 2, figsize=(8, 4), sharex=True, sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    model.fit(X)
    inside = model.predict(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    ax.contourf(grid[..., 0], grid[..., 1], inside, levels=[-0.5, 0.5, 1.5], colors=["#cfe6f5", "#fbe0c8"])
    ax.scatter(*X.T, c=model.labels_, cmap="coolwarm", s=10)
    ax.set(title=name, aspect="equal")
plt.show()
