"""The prototype vector machine (zhang2015)."""

from collections.abc import Callable
from itertools import product
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from mr._sklearn import Interval, StrOptions, check_array
from mr.estimators._base import (
    CLASS_WEIGHT_CONSTRAINTS,
    KERNEL_CONSTRAINTS,
    BlockwiseMixin,
    KernelMachine,
    WeightedClassifier,
)
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.graph.base import LAPLACIANS
from mr.graph.blocks import RowBlocks
from mr.kernels import KERNELS, Kernel
from mr.solvers.certificates import warn_gap
from mr.solvers.choice import are_few, choose_cell
from mr.solvers.prototypes import (
    REGULARIZERS,
    held_out_square,
    kmeans,
    prototype_graphs,
    quadratic_form,
    resolve_width,
    solve_hinge,
    solve_weighted_square,
    width_rule,
)
from mr.solvers.scale_free import AUTO, NO_GRAPH, RIDGES, is_auto

STRENGTHS = (NO_GRAPH, 1e2, 1e4, 1e6)
CELLS = tuple(product(STRENGTHS, RIDGES))
"""(strength, ridge) tried at a width that is given; see :mod:`mr.solvers.scale_free`."""
LOCAL_CELLS = tuple((strength, RIDGES[-1]) for strength in STRENGTHS[1:])
WIDTHS = (("mean", 1.0, CELLS[: len(RIDGES)]), ("local", 0.5, LOCAL_CELLS), ("local", 1.0, LOCAL_CELLS))
"""gamma="auto": rule, multiple, and the cells tried there. A graph over the mean distance would join everything."""
FALLBACK = 1
"""Cell for labels that are too few to choose with, where a width or weight is given: nearly the supervised machine."""
FEW_WIDTH, FEW_C1 = 32.0, 10.0
"""Multiple of "scale", and C1 beside C2 = 0, for labels that are too few to choose with: a graph between neighbours."""


