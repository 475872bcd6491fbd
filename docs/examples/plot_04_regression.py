"""
Regression along a spiral
=========================

The position along a spiral, learned from 10 of 300 points. NaN marks a point without a target.
"""

import matplotlib.pyplot as plt
import numpy as np

import mr

position = np.linspace(0, 1, 300)
turn = 12 * position
X = np.column_stack([(0.3 + position) * np.cos(turn), (0.3 + position) * np.sin(turn)])
X += np.random.default_rng(0).normal(scale=0.01, size=X.shape)
targets = np.full(len(X), np.nan)
known = np.linspace(0, 299, 10).astype(int)
targets[known] = position[known]

models = {"labels alone (RLSRegressor)": mr.RLSRegressor(), "with the graph (LapRLSRegressor)": mr.LapRLSRegressor()}
fig, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
drawn = axes[0].scatter(*X.T, c=position, s=10)
axes[0].scatter(*X[known].T, s=60, facecolors="none", edgecolors="black")
axes[0].set(title="the points; circles have a target", aspect="equal")
fig.colorbar(drawn, ax=axes[0], label="position")
for ax, (name, model) in zip(axes[1:], models.items(), strict=True):
    guess = model.fit(X, targets).predict(X)
    ax.axline((0, 0), slope=1, color="#999999", linewidth=1)
    ax.scatter(position, guess, s=8, c="C0")
    ax.scatter(position[known], guess[known], s=50, c="C1", edgecolors="black")
    ax.set(title=f"{name}\nR² = {model.score(X, position):.2f}", xlabel="position", ylabel="predicted position")
plt.show()
