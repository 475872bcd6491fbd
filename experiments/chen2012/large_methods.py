"""Methods of chen2012 Tables III and IV: a grid of parameters on a small problem, and one fit on a large one.

``grid(part, params)`` yields (cell in the paper's names, decision values) and ``machine(part, cell)`` is a fitted
estimator. gamma_A and gamma_I of a cell have no factors of belkin2006, except where a docstring names one. Both go
through the same template, so that validation and test are one estimator.
"""

from itertools import product

import numpy as np
from sklearn.svm import SVR

import mr
from experiments.chen2012.large import cpu_seconds
from experiments.chen2012.protocol import in_paper, lap_esvr, listed
from mr import paths
from mr.kernels import mean_gamma


class SupportVector:
    """SVR on the labelled points: ``kernel`` is "linear" or "rbf" with chen2012's width."""

    uses_graph = False

    def __init__(self, kernel):
        self.kernel = kernel

    def lists(self, params):
        return {"C": params["C"]}

    def grid(self, part, params):
        for C in params["C"]:
            yield {"C": C}, self.decide(self.machine(part, {"C": C}), part)(part.X)

    def machine(self, part, cell):
        gamma = mean_gamma(part.X) if self.kernel == "rbf" else "scale"
        return SVR(kernel=self.kernel, gamma=gamma, C=cell["C"]).fit(part.X[part.rows], part.y[part.rows])

    def decide(self, machine, part):
        return machine.predict


class Transductive:
    """Machines on labelled and unlabelled points."""

    uses_graph = True

    def lists(self, params):
        return {"gamma_A": params["gamma"], "gamma_I": params["gamma"]}

    def decide(self, machine, part):
        """Decision values; on the points it was fitted to the machine knows its decisions without a kernel."""
        known = np.where(machine.transduction_ == 1, 1.0, -1.0)
        return lambda X: known if X is part.X else machine.decision_function(X)


class LinearLapRLS(Transductive):
    """(X_l'X_l + gamma_A l I + gamma_I X'LX) w = X_l'y_l as printed; the objective above it has a bias."""

    def __init__(self, bias):
        self.bias = bias

    def grid(self, part, params):
        path = paths.LinearLapRLSPath(mr.LinearLapRLS(fit_intercept=self.bias, graph=part.graph), part.X)
        gamma, l = params["gamma"], len(part.rows)
        found = path.grid(part.labels, ridge=[a * l for a in gamma], smoothness=gamma)
        for (a, b), (_, fit) in zip(product(gamma, gamma), found, strict=True):
            yield {"gamma_A": a, "gamma_I": b}, fit.values

    def machine(self, part, cell):
        n, l = len(part.y), len(part.rows)
        gamma_I = cell["gamma_I"] * n**2 / l
        machine = mr.LinearLapRLS(cell["gamma_A"], gamma_I, fit_intercept=self.bias, graph=part.graph)
        return machine.fit(part.X, part.labels)


class PrimalLapSVM(Transductive):
    """Conjugate gradient on the whole Gram matrix, stopped as in Table II; chen2012 could do FACEMIT only.

    ``check_every`` None is the default of its authors' program, sqrt(n) / 2.
    """

    def __init__(self, check_every):
        self.check_every = check_every

    def template(self, part, **parameters):
        stopping = {"solver": "pcg", "check_every": self.check_every}
        return mr.PrimalLapSVM(gamma="mean", fit_intercept=True, graph=part.graph, **stopping, **parameters)

    def grid(self, part, params):
        path = paths.PrimalLapSVMPath(self.template(part), part.X)
        lists = {"ridge": params["gamma"], "smoothness": params["gamma"]}
        for cell, fit in listed(lists, path.grid(part.labels, **lists)):
            yield in_paper(cell), fit.values

    def machine(self, part, cell):
        n, l = len(part.y), len(part.rows)
        scaled = {"gamma_A": cell["gamma_A"] / l, "gamma_I": cell["gamma_I"] * n**2 / l}
        return self.template(part, **scaled, precision="single").fit(part.X, part.labels)


