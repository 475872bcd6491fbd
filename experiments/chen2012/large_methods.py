"""Methods of chen2012 Tables III and IV: a grid of parameters on a small problem, and one fit on a large one.

``grid(part, params)`` yields (cell in the paper's names, decision values) and ``machine(part, cell)`` is a fitted
estimator. gamma_A and gamma_I of a cell have no factors of belkin2006, except where a docstring names one.
"""

from itertools import product

import numpy as np
from sklearn.svm import SVR

import mr
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
    """(X_l'X_l + gamma_A l I + gamma_I X'LX) w = X_l'y_l with a bias."""

    def grid(self, part, params):
        path = paths.LinearLapRLSPath(mr.LinearLapRLS(fit_intercept=True, graph=part.graph), part.X)
        gamma, l = params["gamma"], len(part.rows)
        found = path.grid(part.labels, ridge=[a * l for a in gamma], smoothness=gamma)
        for (a, b), (_, fit) in zip(product(gamma, gamma), found, strict=True):
            yield {"gamma_A": a, "gamma_I": b}, fit.values

    def machine(self, part, cell):
        n, l = len(part.y), len(part.rows)
        gamma_I = cell["gamma_I"] * n**2 / l
        machine = mr.LinearLapRLS(cell["gamma_A"], gamma_I, fit_intercept=True, graph=part.graph)
        return machine.fit(part.X, part.labels)


class PrimalLapSVM(Transductive):
    """Conjugate gradient with early stopping on the whole Gram matrix; chen2012 could do FACEMIT only."""

    def template(self, part, **parameters):
        return mr.PrimalLapSVM(gamma="mean", solver="pcg", fit_intercept=True, graph=part.graph, **parameters)

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
    """LapESVR: warm starts along C on the small problem, the estimator itself on the large one."""

    def lists(self, params):
        return {"lambda": params["lambda"], "mu": params["C"], "C": params["C"]}

    def grid(self, part, params):
        path = paths.LapESVRPath(lap_esvr(part.graph, min(part.spec["n_eigenvectors"], len(part.y))), part.X)
        lists = {"label_weight": params["lambda"], "mu": params["C"], "C": params["C"]}
        for cell, fit in listed(lists, path.grid(part.labels, **lists)):
            yield in_paper(cell), fit.values

    def machine(self, part, cell, cache_size=4000.0):
        """Fitted estimator; MNIST has 20,000 support vectors at C = 10, whose rows should fit into the cache."""
        machine = mr.LapESVR(
            C=cell["C"], mu=cell["mu"], label_weight=cell["lambda"], n_eigenvectors=part.spec["n_eigenvectors"],
            gamma="mean", graph=part.graph, cache_size=cache_size,
        )  # fmt: skip
        return machine.fit(part.X, part.labels)


METHODS = {
    "SVR(Linear)": SupportVector("linear"),
    "SVR(RBF)": SupportVector("rbf"),
    "LapRLS(Linear)": LinearLapRLS(),
    "PLapSVM": PrimalLapSVM(),
    "LapESVR": EmbeddedSVR(),
}


def anchors_of(X, n_anchors, seed) -> np.ndarray:
    """k-means centres of all rows, once for all draws: they see no label."""
    template = mr.AnchorGraph(n_anchors=n_anchors, kmeans_iter=5, random_state=seed)
    return paths.AnchorGraphPath(template, X).anchors


def n_anchors(method) -> int:
    """Number of anchors in the name of a method, such as ``"AnchorGraphReg(500)"``."""
    return int(method[len("AnchorGraphReg(") : -1])
