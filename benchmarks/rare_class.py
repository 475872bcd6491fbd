"""Recall of a class with 2 labels where every other class has 100, with default parameters.

    python benchmarks/rare_class.py [--only TSVM LGC] [--draws 20]

The points of the rare class are as many as those of another one: labels were not drawn in proportion. Prints the least
and the mean recall over the draws, and how often it was 0, beside LabelSpreading(kernel="knn").
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_blobs, make_moons
from sklearn.preprocessing import scale
from sklearn.semi_supervised import LabelSpreading

import mr


def digits(*chosen):
    X, truth = load_digits(return_X_y=True)
    kept = np.isin(truth, chosen)
    return X[kept], np.unique(truth[kept], return_inverse=True)[1]


def problems():
    X, truth = load_breast_cancer(return_X_y=True)
    return {
        "moons, noise 0.1": make_moons(400, noise=0.1, random_state=0),
        "moons, noise 0.2": make_moons(400, noise=0.2, random_state=1),
        "blobs": make_blobs(400, centers=[[0, 0], [3, 3]], random_state=0),
        "blobs in 10 dimensions": make_blobs(400, centers=2, n_features=10, cluster_std=4, random_state=3),
        "digits 3, 8": digits(3, 8),
        "digits 4, 9": digits(4, 9),
        "digits 1, 7": digits(1, 7),
        "digits 1, 3, 8": digits(1, 3, 8),
        "cancer": (scale(X), truth),
    }


def recall(model, X, truth, rare, seed):
    rng, y = np.random.default_rng(seed), np.full(len(truth), -1)
    for c in range(truth.max() + 1):
        y[rng.choice(np.flatnonzero(truth == c), 2 if c == rare else 100, replace=False)] = c
    hidden = (y == -1) & (truth == rare)
    return np.mean(model.fit(X, y).transduction_[hidden] == rare)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=["TSVM"])
    parser.add_argument("--draws", type=int, default=20)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    models = {name: getattr(mr, name) for name in options.only}
    models["LabelSpreading"] = lambda: LabelSpreading(kernel="knn")
    for name, (X, truth) in problems().items():
        for rare in (0, 1):
            shown = []
            for model, make in models.items():
                found = [recall(make(), X, truth, rare, seed) for seed in range(options.draws)]
                zeros = sum(value == 0 for value in found)
                shown.append(f"{model} least {min(found):.2f} mean {np.mean(found):.2f} zero {zeros}")
            print(f"{name:24s} class {rare} rare: " + "   ".join(shown), flush=True)


if __name__ == "__main__":
    main()
