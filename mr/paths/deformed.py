"""Machines on the kernel deformed by a graph: one eigendecomposition for all weights, labels and folds.

With K = R R' and R' L R = U diag(s) U', B = R U, the deformed kernel is K~(r) = B diag(1 / (1 + r s)) B' for every
r = gamma_I / (gamma_A n^2) at once (:class:`mr.kernels.SharedDeformation`). A machine then costs O(l^2 m + n l m), m
the rank of K, and what is cubic in n is done once.
"""

from functools import cached_property
from numbers import Real

import numpy as np
from scipy import sparse

from mr.estimators import RLS, SVM, LapRLS, LapRLSRegressor, LapSVM, LapSVR, LapSVRRegressor, RLSRegressor
from mr.graph import KNNGraph, as_graph
from mr.kernels import Kernel, SharedDeformation, pivoted_cholesky, reduced_factor
from mr.paths.base import UNSCALED, Path, PathFit
from mr.solvers.basis import basis_points
from mr.solvers.epsilon_svr import solve_svr
from mr.solvers.graph_weight import AMBIENT, ratio_unit
from mr.solvers.rls import inverse_rls, solve_rls, solve_rls_with_intercept
from mr.solvers.svm import solve_svc

VALUES_AT_ONCE = 64  # columns of decision values that a grid of LapRLS computes in one product
BLOCK_NUMBERS = 2**24  # numbers in the labelled blocks that a path keeps, one block per ratio of the weights
WHOLE_GRAM = 4000  # points up to which supervised paths keep the Gram matrix; beyond, they compute columns on demand


class KernelPath(Path):
    """Supervised kernel machines on the labelled points: the Gram matrix is shared, unlabelled points play no part."""

    @cached_property
    def kernel(self) -> Kernel:
        """The fitted kernel."""
        template = self.estimator
        return Kernel(template.kernel, template.gamma, template.degree, template.coef0).fit(self.X)

    @cached_property
    def gram(self) -> np.ndarray:
        """Gram matrix of the points."""
        return self.kernel(self.X)

    @cached_property
    def new_gram(self) -> np.ndarray:
        """Gram block (new points x points)."""
        return self.kernel(self.X_new, self.X)

    def _machine(self, K, targets, cell, weights=None):
        """Coefficients (l, k), intercepts and info of the machine on a labelled Gram block."""
        raise NotImplementedError

    def _fit(self, rows, targets, cell):
        columns = self._gram_columns(rows)
        beta, intercept, info = self._machine(columns[rows], targets, cell, self._weights_at(rows))
        new = None
        if self.X_new is not None:
            new = self.kernel.expand(self.X_new, self.X[rows], beta) + intercept
        return PathFit(columns @ beta + intercept, new, info)

    def _gram_columns(self, rows):
        """K[:, rows]; the whole Gram matrix is formed only where that is cheap."""
        if "gram" in self.__dict__ or self.X.shape[0] <= WHOLE_GRAM:
            return self.gram[:, rows]
        return self.kernel(self.X, self.X[rows])

    def _held_out(self, rows, targets, folds, cell):
        return self._held_out_in(self._gram_columns(rows)[rows], targets, folds, cell, self._weights_at(rows))

    def _held_out_in(self, K, targets, folds, cell, weights=None):
        """Held-out values from the labelled Gram block alone, by one machine for every fold."""
        values = np.empty_like(targets)
        for number in np.unique(folds):
            held, train = np.flatnonzero(folds == number), np.flatnonzero(folds != number)
            left = None if weights is None else weights[train]
            beta, intercept, _ = self._machine(K[np.ix_(train, train)], targets[train], cell, left)
            values[held] = K[np.ix_(held, train)] @ beta + intercept
        return values


