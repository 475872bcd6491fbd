"""
Sparse solutions
================

The exact machines expand over all points. :class:`mr.SLapCVM` does not penalise small differences along edges, so that
few points remain in its expansion.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import mr

X, truth = make_moons(400, noise=0.08, random_state=1)
y = np.full(len(X), -1)
for c in (0, 1):
    y[np.flatnonzero(truth == c)[:2]] = c

fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True, sharey=True, layout="constrained")
for ax, mu in zip(axes, [1.0, 0.01], strict=True):
    model = mr.SLapCVM(mu=mu, gamma=3.0).fit(X, y)
    ax.scatter(*X.T, s=8, c="#bbbbbb")
    ax.scatter(*X[model.support_].T, s=22, facecolors="none", edgecolors="#009E73", label="in the expansion")
    ax.scatter(*X[y != -1].T, s=80, c="#E69F00", marker="D", edgecolors="black", label="labelled")
    ax.set(title=f"mu = {mu}: {model.n_support_} of {len(X)} points, {100 * model.score(X, truth):.0f} % right")
axes[0].legend(fontsize=8)
plt.show()
