"""zhang2015 Fig. 1: the boundary of an SVM on all labels, and of a model with a few prototypes of each class.

The prototype model sums the labels of its prototypes weighted by similarity (equation 15), nothing is fitted. Claim:
the boundaries are nearly the same. Measured: on how much of the data's bounding box the two agree, and on the data
itself.
"""

import numpy as np

from experiments.zhang2015 import protocol as zhang2015
from mr import SVM
from mr.paths import kmeans_centres

ID = "zhang2015_fig1"
METHOD = "prototypes"
datasets = zhang2015.datasets


def tasks(params):
    return [{"dataset": key} for key in params["datasets"]]


class PrototypeLabels:
    """f(x) = mean over the class-1 prototypes of k(x, v) minus that over the class-0 prototypes."""

    def __init__(self, kernel, prototypes, signs):
        self.kernel, self.prototypes, self.signs = kernel, prototypes, signs

    def decision_function(self, X):
        return self.kernel(X, self.prototypes) @ self.signs


def models(X, y, gamma, n_prototypes, seed=0):
    """The SVM on all labels, and the prototype model with k-means centres of each class."""
    svm = SVM(gamma_A=1e-3, gamma=gamma).fit(X, y)
    rng = np.random.RandomState(seed)
    centres = [kmeans_centres(X[y == c], n_prototypes, rng) for c in (0, 1)]
    signs = np.repeat([-1.0, 1.0], n_prototypes) / n_prototypes
    return svm, PrototypeLabels(svm.kernel_, np.concatenate(centres), signs)


def agreement(svm, prototypes, X) -> float:
    return 100.0 * float(((svm.decision_function(X) > 0) == (prototypes.decision_function(X) > 0)).mean())


def box(X, steps=60):
    """A grid over the bounding box of the points."""
    axes = [np.linspace(low, high, steps) for low, high in zip(X.min(axis=0), X.max(axis=0), strict=True)]
    return np.column_stack([axis.ravel() for axis in np.meshgrid(*axes)])


def run_task(task, params, store):
    X, y = zhang2015.points(store, task["dataset"])
    svm, prototypes = models(X, y, params["gamma"], params["n_prototypes"], params["seed"])
    return [{"data_pct": agreement(svm, prototypes, X), "box_pct": agreement(svm, prototypes, box(X))}]


def summarise(rows, params):
    tidy = []
    for dataset, group in rows.groupby("dataset", sort=False):
        for where in ("data", "box"):
            setting = f"agreement with SVM on the {where}"
            tidy.append(zhang2015.row(ID, dataset, METHOD, setting, "agreement_pct", group[f"{where}_pct"], group))
    return zhang2015.frame(tidy)