class DeformedPath(KernelPath):
    """The same machines on the labelled block of the deformed kernel."""

    parameters = ("gamma_A", "gamma_I", "graph_weight", *UNSCALED)
    fixed = {"balance": None, "class_gamma_I": None}

    def __init__(self, estimator, X, X_new=None):
        self.fixed = {name: value for name, value in self.fixed.items() if hasattr(estimator, name)}
        super().__init__(estimator, X, X_new)
        self._columns, self._blocks = (None, None), (None, {})

    @cached_property
    def graph(self):
        """The fitted graph."""
        return as_graph(KNNGraph() if self.estimator.graph is None else self.estimator.graph, self.X)

    @cached_property
    def factor(self):
        """R with K = R R', and the map T from weights in R's columns to coefficients over ``points`` (or None)."""
        template = self.estimator
        if template.basis is not None:
            self.points = basis_points(self.kernel, self.X, template.basis, template.random_state)
            return reduced_factor(self.kernel, self.X, self.points)
        if template.kernel == "linear" and self.X.shape[1] < self.X.shape[0] and not sparse.issparse(self.X):
            return self.X, None
        return pivoted_cholesky(self.kernel(self.X)), None

    @cached_property
    def deformation(self) -> SharedDeformation:
        """The factorisation that serves every cell."""
        deformation = SharedDeformation(self.factor[0], self.graph)
        if self.estimator.basis is None:
            del self.factor  # n x rank(K) numbers that only this needed
        return deformation

    @cached_property
    def unit(self) -> float:
        """r of the deformed kernel that a ``graph_weight`` of 1 stands for."""
        return ratio_unit(self.kernel.diagonal(self.X), self.graph, self.X.shape[0])

    def _complete(self, cell):
        # A cell that names one of the two conventions does not mean the template's value of the other.
        other = {"gamma_I": {"graph_weight": None}, "graph_weight": {"gamma_I": None}}
        for name in other.keys() & cell.keys():
            cell = other[name] | cell
        return super()._complete(cell)

    def _ratio(self, cell, l) -> float:
        """r of the deformed kernel."""
        ridge, smoothness = self._unscaled(cell, l)
        return smoothness / ridge

    def _unscaled(self, cell, l):
        return unscaled(cell, l, self.X.shape[0], lambda: self.unit)

    def _fit(self, rows, targets, cell):
        r = self._ratio(cell, len(rows))
        if r == 0 and self.estimator.basis is None:
            return super()._fit(rows, targets, cell)
        columns = self._deformed_columns(rows, r)
        beta, intercept, info = self._machine(columns[rows], targets, cell, self._weights_at(rows))
        new = None if self.X_new is None else self._new_values(rows, beta, r) + intercept
        return PathFit(columns @ beta + intercept, new, info)

    def _deformed_columns(self, rows, r):
        """K~(r)[:, rows]; cells of equal r share them."""
        key = (rows.tobytes(), f"{r:.12g}")
        if self._columns[0] != key:
            self._columns = key, self.deformation.columns(rows, r)
        return self._columns[1]

    def _new_values(self, rows, beta, r):
        if self.estimator.basis is None:
            return self.new_gram @ self.deformation.coefficients(rows, beta, r)
        weights = self.deformation.weights(rows, beta, r)
        return self.kernel.expand(self.X_new, self.points, self.factor[1] @ weights)

    def _held_out(self, rows, targets, folds, cell):
        # The ratio gamma_I / (gamma_A n^2) does not depend on the number of labels: one block serves all folds.
        r = self._ratio(cell, len(rows))
        if r == 0 and self.estimator.basis is None:
            return super()._held_out(rows, targets, folds, cell)
        return self._held_out_in(self._labelled_block(rows, r), targets, folds, cell, self._weights_at(rows))

    def _labelled_block(self, rows, r):
        """K~(r)[rows, rows]; those of the last labelled set are kept, for held-out values and fits alike."""
        if self._blocks[0] != rows.tobytes():
            self._blocks = rows.tobytes(), {}
        blocks, key = self._blocks[1], f"{r:.12g}"
        if key not in blocks:
            if len(blocks) * len(rows) ** 2 > BLOCK_NUMBERS:
                blocks.clear()
            blocks[key] = self.deformation.block(rows, rows, r)
        return blocks[key]

    def _ordered(self, cells):
        """Cells of one deformed kernel together."""
        return sorted(cells, key=lambda cell: _log_ratio(*self._unscaled(self._complete(cell), 1)))


def unscaled(cell, l, n, unit=None) -> tuple[float, float]:
    """(ridge, smoothness) of a cell: gamma_A l and gamma_I l / n^2, or graph_weight unit() ridge, or as given.

    With them the problem reads sum_i loss(y_i, f_i) + ridge ||f||^2 + smoothness f'Lf.
    """
    given = [name for name in UNSCALED if name in cell]
    if len(given) == 1:
        raise TypeError(f"ridge and smoothness belong together; got {given[0]} alone.")
    if given:
        return cell["ridge"], cell["smoothness"]
    ridge = ambient(cell, l)
    if cell["gamma_I"] is not None:
        return ridge, cell["gamma_I"] * l / n**2
    if not isinstance(cell.get("graph_weight"), Real):
        raise TypeError(
            f"a path needs a number for gamma_I or graph_weight; got graph_weight={cell.get('graph_weight')!r}."
        )
    return ridge, cell["graph_weight"] * unit() * ridge


def ambient(cell, l) -> float:
    """ridge = gamma_A l of a cell; gamma_A is 1e-2 where the template leaves it open, as in the estimators."""
    if "ridge" in cell:
        return cell["ridge"]
    return (AMBIENT if cell["gamma_A"] == "auto" else cell["gamma_A"]) * l


def _log_ratio(ridge, smoothness) -> float:
    return round(float(np.log10(smoothness / ridge)), 9) if smoothness > 0 else -np.inf


