"""Methods of chen2012 Tables III and IV: a grid of parameters on a small problem, and one fit on a large one."""

import time

import numpy as np
from sklearn.svm import SVR

from mr.estimators.eigenfunction import principal_axes
from mr.estimators.lapesvr import LapESVR
from experiments.chen2012.protocol import graph_kernel, lap_esvr_path
from experiments.chen2012.methods import span_fit
from mr.kernels import mean_gamma
from mr.solvers.anchor_graph import local_weights, nearest_anchors, regularise, weight_matrix
from mr.solvers.blocks import RowBlocks
from mr.solvers.eigenfunction import coordinate_functions
from mr.solvers.linear import solve_linear_lap_rls
from mr.solvers.primal_cg import solve_pcg
from mr.solvers.prototypes import kmeans


class SupportVector:
    """SVR on the labelled points: ``kernel`` is "linear" or "rbf" with chen2012's width."""

    def __init__(self, kernel):
        self.kernel = kernel

    def grid(self, part, params):
        for C in params["C"]:
            yield {"C": C}, self.fit(part, {"C": C})(part.X)

    def fit(self, part, cell):
        gamma = mean_gamma(part.X) if self.kernel == "rbf" else "scale"
        return SVR(kernel=self.kernel, gamma=gamma, C=cell["C"]).fit(part.X[part.rows], part.y[part.rows]).predict


class LinearLapRLS:
    """(X_l'X_l + gamma_A l I + gamma_I X'LX) w = X_l'y_l with a bias."""

    def grid(self, part, params):
        for a in params["gamma"]:
            for b in params["gamma"]:
                cell = {"gamma_A": a, "gamma_I": b}
                yield cell, self.fit(part, cell)(part.X)

    def fit(self, part, cell):
        targets = part.y[part.rows][:, None]
        ridge = cell["gamma_A"] * len(part.rows)
        found = solve_linear_lap_rls(part.X, part.graph, part.rows, targets, ridge, cell["gamma_I"], fit_intercept=True)
        return lambda X: X @ found.coefficients[:, 0] + found.intercepts[0]


class SingleGram:
    """A Gram matrix in single precision: half the memory, products in double precision to seven digits."""

    def __init__(self, kernel, X, block=2048):
        self.values = np.empty((len(X), len(X)), dtype=np.float32)
        for first in range(0, len(X), block):
            self.values[first : first + block] = kernel(X[first : first + block], X)

    def __len__(self):
        return len(self.values)

    def __matmul__(self, v):
        return (self.values @ np.asarray(v, dtype=np.float32)).astype(float)


class PrimalLapSVM:
    """Conjugate gradient with early stopping on the whole Gram matrix; chen2012 could do FACEMIT only."""

    def grid(self, part, params):
        for a in params["gamma"]:
            for b in params["gamma"]:
                cell = {"gamma_A": a, "gamma_I": b}
                yield cell, self._values(part, part.K, cell)

    def fit(self, part, cell):
        values = self._values(part, SingleGram(part.kernel, part.X), cell)
        return lambda X: values  # transductive only

    def _values(self, part, K, cell):
        found = solve_pcg(K, part.graph, part.rows, part.y[part.rows][:, None], cell["gamma_A"], cell["gamma_I"],
                          fit_intercept=True)  # fmt: skip
        return (K @ found.coefficients)[:, 0] + found.intercepts[0]


class EmbeddedSVR:
    """LapESVR: warm starts along C on the small problem, the estimator itself on the large one."""

    def grid(self, part, params):
        for weight in params["lambda"]:
            for mu in params["C"]:
                embedding = graph_kernel(part.spectrum, len(part.y), part.rows, part.y, weight, mu, 1)
                for C, values, _ in lap_esvr_path(part.K, embedding, params["C"]):
                    yield {"C": C, "mu": mu, "lambda": weight}, values

    def machine(self, part, cell, cache_size=4000.0):
        """Fitted estimator; MNIST has 20,000 support vectors at C = 10, whose rows should fit into the cache."""
        y = np.where(part.hidden, -1, (part.y > 0).astype(int))
        machine = LapESVR(
            C=cell["C"], mu=cell["mu"], label_weight=cell["lambda"], n_eigenvectors=part.spec["n_eigenvectors"],
            gamma="mean", graph=part.graph.affinity_, cache_size=cache_size,
        )  # fmt: skip
        return machine.fit(part.X, y)

    def fit(self, part, cell):
        machine = self.machine(part, cell)
        # on the points it was fitted to the machine knows its decisions without a kernel evaluation
        known = np.where(machine.transduction_ == 1, 1.0, -1.0)
        return lambda X: known if X is part.X else machine.decision_function(X)


METHODS = {
    "SVR(Linear)": SupportVector("linear"),
    "SVR(RBF)": SupportVector("rbf"),
    "LapRLS(Linear)": LinearLapRLS(),
    "PLapSVM": PrimalLapSVM(),
    "LapESVR": EmbeddedSVR(),
}


class Anchors:
    """AnchorGraphReg: anchors and weights of all rows once for all draws (they see no label); gamma = 0.01 as its
    authors."""

    def __init__(self, X, n_anchors, rng, kmeans_iter=5, gamma=0.01):
        self.centres = kmeans(RowBlocks(X, n_anchors), n_anchors, X.shape[0], rng, kmeans_iter)
        self.Z, self.gamma = self.weights(X), gamma

    def weights(self, X):
        _, indices = nearest_anchors(X, self.centres, min(3, len(self.centres)))
        return weight_matrix(indices, local_weights(X, self.centres, indices), len(self.centres))

    def fit(self, rows, labelled, y):
        """Decision values on ``rows``, and the function for new points: class shares over their mass (equation 11)."""
        Z = self.Z[rows]
        A, _ = regularise(Z, np.searchsorted(rows, labelled), y[labelled][:, None], self.gamma)
        positive = (1.0 + (Z @ A)[:, 0]) / 2.0
        mass = max(positive.mean(), 1e-9), max(1.0 - positive.mean(), 1e-9)

        def decide(weights):
            share = (1.0 + (weights @ A)[:, 0]) / 2.0
            return share / mass[0] - (1.0 - share) / mass[1]

        return decide(Z), decide


class Coordinates:
    """Eigenfunctions of all principal coordinates of all rows, once for all draws."""

    def __init__(self, X, n_bins, width):
        mean, axes = principal_axes(X)
        scores = X @ axes - mean @ axes
        functions = coordinate_functions(scores, 2 * scores.shape[1], n_bins, width * scores[:, 0].std(), clip=2.5)
        self.U = functions(scores)
        self.U /= np.linalg.norm(self.U, axis=0)
        self.values = functions.values

    def fit(self, rows, labelled, y, weight):
        return span_fit(self.U[rows], self.values, np.searchsorted(rows, labelled), y[labelled], weight)[0]


def cpu_seconds(call):
    start = time.process_time()
    result = call()
    return result, time.process_time() - start
