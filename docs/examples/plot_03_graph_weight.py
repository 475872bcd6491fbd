"""
One factorisation, every graph weight
=====================================

:class:`mr.paths.LapRLSPath` gives the exact leave-one-out error of a whole grid from one factorisation. The weight that
looks best on the held-out labels is close to the one that is best on the unlabelled points, which a user cannot know.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import mr

X, truth = load_digits(return_X_y=True)
X, truth = X[:900], truth[:900]
rng = np.random.default_rng(1)
y = np.full(len(X), -1)
labelled = rng.choice(len(X), 60, replace=False)
y[labelled] = truth[labelled]

path = mr.paths.LapRLSPath(mr.LapRLS(graph=mr.KNNGraph(n_neighbors=6)), X)
weights = [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0]
held_out = []
for _, values in path.held_out_grid(y, gamma_A=[1e-3], graph_weight=weights):
    held_out.append(100 * np.mean(values.argmax(axis=1) != y[y != -1]))
hidden = []
for weight in weights:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # at the largest weight some classes are predicted nowhere
        model = mr.LapRLS(gamma_A=1e-3, graph_weight=weight).fit(X, y)
    hidden.append(100 * np.mean(model.transduction_[y == -1] != truth[y == -1]))

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(weights, held_out, "C1-o", label="leave-one-out, 60 labels")
ax.plot(weights, hidden, "k--s", label="unlabelled points")
ax.set(xscale="log", xlabel="graph_weight", ylabel="error (%)", ylim=(0, None))
ax.legend()
plt.show()
