"""zhang2015's methods: for each a template estimator, its path, and the grid from which its parameters are chosen.

Everything here is public: templates are estimators of :mod:`mr` (scikit-learn's ``SVC`` for the SVM), and one path per
kernel width serves all folds and weights, and all labelled sets where no k-means centres are involved.

A name with a comma is a variant of the method before the comma: the same method by another convention of the paper's
text, of published code, or of ours. ``VARIANTS`` says which.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC

import mr
from experiments.zhang2015.protocol import REDUCED_FROM, n_prototypes
from mr import paths
from mr.graph import KernelGraph
from mr.kernels import Kernel

REDUCED_BASIS = 1000  # k-means centres over which LapSVMp expands beyond REDUCED_FROM points
GRAPH = mr.KNNGraph(n_neighbors=6)  # of LapSVMp: heat weights, normalised, as its authors' code builds it
HINGE_GAP = 1e-3  # relative duality gap of PVM(hinge): decisions do not change below it
VARIANTS = {
    "kNN": "graph of the 6 nearest neighbours, normalised",
    "(3)": "dense kernel graph, normalised as in equation 3",
    "(14)": "normalised S as in equation 14",
    "C2 K_v": "C2 f'K_v f with C2 chosen too (footnote 2)",
    "(14) C2 K_v": "normalised S as in equation 14, C2 f'K_v f with C2 chosen too (footnote 2)",
    "LIBSVM": "hinge by LIBSVM, one against one, with bias",
    "beta_0": "beta_0 from the average distance, as worded",
    "class division": "memberships divided by their sum over each class, as in the published code",
}


class Points:
    """The points, and what depends on them and a seed only: all kernel widths share it."""

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
        """Points over which LapSVMp expands: all up to REDUCED_FROM points (None), some centres beyond."""
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
    seeded: bool = True
    """Whether the path depends on a seed (centres, subsets): then every draw has paths of its own."""
    without_graph: str | None = None
    """The weight that a cell of the path sets to 0 for the same machine without its graph, if there is such a one."""

    def lists(self, params) -> dict:
        """The grid as a path takes it: one list per parameter."""
        cells = self.cells(params)
        return {name: list(dict.fromkeys(cell.given[name] for cell in cells)) for name in cells[0].given}


class LibSVMPath:
    """LIBSVM, one against one as its MATLAB interface, in the manner of a path: the template is scikit-learn's ``SVC``.

    LIBSVM decides by votes between pairs of classes, so the values are +1 for the class it names and -1 for others.
    """

    parameter = "C"

    def __init__(self, estimator, X):
        self.estimator, self.X = estimator, X
        self.kernel = Kernel("rbf", estimator.gamma).fit(X)

    def columns(self, rows) -> np.ndarray:
        """The kernel of the machine between all points and these."""
        return self.kernel(self.X, self.X[rows])

    def grid(self, y, **lists):
        rows, columns = self._columns(y)
        for value in lists[self.parameter]:
            codes = self._machine(columns[rows], y[rows], value).predict(columns)
            yield {self.parameter: value}, paths.PathFit(_votes(codes, y))

    def held_out_grid(self, y, folds, **lists):
        rows, columns = self._columns(y)
        K, labels = columns[rows], y[rows]
        for value in lists[self.parameter]:
            codes = np.empty_like(labels)
            for k in np.unique(folds):
                train, held = np.flatnonzero(folds != k), np.flatnonzero(folds == k)
                machine = self._machine(K[np.ix_(train, train)], labels[train], value)
                codes[held] = machine.predict(K[np.ix_(held, train)])
            yield {self.parameter: value}, _votes(codes, y)

    def _columns(self, y):
        rows = np.flatnonzero(y >= 0)
        return rows, self.columns(rows)

    def _machine(self, K, labels, C):
        return clone(self.estimator).set_params(kernel="precomputed", C=C).fit(K, labels)


class LibPVMPath(LibSVMPath):
    """PVM(hinge) by LIBSVM: the same on the kernel H A^-1 H' of the prototype machine (equation 28)."""

    parameter = "C1"

    def __init__(self, estimator, X):
        self.estimator = SVC(cache_size=50, max_iter=MOST_STEPS)
        self.features = paths.PVMPath(estimator, X).machine_features()

    def columns(self, rows):
        return self.features @ self.features[rows].T


MOST_STEPS = 10**6  # of LIBSVM at C1 = 1e5 on a kernel of low rank, where it would not end otherwise


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
    return _pairs(params["C"], ("weight_A", "weight_I"), ("ridge", "smoothness"))


def _pairs(values, named, given):
    """All pairs of weights, those of one ratio together: the order decides between cells that are equal in all else."""
    groups = {}
    for i, a in reversed(list(enumerate(values))):
        for j, b in enumerate(values):
            cell = Cell(dict(zip(named, (a, b), strict=True)), dict(zip(given, (a, b), strict=True)), (i, j))
            groups.setdefault(round(np.log10(b / a), 6), []).append(cell)
    return [cell for group in groups.values() for cell in group]


