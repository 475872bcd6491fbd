"""Machines on a kernel deformed by a graph: the common part of LapRLS, LapSVM and LapSVR.

All of them minimise a loss on the labelled points plus an ambient and an intrinsic norm,

    min sum_i loss(y_i, f(x_i)) + ridge (||f||^2 + r f'Lf).

In the RKHS of the deformed kernel K~ = K (I + r L K)^-1 that is the ordinary machine on the labelled block (Sindhwani,
Niyogi, Belkin 2005), so a subclass only says what ridge and r are and which machine to put on top. Where its parameters
leave them open, exact leave-one-out over the labels chooses them (:mod:`mr.solvers.graph_weight`).
"""

import warnings
from abc import abstractmethod
from contextlib import nullcontext
from copy import copy
from numbers import Integral, Real

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import (
    GRAPH_CONSTRAINTS,
    KERNEL_CONSTRAINTS,
    BlockwiseMixin,
    GraphMixin,
    KernelMachine,
    warn_unlabelled_components,
)
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.graph.blocks import RowBlocks
from mr.graph.threads import serial_blas
from mr.kernels import PRECOMPUTED, Basis, FullGram, ReducedGram, ThinGram, reduced_factor
from mr.kernels.features import can_be_streamed
from mr.solvers.basis import basis_points
from mr.solvers.graph_weight import AMBIENT, MOST_LABELS, Strengths, choose_strengths, ratio_unit

CHOICE_POINTS = 1000
"""Points over which functions are expanded while weights are chosen; the machine itself uses all."""
HELD_BYTES = 2**26
"""Size of a factor over a basis up to which it is held; beyond, its rows are made anew a block at a time."""
SMALL_WORK = 10**9
"""Operations up to which BLAS stays on one thread: on two cores that others use too, a call that starts threads and
waits for them took up to 200 ms in place of 20."""
INERT = 1e-3
"""Relative change of decision values below which the graph counts as without influence."""


class GraphInfluenceWarning(UserWarning):
    """The graph changes no decision value to speak of: the machine is the supervised one."""


