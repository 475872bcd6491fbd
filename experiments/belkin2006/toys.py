"""belkin2006, Figures 1, 2, 3, 9 and 10: pictures in the plane.

Each figure's models are made here, once, for the run that measures them and for the notebook that draws them.

Graphs have six neighbours and binary weights, the defaults of the authors' MATLAB code. The Laplacian is stated:
Figures 2 and 3 belong to section 5, for which Remark 3 of the paper names the normalised one; Figures 9 and 10 to
section 6, whose equation 13 sums (f_i - f_j)^2 over edges, which is D - W. LapSVM comes with the unpenalised bias of
section 4.4 and without it, since the authors' code of 2004 ends with b = 0. One convention had to be found: the
captions' gamma_I is the weight of f'Lf itself. With the factor 1 / (l + u)^2 of equation 2 the printed values are too
small to have an effect (rows with "1/n^2" in their setting measure that).
"""

import numpy as np

import mr
from experiments.belkin2006.protocol import kernel_options, row
from experiments.splits import reveal

LAPSVM = {"LapSVM": True, "LapSVM without bias": False}


class Plane:
    """Training points ``X``, ``y`` and new ones ``X_new``, ``y_new``; generated sets are split by every second pair."""

    def __init__(self, dataset):
        if "train" in dataset.splits:
            train, new = dataset.splits["train"], dataset.splits["test"]
        else:
            train, new = np.array_split(np.arange(len(dataset.y)), 2)
        self.X, self.y = dataset.X[train], dataset.y[train]
        self.X_new, self.y_new = dataset.X[new], dataset.y[new]

    def partly_labelled(self, rows):
        """y with -1 on all rows but these."""
        return reveal(self.y, rows)

    def central_rows(self):
        """The point nearest to the mean of each class: the labelled points of the drawn panels."""
        return [self._nearest(c, self.X[self.y == c].mean(axis=0)) for c in np.unique(self.y)]

    def drawn_rows(self, seed_sequence):
        """One random point of each class."""
        rng = np.random.default_rng(seed_sequence)
        return [rng.choice(np.flatnonzero(self.y == c)) for c in np.unique(self.y)]

    def _nearest(self, c, point):
        rows = np.flatnonzero(self.y == c)
        return rows[np.square(self.X[rows] - point).sum(axis=1).argmin()]


def graph(params):
    return mr.KNNGraph(**params["graph"])


def rbf(sigma) -> dict:
    """Parameters of an estimator for a Gaussian kernel of width sigma."""
    return kernel_options({"name": "rbf", "sigma": sigma})


def laplacian_svm(params, gamma_A, gamma_I, sigma, n, scaled=False, bias=True):
    """LapSVM with gamma_I as the weight of f'Lf, or of f'Lf / n^2 if ``scaled``; ``bias`` False puts b = 0."""
    intrinsic = gamma_I if scaled else gamma_I * n**2
    options = rbf(sigma) | {"graph": graph(params), "fit_intercept": bias}
    return mr.LapSVM(gamma_A=gamma_A, gamma_I=intrinsic, **options)


def ring_models(X, y, params) -> dict:
    """Figure 1: the two labelled points alone, and with the unlabelled ones."""
    sigma = params["sigma"]
    lap = laplacian_svm(params, params["gamma_A"], params["gamma_I"], sigma, len(y))
    return {"SVM": mr.SVM(gamma_A=params["gamma_A"], **rbf(sigma)).fit(X, y), "LapSVM": lap.fit(X, y)}


def moon_models(X, y, params, scaled=False, bias=True) -> dict:
    """Figure 2: LapSVM for growing gamma_I."""
    return {
        gamma_I: laplacian_svm(params, params["gamma_A"], gamma_I, params["sigma"], len(y), scaled, bias).fit(X, y)
        for gamma_I in params["gamma_I"]
    }


def grid_models(X, y, params) -> list[tuple]:
    """Figure 3: (method, parameters, fitted model) over the grid."""
    found = []
    for sigma in params["sigma"]:
        for a in params["gamma_A"]:
            cell = {"sigma": sigma, "gamma_A": a}
            found.append(("SVM", cell, mr.SVM(gamma_A=a, **rbf(sigma)).fit(X, y)))
            found.append(("TSVM", cell, mr.TSVM(gamma_A=a, positive_fraction="labels", **rbf(sigma)).fit(X, y)))
            for b in params["gamma_I"]:
                for method, bias in LAPSVM.items():
                    model = laplacian_svm(params, a, b, sigma, len(y), bias=bias)
                    found.append((method, cell | {"gamma_I": b}, model.fit(X, y)))
    return found


def best_models(X, y, truth, params) -> dict:
    """Figure 3: of each method the first model of the grid (widest kernels first) with the lowest hidden error."""
    best = {}
    for method, cell, model in grid_models(X, y, params):
        error = error_pct(model, X[y == -1], truth[y == -1])
        if method not in best or error < best[method][0]:
            best[method] = (error, cell, model)
    return best


def cluster_models(X, params) -> dict:
    """Figures 9 and 10: regularised spectral clustering for growing gamma = gamma_A / gamma_I."""
    width = rbf(params["sigma"])["gamma"]
    return {
        gamma: mr.RegularizedSpectralClustering(gamma, 2, gamma=width, graph=graph(params)).fit(X)
        for gamma in params["gamma"]
    }


def error_pct(model, X, y) -> float:
    return 100.0 * float(np.mean(model.predict(X) != y))


def clustering_error_pct(clusters, y) -> float:
    """Percentage of points in the wrong cluster, for the better of the two ways to name the clusters."""
    wrong = float(np.mean(clusters != y))
    return 100.0 * min(wrong, 1.0 - wrong)


def clustering_rows(data, params, **entries) -> list[dict]:
    """Error of each gamma on the points that were clustered and on new ones."""
    rows = []
    for gamma, model in cluster_models(data.X, params).items():
        for part, X, y in (("clustered", data.X, data.y), ("new", data.X_new, data.y_new)):
            error = clustering_error_pct(model.predict(X), y)
            rows.append(row("RSC", f"gamma={gamma:g}, {part}", "error_pct", error, gamma=gamma, part=part, **entries))
    return rows
