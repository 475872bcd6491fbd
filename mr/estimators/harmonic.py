"""Harmonic functions on a graph (Zhu, Ghahramani and Lafferty 2003)."""

from mr.estimators._base import GRAPH_CONSTRAINTS, GraphMixin, SemiSupervisedClassifier, warn_unlabelled_components
from mr.estimators._transductive import TransductiveMachine
from mr.solvers.propagation import class_mass, solve_harmonic


class HarmonicFunction(SemiSupervisedClassifier, GraphMixin, TransductiveMachine):
    """Labels stay as they are, every other point takes the weighted mean of its neighbours: L_uu f_u = W_ul y_l.

    The limit C1 -> infinity, C2 = 0 of zhang2015's equation 1 with the unnormalised Laplacian; one sparse
    factorisation. Components without a label get the mean of the targets (and a warning). New points: interpolation
    between the nearest training rows, see :class:`TransductiveMachine`.

    Parameters
    ----------
    class_mass_normalization : bool
        Rescale each class's mass over all points to its share of the labels: helps when few labels are unlucky.
    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix; None for ``KNNGraph()``
    memory : None, str or joblib.Memory
        Caches the fitted graph across fits.

    Attributes
    ----------
    values_ : f on the training rows
    transduction_ : predictions for the training rows
    """

    _parameter_constraints = {"class_mass_normalization": ["boolean"], **GRAPH_CONSTRAINTS}

    def __init__(self, class_mass_normalization=False, graph=None, memory=None):
        self.class_mass_normalization = class_mass_normalization
        self.graph = graph
        self.memory = memory

    def _fit_functions(self, X, rows, targets):
        graph = self._fit_graph(X)
        warn_unlabelled_components(graph, rows)
        values = solve_harmonic(graph.affinity_, rows, targets, graph.component_labels_)
        return self._keep_values(X, class_mass(values, targets) if self.class_mass_normalization else values)
