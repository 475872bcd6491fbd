"""The transductive support vector machine over weights and labels: one Gram matrix for all searches."""

import numpy as np

from mr.estimators import TSVM
from mr.estimators.tsvm import positive_fractions
from mr.paths.base import Path, PathFit
from mr.paths.deformed import KernelPath
from mr.solvers.tsvm import solve_tsvm


class TSVMPath(KernelPath):
    """Transductive support vector machines (Joachims 1999) over gamma_A (or ridge = gamma_A l), labels and folds.

    Nothing but the Gram matrix is shared: every machine is a search of its own, and no start is handed on, since the
    local optimum would depend on it. ``fit.info`` counts the quadratic programs solved (``n_programs``) and the pairs
    of labels exchanged (``n_switches``) over all one-versus-rest problems, and holds the largest relative duality gap
    of the final machines (``dual_gap``).

    See Also
    --------
    mr.TSVM : the estimator.

    References
    ----------
    Joachims (1999), Transductive inference for text classification using support vector machines, ICML.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=60, seed=0)
    >>> y = np.full(60, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:2]] = c
    >>> fit = mr.paths.TSVMPath(mr.TSVM(gamma=2.0), data.X).fit(y, gamma_A=0.1)
    >>> fit.values.shape, sorted(fit.info)
    ((60, 1), ['dual_gap', 'n_programs', 'n_switches'])
    """

    estimator_class = TSVM
    parameters = ("gamma_A", "ridge", "unlabelled_weight", "positive_fraction")

    def _fit(self, rows, targets, cell):
        ridge = cell["ridge"] if "ridge" in cell else cell["gamma_A"] * len(rows)
        C = 1.0 / (2.0 * ridge)
        fractions = positive_fractions(cell["positive_fraction"], self.gram, rows, targets)
        found = [
            solve_tsvm(
                self.gram, rows, column, C, cell["unlabelled_weight"] * C, fraction,
                tol=self.estimator.tol, max_iter=self.estimator.max_iter,
            )
            for column, fraction in zip(targets.T, fractions, strict=True)
        ]  # fmt: skip
        new = None
        if self.X_new is not None:
            coefficients = np.column_stack([solution.coefficients for solution in found])
            new = self.new_gram @ coefficients + np.array([solution.intercept for solution in found])
        info = {
            "n_programs": sum(solution.n_solves for solution in found),
            "n_switches": sum(solution.n_switches for solution in found),
            "dual_gap": max(solution.gap for solution in found),
        }
        return PathFit(np.column_stack([solution.values for solution in found]), new, info)

    def _held_out(self, rows, targets, folds, cell):
        # A point that is held out does not leave: it becomes one of the unlabelled points.
        return Path._held_out(self, rows, targets, folds, cell)
