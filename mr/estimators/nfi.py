"""Non-parametric function induction, zhang2015's NFI."""

from numbers import Integral, Real

import numpy as np

from mr._sklearn import Interval, StrOptions
from mr.estimators._base import KernelMachine, SemiSupervisedClassifier
from mr.estimators._progress import VERBOSE_CONSTRAINTS, reporter
from mr.estimators.nystrom_lgc import sample_rows
from mr.graph.blocks import RowBlocks
from mr.kernels import Kernel
from mr.solvers.choice import choose_cell
from mr.solvers.feature_ridge import FeatureRidge
from mr.solvers.propagation import induced_graph, solve_nfi
from mr.solvers.prototypes import inverse_root, resolve_width
from mr.solvers.scale_free import AUTO, is_auto

LABEL_WEIGHTS = (1e4, 1e2, 1.0, 1e-2)
"""c in C1 = c n / l that "auto" tries at a width that is given, the weakest smoothness first."""
WIDTHS = (("mean", 1.0, (1e4,)), ("mean", 4.0, (1e4,)), ("local", 0.5, (1.0,)), ("local", 1.0, (1e-2,)))
"""gamma="auto": rule, multiple, and the c tried there."""


class NFI(SemiSupervisedClassifier, KernelMachine):
    """Function values on a random subset, induced elsewhere as a Parzen regressor (Delalleau, Bengio, Le Roux 2005).

    A baseline to compare with; we do not recommend it: see :mod:`mr.baselines`.

    The problem is in :mod:`mr.solvers.propagation`. Every point, of the subset or not, is predicted by the same
    induction.

    Numbers given for C1 and gamma mean what they mean in zhang2015, whose smoothness sums over all n points and whose
    loss sums over the l labels. By default neither needs to be given: "auto" tries C1 = c n / l for a few c, the one
    with the least smoothness first, at four kernel widths, and takes the pair of least leave-one-out error, computed in
    closed form.

    Parameters
    ----------
    n_subset : int, default=200
        Size of the subset S (at most all rows).
    C1 : float > 0 or "auto", default="auto"
        Weight of the squared loss on the labelled points against smoothness.
    gamma : float, "scale", "mean", "local" or "auto", default="auto"
        Width of the Gaussian weights. "scale" and "mean" as in :class:`mr.RLS`, "local" as in :class:`mr.PVM`, from the
        subset. "auto" chooses among "mean", four times "mean", half of "local" and "local".
    random_state : int, RandomState or None, default=None
        Draws the subset.
    verbose : int, default=0
        1 tells what is done, a line per step.

    Attributes
    ----------
    C1_ : float
        Weight of the loss that was used.
    gamma_ : float
        Width that was used.
    subset_ : array or CSR (m, d)
        The subset, rows of X.
    subset_values_ : array (m, k)
        f on the subset.
    transduction_ : array (n,)
        Predictions for the training rows.
    classes_ : array
        The labels that occur.

    See Also
    --------
    mr.paths.NFIPath : grids of C1, labels and folds.

    References
    ----------
    .. [1] O. Delalleau, Y. Bengio, N. Le Roux (2005). Efficient non-parametric function induction in semi-supervised
       learning. AISTATS.
    .. [2] K. Zhang, L. Lan, J. T. Kwok, S. Vucetic, B. Parvin (2015). Scaling up graph-based semisupervised learning
       via prototype vector machines. IEEE Transactions on Neural Networks and Learning Systems 26(3), section II-B3.

    Examples
    --------
    >>> import numpy as np, mr
    >>> from sklearn.datasets import load_digits
    >>> X, truth = load_digits(return_X_y=True)
    >>> y = np.where(np.arange(len(truth)) < 50, truth, -1)
    >>> model = mr.baselines.NFI(random_state=0).fit(X, y)
    >>> bool((model.transduction_ == truth).mean() > 0.85)
    True
    """

    _parameter_constraints = {
        "n_subset": [Interval(Integral, 1, None, closed="left")],
        "C1": [StrOptions({AUTO}), Interval(Real, 0.0, None, closed="neither")],
        "gamma": [StrOptions({AUTO, "local", "scale", "mean"}), Interval(Real, 0.0, None, closed="neither")],
        "random_state": ["random_state"],
        **VERBOSE_CONSTRAINTS,
    }

    def __init__(
        self, n_subset=200, C1: float | str = "auto", gamma: float | str = "auto", random_state=None, verbose=0
    ):
        self.n_subset = n_subset
        self.C1 = C1
        self.gamma = gamma
        self.random_state = random_state
        self.verbose = verbose

    def _fit_functions(self, X, rows, targets):
        blocks = RowBlocks(X, self.n_subset)
        self.subset_ = X[sample_rows(X.shape[0], self.n_subset, self.random_state)]
        report = reporter(self)
        report(f"graphs of {X.shape[0]} points over a subset of {self.subset_.shape[0]}")
        graphs = [induced_graph(blocks, kernel, self.subset_) for kernel in self._kernels(blocks, self.subset_)]
        report(f"choosing among {len(graphs)} widths, and solving")
        labelled = [graph.induction(X[rows]) for graph in graphs]
        self._graph, P, self.C1_ = self._choose(graphs, labelled, targets, X.shape[0], self.C1)
        self.gamma_ = self._graph.kernel.gamma_
        self.subset_values_ = solve_nfi(self._graph.smoothness, P, targets, self.C1_)
        return np.concatenate([self._expand(block) for block in blocks])

    def _kernels(self, blocks, subset):
        """The kernel; if its width is to be chosen, one for each that is tried."""
        rules = [(rule, c) for rule, c, _ in WIDTHS] if is_auto(self.gamma) else [(self.gamma, 1.0)]
        found = {rule: resolve_width(rule, blocks, subset) for rule, _ in rules}
        return [Kernel("rbf", c * found[rule]).fit(None) for rule, c in rules]

    def _choose(self, graphs, labelled, targets, n, C1):
        """Graph, induction of the labelled points and C1: those given, or those of least leave-one-out error."""
        lists = [LABEL_WEIGHTS] if len(graphs) == 1 else [weights for _, _, weights in WIDTHS]
        cells, groups = [], []
        for graph, P, tried in zip(graphs, labelled, lists, strict=True):
            C1s = [weight * n / len(targets) for weight in tried] if is_auto(C1) else [C1]
            cells += [(graph, P, weight) for weight in C1s]
            groups.append((graph, P, C1s))
        if len(cells) == 1:
            return cells[0]
        held_out = []
        for graph, P, C1s in groups:
            ridge = FeatureRidge(P @ inverse_root(graph.smoothness)[0])
            held_out += [ridge.held_out(targets, None, weight) for weight in C1s]
        return cells[choose_cell(held_out, targets, 0)]

    def _expand(self, X):
        return self._graph.induction(X) @ self.subset_values_
