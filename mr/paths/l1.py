"""The l1-penalised kernel regressor along lambda2: landmarks, features and smoothness once, warm starts on the way."""

from functools import cached_property
from itertools import groupby

import numpy as np
from sklearn.utils import check_random_state

from mr.estimators.l1lrk import L1LRK, smoothness_weight, sparsity_weight
from mr.graph.blocks import RowBlocks
from mr.kernels import Kernel
from mr.paths.base import Path, PathFit
from mr.solvers.l1_low_rank import LassoForm, lasso_form, solve_l1
from mr.solvers.prototypes import PrototypeGraph, kmeans, prototype_graph, resolve_width
from mr.solvers.scale_free import is_auto


class L1LRKPath(Path):
    """Sparse models on a low-rank kernel (zhang2015, section V-D) over lambda1, lambda2, labels and folds.

    Landmarks, features and smoothness see no label. ``grid`` walks down lambda2, from few points in the model to many,
    and starts every machine from the one before. It is a generator: stop it when the model has enough points
    (``fit.info["sparsity"]``). Machines along the way and machines that start from zero agree to the root of
    the relative duality gap ``tol``.

    Parameters
    ----------
    estimator : L1LRK
        Template. A cell may name ``lambda1`` and ``lambda2``.
    X : array or sparse matrix (n, d)
    X_new : array or sparse matrix (n_new, d), default=None

    Attributes
    ----------
    landmarks : array (m, d)
    graph : PrototypeGraph
    features : array (n, r)

    See Also
    --------
    mr.baselines.L1LRK : the estimator.

    References
    ----------
    K. Zhang, L. Lan, J. T. Kwok, S. Vucetic, B. Parvin (2015). Scaling up graph-based semisupervised learning via
    prototype vector machines. IEEE Transactions on Neural Networks and Learning Systems 26(3), section V-D.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=200, seed=0)
    >>> y = np.full(200, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:5]] = c
    >>> path = mr.paths.L1LRKPath(mr.baselines.L1LRK(20, lambda1=0.01, gamma=4.0, random_state=0), data.X)
    >>> largest = path.lambda_max(y)
    >>> found = [fit.info["sparsity"] for cell, fit in path.grid(y, lambda2=[largest, 0.1 * largest])]
    >>> found[0] == 0.0 < found[1]
    True
    """

    estimator_class = L1LRK
    parameters = ("lambda1", "lambda2")

    def __init__(self, estimator, X, X_new=None):
        super().__init__(estimator, X, X_new)
        self._form = (None, None)

    def lambda_max(self, y, lambda1=None) -> float:
        """Smallest lambda2 that leaves no point in the model.

        Parameters
        ----------
        y : array (n,)
            Labels; -1 marks unlabelled points.
        lambda1 : float, default=None
            Weight of smoothness; None is that of the template.

        Returns
        -------
        float
        """
        rows, targets = self._encode(y)
        lambda1 = self.estimator.lambda1 if lambda1 is None else lambda1
        return self._lasso(rows, targets, smoothness_weight(lambda1, len(rows), self.X.shape[0])).lambda_max

    @cached_property
    def landmarks(self) -> np.ndarray:
        n, template = self.X.shape[0], self.estimator
        return kmeans(self._blocks, min(template.n_landmarks, n), n, check_random_state(template.random_state))

    @cached_property
    def graph(self) -> PrototypeGraph:
        width = resolve_width(self.estimator.gamma, self._blocks, self.landmarks)
        return prototype_graph(self._blocks, Kernel("rbf", width).fit(None), self.landmarks, self.estimator.laplacian)

    @cached_property
    def features(self) -> np.ndarray:
        return np.concatenate([self.graph.features(block) for block in self._blocks])

    @cached_property
    def new_features(self) -> np.ndarray:
        """Features (n_new, r) of the new points."""
        return self.graph.features(self.X_new)

    @cached_property
    def _blocks(self) -> RowBlocks:
        return RowBlocks(self.X, self.estimator.n_landmarks)

    def _lasso(self, rows, targets, lambda1) -> LassoForm:
        """The problem as a lasso; all lambda2 share it."""
        key = rows.tobytes(), targets.tobytes(), lambda1
        if self._form[0] != key:
            self._form = key, lasso_form(self.features, self.graph.smoothness, rows, targets, lambda1)
        return self._form[1]

    def _ordered(self, cells):
        def downwards(cell):
            cell = self._complete(cell)
            lambda1, lambda2 = (-1.0 if is_auto(cell[name]) else cell[name] for name in self.parameters)
            return lambda1, -lambda2

        return sorted(cells, key=downwards)

    def _fit(self, rows, targets, cell):
        (fit,) = self._fits(rows, targets, [cell])
        return fit

    def _fits(self, rows, targets, cells):
        template = self.estimator
        for lambda1, group in groupby(cells, key=lambda cell: cell["lambda1"]):
            lambda1 = smoothness_weight(lambda1, len(rows), self.X.shape[0])
            form, start = self._lasso(rows, targets, lambda1), None
            for cell in group:
                lambda2 = sparsity_weight(cell["lambda2"], form)
                path, gaps, n_iter = solve_l1(form, [lambda2], template.tol, template.max_iter, start)
                start = path[:, :, 0]
                weights = self.features.T @ start
                info = {
                    "sparsity": float((start != 0).any(axis=1).mean()),
                    "dual_gap": float(gaps.max()),
                    "n_iter": int(n_iter.max()),
                }
                new = None if self.X_new is None else self.new_features @ weights
                yield PathFit(self.features @ weights, new, info)

    def _held_outs(self, rows, targets, folds, cells):
        values = np.empty((len(cells), *targets.shape))
        for number in np.unique(folds):
            held = folds == number
            for c, fit in enumerate(self._fits(rows[~held], targets[~held], cells)):
                values[c, held] = fit.values[rows[held]]
        yield from values
