"""Laplacian embedded regularised least squares (chen2012, section III-D)."""

from collections.abc import Callable

import numpy as np
from sklearn.utils import check_random_state

from mr._sklearn import StrOptions
from mr.estimators._base import CLASS_WEIGHT_CONSTRAINTS, BlockwiseMixin, WeightedClassifier, WeightedRegressor
from mr.estimators._embedded import (
    ATTRIBUTES,
    GRAPH_PARAMETERS,
    HELD_BYTES,
    REFERENCES,
    VERBOSE_PARAMETER,
    WEIGHT_PARAMETERS,
    EmbeddedMachine,
)
from mr.estimators.rls import CLASS_WEIGHT_PARAMETER
from mr.graph.blocks import RowBlocks, rows_of
from mr.kernels import choose_basis, reduced_factor
from mr.kernels.features import features_of
from mr.solvers.basis import basis_points
from mr.solvers.embedding import solve_cg, solve_exact, solve_reduced_features, with_intercept

EXACT_POINTS = 5000
CG_POINTS = 20_000

PROBLEM = """\
    min 1/2 ||f||^2 + C/2 sum_i (g_i - f(x_i))^2 + lambda/2 sum_labelled (g_i - y_i)^2 + mu/2 g'L^p g

    over f in the RKHS, by default without bias, and g in the span of the smoothest eigenvectors of the Laplacian
    (chen2012, 31): (K + Phi~ Phi~' + I/C) a = y~ with virtual labels y~ at all n points, f(x) = sum_i a_i k(x_i, x).
    All targets share one factorisation. mu = 0 is regularised least squares on the labelled points.
"""
SOLVER_PARAMETERS = """\
    fit_intercept : bool, default=False
        Whether f has an unpenalised constant b, f(x) = sum_i a_i k(x_i, x) + b with 1'a = 0. The paper's machine has
        none.
    solver : {"auto", "exact", "cg", "nystroem"}, default="auto"
        One Cholesky factorisation, O(n^3); conjugate gradient on the n x n matrix, preconditioned by landmarks; or the
        kernel replaced by its landmark approximation, O(n m^2). "auto" goes from one to the next at 5,000 and 20,000
        points. X may come in blocks (dask arrays, lists of row blocks): then it is "nystroem", by blocks of rows.
    n_landmarks : int, default=1000
        Rows drawn as landmarks.
    tol : float > 0, default=1e-8
        Relative residual at which the conjugate gradient stops.
    memory : None, str or joblib.Memory, default=None
        Caches the fitted graph and its eigenvectors across fits.
    random_state : int, RandomState or None, default=None
        Draws landmarks.
"""
SOLVER_ATTRIBUTES = """\
    residual_ : float
        Relative residual of the n x n system, the largest over the targets (for "nystroem" on 1000 of its rows).
"""


class _LapERLSMachine(BlockwiseMixin, EmbeddedMachine):
    """The machine behind classifier and regressor."""

    _parameter_constraints = {
        **EmbeddedMachine._parameter_constraints,
        "solver": [StrOptions({"auto", "exact", "cg", "nystroem"})],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        C: float | str = "auto",
        mu: float | str = "auto",
        label_weight: float | str = "auto",
        n_eigenvectors=50,
        components="labelled",
        shift=0.0,
        kernel: str | Callable = "rbf",
        gamma: float | str = "mean",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        solver="auto",
        n_landmarks=1000,
        tol=1e-8,
        memory=None,
        random_state=None,
        verbose=0,
        fit_intercept=False,
    ):
        self.C = C
        self.mu = mu
        self.label_weight = label_weight
        self.n_eigenvectors = n_eigenvectors
        self.components = components
        self.shift = shift
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.graph = graph
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.tol = tol
        self.memory = memory
        self.random_state = random_state
        self.verbose = verbose
        self.fit_intercept = fit_intercept

    def _solve(self, kernel, X, embedding):
        n, in_blocks = X.shape[0], isinstance(X, RowBlocks)
        auto = "nystroem" if in_blocks or n > CG_POINTS else "exact" if n <= EXACT_POINTS else "cg"
        solver = auto if self.solver == "auto" else self.solver
        if in_blocks and solver != "nystroem":
            raise ValueError(
                f"solver={solver!r} needs the whole Gram matrix; rows that come in blocks need solver='nystroem' or "
                "'auto'."
            )
        if solver == "nystroem":
            return self._solve_landmarks(kernel, X, embedding)
        K, right = kernel(X), self._right_sides(embedding)
        if solver == "exact":
            solution = solve_exact(K, embedding.features, right, self.C_)
        else:
            landmarks = choose_basis(X, min(self.n_landmarks, n), self.random_state)
            factor, _ = reduced_factor(kernel, X, landmarks)
            solution = solve_cg(K, embedding.features, right, self.C_, factor, self.tol)
        self.residual_ = solution.residual
        coefficients, intercepts = self._split(solution.coefficients)
        self._keep_expansion(kernel, X, coefficients, intercepts)
        return K @ coefficients + intercepts

    def _right_sides(self, embedding):
        """Virtual labels, and a column of ones where there is a constant to be found."""
        targets = embedding.targets
        return np.column_stack([targets, np.ones(len(targets))]) if self.fit_intercept else targets

    def _split(self, solutions):
        return with_intercept(solutions) if self.fit_intercept else (solutions, 0.0)

    def _solve_landmarks(self, kernel, X, embedding):
        landmarks = basis_points(kernel, X, min(self.n_landmarks, X.shape[0]), self.random_state)
        features, transform = features_of(kernel, X, landmarks, HELD_BYTES)
        right, intercepts = self._right_sides(embedding), 0.0
        weights, values, a = solve_reduced_features(features, embedding.features, right, self.C_)
        self.residual_ = self._sampled_residual(kernel, X, embedding, a, right)
        if self.fit_intercept:
            _, intercepts = with_intercept(a)
            weights, values = (own[:, :-1] - own[:, -1:] * intercepts for own in (weights, values))
        self._keep_expansion(kernel, landmarks, transform @ weights, intercepts)
        return values + intercepts

    def _sampled_residual(self, kernel, X, embedding, a, right):
        """What the landmarks cost: the residual with the kernel itself, on a sample of rows."""
        rows = np.sort(check_random_state(self.random_state).permutation(X.shape[0])[:1000])
        points = rows_of(X, rows)
        products = RowBlocks(X, len(rows)).sum_beside(lambda block, part: kernel(points, block) @ part, a)
        products += embedding.features[rows] @ (embedding.features.T @ a)
        rest = products + a[rows] / self.C_ - right[rows]
        norms = np.linalg.norm(right[rows], axis=0)
        return float((np.linalg.norm(rest, axis=0) / np.where(norms > 0, norms, 1.0)).max())


