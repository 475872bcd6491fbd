"""
An embedding for new points
===========================

:class:`mr.RegularizedEigenmap` embeds the handwritten digits 0 to 4 by a function, so that digits that come later
(crosses) land near earlier ones of the same class.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import mr

X, digit = load_digits(n_class=5, return_X_y=True)
old, new = slice(0, 500), slice(500, None)
model = mr.RegularizedEigenmap(n_components=2, graph=mr.KNNGraph(n_neighbors=12)).fit(X[old])

fig, ax = plt.subplots(figsize=(6.5, 5), layout="constrained")
for c, colour in enumerate(["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"]):
    ax.scatter(*model.transform(X[old][digit[old] == c]).T, s=10, c=colour, label=str(c))
    ax.scatter(*model.transform(X[new][digit[new] == c]).T, s=40, c=colour, marker="x")
ax.set(xlabel="first coordinate of the embedding", ylabel="second coordinate of the embedding")
ax.legend(title="digit")
plt.show()
