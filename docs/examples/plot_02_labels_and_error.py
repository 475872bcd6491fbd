"""
How many labels are the unlabelled points worth?
================================================

Error on the unlabelled points of the handwritten digits against the number of labels per class, for a support vector
machine on the labels and for :class:`mr.LapRLS` on all points, at one fixed weight of the graph.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import SVC

import mr

X, truth = load_digits(return_X_y=True)
X, truth = X[:800], truth[:800]
graph = mr.KNNGraph(n_neighbors=6).fit(X).affinity_  # one graph for all fits


def draw(labels_per_class, seed):
    rng = np.random.default_rng(seed)
    y = np.full(len(X), -1)
    for c in range(10):
        y[rng.choice(np.flatnonzero(truth == c), labels_per_class, replace=False)] = c
    return y


sizes = [1, 2, 5, 10]
errors = {"SVC, labels alone": [], "LapRLS": []}
for size in sizes:
    found = {name: [] for name in errors}
    for seed in range(2):
        y = draw(size, seed)
        known = y != -1
        found["SVC, labels alone"].append(1 - SVC().fit(X[known], y[known]).score(X[~known], truth[~known]))
        model = mr.LapRLS(gamma_A=1e-3, graph_weight=10.0, graph=graph).fit(X, y)
        found["LapRLS"].append(np.mean(model.transduction_[~known] != truth[~known]))
    for name, values in found.items():
        errors[name].append(100 * np.mean(values))

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for (name, values), style in zip(errors.items(), ["k--o", "C0-s"], strict=True):
    ax.plot(sizes, values, style, label=name)
ax.set(xlabel="labels per class", ylabel="error on unlabelled points (%)", xscale="log", ylim=(0, None))
ax.set_xticks(sizes, sizes)
ax.legend()
plt.show()
