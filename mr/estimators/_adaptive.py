"""What AGMR solves: functions of a kernel on the points, the choice of weights, and the alternation from its start."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from numbers import Integral

import numpy as np
from scipy import linalg, sparse
from sklearn.utils import check_random_state
from sklearn.utils.extmath import safe_sparse_dot

from mr.graph import as_graph, nearest_neighbors
from mr.graph.blocks import RowBlocks
from mr.graph.remember import remembered
from mr.graph.sparse_coding import local_grams
from mr.kernels import Kernel, choose_basis, pivoted_cholesky, reduced_factor
from mr.solvers.adaptive_graph import (
    AdaptiveSolution,
    EntropyWeights,
    LineEntropyWeights,
    SparseWeights,
    alternate,
    fit_on_graph,
    graph_smoothness,
    mean_cost,
)
from mr.solvers.choice import choose_cell
from mr.solvers.feature_ridge import FeatureRidge
from mr.solvers.prototypes import resolve_width, width_rule
from mr.solvers.row_descent import LocalRows, SharedRows
from mr.solvers.scale_free import NO_GRAPH, RIDGES, is_auto, mean_degree

STRENGTHS = (NO_GRAPH, 1e3, 1e4, 1e5)
CELLS = tuple(product(STRENGTHS, RIDGES))
"""(strength, ridge) tried at a width that is given; see :mod:`mr.solvers.scale_free`."""
WIDTHS = (
    ("mean", 1.0, CELLS[: len(RIDGES)]),
    ("local", 1 / 16, tuple((strength, RIDGES[-1]) for strength in STRENGTHS[1:])),
)
"""gamma="auto": rule, multiple, and the cells tried there. A wide kernel cannot follow a graph along thin clusters."""
FALLBACK = 1
"""Cell for labels that are too few to choose with: nearly the supervised machine, with the middle ridge."""
RECONSTRUCTION = 10.0
"""eta_1="auto": weight of the reconstruction error against the smoothness, both relative to their typical size."""


@dataclass(frozen=True)
class AdaptiveFit:
    """Where the alternation ended."""

    solution: AdaptiveSolution
    functions: "Functions"
    """The functions among which it looked."""
    weights: object
    """The adapted W."""
    used: dict
    """Weights of the problem by name, with no "auto" left."""

    @property
    def expansion(self):
        """Points and coefficients of the fitted functions."""
        return self.functions.expansion(self.solution)

    @property
    def coef(self):
        """Weights (d, k) of the features, for the linear kernel."""
        if self.functions.primal:
            return self.solution.weights
        points, coefficients = self.expansion
        return np.asarray(points.T @ coefficients)

    def __call__(self, X):
        """Values at new points."""
        if self.functions.kernel.name == "linear":
            return safe_sparse_dot(X, self.coef, dense_output=True)
        return self.functions.kernel.expand(X, *self.expansion)


class Functions:
    """Functions R w of one kernel on the points, and their smoothness on the initial graph.

    Parameters
    ----------
    kernel : fitted Kernel
    X : array or CSR (n, d)
    points : array or CSR (m, d), or None
        The expansion is over these, or over all of X.
    graph : fitted graph
    """

    def __init__(self, kernel, X, points, graph):
        self.kernel, self.X, self.points, self.graph = kernel, X, points, graph
        self.primal = is_primal(kernel.name, X)

    @cached_property
    def _factor(self):
        """R with K = R R', and the map from w to coefficients over ``points``, None where there are none."""
        if self.primal:
            return _dense(self.X), None
        if self.points is not None:
            return reduced_factor(self.kernel, self.X, self.points)
        return pivoted_cholesky(self.kernel(self.X)), None

    @property
    def factor(self):
        """R: the points themselves for a linear kernel, so that the f-step is d x d."""
        return self._factor[0]

    @cached_property
    def smoothness(self):
        """Matrix of 2 f'Lf on the initial graph."""
        return graph_smoothness(self.factor, self.graph)

    @cached_property
    def _axes(self):
        """Eigenvalues and eigenvectors of ``smoothness``."""
        values, vectors = linalg.eigh(self.smoothness, check_finite=False)
        return np.maximum(values, 0.0), vectors

    @cached_property
    def scale(self) -> float:
        """Mean of k(x, x) over the points."""
        return float(self.kernel.diagonal(self.X).mean())

    def held_out(self, rows, targets, cells, weights=None):
        """Leave-one-out values of the initial function for every (gamma_1, gamma_2), on the graph of mean degree 1."""
        values, vectors = self._axes
        values, labelled, ridges = values / mean_degree(self.graph), self.factor[rows] @ vectors, {}
        for gamma_1, gamma_2 in cells:
            if gamma_2 not in ridges:
                ridges[gamma_2] = FeatureRidge(labelled / np.sqrt(gamma_2 + values), weights=weights)
            yield ridges[gamma_2].held_out(targets, None, gamma_1)

    def expansion(self, solution):
        """Points and coefficients of the fitted functions."""
        if self.points is None:
            return self.X, solution.coefficients
        return self.points, self._factor[1] @ solution.weights


