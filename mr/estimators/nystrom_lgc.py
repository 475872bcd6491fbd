"""LGC on a low-rank graph (Camps-Valls et al. 2007), zhang2015's NYS-LGC."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import KernelMachine, SemiSupervisedClassifier
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.graph.blocks import RowBlocks
from mr.kernels import Kernel
from mr.solvers import propagation
from mr.solvers.prototypes import prototype_graph, resolve_width, scaled_gram


class NystromLGC(SemiSupervisedClassifier, KernelMachine):
    """(I - eta Q^)^-1 y with Q^ the normalised Nystroem approximation of the Gaussian graph (zhang2015, section II-B1).

    A baseline to compare with; we do not recommend it: see :mod:`mr.baselines`.

    O(n m^2) time and O(block m + m^2) memory. The smooth part eta G (I - eta G'G)^-1 G'y extends to new points through
    their own similarities to the landmarks; it is used on training rows too, where (8) would add y on the labelled
    ones.

    Parameters
    ----------
    n_landmarks : int, default=200
        Rows drawn for the approximation (at most all of them).
    eta : float in (0, 1), default=0.9
        How far labels spread.
    gamma : float, "scale", "mean" or "local", default="local"
        Width of the Gaussian weights. "scale" and "mean" as in :class:`mr.RLS`, which join nearly all points; "local"
        as in :class:`mr.PVM`, from the landmarks.
    random_state : int, RandomState or None, default=None
        Draws the landmarks.
    verbose : int, default=0
        1 tells what is done, a line per step.

    Attributes
    ----------
    gamma_ : float
        Width that was used.
    landmarks_ : array or CSR (m, d)
        The landmarks, rows of X.
    rank_ : int
        Numerical rank of the landmarks' Gram matrix.
    n_raised_degrees_ : int
        Points with a Nystroem degree below their self-similarity, raised to it.
    transduction_ : array (n,)
        Predictions for the training rows.
    classes_ : array
        The labels that occur.

    See Also
    --------
    mr.LGC : the same on a whole graph.
    mr.paths.NystromLGCPath : grids of eta, labels and folds.

    References
    ----------
    .. [1] G. Camps-Valls, T. V. Bandos Marsheva, D. Zhou (2007). Semi-supervised graph-based hyperspectral image
       classification. IEEE Transactions on Geoscience and Remote Sensing 45(10).

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import load_digits
    >>> X, truth = load_digits(return_X_y=True)
    >>> y = np.where(np.arange(len(truth)) < 50, truth, -1)
    >>> model = mr.baselines.NystromLGC(random_state=0).fit(X, y)
    >>> bool((model.transduction_ == truth).mean() > 0.8)
    True
    """

    _parameter_constraints = {
        "n_landmarks": [Interval(Integral, 1, None, closed="left")],
        "eta": [Interval(Real, 0.0, 1.0, closed="neither")],
        "gamma": [StrOptions({"local", "scale", "mean"}), Interval(Real, 0.0, None, closed="neither")],
        "random_state": ["random_state"],
        **VERBOSE_CONSTRAINTS,
    }

    def __init__(self, n_landmarks=200, eta=0.9, gamma: float | str = "local", random_state=None, verbose=0):
        self.n_landmarks = n_landmarks
        self.eta = eta
        self.gamma = gamma
        self.random_state = random_state
        self.verbose = verbose

    def _fit_functions(self, X, rows, targets):
        blocks = RowBlocks(X, self.n_landmarks)
        self.landmarks_ = X[sample_rows(X.shape[0], self.n_landmarks, self.random_state)]
        self.gamma_ = resolve_width(self.gamma, blocks, self.landmarks_)
        report = reporter(self)
        report(f"graph of {X.shape[0]} points over {self.landmarks_.shape[0]} landmarks")
        self._graph = prototype_graph(blocks, Kernel("rbf", self.gamma_).fit(None), self.landmarks_)
        self.rank_, self.n_raised_degrees_ = self._graph.rank, self._graph.n_floored
        report(f"rank {self.rank_}: solving")
        solver = propagation.NystromLGC(scaled_gram(self._graph, blocks))
        self._weights = solver.weights(self._graph.scaled(X[rows]), targets, self.eta)
        return np.concatenate([self._expand(block) for block in blocks])

    def _expand(self, X):
        return self._graph.scaled(X) @ self._weights


def sample_rows(n, size, random_state):
    """``size`` of n row numbers (all, if there are fewer), ascending."""
    return np.sort(check_random_state(random_state).choice(n, min(size, n), replace=False))
