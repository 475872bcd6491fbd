"""The primal Laplacian SVM over weights, labels and folds: one factorisation for Newton, one Gram matrix for both."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mr.estimators import PrimalLapSVM
from mr.paths.base import Path, PathFit
from mr.paths.deformed import DeformedPath, ManyCells, ambient
from mr.solvers.squared_hinge import Regularised, newton_in, solve_pcg


class PrimalLapSVMPath(ManyCells, DeformedPath):
    """Laplacian SVM with squared hinge loss (Melacci and Belkin 2011) over weights, labels and folds.

    Newton's machines share the factorisation of the deformed kernel. A solution is fixed by its set of points with
    loss, so that each machine starts from the set of its neighbour and ends at the same solution as a machine that
    starts at zero. Conjugate gradient stops early and therefore always starts at zero, on the shared Gram
    matrix. Held-out values are those of machines fitted again, for Newton on blocks of the deformed kernel.

    Parameters
    ----------
    estimator : PrimalLapSVM
        Template. A cell may name ``gamma_A`` and ``gamma_I`` (or, unscaled, ``ridge`` = gamma_A l and ``smoothness`` =
        gamma_I l / n^2), ``solver``, ``fit_intercept``, ``stop`` and
        ``check_every``.
    X : array or sparse matrix (n, d)
    X_new : array or sparse matrix (n_new, d), default=None

    See Also
    --------
    mr.PrimalLapSVM : the estimator.

    References
    ----------
    S. Melacci and M. Belkin. Laplacian support vector machines trained in the primal. JMLR 12, 2011.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=100, seed=0)
    >>> y = np.full(100, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:3]] = c
    >>> path = mr.paths.PrimalLapSVMPath(mr.PrimalLapSVM(gamma=4.0), data.X)
    >>> exact = path.fit(y, gamma_A=1e-3, gamma_I=10.0)
    >>> early = path.fit(y, gamma_A=1e-3, gamma_I=10.0, solver="pcg")
    >>> exact.info["stop_reasons"], early.info["stop_reasons"]
    (['optimal'], ['stability'])
    """

    estimator_class = PrimalLapSVM
    parameters = (*DeformedPath.parameters, "solver", "fit_intercept", "stop", "check_every")
    fixed = DeformedPath.fixed | {"precision": "double"}

    def __init__(self, estimator, X, X_new=None):
        super().__init__(estimator, X, X_new)
        self._lossy = None

    def _fits(self, rows, targets, cells):
        if all(cell["solver"] == "newton" for cell in cells):
            return super()._fits(rows, targets, cells)
        return Path._fits(self, rows, targets, cells)

    def _fit(self, rows, targets, cell):
        if cell["solver"] == "newton":
            return super()._fit(rows, targets, cell)
        if self.estimator.basis is not None:
            raise ValueError('basis needs solver="newton"; conjugate gradient works on all n coefficients.')
        ridge, smoothness = self._unscaled(cell, len(rows))
        template = self.estimator
        solution = solve_pcg(
            self.gram, self.graph, rows, targets, ridge, smoothness, fit_intercept=cell["fit_intercept"],
            stop=cell["stop"], tol=template.tol, stability_tol=template.stability_tol,
            check_every=cell["check_every"], max_iter=template.max_iter,
        )  # fmt: skip
        new = None
        if self.X_new is not None:
            new = self.new_gram @ solution.coefficients + solution.intercepts
        return PathFit(self.gram @ solution.coefficients + solution.intercepts, new, _info(solution))

    def _held_out(self, rows, targets, folds, cell):
        if cell["solver"] == "newton":
            return super()._held_out(rows, targets, folds, cell)
        # One conjugate gradient for every fold: where it stops depends on all points.
        return Path._held_out(self, rows, targets, folds, cell)

    def _held_out_in(self, K, targets, folds, cell, weights=None):
        """All folds in one system, which is factorised once; each starts from the set of points with loss before it.

        In gamma_A's scale the ridge depends on the number of labels that stay, so folds of unequal size have systems of
        their own.
        """
        K, systems, values = np.ascontiguousarray(K), {}, np.empty_like(targets)
        for number in np.unique(folds):
            held = folds == number
            ridge = ambient(cell, int((~held).sum()))
            if ridge not in systems:
                systems[ridge] = Regularised(K, ridge)
            values[held] = self._newton(systems[ridge], targets, cell, held).values[held]
        return values

    def _machine(self, K, targets, cell, weights=None):  # the estimator takes no weights
        solution = self._newton(Regularised(K, ambient(cell, len(targets))), targets, cell)
        return solution.coefficients, solution.intercepts, _info(solution)

    def _newton(self, system, targets, cell, held=None):
        lossy = self._lossy if self._lossy is not None and self._lossy.shape == targets.shape else None
        solution = newton_in(system, targets, cell["fit_intercept"], self.estimator.max_iter, lossy, held)
        if held is not None and lossy is not None:  # of the rows held out the last machine that saw them knows
            solution.lossy[held] = lossy[held]
        self._lossy = solution.lossy
        if "max_iter" in solution.stop_reasons:
            worst = np.max(solution.gradient_norms)
            warnings.warn(f"newton stopped at a relative gradient norm of {worst:.1e}.", ConvergenceWarning, 2)
        return solution


def _info(solution) -> dict:
    return {
        "n_iter": int(np.sum(solution.n_iter)),
        "gradient_norm": float(np.max(solution.gradient_norms)),
        "stop_reasons": list(solution.stop_reasons),
    }
