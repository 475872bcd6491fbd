"""
Many points: prototypes
=======================

:class:`mr.PVM` puts graph and function on a few k-means centres, so that time and memory grow linearly with
the number of points. Twenty thousand points, ten labels per class.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import mr

X, truth = make_moons(20000, noise=0.12, random_state=0)
y = np.full(len(X), -1)
for c in (0, 1):
    y[np.flatnonzero(truth == c)[:10]] = c

start = time.perf_counter()
model = mr.PVM(n_prototypes=60, random_state=0).fit(X, y)
print(f"{len(X)} points in {time.perf_counter() - start:.1f} s")

grid = np.stack(np.meshgrid(np.linspace(-1.5, 2.5, 150), np.linspace(-1.0, 1.5, 100)), axis=-1)
values = model.decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])

fig, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
ax.contourf(grid[..., 0], grid[..., 1], values, levels=[-99, 0, 99], colors=["#cfe6f5", "#fbe0c8"])
ax.scatter(*X[::20].T, s=3, c="#999999")
ax.scatter(*model.prototypes_.T, s=28, c="white", edgecolors="black", label="prototypes")
ax.scatter(*X[y == 0].T, s=50, c="#0072B2", marker="D", edgecolors="black", label="labels, class 0")
ax.scatter(*X[y == 1].T, s=50, c="#D55E00", marker="D", edgecolors="black", label="labels, class 1")
ax.set(xlabel="first coordinate", ylabel="second coordinate", title=f"{100 * model.score(X, truth):.1f} % right")
ax.legend(loc="upper right", fontsize=8)
plt.show()
