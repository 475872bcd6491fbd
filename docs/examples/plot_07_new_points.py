"""
New points
==========

The fitted machines are functions, so they also predict points that were not in the training data. Error of
:class:`mr.LapRLS` on the unlabelled training points and on new ones, against the number of unlabelled points.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import mr

X, truth = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(X))
X, truth = X[order], truth[order]
new, known = slice(1200, None), 40

sizes, seen, unseen = [60, 150, 400, 1200], [], []
for n in sizes:
    y = np.where(np.arange(n) < known, truth[:n], -1)
    model = mr.LapRLS().fit(X[:n], y)
    seen.append(100 * np.mean(model.transduction_[known:] != truth[known:n]))
    unseen.append(100 * (1 - model.score(X[new], truth[new])))

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(sizes, seen, "C0-s", label="unlabelled training points")
ax.plot(sizes, unseen, "C1--o", label="new points")
ax.set(xscale="log", xlabel=f"training points, {known} of them labelled", ylabel="error (%)", ylim=(0, None))
ax.set_xticks(sizes, sizes)
ax.legend()
plt.show()
