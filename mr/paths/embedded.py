"""Laplacian embedded regression (chen2012) over C, mu, lambda, eigenvectors, labels and folds.

The points, the graph's eigenpairs and the Gram matrix serve every cell. LapERLS takes all its cells from one
eigendecomposition of the Gram matrix, LapESVR starts the machine of each C from that of the C before.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from numbers import Real

import numpy as np
from sklearn.base import is_classifier

from mr.estimators import LapERLS, LapERLSRegressor, LapESVR, LapESVRRegressor
from mr.estimators._embedded import labelled_components
from mr.estimators.lapesvr import IN_MEMORY, target_units, tube
from mr.graph import KNNGraph, as_graph
from mr.paths.base import Path, PathFit, per_fold
from mr.paths.deformed import KernelPath
from mr.resources import eigenpairs
from mr.solvers.embedded_weight import LABELS, held_out_values, of_labels, solve_reduced
from mr.solvers.embedding import check_label_weight, embed
from mr.solvers.epsilon_svr import solve_epsilon_svr
from mr.solvers.rls import inverse_rls, solve_rls, solve_rls_with_intercept
from mr.solvers.row_cache import EmbeddedMatrix, KernelRows, RowCache
from mr.spectrum import smallest_eigenpairs


@dataclass(frozen=True)
class _Machine:
    """f on the points that took part, and its expansion over them."""

    values: np.ndarray
    coefficients: np.ndarray
    intercepts: np.ndarray | float
    info: dict


class _Part:
    """Points that take part in a fit: their Gram matrix (or cached rows of it), graph and eigenpairs."""

    def __init__(self, members, K, graph, shift, eigenpairs=None):
        self.members, self.K, self.graph, self._pairs = members, K, graph, eigenpairs
        self._shift, self._inverses = shift, {}

    def eigenpairs(self, k):
        """The k smallest eigenvalues of L^p + shift I, and their vectors."""
        k = min(k, len(self.members))
        if self._pairs is None or len(self._pairs.values) < k:
            self._pairs = smallest_eigenpairs(self.graph, k)
            self._inverses = {}
        return self._pairs.values[:k] ** self.graph.power + self._shift, self._pairs.vectors[:, :k]

    @cached_property
    def kernel_eigenpairs(self):
        """Eigenvalues and vectors of the Gram matrix; what is below zero is rounding."""
        values, vectors = eigenpairs(self.K)
        return np.maximum(values, 0.0), vectors

    def inverse(self, C, k, fit_intercept=False):
        """Phi'P Phi (k, k), Phi - P Phi / C (n, k), P Phi (n, k) and b (k,), for the first k eigenvectors Phi.

        Without a constant, P = A^-1 with A = K + I/C and b = 0. With an unpenalised one, K is K + c 11' in the limit of
        a large c: P = A^-1 - A^-1 11'A^-1 / 1'A^-1 1, and b = 1'A^-1 Phi / 1'A^-1 1 are the constants.
        """
        self.eigenpairs(k)
        key = C, fit_intercept
        if key not in self._inverses:
            values, basis = self.kernel_eigenpairs
            rotated = basis.T @ self._pairs.vectors
            inverse = 1.0 / (values + 1.0 / C)
            inner = (rotated.T * inverse) @ rotated
            outer = (basis * (values * inverse)) @ rotated
            constants = np.zeros(rotated.shape[1])
            if fit_intercept:
                ones = basis @ (inverse * basis.sum(axis=0))
                sums = ones @ self._pairs.vectors
                constants = sums / ones.sum()
                inner -= np.outer(sums, constants)
                outer += np.outer(ones / C, constants)
            # A^-1 = C (I - K A^-1): no second product of this size
            self._inverses[key] = inner, outer, C * (self._pairs.vectors - outer), constants
        inner, outer, solved, constants = self._inverses[key]
        return inner[:k, :k], outer[:, :k], solved[:, :k], constants[:k]


class EmbeddedPath(KernelPath):
    """What LapERLS and LapESVR share: who takes part, eigenpairs, and values beyond the points that do."""

    parameters = ("C", "mu", "label_weight", "n_eigenvectors")
    solvers: tuple[str, ...] = ()

    def __init__(self, estimator, X, X_new=None, eigenpairs=None):
        super().__init__(estimator, X, X_new)
        if self.estimator.solver not in self.solvers:
            raise ValueError(
                f"{type(self).__name__} solves exactly, solver {' or '.join(map(repr, self.solvers))}; "
                f"got {self.estimator.solver!r}. Fit the estimator itself instead."
            )
        if eigenpairs is not None and len(eigenpairs.vectors) != self.X.shape[0]:
            raise ValueError(
                f"eigenpairs must have vectors over the {self.X.shape[0]} points; got {len(eigenpairs.vectors)} rows."
            )
        self._given_pairs = eigenpairs
        self._parts = {}

    @cached_property
    def graph(self):
        """The fitted graph."""
        return as_graph(KNNGraph() if self.estimator.graph is None else self.estimator.graph, self.X)

    def _complete(self, cell):
        cell = super()._complete(cell)
        for name in ("C", "mu"):
            if not isinstance(cell[name], Real):
                raise TypeError(f"a path needs a number for {name}; got {name}={cell[name]!r}.")
        weight = LABELS * cell["C"] if cell["label_weight"] == "auto" else cell["label_weight"]
        if not isinstance(weight, Real):
            raise TypeError(f"a path needs a number or 'auto' for label_weight; got label_weight={weight!r}.")
        # as doubles: numpy knows no roots of integers beyond 64 bits
        return cell | {"C": float(cell["C"]), "mu": float(cell["mu"]), "label_weight": float(weight)}

    @abstractmethod
    def _on_labels(self, K, targets, cell) -> _Machine:
        """mu = 0: the machine on the labelled Gram block, G = I / lambda (chen2012, proposition 2)."""

    @abstractmethod
    def _on_graph(self, part, at, targets, cell) -> _Machine:
        """The machine on the points of a part; ``at`` are the labelled ones among them."""

    def _part(self, rows) -> _Part:
        """The points that take part when ``rows`` are labelled."""
        components = self.graph.component_labels_
        labelled = np.unique(components[rows])
        whole = self.estimator.components == "all" or len(labelled) == components.max() + 1
        key = "all" if whole else labelled.tobytes()
        if key not in self._parts:
            # at most two: the whole, and the part in use
            self._parts = {name: part for name, part in self._parts.items() if name == "all"}
            self._parts[key] = self._make_part(rows, whole)
        return self._parts[key]

    def _make_part(self, rows, whole) -> _Part:
        shift = self.estimator.shift
        if whole:
            return _Part(np.arange(self.X.shape[0]), self._matrix(None), self.graph, shift, self._given_pairs)
        members, graph = labelled_components(self.graph, rows)
        return _Part(members, self._matrix(members), graph, shift)

    def _matrix(self, members):
        """Gram matrix of some points, or of all (None)."""
        return self.gram if members is None else self.gram[np.ix_(members, members)]

    def _fit(self, rows, targets, cell):
        cell = self._of_labels(cell, rows)
        if cell["mu"] == 0:
            check_label_weight(cell["label_weight"])
            members, machine = rows, self._on_labels(self._gram_columns(rows)[rows], targets, cell)
        else:
            part = self._part(rows)
            members = part.members
            machine = self._on_graph(part, np.searchsorted(members, rows), targets, cell)
        values = machine.values
        if len(members) < self.X.shape[0]:
            others = np.setdiff1d(np.arange(self.X.shape[0]), members)
            values = np.empty((self.X.shape[0], targets.shape[1]))
            values[members] = machine.values
            values[others] = self._expanded(others, None, members, machine)
        new = None if self.X_new is None else self._expanded(None, self.X_new, members, machine)
        return PathFit(values, new, machine.info)

    def _of_labels(self, cell, rows):
        """The cell with one lambda for each label where labels are weighed, else itself."""
        weights = self._weights_at(rows)
        return cell if weights is None else cell | {"label_weight": of_labels(cell["label_weight"], weights)}

    def _expanded(self, rows, X_new, members, machine):
        """f at some of the points (``rows``) or at the new ones: from Gram matrices as long as they are small."""
        if self.X.shape[0] <= IN_MEMORY:
            block = self.new_gram[:, members] if rows is None else self.gram[np.ix_(rows, members)]
            return block @ machine.coefficients + machine.intercepts
        support = np.flatnonzero(machine.coefficients.any(axis=1))
        X = X_new if rows is None else self.X[rows]
        if len(support) == 0:
            return np.zeros((X.shape[0], machine.coefficients.shape[1])) + machine.intercepts
        return self.kernel.expand(X, self.X[members[support]], machine.coefficients[support]) + machine.intercepts

    def _held_out(self, rows, targets, folds, cell):
        return Path._held_out(self, rows, targets, folds, cell)

    def _ordered(self, cells):
        """Most eigenvectors first: fewer are among them. C ascending: one machine starts the next."""

        def key(cell):
            cell = self._complete(cell)
            return -cell["n_eigenvectors"], cell["label_weight"], cell["mu"], cell["C"]

        return sorted(cells, key=key)


class LapERLSPath(EmbeddedPath):
    """Laplacian embedded regularised least squares (chen2012, section III-D) over C, mu, lambda, labels and folds.

    With Phi the eigenvectors of the graph, S = lambda Phi_l'Phi_l + mu Sigma^p (equation 29) and A = K + I/C,
    Woodbury's identity turns the n x n system (K + Phi S^-1 Phi' + I/C) a = y~ into one of the size of S:

        (S + Phi'A^-1 Phi) z = lambda Phi_l'y,    a = A^-1 Phi z,    f = K a.

    One eigendecomposition of K gives A^-1 for every C, and S is never inverted: components without a label need no care
    (``components="all"``). Held-out values are exact and take one more step of Woodbury.

    Parameters
    ----------
    estimator : LapERLS or LapERLSRegressor
        Template, with ``solver`` "auto" or "exact". A cell may name ``C``, ``mu``, ``label_weight``,
        ``n_eigenvectors`` and ``fit_intercept``.
    X : array or sparse matrix (n, d)
    X_new : array or sparse matrix (n_new, d), default=None
    eigenpairs : mr.spectrum.Eigenpairs, default=None
        Smallest eigenpairs of the graph's Laplacian if they are known already, at least ``n_eigenvectors`` of them.

    See Also
    --------
    mr.LapERLS : the estimator.
    LapESVRPath : the same with the epsilon-insensitive loss.

    References
    ----------
    L. Chen, I. W. Tsang, D. Xu (2012). Laplacian embedded regression for scalable manifold regularization. IEEE
    Transactions on Neural Networks and Learning Systems 23(6), equation 33.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=100, seed=0)
    >>> y = np.full(100, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:3]] = c
    >>> path = mr.paths.LapERLSPath(mr.LapERLS(n_eigenvectors=10), data.X)
    >>> cells = [cell for cell, fit in path.grid(y, C=[1.0, 100.0], mu=[0.1, 10.0], label_weight=[100.0])]
    >>> len(cells), path.held_out(y, **cells[0]).shape
    (4, (6, 1))
    """

    estimator_class = (LapERLS, LapERLSRegressor)
    parameters = (*EmbeddedPath.parameters, "fit_intercept")
    solvers = ("auto", "exact")

    def _on_labels(self, K, targets, cell):
        slack = 1.0 / np.ravel(cell["label_weight"]) + 1.0 / cell["C"]
        if cell["fit_intercept"]:
            a, intercepts = solve_rls_with_intercept(K, targets, slack)
        else:
            a, intercepts = solve_rls(K, targets, slack), 0.0
        return _Machine(K @ a + intercepts, a, intercepts, {})

    def _on_graph(self, part, at, targets, cell):
        _, outer, inverse, constants = self._inverse(part, cell)
        z = self._solve(part, at, cell) @ (cell["label_weight"] * targets)
        return _Machine(outer @ z, inverse @ z, constants @ z, {})

    @staticmethod
    def _inverse(part, cell):
        return part.inverse(cell["C"], cell["n_eigenvectors"], cell["fit_intercept"])

    def _solve(self, part, at, cell):
        """(S + Phi'A^-1 Phi)^-1 Phi_l' (k, l)."""
        values, vectors = part.eigenpairs(cell["n_eigenvectors"])
        inner, *_ = self._inverse(part, cell)
        return solve_reduced(inner, vectors[at], cell["mu"] * values, cell["label_weight"])

    def _held_out(self, rows, targets, folds, cell):
        (values,) = self._held_outs(rows, targets, folds, [cell])
        return values

    def _held_outs(self, rows, targets, folds, cells):
        """In closed form, but for folds that change the part: these are refitted, all cells on one part."""
        values = [self._kept_part(rows, targets, folds, cell) for cell in cells]
        for number in np.unique(folds) if any(cell["mu"] > 0 for cell in cells) else []:
            held = folds == number
            if not self._changes_part(rows, held):
                continue
            for cell, found in zip(cells, values, strict=True):
                if cell["mu"] > 0:
                    found[held] = self._fit(rows[~held], targets[~held], cell).values[rows[held]]
        yield from values

    def _kept_part(self, rows, targets, folds, cell):
        """Held-out values where every fold leaves all components in the fit."""
        cell = self._of_labels(cell, rows)
        if cell["mu"] == 0:
            check_label_weight(cell["label_weight"])
            slack = 1.0 / np.ravel(cell["label_weight"]) + 1.0 / cell["C"]
            inverse = inverse_rls(self._gram_columns(rows)[rows], slack)
            if cell["fit_intercept"]:
                border = inverse.sum(axis=0)
                inverse -= np.outer(border, border) / border.sum()
            return targets - per_fold(inverse, inverse @ targets, folds)
        part = self._part(rows)
        at = np.searchsorted(part.members, rows)
        labelled = part.eigenpairs(cell["n_eigenvectors"])[1][at]
        outer = self._inverse(part, cell)[1][at]
        solved = self._solve(part, at, cell)
        return held_out_values(solved, labelled, outer, targets, cell["label_weight"], folds)

    def _changes_part(self, rows, held) -> bool:
        """Whether these labels are the last ones of a component, which would leave the fit with them."""
        components = self.graph.component_labels_[rows]
        return self.estimator.components != "all" and not np.isin(components[held], components[~held]).all()


class LapESVRPath(EmbeddedPath):
    """Laplacian embedded support vector regression (chen2012, section III) over C, mu, lambda, labels and folds.

    Q~ = K + Phi~ Phi~' is formed once for all C of an embedding, n x n in memory; beyond 4000 points rows of K are
    computed on demand, and all cells and labelled sets share them. Along ascending C the machine of one starts the
    next, and is final once no coefficient is at its bound. ``fit.info`` holds ``n_iter``, ``dual_gap`` and
    ``n_support``. Held-out values are refits, fold by fold along C.

    Parameters
    ----------
    estimator : LapESVR or LapESVRRegressor
        Template, with ``solver`` "auto" or "smo". A cell may name ``C``, ``mu``, ``label_weight`` and
        ``n_eigenvectors``.
    X : array or sparse matrix (n, d)
    X_new : array or sparse matrix (n_new, d), default=None
    eigenpairs : mr.spectrum.Eigenpairs, default=None
        Smallest eigenpairs of the graph's Laplacian if they are known already, at least ``n_eigenvectors`` of them.

    See Also
    --------
    mr.LapESVR : the estimator.
    LapERLSPath : the same with the squared loss.

    References
    ----------
    L. Chen, I. W. Tsang, D. Xu (2012). Laplacian embedded regression for scalable manifold regularization. IEEE
    Transactions on Neural Networks and Learning Systems 23(6), equations 14, 15 and 25 to 29.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=100, seed=0)
    >>> y = np.full(100, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:3]] = c
    >>> path = mr.paths.LapESVRPath(mr.LapESVR(n_eigenvectors=10), data.X)
    >>> [cell["C"] for cell, fit in path.grid(y, C=[100.0, 1.0], mu=[10.0]) if fit.info["dual_gap"] < 1e-6]
    [1.0, 100.0]
    """

    estimator_class = (LapESVR, LapESVRRegressor)
    solvers = ("auto", "smo")

    def __init__(self, estimator, X, X_new=None, eigenpairs=None):
        super().__init__(estimator, X, X_new, eigenpairs)
        self._embedding = (None, None, None)  # what determines it, Q~, virtual labels
        self._last = (None, 0.0, None)  # embedding, C and solutions of the last machine

    def _on_labels(self, K, targets, cell):
        Q = K + np.eye(len(K)) / np.ravel(cell["label_weight"])
        return self._regress(K, Q, targets, cell, None, self._tubes(targets, len(K)))

    def _on_graph(self, part, at, targets, cell):
        key = (
            part.members.tobytes(), at.tobytes(), targets.tobytes(),
            cell["mu"], np.ravel(cell["label_weight"]).tobytes(), cell["n_eigenvectors"],
        )  # fmt: skip
        if self._embedding[0] != key:
            values, vectors = part.eigenpairs(cell["n_eigenvectors"])
            free = self.estimator.components == "all"
            embedding = embed(values, vectors, at, targets, cell["label_weight"], cell["mu"], free)
            if isinstance(part.K, RowCache):
                Q = EmbeddedMatrix(part.K, embedding.features)
            else:
                Q = part.K + embedding.features @ embedding.features.T
            self._embedding = key, Q, embedding.targets
        _, Q, virtual = self._embedding
        return self._regress(part.K, Q, virtual, cell, key, self._tubes(targets, len(part.members)))

    def _matrix(self, members):
        n = self.X.shape[0] if members is None else len(members)
        if n <= IN_MEMORY:
            return super()._matrix(members)
        points = self.X if members is None else self.X[members]
        return RowCache(KernelRows(self.kernel, points), self.estimator.cache_size * 2**20, at_least=1024)

    def _tubes(self, labels, n):
        """(epsilon, tol) of every target, as the estimator has them for n points."""
        units = target_units(labels, is_classifier(self.estimator))
        exact = 1e-8 if n <= IN_MEMORY else 1e-3
        tol = exact * units if self.estimator.tol is None else self.estimator.tol
        return np.broadcast_arrays(tube(self.estimator.epsilon, units), tol, units)[:2]

    def _held_outs(self, rows, targets, folds, cells):
        """Every fold walks along C from a machine to the next."""
        values = np.empty((len(cells), *targets.shape))
        for number in np.unique(folds):
            held = folds == number
            for i, fit in enumerate(self._fits(rows[~held], targets[~held], cells)):
                values[i, held] = fit.values[rows[held]]
        yield from values

    def _regress(self, K, Q, targets, cell, key, tubes):
        """One regression for every column, from the machines of a smaller C on the same Q~ if there are some."""
        C = cell["C"]
        known, smaller, last = self._last
        if key is None or known != key or smaller > C:
            smaller, last = 0.0, [None] * targets.shape[1]
        solutions = []
        for y, epsilon, tol, found in zip(np.ascontiguousarray(targets.T), *tubes, last, strict=True):
            if found is None or np.abs(found.coefficients).max() >= smaller * (1 - 1e-9):
                start = None if found is None else found.coefficients
                found = solve_epsilon_svr(Q, y, C, epsilon, tol, start)
            solutions.append(found)
        self._last = key, C, solutions
        a = np.column_stack([solution.coefficients for solution in solutions])
        intercepts = np.array([solution.bias for solution in solutions])
        info = {
            "n_iter": sum(solution.n_iter for solution in solutions),
            "dual_gap": max(solution.gap for solution in solutions),
            "n_support": int(a.any(axis=1).sum()),
        }
        if isinstance(Q, EmbeddedMatrix):  # f = Qa - Ga + b costs no kernel evaluation
            products = np.column_stack([solution.products for solution in solutions])
            return _Machine(products - Q.features @ (Q.features.T @ a) + intercepts, a, intercepts, info)
        return _Machine(K @ a + intercepts, a, intercepts, info)
