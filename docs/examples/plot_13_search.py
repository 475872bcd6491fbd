"""
Choosing the graph too
======================

:class:`mr.LapRLSCV` tries graphs as well as weights. The map shows its score for every pair; the star is its choice.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import mr

X, truth = load_digits(return_X_y=True)
X, truth = X[:1000], truth[:1000]
y = np.full(len(X), -1)
labelled = np.random.default_rng(2).choice(len(X), 60, replace=False)
y[labelled] = truth[labelled]

neighbours, weights = [3, 6, 12, 24], [0.0, 1.0, 10.0, 100.0, 1000.0]
search = mr.LapRLSCV(gamma_A=[1e-3], graph_weight=weights, n_neighbors=neighbours).fit(X, y)
table = np.full((len(neighbours), len(weights)), np.nan)
for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
    table[neighbours.index(params["n_neighbors"]), weights.index(params["graph_weight"])] = score

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
drawn = ax.imshow(table, cmap="viridis", aspect="auto")
best = search.best_params_
ax.plot(weights.index(best["graph_weight"]), neighbours.index(best["n_neighbors"]), "w*", markersize=16)
ax.set_xticks(range(len(weights)), weights)
ax.set_yticks(range(len(neighbours)), neighbours)
ax.set(xlabel="graph_weight", ylabel="n_neighbors", title="the star is the choice of the search")
fig.colorbar(drawn, label="score on held-out labels")
plt.show()
