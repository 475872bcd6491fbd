"""belkin2006, section 5.2: telling two digits apart with a few labels. Shared by Figures 4 and 5 and their sensitivity.

The training set are the first images of each digit of the USPS training part, the test set its other images. PCA is
fitted to the whole training part (no labels are used). The kernel follows Schoelkopf et al. (1995), as the paper says
it does: (x.z / 256)^3. The graph is open in the paper; ours has the defaults of the authors' MATLAB code (ml_options,
June 2004): six neighbours, binary weights, normalised Laplacian, first power. ``belkin2006_sensitivity`` tries others.
"""

from itertools import combinations

import numpy as np

from experiments.belkin2006.protocol import break_even_pct, by_part, cell, draw_per_class, machine_path
from experiments.splits import reveal


def pairs(digits) -> list[str]:
    """The binary problems, "0v1" to "8v9"."""
    return [f"{p}v{q}" for p, q in combinations(digits, 2)]


class PairProblem:
    """Points of two digits: ``X``, ``y`` (1 for the first digit, 0 for the second) to train, ``X_test``, ``y_test``."""

    def __init__(self, dataset, pair, n_first, n_components):
        part = dataset.splits.get("train", np.arange(len(dataset.y)))
        X, y = principal_components(dataset.X[part], n_components), dataset.y[part]
        first, second = (np.flatnonzero(y == int(digit)) for digit in pair.split("v"))
        train = np.concatenate([first[:n_first], second[:n_first]])
        test = np.concatenate([first[n_first:], second[n_first:]])
        is_first = (y == int(pair.split("v")[0])).astype(int)
        self.X, self.y = X[train], is_first[train]
        self.X_test, self.y_test = X[test], is_first[test]

    def draws(self, n_labelled, seed_sequence, n_draws):
        """Labelled sets with ``n_labelled`` images per digit."""
        return draw_per_class(self.y, {0: n_labelled, 1: n_labelled}, seed_sequence, n_draws)

    def path(self, method, kernel, graph):
        """The method on this problem, from the entries ``kernel`` and ``graph`` of params."""
        return machine_path(method, kernel, graph, self.X, self.X_test)

    def errors(self, path, weights, labelled) -> tuple[dict, dict]:
        """Error at the break-even point on unlabelled and test points, and the info of the fit."""
        fit = path.fit(reveal(self.y, labelled), **cell(weights))
        parts = by_part(fit, self.y, self.y_test, labelled)
        return {part: break_even_pct(values[:, 0], y) for part, values, y in parts}, fit.info


def principal_components(X, n_components):
    """Coordinates of the centred rows along the leading axes, by the d x d covariance (7291 images need no more)."""
    centred = X - X.mean(axis=0)
    if n_components >= X.shape[1]:
        return centred
    axes = np.linalg.eigh(centred.T @ centred)[1][:, -n_components:]
    return centred @ axes
