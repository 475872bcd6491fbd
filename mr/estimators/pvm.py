"""The prototype vector machine (zhang2015)."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, column_or_1d

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import KERNEL_CONSTRAINTS, KernelMachine, SemiSupervisedClassifier
from mr.graph.base import LAPLACIANS
from mr.kernels import Kernel
from mr.labels import encode_labels
from mr.solvers.blocks import RowBlocks, is_dask, resolve_gamma
from mr.solvers.certificates import warn_gap
from mr.solvers.prototypes import REGULARIZERS, kmeans, prototype_graph, quadratic_form, solve_hinge, solve_square


class PVM(SemiSupervisedClassifier, KernelMachine):
    """Prototype vector machine: graph-based learning in O(n m^2) time, predictions in O(m) per point.

    The graph joins all points with the weights of the kernel, approximated through m prototypes V (k-means centres),
    and the function is an expansion over the same prototypes, f(x) = sum_j f_j k(x, v_j). With H = K(X, V), W = K(V,
    V) and S the Laplacian of H W^-1 H' (zhang2015, equations 13 and 14),

        min f'H'SHf + C1 loss(H_l f, y_l) + C2 ||H_u f||^2,

    loss the sum of squares (equation 22) or of hinge losses, then with 1/2 before the quadratic part (equation 24).

    Parameters
    ----------
    n_prototypes : int, default=200
        Number m of k-means centres (at most the number of rows).
    loss : {"square", "hinge"}, default="square"
        One linear system for all classes, or a box QP without bias for each class against the rest.
    C1 : float > 0, default=1.0
        Weight of the loss.
    C2 : float >= 0, default=0.0
        Weight of the regulariser; zhang2015 sets it to 0 throughout.
    kernel, gamma, degree, coef0 : default="rbf", "scale", 3 and 0
        As in :class:`mr.RLS`; zhang2015 uses "rbf".
    laplacian : {"normalized", "unnormalized"}, default="normalized"
    prototypes : "kmeans" or array (m, d), default="kmeans"
        Five Lloyd iterations from random rows, or the points given.
    regularizer : {"unlabeled", "rkhs", "coefficients"}, default="unlabeled"
        What C2 weighs: ||f||^2 on the unlabelled points, the norm f'Wf of the RKHS, or the coefficients' own ||f||^2,
        which is a ridge on H'SH.
    tol : float, default=1e-6
        Relative duality gap of the hinge loss.
    random_state : int, RandomState or None, default=None
        First centres of k-means.

    Attributes
    ----------
    prototypes_ (points_), dual_coef_ : the expansion; n_prototypes_ its length
    rank_ : numerical rank of W. Directions of W below 1e-10 of the largest are dropped: W^-1 would
        amplify the rounding of the kernel in them
    n_raised_degrees_ : points with a Nystroem degree below their own self-similarity (or negative), raised to it
    dual_gap_ : largest relative duality gap (hinge loss)
    transduction_ : predictions for the training rows

    Notes
    -----
    ``fit`` takes arrays, CSR matrices, dask arrays, lists of row blocks (matrices) and functions that return an
    iterator over blocks; ``fit_blocks`` also any other object that can be iterated several times. All do the same
    passes over blocks of rows, so memory beyond the data is O(block m + m^2) and the numbers agree.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 10.0, 11.0, 12.0, 13.0, 14.0])[:, None]
    >>> y = np.full(10, -1)
    >>> y[[0, 9]] = 0, 1
    >>> PVM(n_prototypes=5, C1=10, gamma=0.1, random_state=0).fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    """

    _parameter_constraints = {
        "n_prototypes": [Interval(Integral, 1, None, closed="left")],
        "loss": [StrOptions({"square", "hinge"})],
        "C1": [Interval(Real, 0.0, None, closed="neither")],
        "C2": [Interval(Real, 0.0, None, closed="left")],
        **KERNEL_CONSTRAINTS,
        "laplacian": [StrOptions(set(LAPLACIANS))],
        "prototypes": [StrOptions({"kmeans"}), "array-like"],
        "regularizer": [StrOptions(set(REGULARIZERS))],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_prototypes=200,
        loss="square",
        C1=1.0,
        C2=0.0,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        laplacian="normalized",
        prototypes="kmeans",
        regularizer="unlabeled",
        tol=1e-6,
        random_state=None,
    ):
        self.n_prototypes = n_prototypes
        self.loss = loss
        self.C1 = C1
        self.C2 = C2
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.laplacian = laplacian
        self.prototypes = prototypes
        self.regularizer = regularizer
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y):
        """Fit to the labelled and unlabelled rows of X; ``y`` is -1 on unlabelled ones. X may come in blocks."""
        return self.fit_blocks(X, y) if _in_blocks(X) else super().fit(X, y)

    def fit_blocks(self, blocks, y):
        """Fit to rows that come in blocks, for data larger than memory.

        Parameters
        ----------
        blocks : dask array, list of arrays, any object that can be iterated several times, or function returning an
        iterator
            The rows of X, in order. They are read nine times (k-means, two sums, predictions), a block at a time.
        y : array (n,)
            Labels of all rows, -1 on unlabelled ones.
        """
        self._validate_params()
        labels = encode_labels(column_or_1d(y))
        self.classes_ = labels.classes
        values = self._fit_functions(blocks, labels.rows, labels.signed, n_labels=len(y))
        self.transduction_ = self._decide(self._decision_values(values))
        self.n_features_in_ = self.prototypes_.shape[1]
        return self

    def _fit_functions(self, X, rows, targets, n_labels=None):
        blocks = RowBlocks(X, self.n_prototypes)
        moments = blocks.moments()
        if n_labels not in (None, moments[0]):
            raise ValueError(f"The blocks hold {moments[0]} rows, but y has {n_labels} labels.")
        kernel = self._kernel(moments)
        self.prototypes_ = self._choose_prototypes(blocks, moments)
        graph = prototype_graph(blocks, kernel, self.prototypes_, self.laplacian)
        F = graph.features(blocks.take(rows))
        A = quadratic_form(graph, F, self.C2, self.regularizer)
        weights = self._solve(A, F, targets)
        self.rank_, self.n_raised_degrees_ = graph.rank, graph.n_floored
        self.n_prototypes_ = len(self.prototypes_)
        self._keep_expansion(kernel, self.prototypes_, graph.transform @ weights, 0.0)
        return np.concatenate([self._expand(block) for block in blocks])

    def _kernel(self, moments):
        # linear and cosine kernels have no width; any number does
        gamma = resolve_gamma(self.gamma, moments) if self.kernel in ("rbf", "poly") else 1.0
        return Kernel(self.kernel, gamma, self.degree, self.coef0).fit(None)

    def _choose_prototypes(self, blocks, moments):
        n, d = moments[:2]
        if isinstance(self.prototypes, str):
            return kmeans(blocks, min(self.n_prototypes, n), n, check_random_state(self.random_state))
        prototypes = check_array(self.prototypes, dtype=np.float64)
        if prototypes.shape[1] != d:
            raise ValueError(f"prototypes must have the {d} columns of X, got shape {prototypes.shape}.")
        return prototypes

    def _solve(self, A, F, targets):
        if self.loss == "square":
            return solve_square(A, F, targets, self.C1)
        weights, gaps = solve_hinge(A, F, targets, self.C1, self.tol)
        self.dual_gap_ = float(gaps.max())
        warn_gap("The box QP", gaps, self.tol, "A smaller C1 makes the problem easier.")
        return weights


def _in_blocks(X) -> bool:
    """Whether X is a dask array, a function, or a list of matrices (which is no matrix itself)."""
    return is_dask(X) or callable(X) or (isinstance(X, list | tuple) and len(X) > 0 and np.ndim(X[0]) == 2)
