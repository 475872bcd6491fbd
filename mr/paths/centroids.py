"""Machines on the labelled points and k-means centres, and the centres themselves, which other templates may share."""

from functools import cached_property

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from mr._sklearn import check_array
from mr.estimators import CentroidReduced, LapRLS, PrimalLapSVM
from mr.estimators.centroids import choose_centroids, reduced_set
from mr.graph.blocks import RowBlocks
from mr.graph.scale import sound_points
from mr.paths.base import Path, PathFit
from mr.paths.deformed import LapRLSPath
from mr.paths.primal import PrimalLapSVMPath
from mr.solvers.prototypes import kmeans

INNER = {LapRLS: LapRLSPath, PrimalLapSVM: PrimalLapSVMPath}


def kmeans_centres(X, n_centres, random_state=None, n_iter=5) -> np.ndarray:
    """Centres of the rows of X after a few Lloyd iterations from random rows, as the estimators choose them.

    What is computed here once can be given to many templates: ``PVM(prototypes=...)``, ``AnchorGraph(anchors=...)``,
    ``CentroidReduced(centroids=...)``, ``LapRLS(basis=...)``.

    Parameters
    ----------
    X : array or sparse matrix (n, d)
    n_centres : int
        At most n.
    random_state : int, RandomState or None, default=None
        Draws the first centres.
    n_iter : int, default=5
        Lloyd iterations. zhang2015 fixes five.

    Returns
    -------
    array (n_centres, d)

    See Also
    --------
    mr.PVM : takes them as prototypes.

    Examples
    --------
    >>> import mr
    >>> mr.paths.kmeans_centres([[0.0], [0.2], [3.0], [3.2]], 2, random_state=0)
    array([[0.1],
           [3.1]])
    """
    X = sound_points(check_array(X, accept_sparse="csr", dtype=np.float64))
    n = X.shape[0]
    if not 1 <= n_centres <= n:
        raise ValueError(f"n_centres must lie between 1 and the {n} rows of X; got {n_centres}.")
    return kmeans(RowBlocks(X, n_centres), n_centres, n, check_random_state(random_state), n_iter)


class CentroidReducedPath(Path):
    """CB-LapRLS and CB-LapSVMp (zhang2015, section V-C) over the weights of their machine, labels and folds.

    The centres see no label. The reduced set, its graph and its factorisation depend on which rows have labels: those
    of the last labelled set are kept, and serve every cell and every fold.

    Held-out values: a row whose label is hidden stays in the reduced set, as an unlabelled point among the centres.

    Parameters
    ----------
    estimator : CentroidReduced
        Template, with LapRLS (or None) or PrimalLapSVM inside. A cell names the parameters of the inner estimator.
    X : array or sparse matrix (n, d)
    X_new : array or sparse matrix (n_new, d), default=None

    Attributes
    ----------
    centroids : array (m, d)

    See Also
    --------
    mr.baselines.CentroidReduced : the estimator.

    References
    ----------
    K. Zhang, L. Lan, J. T. Kwok, S. Vucetic, B. Parvin (2015). Scaling up graph-based semisupervised learning via
    prototype vector machines. IEEE Transactions on Neural Networks and Learning Systems 26(3).

    Examples
    --------
    >>> import numpy as np, mr
    >>> data = mr.datasets.load("two_moons", n=200, seed=0)
    >>> y = np.full(200, -1)
    >>> for c in (0, 1):
    ...     y[np.flatnonzero(data.y == c)[:5]] = c
    >>> template = mr.baselines.CentroidReduced(mr.LapRLS(gamma=4.0), n_centroids=20, random_state=0)
    >>> path = mr.paths.CentroidReducedPath(template, data.X)
    >>> path.fit(y, gamma_A=1e-3, gamma_I=1.0).values.shape
    (200, 1)
    """

    estimator_class = CentroidReduced

    def __init__(self, estimator, X, X_new=None):
        super().__init__(estimator, X, X_new)
        inner = LapRLS() if self.estimator.estimator is None else self.estimator.estimator
        if type(inner) not in INNER:
            names = " or ".join(cls.__name__ for cls in INNER)
            raise TypeError(f"CentroidReducedPath takes {names} inside its template; got {type(inner).__name__}.")
        self._template, self._path_class = inner, INNER[type(inner)]
        self.parameters = self._path_class.parameters
        self._reduced = (None, None)

    @cached_property
    def centroids(self) -> np.ndarray:
        return choose_centroids(self.estimator, self.X)

    @cached_property
    def _wanted(self):
        """The points, and below them the new ones."""
        if self.X_new is None:
            return self.X
        if sparse.issparse(self.X):
            return sparse.vstack([self.X, self.X_new], format="csr")
        return np.concatenate([self.X, self.X_new])

    def reduced(self, y):
        """The inner path on the labelled rows (first) and the centres, and the labels there.

        Parameters
        ----------
        y : array (n,)
            Labels of the points; -1 marks unlabelled ones.

        Returns
        -------
        path : LapRLSPath or PrimalLapSVMPath
        labels : array (l + m,)
        """
        rows, _ = self._encode(y)
        points, labels = reduced_set(self.X[rows], np.ravel(y)[rows], self.centroids)
        key = rows.tobytes()
        if self._reduced[0] != key:
            self._reduced = key, self._path_class(self._template, points, self._wanted)
        return self._reduced[1], labels

    def fit(self, y, **cell):
        path, labels = self.reduced(y)
        return self._on_points(path.fit(labels, **cell))

    def grid(self, y, **lists):
        path, labels = self.reduced(y)
        for cell, fit in path.grid(labels, **lists):
            yield cell, self._on_points(fit)

    def held_out(self, y, folds=None, **cell):
        path, labels = self.reduced(y)
        return path.held_out(labels, folds, **cell)

    def held_out_grid(self, y, folds=None, **lists):
        path, labels = self.reduced(y)
        yield from path.held_out_grid(labels, folds, **lists)

    def _on_points(self, fit) -> PathFit:
        """The reduced set is not asked for: to its path all points are new."""
        n = self.X.shape[0]
        return PathFit(fit.new_values[:n], None if self.X_new is None else fit.new_values[n:], fit.info)
