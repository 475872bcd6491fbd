"""
A graph of your own: cutting out a picture
==========================================

Any sparse matrix of affinities can be the graph. Here the points are the pixels of a photograph, the edges join
neighbouring pixels of similar colour, and a scribble on the flower and the frame of the picture are the labels.
:class:`mr.HarmonicFunction` spreads them over the graph.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse
from sklearn.datasets import load_sample_image

import mr

image = load_sample_image("flower.jpg")[40:400:4, 130:560:4] / 255.0
rows, columns = image.shape[:2]
number = np.arange(rows * columns).reshape(rows, columns)

pairs = [(number[:, :-1], number[:, 1:]), (number[:-1], number[1:])]
colours = image.reshape(-1, 3)
i = np.concatenate([a.ravel() for a, _ in pairs])
j = np.concatenate([b.ravel() for _, b in pairs])
weight = np.exp(-200.0 * ((colours[i] - colours[j]) ** 2).sum(axis=1)) + 1e-4
affinity = sparse.csr_array((weight, (i, j)), shape=(number.size, number.size))
affinity = affinity + affinity.T

y = np.full((rows, columns), -1)
y[25:66, 50:54] = y[43:47, 32:75] = 1  # a cross on the flower
y[:4], y[-4:], y[:, :4], y[:, -4:] = 0, 0, 0, 0  # the frame is background
model = mr.HarmonicFunction(graph=affinity).fit(colours, y.ravel())

scribbles, cut = image.copy(), image.copy()
scribbles[y == 1], scribbles[y == 0] = (0.0, 0.62, 0.45), (0.0, 0.45, 0.7)
cut[model.transduction_.reshape(rows, columns) == 0] = 1.0
share = (model.values_.reshape(rows, columns) + 1) / 2

fig, axes = plt.subplots(1, 3, figsize=(10, 3), layout="constrained")
for ax, (name, picture) in zip(
    axes, {"picture and labels": scribbles, "harmonic function": share, "cut out": cut}.items(), strict=True
):
    ax.imshow(picture, cmap="cividis")
    ax.set(title=name, xticks=[], yticks=[])
plt.show()
