"""
Two labels, two moons
=====================

With one label per class a supervised machine can only draw a straight line between them. The unlabelled points show two
curves, and :class:`mr.LapRLS` follows them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import mr

X, truth = make_moons(300, noise=0.06, random_state=0)
y = np.full(len(X), -1)  # -1 marks an unlabelled point
for c in (0, 1):
    y[np.flatnonzero(truth == c)[0]] = c

models = {"labels alone (RLS)": mr.RLS(gamma_A=1e-2, gamma=3.0), "with the graph (LapRLS)": mr.LapRLS(gamma=3.0)}
grid = np.stack(np.meshgrid(np.linspace(-1.5, 2.5, 150), np.linspace(-1.0, 1.5, 100)), axis=-1)

fig, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharex=True, sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    model.fit(X, y)
    values = model.decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    ax.contourf(grid[..., 0], grid[..., 1], values, levels=[-99, 0, 99], colors=["#cfe6f5", "#fbe0c8"])
    ax.scatter(*X.T, c="#888888", s=8)
    ax.scatter(*X[y != -1].T, c=["#0072B2", "#D55E00"], s=120, edgecolors="black", marker="D")
    ax.set(title=f"{name}: {100 * model.score(X, truth):.0f} % right", xlabel="first coordinate")
axes[0].set_ylabel("second coordinate")
plt.show()