def C2_cells(params):
    """PVM with the weight C2 of the RKHS norm, from the same grid as C1. The paper sets C2 = 0."""
    pairs = [(j, C1, i, C2) for i, C2 in enumerate(params["C"]) for j, C1 in enumerate(params["C"])]
    return [Cell(weights, weights, (j, i)) for j, C1, i, C2 in pairs if (weights := {"C2": C2, "C1": C1})]


def pvm(points, width, C2=0.0, laplacian="unnormalized", **options):
    """S is that of equation 13, as the text below equation 22 says."""
    return mr.PVM(prototypes=points.centres, gamma=width, C2=C2, laplacian=laplacian, tol=HINGE_GAP, **options)


def lgc(points, width):
    """Every label counts alike, as in equation 8."""
    return mr.LGC(graph="gaussian", gamma=width, class_weight=None)


def lap_rls(points, width, laplacian="unnormalized"):
    """On the dense graph whose weights are the kernel itself (equations 2 to 4)."""
    return mr.LapRLS(gamma=width, graph=KernelGraph(width, laplacian))


def lap_rls_knn(points, width):
    return mr.LapRLS(gamma=width, graph=points.graph)


def lap_svm(points, width):
    return mr.PrimalLapSVM(gamma=width, graph=points.graph, basis=points.basis)


def anchor_graph(points, width, normalize=False):
    return mr.AnchorGraph(anchors=points.centres, normalize=normalize)


def reduced(inner, graph=None):
    """The machine on the labelled points and the centres; its graph is that of the reduced set."""
    return lambda points, width: mr.baselines.CentroidReduced(
        inner(gamma=width, graph=graph or KernelGraph(width, "unnormalized")), centroids=points.centres
    )


def _pvm(path=paths.PVMPath, cells=None, **options):
    return Method(path, partial(pvm, **options), cells or along("C1"))


RLS_PATH = {"cells": belkin_cells, "without_graph": "gamma_I"}
SVM_PATH = {"cells": melacci_cells, "without_graph": "smoothness"}
METHODS = {
    "SVM": Method(LibSVMPath, lambda points, width: SVC(gamma=width, cache_size=50), along("C"), seeded=False),
    "LGC": Method(paths.LGCPath, lgc, eta_cells, seeded=False),
    "LapRLS": Method(paths.LapRLSPath, lap_rls, seeded=False, **RLS_PATH),
    "LapRLS, (3)": Method(paths.LapRLSPath, partial(lap_rls, laplacian="normalized"), seeded=False, **RLS_PATH),
    "LapRLS, kNN": Method(paths.LapRLSPath, lap_rls_knn, seeded=False, **RLS_PATH),
    "LapSVMp": Method(paths.PrimalLapSVMPath, lap_svm, seeded=False, **SVM_PATH),
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
    "Anchor, class division": Method(
        paths.AnchorGraphPath,
        partial(anchor_graph, normalize=True),
        along("gamma", parameter="graph_weight"),
        has_width=False,
    ),
    "PVM(sqr)": _pvm(),
    "PVM(sqr), (14)": _pvm(laplacian="normalized"),
    "PVM(sqr), C2 K_v": _pvm(cells=C2_cells, regularizer="rkhs"),
    "PVM(hinge)": _pvm(loss="hinge"),
    "PVM(hinge), (14)": _pvm(loss="hinge", laplacian="normalized"),
    "PVM(hinge), C2 K_v": _pvm(cells=C2_cells, loss="hinge", regularizer="rkhs"),
    "PVM(hinge), (14) C2 K_v": _pvm(cells=C2_cells, loss="hinge", regularizer="rkhs", laplacian="normalized"),
    "PVM(hinge), LIBSVM": _pvm(path=LibPVMPath, loss="hinge"),
    "CB-LapRLS": Method(paths.CentroidReducedPath, reduced(mr.LapRLS), **RLS_PATH),
    "CB-LapRLS, kNN": Method(paths.CentroidReducedPath, reduced(mr.LapRLS, GRAPH), **RLS_PATH),
    "CB-LapSVMp": Method(paths.CentroidReducedPath, reduced(mr.PrimalLapSVM, GRAPH), **SVM_PATH),
}
LITERAL = ", beta_0"  # the variant of any method whose widths begin from the average distance
METHODS |= {name + LITERAL: METHODS[name] for name in (
    "SVM", "LGC", "LapRLS", "NYS-LGC", "NFI", "PVM(sqr)", "PVM(hinge)", "CB-LapRLS", "LapSVMp", "CB-LapSVMp"
)}  # fmt: skip