class AdaptiveProblem:
    """What every AGMR on the same points shares, whatever its weights and labels; each part is computed once.

    The estimator solves one problem on it, a path (:class:`mr.paths.AGMRPath`) a whole grid.

    Parameters
    ----------
    template : AGMR
        Its kernel, graph, penalty, basis, support, update and stopping rule hold for every fit.
    X : array or CSR (n, d)
    rows : array (l,), default=None
        Labelled rows, for a basis to be drawn; None where there is none to draw.
    """

    def __init__(self, template, X, rows=None):
        if template.penalty == "sparse" and template.update == "paper" and template._restricts(X):
            raise ValueError("update='paper' is the printed equation over all pairs; it takes support=None.")
        self.template = template
        self.X = X
        self.points = None if is_primal(template.kernel, X) else self._basis(rows)
        self._row_problems = {}

    def _basis(self, rows):
        """Points of the expansion; None for all of X."""
        basis, n = self.template.basis, self.X.shape[0]
        if not isinstance(basis, Integral):
            return None if basis is None else choose_basis(self.X, basis)
        if rows is None:
            if n <= basis:
                return None
            raise ValueError(
                f"basis={basis} depends on which rows have labels, and X has {n} rows: expected None, an array of "
                "points, or an integer of at least the number of rows."
            )
        others = np.setdiff1d(np.arange(n), rows)
        if max(len(rows), len(others)) <= basis:
            return None
        rng = check_random_state(self.template.random_state)
        drawn = [part if len(part) <= basis else rng.choice(part, basis, replace=False) for part in (rows, others)]
        return self.X[np.sort(np.concatenate(drawn))]

    @cached_property
    def functions(self) -> list[Functions]:
        """Functions of the kernel; if its width is to be chosen, of one kernel for each that is tried."""
        template = self.template
        rules = [(width_rule(template.kernel, template.gamma), 1.0)]
        if is_auto(template.gamma) and template.kernel == "rbf":
            rules = [(rule, multiple) for rule, multiple, _ in WIDTHS]
        points = self.X if self.points is None else self.points
        blocks = RowBlocks(self.X, points.shape[0])
        found = []
        for rule, multiple in rules:
            width = multiple * resolve_width(rule, blocks, points)
            kernel = Kernel(template.kernel, width, template.degree, template.coef0).fit(None)
            found.append(Functions(kernel, self.X, self.points, self.graph))
        return found

    @cached_property
    def graph(self):
        """The fitted initial graph."""
        return remembered(self.template.memory, as_graph)(self.template.graph, self.X)

    @cached_property
    def candidates(self):
        """Points that each row of W may use, (n, support); None for all others."""
        return nearest_neighbors(self.X, self.template.support)[1] if self.template._restricts(self.X) else None

    @cached_property
    def local_grams(self):
        """Gram matrices of the candidates of each row."""
        return local_grams(self.X, self.candidates)

    @cached_property
    def starting_rows(self):
        """Rows of least reconstruction error: the sparse W-step without a function, where every alternation starts.

        They depend on no weight and on no label. (Where points outnumber features they are not the only rows of least
        error, so a start of its own for every fit would also end elsewhere.)
        """
        weights = SparseWeights(self._row_problem(1.0), 0.0, "pairwise", self.candidates)
        weights.update(np.zeros((self.X.shape[0], 1)))
        return weights.rows

    def solve(self, rows, targets, gamma_1, gamma_2, weights=None, **etas) -> AdaptiveFit:
        """The alternation (Algorithm 1) from manifold regularisation on the initial graph.

        Parameters
        ----------
        rows, targets : arrays (l,), (l, k)
            Labelled rows and their targets.
        gamma_1, gamma_2 : float or "auto"
        weights : array (l,), default=None
            Weights of the labels, which multiply gamma_1.
        **etas
            ``eta`` of the entropy penalty, or ``eta_1`` and ``eta_2`` of the sparse one; numbers or "auto".
        """
        # Weights of our own choice are meant for a graph of mean degree 1; a paper's weights for the graph as it is.
        degree = mean_degree(self.graph) if is_auto(gamma_1) or is_auto(gamma_2) else 1.0
        functions, gamma_1, gamma_2 = self._choose(rows, targets, gamma_1, gamma_2, weights)
        R, template = functions.factor, self.template
        loss = gamma_1 if weights is None else gamma_1 * weights[:, None]
        start = R @ fit_on_graph(R, rows, targets, loss, gamma_2, functions.smoothness / degree)
        etas = self._resolve(start, etas)
        edges = self._weights(targets.shape[1], **etas)
        solution = alternate(R, rows, targets, edges, start, loss, gamma_2, template.max_iter, template.tol)
        return AdaptiveFit(solution, functions, edges, {"gamma_1": gamma_1, "gamma_2": gamma_2} | etas)

    def _choose(self, rows, targets, gamma_1, gamma_2, weights):
        """Functions and weights of least leave-one-out error on the initial graph; what is given stays."""
        n, l = self.X.shape[0], len(rows)
        lists = [CELLS] if len(self.functions) == 1 else [tried for _, _, tried in WIDTHS]
        cells, groups = [], []
        for functions, tried in zip(self.functions, lists, strict=True):
            pairs = []
            for strength, ridge in tried:
                second = 2.0 * functions.scale * n / strength if is_auto(gamma_2) else gamma_2
                pairs.append((second / (functions.scale * ridge * l) if is_auto(gamma_1) else gamma_1, second))
            pairs = list(dict.fromkeys(pairs))
            cells += [(functions, *pair) for pair in pairs]
            groups.append((functions, pairs))
        if len(cells) == 1:
            return cells[0]
        held_out = [v for functions, pairs in groups for v in functions.held_out(rows, targets, pairs, weights)]
        return cells[choose_cell(held_out, targets, min(FALLBACK, len(cells) - 1), weights=weights)]

    def _resolve(self, start, etas):
        """Numbers for "auto", relative to the differences of the initial function."""
        if not any(map(is_auto, etas.values())):
            return etas
        typical = mean_cost(start, self.candidates)
        if "eta_1" in etas:
            typical *= RECONSTRUCTION / self._row_problem(1.0).spread
        typical = max(typical, np.finfo(float).tiny ** 0.5)
        return {name: typical if is_auto(value) else value for name, value in etas.items()}

    def _weights(self, n_functions, eta=None, eta_1=None, eta_2=None):
        """W as an unknown, at its start."""
        if self.template.penalty == "sparse":
            update = self.template.update
            start = self.starting_rows if update == "pairwise" else None
            return SparseWeights(self._row_problem(eta_1), eta_2, update, self.candidates, start)
        if self.candidates is None and n_functions == 1:
            return LineEntropyWeights(eta)
        return EntropyWeights(eta, self.candidates)

    def _row_problem(self, eta_1):
        """The quadratic problems of the sparse W-step; those of one eta_1 serve all fits."""
        if eta_1 not in self._row_problems:
            self._row_problems[eta_1] = (
                SharedRows(self.X, eta_1) if self.candidates is None else LocalRows(self.local_grams, eta_1)
            )
        return self._row_problems[eta_1]


def is_primal(kernel, X) -> bool:
    """Whether functions are solved for in the weights of the features themselves."""
    return kernel == "linear" and X.shape[1] <= X.shape[0]


def _dense(X):
    return X.toarray() if sparse.issparse(X) else X
