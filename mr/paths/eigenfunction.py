"""Eigenfunctions of principal coordinates over label weights, bandwidths, bins, labels and folds."""

from functools import cached_property

import numpy as np
from scipy import linalg

from mr.estimators import Eigenfunction
from mr.estimators.eigenfunction import principal_axes
from mr.paths.base import Path, PathFit
from mr.solvers.eigenfunction import coordinate_functions

SMALLEST_EIGENVALUE = 1e-12
"""Eigenfunctions that vary no more than rounding are held at this eigenvalue: its inverse is their variance."""


class EigenfunctionPath(Path):
    """Semi-supervised learning with eigenfunctions (Fergus, Weiss, Torralba 2009) over weights, labels and folds.

    The principal coordinates are computed once, the eigenfunctions U once for every ``bandwidth`` and ``n_bins``. With
    eigenvalues Sigma the machine (Sigma + U'Lambda U) alpha = U'Lambda y is ridge regression with the kernel
    G = U Sigma^-1 U', so that a cell is a system in the labelled points only,

        f = G beta + b,    (G_ll + I / lambda) beta + b = y,    1'beta = 0 if there is a constant function.

    With B the matrix that takes y to beta, held-out values are exact: y_F - f_F = (B_FF)^-1 (B y)_F.

    Parameters
    ----------
    estimator : Eigenfunction
        Template. A cell may name ``label_weight``, ``bandwidth`` and ``n_bins``.
    X : array or sparse matrix (n, d)
    X_new : array or sparse matrix (n_new, d), default=None

    Attributes
    ----------
    scores : array (n, r)
        Principal coordinates of the points.

    See Also
    --------
    mr.baselines.Eigenfunction : the estimator.

    References
    ----------
    Fergus, Weiss, Torralba (2009), Semi-supervised learning in gigantic image collections, NIPS.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=100, seed=0)
    >>> y = np.full(100, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:3]] = c
    >>> path = mr.paths.EigenfunctionPath(mr.baselines.Eigenfunction(n_bins=20), data.X)
    >>> [cell["label_weight"] for cell, values in path.held_out_grid(y, label_weight=[1.0, 100.0])]
    [1.0, 100.0]
    """

    estimator_class = Eigenfunction
    parameters = ("label_weight", "bandwidth", "n_bins")

    def __init__(self, estimator, X, X_new=None):
        super().__init__(estimator, X, X_new)
        self._functions = (None, None)

    @cached_property
    def _axes(self):
        return principal_axes(self.X, self.estimator.n_components)

    @cached_property
    def scores(self) -> np.ndarray:
        return self._project(self.X)

    def _project(self, X):
        mean, axes = self._axes
        return X @ axes - mean @ axes

    def _span(self, cell):
        """Functions at the points (n, k) and at the new ones, of unit length on the points; eigenvalues (k,)."""
        key = cell["bandwidth"], cell["n_bins"]
        if self._functions[0] != key:
            template, d = self.estimator, self.scores.shape[1]
            width = 0.1 * self.scores[:, 0].std() if cell["bandwidth"] == "auto" else cell["bandwidth"]
            functions = coordinate_functions(
                self.scores, template.n_eigenfunctions or 2 * d, cell["n_bins"], width or 1.0,
                template.clip, template.smoothing, template.histogram,
            )  # fmt: skip
            U = functions(self.scores)
            lengths = np.maximum(np.linalg.norm(U, axis=0), np.finfo(float).tiny)
            new = None if self.X_new is None else functions(self._project(self.X_new)) / lengths
            self._functions = key, (U / lengths, new, np.maximum(functions.values, SMALLEST_EIGENVALUE))
        return self._functions[1]

    def _fit(self, rows, targets, cell):
        U, new, eigenvalues = self._span(cell)
        dual, constant = self._dual(U[rows], eigenvalues, cell["label_weight"])
        weights, level = (U[rows] / eigenvalues).T @ (dual @ targets), constant @ targets
        return PathFit(U @ weights + level, None if new is None else new @ weights + level)

    def _dual(self, labelled, eigenvalues, label_weight):
        """B (l, l) and c (l,) with beta = B y and constant c'y."""
        l = len(labelled)
        system = (labelled / eigenvalues) @ labelled.T
        system.flat[:: l + 1] += 1.0 / label_weight
        inverse = linalg.inv(system)
        if not self.estimator.intercept:
            return inverse, np.zeros(l)
        sums = inverse.sum(axis=1)
        return inverse - np.outer(sums, sums) / sums.sum(), sums / sums.sum()

    def _held_out(self, rows, targets, folds, cell):
        U, _, eigenvalues = self._span(cell)
        dual, _ = self._dual(U[rows], eigenvalues, cell["label_weight"])
        beta, values = dual @ targets, np.empty_like(targets)
        for number in np.unique(folds):
            held = np.flatnonzero(folds == number)
            values[held] = targets[held] - linalg.solve(dual[np.ix_(held, held)], beta[held])
        return values

    def _ordered(self, cells):
        """Cells of the same functions together."""
        return sorted(cells, key=lambda cell: str([self._complete(cell)[name] for name in ("bandwidth", "n_bins")]))
