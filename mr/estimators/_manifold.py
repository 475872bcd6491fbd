"""Machines on a kernel deformed by a graph: the common part of LapRLS, LapSVM and LapSVR.

All of them minimise a loss on the labelled points plus an ambient and an intrinsic norm. In the RKHS of the deformed
kernel K~ = K (I + r L K)^-1 that is the ordinary machine on the labelled block (Sindhwani, Niyogi, Belkin 2005), so a
subclass only says what r is and which machine to put on top.
"""

from abc import abstractmethod
from numbers import Integral

import numpy as np

from mr._sklearn import Interval
from mr.estimators._base import (
    GRAPH_CONSTRAINTS,
    KERNEL_CONSTRAINTS,
    GraphMixin,
    KernelMachine,
    warn_unlabelled_components,
)
from mr.kernels import choose_basis, deform_factor, deform_once, multiply, reduced_factor


class ManifoldMachine(GraphMixin, KernelMachine):
    """A machine on the labelled block of the deformed kernel."""

    _parameter_constraints = {
        **KERNEL_CONSTRAINTS,
        **GRAPH_CONSTRAINTS,
        "basis": [None, Interval(Integral, 1, None, closed="left"), np.ndarray],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _ratio(self, n) -> float:
        """r of the deformed kernel: intrinsic over ambient weight."""

    @abstractmethod
    def _solve_deformed(self, K_labelled, targets):
        """Ordinary machine on the labelled block of K~: coefficients beta (l x k) and intercepts (k,)."""

    def _intrinsic(self, X, rows, targets):
        """The fitted graph whose ``apply`` is the intrinsic norm's L."""
        graph = self._fit_graph(X)
        warn_unlabelled_components(graph, rows)
        return graph

    def _fit_functions(self, X, rows, targets):
        graph = self._intrinsic(X, rows, targets)
        kernel = self._make_kernel(X)
        fit = self._fit_full if self.basis is None else self._fit_reduced
        return fit(X, rows, targets, graph, kernel)

    def _fit_full(self, X, rows, targets, graph, kernel):
        K = kernel(X)
        deformed = deform_once(K, graph, self._ratio(len(K)), rows)
        beta, intercept = self._solve_deformed(multiply(K[rows], deformed), targets)
        coefficients = multiply(deformed, beta)
        self._keep_expansion(kernel, X, coefficients, intercept)
        return multiply(K, coefficients) + self.intercept_

    def _fit_reduced(self, X, rows, targets, graph, kernel):
        points = choose_basis(X, self.basis, self.random_state)
        factor, transform = reduced_factor(kernel, X, points)
        deformed = deform_factor(factor, graph, self._ratio(X.shape[0]), rows)
        beta, intercept = self._solve_deformed(factor[rows] @ deformed, targets)
        weights = deformed @ beta
        self._keep_expansion(kernel, points, transform @ weights, intercept)
        return factor @ weights + self.intercept_