class PVM(BlockwiseMixin, WeightedClassifier, KernelMachine):
    """Prototype vector machine: graph-based learning in O(n m^2) time, predictions in O(m) per point.

    The graph joins all points with the weights of the kernel, approximated through m prototypes V (k-means centres),
    and the function is an expansion over the same prototypes, f(x) = sum_j f_j k(x, v_j). With H = K(X, V), W = K(V,
    V) and S the Laplacian of H W^-1 H' (zhang2015, equations 13 and 14),

        min f'H'SHf + C1 loss(H_l f, y_l) + C2 f'Wf,

    loss the sum of squares (equation 22) or of hinge losses, then with 1/2 before the quadratic part (equation 24).

    Numbers given for C1, C2 and gamma mean what they mean in the paper, whose smoothness sums over all n points and
    whose loss sums over the l labels. By default nothing needs to be given: "auto" tries a short list of values that do
    not depend on n and l in their meaning (C2 = n / strength, C1 = C2 / (ridge l)) at three kernel widths, and takes
    those of least leave-one-out error, computed in closed form with all points in the graph. The first ones tried are
    nearly regularised least squares without a graph, so a graph that misleads is left out. Up to three labels per class
    on average nothing is chosen: the graph joins near points (32 times "scale", C1 = 10, C2 = 0). The paper's own
    machine has another regulariser and leaves it out: ``PVM(C1=..., C2=0.0, gamma=..., regularizer="unlabeled")``.

    Parameters
    ----------
    n_prototypes : int, default=200
        Number m of k-means centres (at most the number of rows).
    loss : {"square", "hinge"}, default="square"
        One linear system for all classes, or a box QP without bias for each class against the rest.
    C1 : float > 0 or "auto", default="auto"
        Weight of the loss. For the hinge loss, "auto" is the choice that the squared loss would make.
    C2 : float >= 0 or "auto", default="auto"
        Weight of the regulariser; zhang2015 sets it to 0 throughout, and so does "auto" for any other regulariser than
        "rkhs".
    kernel : {"rbf", "linear", "poly", "cosine"} or function, default="rbf"
        zhang2015 uses "rbf". A function k(A, B) returns the Gram block of the rows of two matrices.
    gamma : float, "scale", "mean", "local" or "auto", default="auto"
        Kernel coefficient, of the expansion and of the graph. "scale" and "mean" as in :class:`mr.RLS`; "local" is
        8 / (mean squared distance of a row to its second nearest prototype, or a later one where prototypes are nearly
        as many as rows), the width of a graph between neighbours.
        "auto" chooses among "mean", half of "local" and "local". "poly" takes "scale" in place of the last two.
    degree : float, default=3
        Of the polynomial kernel.
    coef0 : float, default=0.0
        Of the polynomial kernel.
    laplacian : {"normalized", "unnormalized"}, default="normalized"
        Of the approximated graph.
    prototypes : "kmeans" or array (m, d), default="kmeans"
        Five Lloyd iterations from random rows, or the points given.
    regularizer : {"rkhs", "unlabeled", "coefficients"}, default="rkhs"
        What C2 weighs: the norm f'Wf of the RKHS, ||f||^2 on the unlabelled points (zhang2015, equation 22), or the
        coefficients' own ||f||^2, which is a ridge on H'SH.
    tol : float > 0, default=1e-6
        Relative duality gap of the hinge loss.
    random_state : int, RandomState or None, default=None
        First centres of k-means.
    class_weight : None, dict or "balanced", default=None
        Weights of the classes in the loss, as in scikit-learn.
    verbose : int, default=0
        1 prints a line for each stage of a fit: k-means, graphs, choice of weights.
    fit_intercept : bool, default=False
        Whether the function has an unpenalised constant. The paper's has none, and those of the hinge loss never do.

    Attributes
    ----------
    C1_ : float
        Weight of the loss that was used.
    C2_ : float
        Weight of the regulariser that was used.
    gamma_ : float
        Kernel coefficient that was used.
    prototypes_ : array (m, d)
        The prototypes, also as ``points_``.
    n_prototypes_ : int
        Their number.
    dual_coef_ : array (m, k)
        Coefficients of the fitted functions over the prototypes.
    intercept_ : array or float
        Their constants.
    rank_ : int
        Numerical rank of W. Directions of W below 1e-10 of the largest are dropped: W^-1 would amplify the rounding of
        the kernel in them.
    n_raised_degrees_ : int
        Points with a Nystroem degree below their own self-similarity (or negative), raised to it.
    dual_gap_ : float
        Largest relative duality gap (hinge loss).
    transduction_ : array (n,)
        Predictions for the training rows.
    classes_ : array
        The labels that occur.

    See Also
    --------
    mr.paths.PVMPath : grids of C1 and C2, and held-out values.
    mr.AnchorGraph : prototypes with a graph of their own, and no function beyond it.

    Notes
    -----
    ``fit`` takes arrays, CSR matrices, dask arrays, lists of row blocks (matrices) and functions that return an
    iterator over blocks; ``fit_blocks`` also any other object that can be iterated several times. All do the same
    passes over blocks of rows, so memory beyond the data is O(block m + m^2) and the numbers agree.

    References
    ----------
    .. [1] K. Zhang, L. Lan, J. T. Kwok, S. Vucetic, B. Parvin (2015). Scaling up graph-based semisupervised learning
       via prototype vector machines. IEEE Transactions on Neural Networks and Learning Systems 26(3).

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import load_digits
    >>> X, truth = load_digits(return_X_y=True)
    >>> y = np.where(np.arange(len(truth)) < 50, truth, -1)
    >>> model = mr.PVM(random_state=0).fit(X, y)
    >>> bool((model.transduction_ == truth).mean() > 0.85)
    True

    As in the paper:

    >>> X = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 10.0, 11.0, 12.0, 13.0, 14.0])[:, None]
    >>> y = np.array([0, -1, -1, -1, -1, -1, -1, -1, -1, 1])
    >>> paper = {"C2": 0.0, "regularizer": "unlabeled"}
    >>> mr.PVM(n_prototypes=5, C1=10, gamma=0.1, random_state=0, **paper).fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    """

    _parameter_constraints = {
        "n_prototypes": [Interval(Integral, 1, None, closed="left")],
        "loss": [StrOptions({"square", "hinge"})],
        "C1": [StrOptions({AUTO}), Interval(Real, 0.0, None, closed="neither")],
        "C2": [StrOptions({AUTO}), Interval(Real, 0.0, None, closed="left")],
        **KERNEL_CONSTRAINTS,
        "kernel": [StrOptions(set(KERNELS)), callable],
        "gamma": [StrOptions({AUTO, "local", "scale", "mean"}), Interval(Real, 0.0, None, closed="neither")],
        "laplacian": [StrOptions(set(LAPLACIANS))],
        "prototypes": [StrOptions({"kmeans"}), "array-like"],
        "regularizer": [StrOptions(set(REGULARIZERS))],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "random_state": ["random_state"],
        **CLASS_WEIGHT_CONSTRAINTS,
        **VERBOSE_CONSTRAINTS,
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        n_prototypes=200,
        loss="square",
        C1: float | str = "auto",
        C2: float | str = "auto",
        kernel: str | Callable = "rbf",
        gamma: float | str = "auto",
        degree: float = 3,
        coef0=0.0,
        laplacian="normalized",
        prototypes: ArrayLike | str = "kmeans",
        regularizer="rkhs",
        tol=1e-6,
        random_state=None,
        class_weight=None,
        verbose=0,
        fit_intercept=False,
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
        self.class_weight = class_weight
        self.verbose = verbose
        self.fit_intercept = fit_intercept

    def _fit_functions(self, X, rows, targets, weights=None):
        check_constant(self.loss, self.fit_intercept)
        blocks = RowBlocks(X, self.n_prototypes)
        moments = blocks.moments()
        self.prototypes_ = self._choose_prototypes(blocks, moments)
        few = self.kernel == "rbf" and all(map(is_auto, (self.gamma, self.C1, self.C2))) and are_few(targets)
        kernels = self._kernels(blocks, self.prototypes_, moments, few)
        report = reporter(self)
        report(f"{len(kernels)} graphs of {moments[0]} points over {len(self.prototypes_)} prototypes")
        graphs = prototype_graphs(blocks, kernels, self.prototypes_, self.laplacian)
        labelled = blocks.take(rows)
        features = [graph.features(labelled) for graph in graphs]
        given = (FEW_C1, 0.0) if few else (self.C1, self.C2)
        report("choice of weights")
        graph, F, self.C1_, self.C2_ = self._choose(graphs, features, targets, moments[0], *given, weights)
        A = quadratic_form(graph, F, self.C2_, self.regularizer)
        coefficients, intercepts = self._solve(A, F, targets, self.C1_, weights)
        self.gamma_ = graph.kernel.gamma_
        self.rank_, self.n_raised_degrees_ = graph.rank, graph.n_floored
        self.n_prototypes_ = len(self.prototypes_)
        self._keep_expansion(graph.kernel, self.prototypes_, graph.transform @ coefficients, intercepts)
        return self._expand(blocks)

    def _kernels(self, blocks, prototypes, moments, few=False):
        """The kernel; if its width is to be chosen, one for each that is tried, or the one for few labels."""
        rules = [("scale", FEW_WIDTH)] if few else [(width_rule(self.kernel, self.gamma), 1.0)]
        if not few and is_auto(self.gamma) and self.kernel == "rbf":
            rules = [(rule, multiple) for rule, multiple, _ in WIDTHS]
        found = {rule: resolve_width(rule, blocks, prototypes, moments) for rule, _ in rules}
        return [Kernel(self.kernel, c * found[rule], self.degree, self.coef0).fit(None) for rule, c in rules]

    def _choose(self, graphs, features, targets, n, C1, C2, weights=None):
        """Graph, labelled features, C1 and C2: those given, or those of least leave-one-out error among the cells."""
        lists = [CELLS] if len(graphs) == 1 else [cells for _, _, cells in WIDTHS]
        cells, groups = [], []
        for graph, F, tried in zip(graphs, features, lists, strict=True):
            pairs = list(dict.fromkeys(self._weights(C1, C2, *cell, n, len(F), graph.kernel_scale) for cell in tried))
            cells += [(graph, F, *pair) for pair in pairs]
            groups.append((graph, F, targets, pairs, self.regularizer, weights, self.fit_intercept))
        if len(cells) == 1:
            return cells[0]
        held_out = [values for group in groups for values in held_out_square(*group)]
        return cells[choose_cell(held_out, targets, min(FALLBACK, len(cells) - 1), weights=weights)]

    def _weights(self, C1, C2, strength, ridge, n, l, scale):
        """C1 and C2 of a cell; what is given stays."""
        has_norm = self.regularizer == "rkhs"
        if is_auto(C2):
            C2 = scale * n / strength if has_norm else 0.0
        if is_auto(C1):
            C1 = C2 / (scale * ridge * l) if has_norm and C2 > 0 else n / (strength * ridge * l)
        return C1, C2

    def _choose_prototypes(self, blocks, moments):
        n, d = moments[:2]
        if isinstance(self.prototypes, str):
            rng = check_random_state(self.random_state)
            return kmeans(blocks, min(self.n_prototypes, n), n, rng, report=reporter(self))
        prototypes = check_array(self.prototypes, dtype=np.float64)
        if prototypes.shape[1] != d:
            raise ValueError(f"prototypes must have the {d} columns of X, got shape {prototypes.shape}.")
        return prototypes

    def _solve(self, A, F, targets, C1, weights=None):
        if self.loss == "square":
            return solve_weighted_square(A, F, targets, C1, weights, self.fit_intercept)
        coefficients, gaps = solve_hinge(A, F, targets, C1, self.tol, weights)
        self.dual_gap_ = float(gaps.max())
        warn_gap("The box QP", gaps, self.tol, "A smaller C1 makes the problem easier.")
        return coefficients, 0.0


def check_constant(loss, fit_intercept):
    """Refuse a constant beside the hinge loss: its programs have bounds only, and far larger kernels than others."""
    if fit_intercept and loss == "hinge":
        raise ValueError("fit_intercept=True needs loss='square'; got loss='hinge', whose machine has no constant.")