class ManyCells:
    """Values of the cells of a grid on the points, many in one product."""

    def _fits(self, rows, targets, cells):
        """Values of many cells in one product: f = B w with w = diag(1 / (1 + r s)) B_l' beta of every cell beside."""
        if self.X_new is not None:
            yield from super()._fits(rows, targets, cells)
            return
        size = max(1, VALUES_AT_ONCE // targets.shape[1])
        for first in range(0, len(cells), size):
            yield from self._batch(rows, targets, cells[first : first + size])

    def _batch(self, rows, targets, cells):
        labelled, weights_of_loss, solved = self.deformation.features[rows], self._weights_at(rows), []
        for cell in cells:
            r = self._ratio(cell, len(rows))
            beta, intercept, info = self._machine(self._labelled_block(rows, r), targets, cell, weights_of_loss)
            weights = (labelled.T @ beta) * self.deformation.shrinkage(r)[:, None]
            solved.append((weights, intercept, info))
        values = self.deformation.features @ np.column_stack([weights for weights, _, _ in solved])
        k = targets.shape[1]
        for i, (_, intercept, info) in enumerate(solved):
            yield PathFit(values[:, i * k : (i + 1) * k] + intercept, None, info)


class LeastSquares:
    """Ridge regression on a labelled Gram block, and its held-out values in closed form."""

    @property
    def _fit_intercept(self):
        return getattr(self.estimator, "fit_intercept", False) is True  # "auto" has none where weights are given

    def _machine(self, K, targets, cell, weights=None):
        ridge = _weighted(self._ridge(cell, len(targets)), weights)
        if self._fit_intercept:
            return *solve_rls_with_intercept(K, targets, ridge), {}
        return solve_rls(K, targets, ridge), 0.0, {}

    def _inverse(self, K, ridge):
        """M (l, l): its product with targets is the machine's coefficients."""
        if self._fit_intercept:
            return solve_rls_with_intercept(K, np.eye(len(K)), ridge)[0]
        return inverse_rls(K, ridge)

    def _ridge(self, cell, l):
        return ambient(cell, l)

    def _held_out_in(self, K, targets, folds, cell, weights=None):
        """All folds from one inverse: with M = (K + ridge I)^-1, y_F - f_F = (M_FF)^-1 (M y)_F, exactly.

        Weights w of the losses put ridge diag(1 / w) in the place of ridge I. With an intercept, M is the upper left
        block of the inverse of the bordered system, which loses a row for every label that is held out just as K does:
        M is symmetric, and its columns are the machines' coefficients.
        In gamma_A's scale the ridge depends on the number of labels that stay, so folds of unequal size have inverses
        of their own.
        """
        numbers = np.unique(folds)
        if len(numbers) == len(targets):  # leave-one-out: every block of M is one number
            inverse = self._inverse(K, _weighted(self._ridge(cell, len(targets) - 1), weights))
            return targets - inverse @ targets / np.diag(inverse)[:, None]
        values, inverses = np.empty_like(targets), {}
        for number in numbers:
            held = np.flatnonzero(folds == number)
            ridge = self._ridge(cell, len(targets) - len(held))
            if ridge not in inverses:
                inverse = self._inverse(K, _weighted(ridge, weights))
                inverses[ridge] = inverse, inverse @ targets
            inverse, beta = inverses[ridge]
            values[held] = targets[held] - np.linalg.solve(inverse[np.ix_(held, held)], beta[held])
        return values


def _weighted(ridge, weights):
    """The ridge of every label: a loss that counts twice is a ridge that counts half."""
    return ridge if weights is None else ridge / weights


class HingeLoss:
    """Support vector classification on a labelled Gram block."""

    def _machine(self, K, targets, cell, weights=None):
        ridge = ambient(cell, len(targets))
        template = self.estimator
        solver = getattr(template, "solver", "smo")
        with_bias = getattr(template, "fit_intercept", True)
        if with_bias == "auto":  # as the estimator with given weights
            with_bias = solver == "libsvm"
        solution = solve_svc(K, targets, 1.0 / (2.0 * ridge), solver, template.tol, with_bias, weights)
        return solution.coefficients, solution.intercepts, {"dual_gap": float(solution.gaps.max())}


class RLSPath(LeastSquares, KernelPath):
    """Regularised least squares over gamma_A (or ridge = gamma_A l), labels and folds.

    See Also
    --------
    mr.RLS : the estimator.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.

    Examples
    --------
    >>> import numpy as np, mr
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1]])
    >>> path = mr.paths.RLSPath(mr.RLS(), X)
    >>> fit = path.fit([0, -1, 1, -1], gamma_A=0.1)
    >>> (fit.values[:, 0] > 0).astype(int)
    array([0, 0, 1, 1])
    """

    estimator_class = (RLS, RLSRegressor)
    parameters = ("gamma_A", "ridge")


class SVMPath(HingeLoss, KernelPath):
    """Support vector machines over gamma_A (or ridge = gamma_A l), labels and folds.

    See Also
    --------
    mr.SVM : the estimator.

    References
    ----------
    C. Cortes, V. Vapnik (1995). Support-vector networks. Machine Learning 20.

    Examples
    --------
    >>> import numpy as np, mr
    >>> X = np.array([[0.0], [0.1], [0.9], [1.0], [1.1]])
    >>> path = mr.paths.SVMPath(mr.SVM(), X)
    >>> for cell, fit in path.grid([0, -1, -1, 1, -1], gamma_A=[0.01, 0.1]):
    ...     print(cell, (fit.values[:, 0] > 0).astype(int))
    {'gamma_A': 0.01} [0 0 1 1 1]
    {'gamma_A': 0.1} [0 0 1 1 1]
    """

    estimator_class = SVM
    parameters = ("gamma_A", "ridge")


class LapRLSPath(ManyCells, LeastSquares, DeformedPath):
    """Laplacian regularised least squares (belkin2006, section 4.2) over gamma_A, gamma_I, labels and folds.

    ``ridge`` and ``smoothness`` give the weights unscaled: (J'J K + ridge I + smoothness L K) alpha = J'y. Held-out
    values are exact and cost one inverse of the labelled block.

    See Also
    --------
    mr.LapRLS : the estimator.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7, section 4.2.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=100, seed=0)
    >>> y = np.full(100, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:3]] = c
    >>> path = mr.paths.LapRLSPath(mr.LapRLS(gamma=4.0), data.X)
    >>> grid = path.grid(y, gamma_A=[1e-4, 1e-2], gamma_I=[0.0, 1.0, 100.0])
    >>> len([cell for cell, fit in grid])
    6
    """

    estimator_class = (LapRLS, LapRLSRegressor)


class LapSVMPath(HingeLoss, DeformedPath):
    """Laplacian support vector machine (belkin2006, section 4.4) over gamma_A, gamma_I, labels and folds.

    See Also
    --------
    mr.LapSVM : the estimator.

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani (2006). Manifold regularization: a geometric framework for learning from labeled
    and unlabeled examples. JMLR 7.

    Examples
    --------
    >>> import numpy as np, mr
    >>> X = np.array([[0.0], [0.1], [0.9], [1.0], [1.1]])
    >>> path = mr.paths.LapSVMPath(mr.LapSVM(graph=mr.KNNGraph(2)), X)
    >>> for cell, fit in path.grid([0, -1, -1, 1, -1], gamma_A=[0.01], graph_weight=[0, 10]):
    ...     print(cell, (fit.values[:, 0] > 0).astype(int))
    {'gamma_A': 0.01, 'graph_weight': 0} [0 0 1 1 1]
    {'gamma_A': 0.01, 'graph_weight': 10} [0 0 1 1 1]
    """

    estimator_class = LapSVM


class LapSVRPath(DeformedPath):
    """Laplacian support vector regression (chen2012) over C, mu, labels and folds.

    See Also
    --------
    mr.LapSVR : the estimator.

    References
    ----------
    L. Chen, I. W. Tsang, D. Xu (2012). Laplacian embedded regression for scalable manifold regularization. IEEE
    Transactions on Neural Networks and Learning Systems 23(6).

    Examples
    --------
    >>> import numpy as np, mr
    >>> X = np.array([[0.0], [0.1], [0.9], [1.0], [1.1]])
    >>> path = mr.paths.LapSVRPath(mr.LapSVR(graph=mr.KNNGraph(2)), X)
    >>> for cell, fit in path.grid([0, -1, -1, 1, -1], C=[10.0], mu=[0, 10]):
    ...     print(cell, (fit.values[:, 0] > 0).astype(int))
    {'C': 10.0, 'mu': 0} [0 0 1 1 1]
    {'C': 10.0, 'mu': 10} [0 0 1 1 1]
    """

    estimator_class = (LapSVR, LapSVRRegressor)
    parameters = ("C", "mu")

    def _complete(self, cell):
        cell = Path._complete(self, cell)
        for name in self.parameters:
            if not isinstance(cell[name], Real):
                raise TypeError(f"a path needs a number for {name}; got {name}={cell[name]!r}.")
        return cell

    def _ratio(self, cell, l):
        return cell["mu"]

    def _ordered(self, cells):
        return sorted(cells, key=lambda cell: self._complete(cell)["mu"])

    def _machine(self, K, targets, cell, weights=None):
        template = self.estimator
        solution = solve_svr(K, targets, cell["C"], template.epsilon, tol=template.tol, weights=weights)
        return solution.coefficients, solution.intercepts, {"dual_gap": float(solution.gaps.max())}
