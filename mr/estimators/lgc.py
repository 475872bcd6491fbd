"""Learning with local and global consistency (Zhou et al. 2003), zhang2015's LGC."""

from numbers import Real

import numpy as np

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import GRAPH_CONSTRAINTS, GraphMixin, SemiSupervisedClassifier, warn_unlabelled_components
from mr.estimators._transductive import TransductiveMachine
from mr.kernels import Kernel
from mr.solvers.propagation import gaussian_affinity, normalized_affinity, solve_lgc


class LGC(SemiSupervisedClassifier, GraphMixin, TransductiveMachine):
    """f = (I - eta Q)^-1 y with Q = D^-1/2 W D^-1/2 (zhang2015, equation 8).

    New points: interpolation between the nearest training rows, see :class:`TransductiveMachine`.

    Parameters
    ----------
    eta : float in (0, 1)
        How far labels travel; eta = 1 / (1 + C) for f'Sf + C ||f - y||^2.
    graph : "gaussian", KNNGraph or any object with its interface, sparse n x n affinity matrix; None for ``KNNGraph()``
        "gaussian" joins all points with weights exp(-gamma d^2), as zhang2015 does: O(n^2) memory, O(n^3) time.
    gamma : float, "scale" or "mean"
        Width of the Gaussian graph.
    memory : None, str or joblib.Memory
        Caches the fitted graph across fits.

    Attributes
    ----------
    values_ : f on the training rows
    transduction_ : predictions for the training rows
    """

    _parameter_constraints = {
        "eta": [Interval(Real, 0.0, 1.0, closed="neither")],
        **GRAPH_CONSTRAINTS,
        "graph": [*GRAPH_CONSTRAINTS["graph"], StrOptions({"gaussian"})],
        "gamma": [StrOptions({"scale", "mean"}), Interval(Real, 0.0, None, closed="neither")],
    }

    def __init__(self, eta=0.99, graph=None, gamma="scale", memory=None):
        self.eta = eta
        self.graph = graph
        self.gamma = gamma
        self.memory = memory

    def _fit_functions(self, X, rows, targets):
        if isinstance(self.graph, str):
            Q = normalized_affinity(gaussian_affinity(Kernel("rbf", self.gamma).fit(X), X))
        else:
            graph = self._fit_graph(X)
            warn_unlabelled_components(graph, rows)
            Q = normalized_affinity(graph.affinity_)
        return self._keep_values(X, np.asarray(solve_lgc(Q, rows, targets, self.eta)))