class ManifoldMachine(BlockwiseMixin, GraphMixin, KernelMachine):
    """A machine on the labelled block of the deformed kernel."""

    _parameter_constraints = {
        **KERNEL_CONSTRAINTS,
        **GRAPH_CONSTRAINTS,
        "basis": [None, Interval(Integral, 1, None, closed="left"), np.ndarray, Basis],
        "random_state": ["random_state"],
        **VERBOSE_CONSTRAINTS,
    }

    _largest_ridge = np.inf
    """Largest relative ridge that leave-one-out for least squares may give to a classifier with this loss."""

    @abstractmethod
    def _given_strengths(self, l, n, unit) -> Strengths:
        """ridge and r as the parameters say; None for what is to be chosen. ``unit`` is r of a relative weight of 1."""

    @abstractmethod
    def _keep_strengths(self, strengths, l, n, unit):
        """Keep the strengths used as fitted attributes, in the estimator's own parameters."""

    @abstractmethod
    def _solve_deformed(self, K_labelled, targets, ridge, weights):
        """Ordinary machine on the labelled block of K~: coefficients beta (l x k) and intercepts (k,)."""

    def _intrinsic(self, kernel, X, rows, targets):
        """The fitted graph whose ``apply`` is the intrinsic norm's L."""
        graph = self._fit_graph(X, kernel)
        warn_unlabelled_components(graph, rows)
        return graph

    def _fit_functions(self, X, rows, targets, weights=None):
        report = reporter(self)
        kernel, X = self._kernel_and_points(X)
        graph = self._intrinsic(kernel, X, rows, targets)
        report("Gram matrix")
        gram = self._gram(kernel, X)
        with serial_blas() if _is_small(gram) else nullcontext():
            strengths = self._choose_strengths(kernel, X, gram, graph, rows, targets, weights)
            report(
                f"{type(gram).__name__}, ridge {strengths.ridge:.3g}, graph weight {self.graph_weight_:.3g}: solving"
            )
            coefficients, values, intercept = self._fit_in(gram, graph, rows, targets, strengths, weights)
            self._keep_expansion(kernel, gram.points, coefficients, intercept)
            self._warn_if_inert(gram, rows, targets, strengths, weights, values, intercept)
        return values + self.intercept_

    def _gram(self, kernel, X):
        if self.basis is not None:
            return self._reduced_gram(kernel, X)
        if isinstance(X, RowBlocks):
            raise ValueError(
                f"{type(self).__name__} needs all points at once for an expansion over all of them; rows that come in "
                "blocks need a basis. Pass basis=500 to expand over 500 points only; got basis=None."
            )
        with serial_blas():  # products of a matrix and a vector: threads would wait for memory, and for each other
            thin = ThinGram.of(kernel, X)
        return thin or FullGram(kernel, X)

    def _reduced_gram(self, kernel, X):
        """Held in memory while it is small; otherwise made by blocks, if the graph is a sparse matrix."""
        in_memory = not isinstance(X, RowBlocks)
        points = basis_points(kernel, X, self.basis, self.random_state)
        small = in_memory and 8 * X.shape[0] * points.shape[0] <= HELD_BYTES
        if small or kernel.name == PRECOMPUTED or not can_be_streamed(self.graph_):
            return ReducedGram(kernel, X if in_memory else X.whole(), points)
        return ReducedGram(kernel, None, points, RowBlocks(X, points.shape[0]))

    def _fit_in(self, gram, graph, rows, targets, strengths, weights):
        """Coefficients over the Gram matrix's points, values at all points without the intercept, and the intercept."""
        block, expand = gram.deform(graph, strengths.ratio, rows)
        beta, intercept = self._solve_deformed(block, targets, strengths.ridge, weights)
        coefficients, values = expand(beta)
        if isinstance(gram, ReducedGram):
            self.residual_ = gram.residual
        return coefficients, values, intercept

    def _choose_strengths(self, kernel, X, gram, graph, rows, targets, weights):
        l, n = len(rows), X.shape[0]
        diagonal = X.collect(kernel.diagonal) if isinstance(X, RowBlocks) else kernel.diagonal(X)
        unit = ratio_unit(diagonal, graph, n)
        strengths = self._given_strengths(l, n, unit)
        if not strengths.complete:
            reporter(self)("choosing weights by leave-one-out")
            factor = getattr(gram, "features", gram.factor)
            factor = choice_factor(kernel, X, rows) if factor is None else factor
            classify = is_classifier(self)
            largest = self._largest_ridge if classify else np.inf
            strengths = choose_strengths(factor, graph, rows, targets, strengths, unit, weights, classify, largest)
        self._keep_strengths(strengths, l, n, unit)
        return strengths

    def _warn_if_inert(self, gram, rows, targets, strengths, weights, values, intercept):
        if strengths.ratio == 0 or len(rows) > MOST_LABELS:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the second machine's solver, which only serves the comparison
            # a copy, because solving keeps certificates of the machine
            beta, alone = copy(self)._solve_deformed(gram.block(rows), targets, strengths.ridge, weights)
        supervised = gram.values(rows, beta) + alone
        if np.abs(values + intercept - supervised).max() <= INERT * np.abs(supervised).max():
            warnings.warn(
                f"The graph has no influence: decision values differ from those of the supervised machine by less than "
                f"{100 * INERT:g} % of their size. Raise its weight, or leave it to 'auto'.",
                GraphInfluenceWarning,
                stacklevel=5,
            )


def _is_small(gram) -> bool:
    """Whether starting threads takes longer than what they would save: n m^2 operations on a thin factor."""
    return gram.factor is not None and gram.factor.shape[0] * gram.factor.shape[1] ** 2 <= SMALL_WORK


def choice_factor(kernel, X, rows):
    """R with K close to R R' and exact on the labelled points: an expansion over :func:`basis_rows`."""
    return reduced_factor(kernel, X, X[basis_rows(X.shape[0], rows)])[0]


def basis_rows(n, rows, size=CHOICE_POINTS, random_state=0):
    """Rows of X to expand over: the labelled ones (at most MOST_LABELS) and a sample of the others; all if there are no
    more than ``size``."""
    if n <= size:
        return np.arange(n)
    labelled = rows if len(rows) <= MOST_LABELS else rows[np.linspace(0, len(rows) - 1, MOST_LABELS).astype(int)]
    others = np.setdiff1d(np.arange(n), labelled)
    size = max(size - len(labelled), size // 2)
    sample = check_random_state(random_state).choice(others, min(size, len(others)), replace=False)
    return np.sort(np.concatenate([labelled, sample]))


STRENGTH_CONSTRAINTS = {
    "gamma_A": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="neither")],
    "gamma_I": [None, Interval(Real, 0.0, None, closed="left")],
    "graph_weight": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="left")],
}