class LapERLS(WeightedClassifier, _LapERLSMachine):
    __doc__ = f"""Laplacian embedded regularised least squares classifier.

{PROBLEM}
    Parameters
    ----------
{WEIGHT_PARAMETERS}{GRAPH_PARAMETERS}{SOLVER_PARAMETERS}{CLASS_WEIGHT_PARAMETER}{VERBOSE_PARAMETER}
    Attributes
    ----------
{ATTRIBUTES}{SOLVER_ATTRIBUTES}
    See Also
    --------
    LapESVR : the same with the epsilon-insensitive loss, whose expansion is sparse.
    LapRLS : least squares with the graph in the norm instead.
    mr.paths.LapERLSPath : whole grids of weights, labels and folds from one factorisation.

    References
    ----------
{REFERENCES}
    Examples
    --------
    >>> import mr
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(200, noise=0.05, random_state=0)
    >>> y = truth.copy()
    >>> y[10:] = -1  # ten labels
    >>> model = mr.LapERLS().fit(X, y)
    >>> model.score(X, truth) > 0.95
    True
    >>> model.mu_ > 0  # the graph helps here
    True
    """

    _parameter_constraints = {**_LapERLSMachine._parameter_constraints, **CLASS_WEIGHT_CONSTRAINTS}

    def __init__(
        self,
        C: float | str = "auto",
        mu: float | str = "auto",
        label_weight: float | str = "auto",
        n_eigenvectors=50,
        components="labelled",
        shift=0.0,
        kernel: str | Callable = "rbf",
        gamma: float | str = "mean",
        degree: float = 3,
        coef0=0.0,
        graph=None,
        solver="auto",
        n_landmarks=1000,
        tol=1e-8,
        memory=None,
        random_state=None,
        class_weight=None,
        verbose=0,
        fit_intercept=False,
    ):
        super().__init__(
            C, mu, label_weight, n_eigenvectors, components, shift, kernel, gamma, degree, coef0, graph, solver,
            n_landmarks, tol, memory, random_state, verbose, fit_intercept,
        )  # fmt: skip
        self.class_weight = class_weight


class LapERLSRegressor(WeightedRegressor, _LapERLSMachine):
    __doc__ = f"""Laplacian embedded regularised least squares regression.

{PROBLEM}
    Parameters
    ----------
{WEIGHT_PARAMETERS}{GRAPH_PARAMETERS}{SOLVER_PARAMETERS}{VERBOSE_PARAMETER}
    Attributes
    ----------
{ATTRIBUTES}{SOLVER_ATTRIBUTES}
    See Also
    --------
    LapESVRRegressor : the same with the epsilon-insensitive loss, whose expansion is sparse.
    LapRLSRegressor : least squares with the graph in the norm instead.

    References
    ----------
{REFERENCES}
    Examples
    --------
    >>> import numpy as np, mr
    >>> t = np.linspace(0, 1, 100)
    >>> X = np.column_stack([(1 + t) * np.cos(9 * t), (1 + t) * np.sin(9 * t)])  # a spiral
    >>> y = np.where(np.arange(100) % 11 == 0, t, np.nan)  # NaN marks an unlabelled point
    >>> bool(np.abs(mr.LapERLSRegressor().fit(X, y).predict(X) - t).mean() < 0.05)
    True
    """
