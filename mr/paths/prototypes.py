"""Prototype vector machines: prototypes, features and smoothness once for all weights, labels and folds."""

from functools import cached_property
from itertools import groupby

import numpy as np
from sklearn.base import clone

from mr.estimators import PVM
from mr.estimators.pvm import check_constant
from mr.graph.blocks import RowBlocks
from mr.paths.base import Path, PathFit
from mr.solvers.box_qp import unbiased_svc_path
from mr.solvers.feature_ridge import FeatureRidge
from mr.solvers.prototypes import (
    PrototypeGraph,
    inverse_root,
    prototype_graph,
    quadratic_form,
    solve_weighted_square,
)
from mr.solvers.scale_free import is_auto
from mr.solvers.svm import solve_svc


class PVMPath(Path):
    """Prototype vector machines (zhang2015, section IV) over C1, C2, labels and folds.

    The k-means centres, the features F = K(X, V) T and the smoothness F'SF see no label. With the squared loss a cell
    is one r x r system, and the held-out values of all folds and C1 come from one singular value decomposition. With
    the hinge loss ``grid`` and ``held_out_grid`` start every machine from that of the next smaller C1. Both are found
    to the relative duality gap ``tol`` of the template, so they agree with machines that start from zero to its root.

    The weight C2 of ``regularizer="unlabeled"`` changes its meaning with the labels, and so do weights that are "auto",
    which the estimator chooses anew for every labelled set: there the folds are refitted.

    Parameters
    ----------
    estimator : PVM
        Template with a width that does not depend on labels (no ``gamma="auto"``). A cell may name ``C1``,
        ``C2`` and ``fit_intercept``.
    X : array or sparse matrix (n, d)
    X_new : array or sparse matrix (n_new, d), default=None

    Attributes
    ----------
    prototypes : array (m, d)
        They may be handed to another template, ``PVM(prototypes=path.prototypes, gamma=...)``, so that kernel widths
        share them.
    graph : PrototypeGraph
        Smoothness in the coordinates of the features.
    features : array (n, r)

    See Also
    --------
    mr.PVM : the estimator.

    References
    ----------
    .. [1] K. Zhang, L. Lan, J. T. Kwok, S. Vucetic, B. Parvin (2015). Scaling up graph-based semisupervised learning
       via prototype vector machines. IEEE Transactions on Neural Networks and Learning Systems 26(3).

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=200, seed=0)
    >>> y = np.full(200, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:5]] = c
    >>> path = mr.paths.PVMPath(mr.PVM(20, gamma=4.0, random_state=0), data.X)
    >>> [cell["C1"] for cell, values in path.held_out_grid(y, C1=[0.1, 10.0])]
    [0.1, 10.0]
    """

    estimator_class = PVM
    parameters = ("C1", "C2", "fit_intercept")

    def __init__(self, estimator, X, X_new=None):
        super().__init__(estimator, X, X_new)
        if self.estimator.kernel == "rbf" and is_auto(self.estimator.gamma):
            raise ValueError(
                "PVMPath takes one kernel width, and gamma='auto' chooses it anew for other labels; "
                "expected a number, 'scale', 'mean' or 'local'."
            )
        self._roots = {}
        self._ridge = (None, None)

    @cached_property
    def _blocks(self) -> RowBlocks:
        return RowBlocks(self.X, self.estimator.n_prototypes)

    @cached_property
    def _moments(self):
        return self._blocks.moments()

    @cached_property
    def prototypes(self) -> np.ndarray:
        return self.estimator._choose_prototypes(self._blocks, self._moments)

    @cached_property
    def graph(self) -> PrototypeGraph:
        (kernel,) = self.estimator._kernels(self._blocks, self.prototypes, self._moments)
        return prototype_graph(self._blocks, kernel, self.prototypes, self.estimator.laplacian)

    @cached_property
    def features(self) -> np.ndarray:
        return np.concatenate([self.graph.features(block) for block in self._blocks])

    @cached_property
    def new_features(self) -> np.ndarray:
        """Features (n_new, r) of the new points."""
        blocks = RowBlocks(self.X_new, self.estimator.n_prototypes)
        return np.concatenate([self.graph.features(block) for block in blocks])

    def machine_features(self, C2=None) -> np.ndarray:
        """Features G (n, r) in which the machine is an ordinary one: min 1/2 ||w||^2 + C1 sum_i loss(y_i, (G w)_i).

        For solvers of one's own, such as LIBSVM on the kernel G G'. Not for ``regularizer="unlabeled"`` with C2 > 0,
        where they depend on the labels.

        Parameters
        ----------
        C2 : float, default=None
            None is that of the template.

        Returns
        -------
        array (n, r)
        """
        C2 = self.estimator.C2 if C2 is None else C2
        if not self._sees_no_label(C2):
            raise ValueError(f"these features depend on the labels for C2={C2!r} and {self.estimator.regularizer!r}.")
        return self.features @ self._root(np.arange(0), C2)

    def _ordered(self, cells):
        def weights(cell):
            cell = self._complete(cell)
            return [-1.0 if is_auto(cell[name]) else cell[name] for name in ("fit_intercept", "C2", "C1")]

        return sorted(cells, key=weights)

    def _complete(self, cell):
        cell = super()._complete(cell)
        check_constant(self.estimator.loss, cell["fit_intercept"])
        return cell

    def _fit(self, rows, targets, cell):
        (fit,) = self._fits(rows, targets, [cell])
        return fit

    def _fits(self, rows, targets, cells):
        cells = [self._chosen(rows, targets, cell) for cell in cells]
        for (C2, constant), group in groupby(cells, key=lambda cell: (cell["C2"], cell["fit_intercept"])):
            C1s = [cell["C1"] for cell in group]
            if self.estimator.loss == "hinge":
                yield from self._hinge_fits(rows, targets, C1s, C2)
                continue
            F = self.features[rows]
            A = quadratic_form(self.graph, F, C2, self.estimator.regularizer)
            weights = self._weights_at(rows)
            for C1 in C1s:
                yield self._expanded(*solve_weighted_square(A, F, targets, C1, weights, constant), {})

    def _chosen(self, rows, targets, cell):
        """The cell with numbers in place of "auto", as the estimator chooses them."""
        if not any(map(is_auto, cell.values())):
            return cell
        labelled, weights, constant = self.features[rows], self._weights_at(rows), cell["fit_intercept"]
        template = clone(self.estimator).set_params(fit_intercept=constant)
        *_, C1, C2 = template._choose(
            [self.graph], [labelled], targets, self.X.shape[0], cell["C1"], cell["C2"], weights=weights
        )  # fmt: skip
        return {"C1": C1, "C2": C2, "fit_intercept": constant}

    def _hinge_fits(self, rows, targets, C1s, C2):
        root = self._root(rows, C2)
        labelled = self.features[rows] @ root
        betas, gaps = self._hinge_path(labelled @ labelled.T, targets, C1s, self._weights_at(rows))
        for beta, gap in zip(betas, gaps, strict=True):
            yield self._expanded(root @ (labelled.T @ beta), 0.0, {"dual_gap": float(gap.max())})

    def _hinge_path(self, K, targets, C1s, weights):
        """Machines of the hinge loss in the features, beta (len(C1s), l, k) and gaps."""
        if weights is None:
            return unbiased_svc_path(K, targets, C1s, self.estimator.tol)
        found = [solve_svc(K, targets, C1, tol=self.estimator.tol, fit_intercept=False, weights=weights) for C1 in C1s]
        return np.array([solution.coefficients for solution in found]), np.array([solution.gaps for solution in found])

    def _expanded(self, weights, intercepts, info):
        new = None if self.X_new is None else self.new_features @ weights + intercepts
        return PathFit(self.features @ weights + intercepts, new, info)

    def _held_out(self, rows, targets, folds, cell):
        (values,) = self._held_outs(rows, targets, folds, [cell])
        return values

    def _held_outs(self, rows, targets, folds, cells):
        for (C2, constant), group in groupby(cells, key=lambda cell: (cell["C2"], cell["fit_intercept"])):
            group = list(group)
            C1s = [cell["C1"] for cell in group]
            if not self._sees_no_label(C2) or any(map(is_auto, C1s)):
                yield from (super(PVMPath, self)._held_out(rows, targets, folds, cell) for cell in group)
            elif self.estimator.loss == "hinge":
                yield from self._hinge_held_out(rows, targets, folds, C1s, C2)
            else:
                ridge = self._labelled_ridge(rows, C2, constant)
                yield from (ridge.held_out(targets, folds, C1) for C1 in C1s)

    def _hinge_held_out(self, rows, targets, folds, C1s, C2):
        """Values (len(C1s), l, k); every fold walks along C1 from a machine to the next."""
        labelled = self.features[rows] @ self._root(rows, C2)
        K, weights = labelled @ labelled.T, self._weights_at(rows)
        values = np.empty((len(C1s), *targets.shape))
        for number in np.unique(folds):
            held, train = np.flatnonzero(folds == number), np.flatnonzero(folds != number)
            left = None if weights is None else weights[train]
            betas, _ = self._hinge_path(K[np.ix_(train, train)], targets[train], C1s, left)
            values[:, held] = K[np.ix_(held, train)] @ betas
        return values

    def _sees_no_label(self, C2) -> bool:
        """Whether the quadratic form is the same for all labels."""
        return not is_auto(C2) and (C2 == 0 or self.estimator.regularizer != "unlabeled")

    def _root(self, rows, C2) -> np.ndarray:
        """P with P'AP = I for the quadratic form A: the machines are ordinary ones in the features F P."""
        if C2 in self._roots:
            return self._roots[C2]
        root, _ = inverse_root(quadratic_form(self.graph, self.features[rows], C2, self.estimator.regularizer))
        if self._sees_no_label(C2):
            self._roots[C2] = root
        return root

    def _labelled_ridge(self, rows, C2, constant) -> FeatureRidge:
        """Decomposition of the labelled features; cells of one C2 share it."""
        key = rows.tobytes(), C2, constant
        if self._ridge[0] != key:
            features = self.features[rows] @ self._root(rows, C2)
            self._ridge = key, FeatureRidge(features, constant, self._weights_at(rows))
        return self._ridge[1]