class NormWeights:
    """The parameters ``gamma_A``, ``gamma_I`` and ``graph_weight`` of belkin2006's machines.

    A number for ``gamma_I`` is the paper's convention: weights gamma_A of ||f||^2 and gamma_I / n^2 of f'Lf against the
    mean loss, so r = gamma_I / (gamma_A n^2). That vanishes with n. ``graph_weight`` is r itself, relative to the size
    of kernel and Laplacian, and means the same for every n and graph.
    """

    @property
    def _paper_weight(self):
        """gamma_I, or None where ``graph_weight`` counts."""
        return self.gamma_I

    def _given_strengths(self, l, n, unit):
        if self._paper_weight is not None:
            if isinstance(self.graph_weight, Real):
                raise ValueError(
                    "gamma_I and graph_weight are two conventions for one weight: expected a number for at most one "
                    f"of them, got gamma_I={self._paper_weight!r} and graph_weight={self.graph_weight!r}."
                )
            gamma_A = AMBIENT if self.gamma_A == "auto" else self.gamma_A
            gamma_I = self._paper_weight
            return Strengths(gamma_A * l, gamma_I / (gamma_A * n**2), gamma_I * l / n**2, self._has_intercept)
        return Strengths(
            None if self.gamma_A == "auto" else self.gamma_A * l,
            None if self.graph_weight == "auto" else self.graph_weight * unit,
            intercept=self._has_intercept,
        )

    @property
    def _has_intercept(self):
        """Whether there is a constant beside f; None where leave-one-out is to say."""
        return None if self.fit_intercept == "auto" else self.fit_intercept

    def _keep_strengths(self, strengths, l, n, unit):
        self.gamma_A_ = strengths.ridge / l
        self.gamma_I_ = strengths.ratio * self.gamma_A_ * n**2
        self.graph_weight_ = strengths.ratio / unit
        self.fit_intercept_ = bool(strengths.intercept)


INTERCEPT_CONSTRAINTS = {"fit_intercept": [StrOptions({"auto"}), "boolean"]}
STRENGTH_PARAMETERS = """\
    gamma_A : "auto" or float > 0, default="auto"
        Weight of the ambient norm ||f||^2; a = gamma_A l in the unscaled convention of some papers. "auto" chooses it
        together with ``graph_weight``; it is 1e-2 where ``gamma_I`` is given.
    gamma_I : None or float >= 0, default=None
        The paper's convention for the intrinsic weight, in place of ``graph_weight``: that of f'Lf / n^2. A number for
        both is refused.
    graph_weight : "auto" or float >= 0, default="auto"
        Scale-free intrinsic weight: the intrinsic norm counts graph_weight times as much as the ambient one,
        r = gamma_I / (gamma_A n^2) = graph_weight / (mean k(x, x) mean L_ii). 0 ignores the graph. "auto" takes the
        one of 0, 0.01, ..., 10,000 that predicts left-out labels best (:mod:`mr.solvers.graph_weight`). Up to three
        labels per class it takes the strongest one, at most 100, under which the classes keep their shares.
"""
KERNEL_PARAMETERS = """\
    kernel : {"rbf", "linear", "poly", "cosine", "precomputed"} or function, default="rbf"
        A function k(A, B) returns the Gram block of the rows of two matrices. With "precomputed", X is the n x n Gram
        matrix (at ``predict``: kernel values with all training points), and neighbours are those in feature space.
    gamma : float, "scale" or "mean", default="scale"
        Kernel coefficient; "mean" is chen2012's n^2 / sum_ij ||x_i - x_j||^2.
    degree, coef0 : float, default=3 and 0
        Of the polynomial kernel.
    graph : KNNGraph, any object with its interface, or a sparse n x n affinity matrix, default=None
        None is ``KNNGraph()``.
    basis : None, int, array of points or mr.kernels.Basis, default=None
        Expand over these r points only, in O(n r^2) time. An int draws that many rows; ``Basis(500, "kmeans")`` takes
        k-means centres, ``Basis(500, "leverage")`` rows by their leverage. Beyond 64 MB the n x r matrix is not held
        but made by blocks of rows. With a basis, X may come in blocks: a list of row blocks, a function that returns
        an iterator over them, or a dask array.
"""
VERBOSE_PARAMETER = """\
    verbose : int, default=0
        1 prints a line for each stage of a fit: graph, Gram matrix, choice of weights, solution.
"""
STRENGTH_ATTRIBUTES = """\
    gamma_A_, gamma_I_, graph_weight_ : float
        The weights used, in the paper's convention and relative.
    fit_intercept_ : bool
        Whether there is a constant.
    residual_ : float
        With a basis: relative residual of the r x r system that turns what the loss says into a function.
"""
