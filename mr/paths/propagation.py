"""Label propagation over eta, labels and folds from one eigendecomposition of the graph."""

from functools import cached_property

import numpy as np
from scipy import sparse

from mr.estimators import LGC, NystromLGC
from mr.estimators._base import class_factors
from mr.estimators._transductive import interpolated, nearest_rows
from mr.estimators.lgc import CLASS_WEIGHTS
from mr.estimators.nystrom_lgc import sample_rows
from mr.graph import KNNGraph, as_graph
from mr.graph.blocks import RowBlocks
from mr.kernels import Kernel
from mr.paths.base import Path, PathFit
from mr.solvers import propagation
from mr.solvers.prototypes import PrototypeGraph, prototype_graph, resolve_width, scaled_gram


class SpreadLabels(Path):
    """f = V diag(scale(eta)) V_l' y: labels are spread, nothing is fitted to them."""

    parameters = ("eta",)

    def _weigh(self, targets):
        """Targets times the weights of their classes."""
        return targets

    @property
    def _vectors(self) -> np.ndarray:
        """V (n, r)."""
        raise NotImplementedError

    def _scale(self, eta) -> np.ndarray:
        """One factor for each column of V."""
        raise NotImplementedError

    def _fit(self, rows, targets, cell):
        inner = (self._vectors[rows].T @ self._weigh(targets)) * self._scale(cell["eta"])[:, None]
        values = self._vectors @ inner
        return PathFit(values, None if self.X_new is None else self._new_values(values, inner))

    def _new_values(self, values, inner):
        raise NotImplementedError

    def _held_out(self, rows, targets, folds, cell):
        labelled = self._vectors[rows]
        spread = (labelled * self._scale(cell["eta"])) @ labelled.T
        values = np.empty_like(targets)
        for number in np.unique(folds):
            held, train = np.flatnonzero(folds == number), np.flatnonzero(folds != number)
            values[held] = spread[np.ix_(held, train)] @ self._weigh(targets[train])
        return values


class LGCPath(SpreadLabels):
    """Learning with local and global consistency (Zhou et al. 2003) over eta, labels and folds.

    One eigendecomposition Q = V diag(q) V' of the normalised affinity matrix gives (I - eta Q)^-1 for every eta:
    O(n^3) time and O(n^2) memory once, for the Gaussian graph and for sparse ones, then O(n^2) per machine. A single
    machine on a large sparse graph is cheaper by :class:`mr.LGC` itself.

    Parameters
    ----------
    estimator : LGC
        Template, with any ``class_weight`` but a dict. A cell may name ``eta``.
    X : array or sparse matrix (n, d)
    X_new : array or sparse matrix (n_new, d), default=None

    See Also
    --------
    mr.LGC : the estimator.

    References
    ----------
    Zhou, Bousquet, Lal, Weston, Schoelkopf (2003), Learning with local and global consistency, NIPS.

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=200, seed=0)
    >>> y = np.full(200, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:5]] = c
    >>> path = mr.paths.LGCPath(mr.LGC(graph="gaussian", gamma=20.0), data.X)
    >>> [fit.values.shape for cell, fit in path.grid(y, eta=[0.9, 0.99])]
    [(200, 1), (200, 1)]
    """

    estimator_class = LGC
    class_weights = (None, *CLASS_WEIGHTS)

    def _weigh(self, targets):
        if self.estimator.class_weight is None:
            return targets
        codes = (targets[:, 0] > 0).astype(int) if targets.shape[1] == 1 else targets.argmax(axis=1)
        present, codes = np.unique(codes, return_inverse=True)
        factors = class_factors(self.estimator.class_weight, classes=np.arange(len(present)), y=codes)
        return factors[codes][:, None] * targets

    @cached_property
    def spectrum(self) -> propagation.SpectralLGC:
        """Eigenvalues and eigenvectors of Q."""
        template = self.estimator
        if isinstance(template.graph, str):
            W = propagation.gaussian_affinity(Kernel("rbf", template.gamma).fit(self.X), self.X)
        else:
            W = as_graph(KNNGraph() if template.graph is None else template.graph, self.X).affinity_
        Q = propagation.normalized_affinity(W)
        return propagation.SpectralLGC(Q.toarray() if sparse.issparse(Q) else Q)

    @property
    def _vectors(self):
        return self.spectrum.vectors

    def _scale(self, eta):
        return 1.0 / (1.0 - eta * self.spectrum.values)

    @cached_property
    def _neighbors(self):
        return nearest_rows(self.X)

    def _new_values(self, values, inner):
        return interpolated(self._neighbors, self.X_new, values)


class NystromLGCPath(SpreadLabels):
    """LGC on the Nystroem approximation of the Gaussian graph (Camps-Valls et al. 2007) over eta, labels and folds.

    Landmarks, features and one r x r eigendecomposition see no label and serve every cell.

    Parameters
    ----------
    estimator : NystromLGC
        Template. A cell may name ``eta``.
    X : array or sparse matrix (n, d)
    X_new : array or sparse matrix (n_new, d), default=None

    Attributes
    ----------
    landmarks : array or sparse matrix (m, d)
    graph : PrototypeGraph

    See Also
    --------
    mr.baselines.NystromLGC : the estimator.

    References
    ----------
    G. Camps-Valls, T. V. Bandos Marsheva, D. Zhou (2007). Semi-supervised graph-based hyperspectral image
    classification. IEEE Transactions on Geoscience and Remote Sensing 45(10).

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=200, seed=0)
    >>> y = np.full(200, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:5]] = c
    >>> path = mr.paths.NystromLGCPath(mr.baselines.NystromLGC(20, gamma=4.0, random_state=0), data.X)
    >>> path.held_out(y, eta=0.9).shape
    (10, 1)
    """

    estimator_class = NystromLGC

    @cached_property
    def landmarks(self):
        return self.X[sample_rows(self.X.shape[0], self.estimator.n_landmarks, self.estimator.random_state)]

    @cached_property
    def graph(self) -> PrototypeGraph:
        blocks = self._blocks(self.X)
        width = resolve_width(self.estimator.gamma, blocks, self.landmarks)
        return prototype_graph(blocks, Kernel("rbf", width).fit(None), self.landmarks)

    @cached_property
    def _spectrum(self) -> propagation.NystromLGC:
        return propagation.NystromLGC(scaled_gram(self.graph, self._blocks(self.X)))

    @cached_property
    def _vectors(self):
        return self._rotated(self.X)

    @cached_property
    def _new_vectors(self):
        return self._rotated(self.X_new)

    def _rotated(self, X):
        return np.concatenate([self.graph.scaled(block) for block in self._blocks(X)]) @ self._spectrum.vectors

    def _blocks(self, X):
        return RowBlocks(X, self.estimator.n_landmarks)

    def _scale(self, eta):
        return eta / (1.0 - eta * self._spectrum.values)

    def _new_values(self, values, inner):
        return self._new_vectors @ inner
