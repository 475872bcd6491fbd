"""zhang2015's methods: for each a template estimator, its path, and the grid from which its parameters are chosen.

Everything here is public: templates are estimators of :mod:`mr` (scikit-learn's ``SVC`` for the SVM), and one path per
kernel width serves all labelled sets, folds and weights.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC

import mr
from experiments.zhang2015.protocol import REDUCED_FROM, n_prototypes
from mr import paths
from mr.kernels import Kernel

REDUCED_BASIS = 1000  # k-means centres over which LapRLS and LapSVMp expand beyond REDUCED_FROM points
GRAPH = mr.KNNGraph(n_neighbors=6)  # of LapRLS and LapSVMp: heat weights, normalised, as their authors' code builds it
HINGE_GAP = 1e-3  # relative duality gap of PVM(hinge): decisions do not change below it


class Points:
    """The points, and what depends on them and a seed only: all kernel widths and labelled sets share it."""

    def __init__(self, X, params, seed):
        self.X, self.params, self.seed, self.n = X, params, seed, X.shape[0]
        self.m = min(params.get("n_prototypes") or n_prototypes(self.n), self.n)

    @cached_property
    def centres(self) -> np.ndarray:
        return paths.kmeans_centres(self.X, self.m, self.seed)

    @cached_property
    def graph(self) -> mr.PrecomputedGraph:
        fitted = clone(GRAPH).fit(self.X)
        return mr.PrecomputedGraph(fitted.affinity_, laplacian=GRAPH.laplacian, power=GRAPH.power)

    @cached_property
    def basis(self) -> np.ndarray | None:
        """Points over which exact methods expand: all up to REDUCED_FROM points (None), some centres beyond."""
        if self.n <= REDUCED_FROM:
            return None
        return paths.kmeans_centres(self.X, min(REDUCED_BASIS, self.n), self.seed)


@dataclass(frozen=True)
class Cell:
    """One choice of parameters on top of a kernel width."""

    named: dict
    """As the rows name it: in the letters of the paper and of the authors' programs."""
    given: dict
    """As the path takes it."""
    at: tuple[int, int]
    """Position on the axes of the grid."""


@dataclass(frozen=True)
class Method:
    """A column of the tables."""

    path: type
    template: Callable
    """Unfitted estimator from the :class:`Points` and a kernel width."""
    cells: Callable
    """The grid from the parameters of the artifact: a list of :class:`Cell`, every combination of their values once."""
    has_width: bool = True

    def lists(self, params) -> dict:
        """The grid as a path takes it: one list per parameter."""
        cells = self.cells(params)
        return {name: list(dict.fromkeys(cell.given[name] for cell in cells)) for name in cells[0].given}


class LibSVMPath:
    """LIBSVM, one against one as its MATLAB interface, in the manner of a path: the template is scikit-learn's ``SVC``.

    LIBSVM decides by votes between pairs of classes, so the values are +1 for the class it names and -1 for others.
    """

    def __init__(self, estimator, X):
        self.estimator, self.X = estimator, X
        self.kernel = Kernel("rbf", estimator.gamma).fit(X)

    def fit(self, y, C):
        ((_, fit),) = self.grid(y, C=[C])
        return fit

    def grid(self, y, C):
        rows = np.flatnonzero(y >= 0)
        columns = self.kernel(self.X, self.X[rows])
        for value in C:
            codes = self._machine(columns[rows], y[rows], value).predict(columns)
            yield {"C": value}, paths.PathFit(_votes(codes, y))

    def held_out_grid(self, y, folds, C):
        rows = np.flatnonzero(y >= 0)
        K, labels = self.kernel(self.X[rows], self.X[rows]), y[rows]
        for value in C:
            codes = np.empty_like(labels)
            for k in np.unique(folds):
                train, held = np.flatnonzero(folds != k), np.flatnonzero(folds == k)
                machine = self._machine(K[np.ix_(train, train)], labels[train], value)
                codes[held] = machine.predict(K[np.ix_(held, train)])
            yield {"C": value}, _votes(codes, y)

    def _machine(self, K, labels, C):
        return clone(self.estimator).set_params(kernel="precomputed", C=C).fit(K, labels)


def _votes(codes, y):
    n_classes = int(y.max()) + 1
    signs = np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)
    return signs[:, 1:] if n_classes == 2 else signs


def along(name, values="C", parameter=None):
    """Cells along one weight, by the paper's name and the library's ``parameter`` where that is another."""
    parameter = parameter or name
    return lambda params: [Cell({name: v}, {parameter: v}, (i, 0)) for i, v in enumerate(params[values])]


