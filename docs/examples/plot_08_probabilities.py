"""
Probabilities
=============

:class:`mr.LapRLSCV` chooses its weights by leave-one-out and fits one temperature to the held-out values, so that its
probabilities are calibrated. Breast cancer, 40 labels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import mr

X, truth = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)

fig, ax = plt.subplots(figsize=(4.6, 4), layout="constrained")
ax.plot([0, 1], [0, 1], color="#999999", linewidth=1)
said, happened = [], []
for seed in range(5):
    y = np.full(len(X), -1)
    known = np.random.default_rng(seed).choice(len(X), 40, replace=False)
    y[known] = truth[known]
    model = mr.LapRLSCV().fit(X, y)
    said.append(model.predict_proba(X[y == -1])[:, 1])
    happened.append(truth[y == -1])
share, mean = calibration_curve(np.concatenate(happened), np.concatenate(said), n_bins=8)
ax.plot(mean, share, "C0-s")
ax.set(
    xlabel="stated probability of class 1",
    ylabel="share of class 1",
    title="unlabelled points, five draws of 40 labels",
)
plt.show()