class EmbeddedSVR(Transductive):
    """LapESVR with L + shift I: warm starts along C in a grid, the estimator itself for one cell."""

    def __init__(self, shift):
        self.shift = shift

    def lists(self, params):
        """mu has the values of C, as in the paper, unless it has a list of its own."""
        return {"lambda": params["lambda"], "mu": params.get("mu", params["C"]), "C": params["C"]}

    def template(self, part, **parameters):
        """MNIST has 19,000 support vectors at C = 10; most of their rows should fit into the cache."""
        k = min(part.spec["n_eigenvectors"], len(part.y))
        return lap_esvr(part.graph, k, shift=self.shift, cache_size=4000.0, **parameters)

    def grid(self, part, params):
        path = paths.LapESVRPath(self.template(part), part.X)
        lists = {"label_weight" if name == "lambda" else name: values for name, values in self.lists(params).items()}
        for cell, fit in listed(lists, path.grid(part.labels, **lists)):
            yield in_paper(cell), fit.values

    def machine(self, part, cell):
        weights = {"C": cell["C"], "mu": cell["mu"], "label_weight": cell["lambda"]}
        return self.template(part, **weights).fit(part.X, part.labels)

    def decide(self, machine, part):
        """New points in single precision: 10,000 support vectors each, and a sign needs few digits."""
        known, gamma = super().decide(machine, part), mean_gamma(part.X)
        return lambda X: known(X) if X is part.X else single_precision(machine, gamma, X)


def single_precision(machine, gamma, X) -> np.ndarray:
    """Decision values of a machine with a Gaussian kernel, to some 1e-5 of the sum of its coefficients."""
    centre = machine.points_.mean(axis=0)
    A, B = ((points - centre).astype(np.float32) for points in (X, machine.points_))
    squares = np.einsum("ij,ij->i", A, A)[:, None] + np.einsum("ij,ij->i", B, B) - 2.0 * (A @ B.T)
    values = np.exp(np.maximum(squares, 0.0, out=squares) * np.float32(-gamma), out=squares)
    return values @ machine.dual_coef_.astype(np.float32).ravel() + machine.intercept_


METHODS = {
    "SVR(Linear)": SupportVector("linear"),
    "SVR(RBF)": SupportVector("rbf"),
    "LapRLS(Linear)": LinearLapRLS(bias=False),
    "LapRLS(Linear), with bias": LinearLapRLS(bias=True),
    "PLapSVM": PrimalLapSVM(check_every=3),
    "PLapSVM, check every sqrt(n)/2": PrimalLapSVM(check_every=None),
    "LapESVR": EmbeddedSVR(shift=1e-6),
    "LapESVR, L + 1e-4 I": EmbeddedSVR(shift=1e-4),
}


class Anchors:
    """AnchorGraphReg with gamma = 0.01 as its authors. Centres and weights see no label: they serve all draws.

    Parameters
    ----------
    X : array (n, d)
    centres : array (m, d)
    X_new : array (n_new, d), default=None
    """

    def __init__(self, X, centres, X_new=None):
        self.X, self.X_new, self.template = X, X_new, mr.AnchorGraph(anchors=centres)
        whole = paths.AnchorGraphPath(self.template, X, X_new)
        self.weights = whole.weights
        if X_new is not None:
            self.new_weights, self.seconds = cpu_seconds(lambda: whole.new_weights)

    def path(self, rows):
        """The path of some of the points, its weights known."""
        path = paths.AnchorGraphPath(self.template, self.X[rows], self.X_new)
        path.weights = self.weights[rows]
        if self.X_new is not None:
            path.new_weights = self.new_weights
        return path


def anchors_of(X, m, seed, sample=None) -> np.ndarray:
    """k-means centres of all rows, or of a ``sample`` of so many rows per centre."""
    if sample is not None:
        X = X[np.random.default_rng(seed).choice(len(X), min(len(X), sample * m), replace=False)]
    template = mr.AnchorGraph(n_anchors=m, kmeans_iter=5, random_state=seed)
    return paths.AnchorGraphPath(template, X).anchors


def n_anchors(method) -> int:
    """Number of anchors in the name of a method, such as ``"AnchorGraphReg(500)"`` or a variant of it."""
    return int(method.partition("(")[2].partition(")")[0])