def eta_cells(params):
    """LGC: eta = 1 / (1 + C)."""
    return [Cell({"C": C}, {"eta": 1.0 / (1.0 + C)}, (i, 0)) for i, C in enumerate(params["C"])]


def belkin_cells(params):
    """LapRLS: gamma_A and gamma_I of equation 5."""
    return _pairs(params["gamma"], ("gamma_A", "gamma_I"), ("gamma_A", "gamma_I"))


def melacci_cells(params):
    """LapSVMp: weights of its authors' code (footnote 4), which has neither 1/l nor 1/n^2.

    lapsvmp minimises sum_i max(0, 1 - y_i f_i)^2 + weight_A ||f||^2 + weight_I f'Lf: a path's ridge and smoothness. The
    paper's grid for all methods but LapRLS, 1e-3 to 1e5, is of these.
    """
    return _pairs(params["weights"], ("weight_A", "weight_I"), ("ridge", "smoothness"))


def _pairs(values, named, given):
    """All pairs of weights, those of one ratio together: the order decides between cells that are equal in all else."""
    groups = {}
    for i, a in reversed(list(enumerate(values))):
        for j, b in enumerate(values):
            cell = Cell(dict(zip(named, (a, b), strict=True)), dict(zip(given, (a, b), strict=True)), (i, j))
            groups.setdefault(round(np.log10(b / a), 6), []).append(cell)
    return [cell for group in groups.values() for cell in group]


def C2_cells(params):
    """Our extension of PVM's grid, which has C2 = 0."""
    pairs = [(j, C1, i, C2) for i, C2 in enumerate(params["C2"]) for j, C1 in enumerate(params["C"])]
    return [Cell(weights, weights, (j, i)) for j, C1, i, C2 in pairs if (weights := {"C2": C2, "C1": C1})]


def pvm(points, width, C2=0.0, **options):
    return mr.PVM(prototypes=points.centres, gamma=width, C2=C2, tol=HINGE_GAP, **options)


def lap_rls(points, width):
    return mr.LapRLS(gamma=width, graph=points.graph, basis=points.basis)


def lap_svm(points, width):
    return mr.PrimalLapSVM(gamma=width, graph=points.graph, basis=points.basis)


def anchor_graph(points, width):
    return mr.AnchorGraph(anchors=points.centres, normalize=False)


def reduced(inner):
    """The machine on the labelled points and the centres; its graph is that of the reduced set."""
    return lambda points, width: mr.baselines.CentroidReduced(inner(gamma=width, graph=GRAPH), centroids=points.centres)


def ridged(loss):
    """PVM with a ridge on H'SH, for the diagnosis in :mod:`experiments.zhang2015.reach`."""
    return lambda points, width: pvm(points, width, loss=loss, C2=points.params["ridge"], regularizer="coefficients")


METHODS = {
    "SVM": Method(LibSVMPath, lambda points, width: SVC(gamma=width, cache_size=50), along("C")),
    "LGC": Method(paths.LGCPath, lambda points, width: mr.LGC(graph="gaussian", gamma=width), eta_cells),
    "LapRLS": Method(paths.LapRLSPath, lap_rls, belkin_cells),
    "LapSVMp": Method(paths.PrimalLapSVMPath, lap_svm, melacci_cells),
    "NYS-LGC": Method(
        paths.NystromLGCPath,
        lambda points, width: mr.baselines.NystromLGC(points.m, gamma=width, random_state=points.seed),
        eta_cells,
    ),
    "NFI": Method(
        paths.NFIPath,
        lambda points, width: mr.baselines.NFI(points.m, gamma=width, random_state=points.seed),
        along("C1"),
    ),
    "Anchor": Method(paths.AnchorGraphPath, anchor_graph, along("gamma", parameter="graph_weight"), has_width=False),
    "PVM(sqr)": Method(paths.PVMPath, pvm, along("C1")),
    "PVM(hinge)": Method(paths.PVMPath, lambda points, width: pvm(points, width, loss="hinge"), along("C1")),
    "PVM(sqr, C2)": Method(paths.PVMPath, lambda points, width: pvm(points, width, regularizer="rkhs"), C2_cells),
    "CB-LapRLS": Method(paths.CentroidReducedPath, reduced(mr.LapRLS), belkin_cells),
    "CB-LapSVMp": Method(paths.CentroidReducedPath, reduced(mr.PrimalLapSVM), melacci_cells),
    "PVM(sqr), ridge": Method(paths.PVMPath, ridged("square"), along("C1")),
    "PVM(hinge), ridge": Method(paths.PVMPath, ridged("hinge"), along("C1")),
}
