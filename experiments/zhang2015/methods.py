"""zhang2015's methods as Gram matrices and machines: one factorisation serves all labelled sets, folds and weights.

Every method predicts f = K~ beta with a Gram matrix K~ between points and labelled points, and beta from a small
machine on the labelled block: ridge regression (PVM(sqr), LapRLS, NFI, Anchor), hinge loss (SVM, PVM(hinge)), squared
hinge (LapSVMp), or the labels themselves (LGC, NYS-LGC). A *basis* holds what one kernel width needs; ``cells`` are
the parameters on top.
"""

from functools import cached_property, partial

import numpy as np
from scipy import linalg
from scipy.linalg import lapack
from sklearn.base import clone
from sklearn.svm import SVC

from mr.estimators.centroids import reduced_set
from experiments.zhang2015.protocol import REDUCED_FROM, decide, n_prototypes
from mr.graph import KNNGraph
from mr.kernels import Kernel, SharedDeformation, reduced_factor
from mr.solvers import nfi, propagation, pvm
from mr.solvers.anchor_graph import local_weights, nearest_anchors, weight_matrix
from mr.solvers.blocks import RowBlocks
from mr.solvers.box_qp import unbiased_svc_path
from mr.solvers.prototypes import kmeans, prototype_graph, scaled_gram
from mr.solvers.warm_newton import solve_from

REDUCED_BASIS = 1000  # k-means centres over which LapRLS and LapSVMp expand beyond REDUCED_FROM points
GRAPH = KNNGraph(n_neighbors=6)  # of LapRLS and LapSVMp: heat weights, normalised, as their authors' code builds it


class Basis:
    """Gram matrices f = block(cell, at, rows) beta for a few cells of parameters."""

    def __init__(self, cells, left, right=None, scale=None):
        self.cells = cells
        self.left, self.right, self.scale = left, left if right is None else right, scale

    def block(self, cell, at, rows):
        right = self.right[rows] if self.scale is None else self.right[rows] * self.scale(cell)
        return self.left[at] @ right.T


class Context:
    """The points, and what depends on them and a seed only: centres and rows that all kernel widths and draws share."""

    def __init__(self, X, params, seed):
        self.X, self.params, self.seed, self.n = X, params, seed, X.shape[0]
        self.m = min(params.get("n_prototypes") or n_prototypes(self.n), self.n)

    @cached_property
    def centres(self):
        return self.centres_of(self.m)

    @cached_property
    def basis_points(self):
        return self.centres_of(REDUCED_BASIS)

    @cached_property
    def graph(self):
        return clone(GRAPH).fit(self.X)

    @cached_property
    def subset(self):
        return self.X[np.sort(np.random.RandomState(self.seed).choice(self.n, self.m, replace=False))]

    def centres_of(self, size):
        return kmeans(RowBlocks(self.X, size), min(size, self.n), self.n, np.random.RandomState(self.seed))


def belkin_cells(params, n):
    """LapRLS: gamma_A and gamma_I of equation 5, r = gamma_I / (gamma_A n^2)."""
    return _ratio_cells(params["gamma"], n**2, "gamma_A", "gamma_I")


def melacci_cells(params, n):
    """LapSVMp: weights of its authors' code (footnote 4), which has neither 1/l nor 1/n^2: r = weight_I / weight_A.

    lapsvmp minimises sum_i max(0, 1 - y_i f_i)^2 + weight_A ||f||^2 + weight_I f'Lf, so weight_A = gamma_A l and
    weight_I = gamma_I l / n^2. The paper's grid for all methods but LapRLS, 1e-3 to 1e5, is of these.
    """
    return _ratio_cells(params["weights"], 1.0, "weight_A", "weight_I")


def _ratio_cells(values, scale, ambient, intrinsic):
    """Pairs of weights grouped by what the deformed kernel depends on, their ratio; large ambient weights first."""
    groups = {}
    for i, a in reversed(list(enumerate(values))):
        for j, b in enumerate(values):
            groups.setdefault(round(np.log10(b / a), 6), []).append({ambient: a, intrinsic: b, "at": (i, j)})
    return [{"r": cells[0][intrinsic] / cells[0][ambient] / scale, "inner": cells} for cells in groups.values()]


def _inner(name, values):
    return [{name: value, "at": (i, 0)} for i, value in enumerate(values)]


def plain(ctx, width):
    """K itself (SVM)."""
    kernel = Kernel("rbf", width).fit(ctx.X)
    basis = Basis([{"inner": _inner("C", ctx.params["C"])}], None)
    basis.block = lambda cell, at, rows: kernel(ctx.X[at], ctx.X[rows])
    return basis


def prototype_features(ctx, width):
    """Phi of :mod:`mr.solvers.pvm`: one H'SH a kernel width."""
    graph = prototype_graph(RowBlocks(ctx.X, ctx.m), Kernel("rbf", width).fit(ctx.X), ctx.centres)
    features = graph.features(ctx.X) @ pvm.inverse_root(graph.smoothness)[0]
    return Basis([{"inner": _inner("C1", ctx.params["C"])}], features)


def penalised_features(ctx, width):
    """The same with C2 times the RKHS norm, for several C2: our extension of the paper's grid, which has C2 = 0."""
    graph = prototype_graph(RowBlocks(ctx.X, ctx.m), Kernel("rbf", width).fit(ctx.X), ctx.centres)
    F, cells, features = graph.features(ctx.X), [], []
    for i, C2 in enumerate(ctx.params["C2"]):
        inner = [{"C2": C2, "C1": C1, "at": (j, i)} for j, C1 in enumerate(ctx.params["C"])]
        cells.append({"which": i, "inner": inner})
        features.append(F @ pvm.inverse_root(pvm.quadratic_form(graph, None, C2, "rkhs"))[0])
    basis = Basis(cells, None)
    basis.block = lambda cell, at, rows: features[cell["which"]][at] @ features[cell["which"]][rows].T
    return basis


def induced_features(ctx, width):
    """P M^-1/2 of NFI."""
    graph = nfi.induced_graph(RowBlocks(ctx.X, ctx.m), Kernel("rbf", width).fit(ctx.X), ctx.subset)
    features = graph.induction(ctx.X) @ pvm.inverse_root(graph.smoothness)[0]
    return Basis([{"inner": _inner("C1", ctx.params["C"])}], features)


def deformed(ctx, width, cells=belkin_cells):
    """K~(r) for every ratio r of the weights, from one eigendecomposition; on a basis of centres for large n."""
    kernel = Kernel("rbf", width).fit(ctx.X)
    if ctx.n > REDUCED_FROM:
        factor, _ = reduced_factor(kernel, ctx.X, ctx.basis_points)
        shared = SharedDeformation(factor, ctx.graph)
    else:
        shared = SharedDeformation.from_gram(kernel(ctx.X), ctx.graph)
    return Basis(cells(ctx.params, ctx.n), shared.features, scale=lambda cell: shared.shrinkage(cell["r"]))


def centroids(ctx, width, rows, cells=belkin_cells):
    """K~(r) on the labelled points and the centres only; other points through the expansion over those."""
    kernel = Kernel("rbf", width).fit(ctx.X)
    reduced, _ = reduced_set(ctx.X[rows], np.zeros(len(rows)), ctx.centres)
    shared = SharedDeformation.from_gram(kernel(reduced), clone(GRAPH).fit(reduced))

    def block(cell, at, chosen):
        where = np.searchsorted(rows, chosen)
        if np.isin(at, rows).all():
            return shared.block(np.searchsorted(rows, at), where, cell["r"])
        return kernel.expand(ctx.X[at], reduced, shared.coefficients(where, np.eye(len(where)), cell["r"]))

    basis = Basis(cells(ctx.params, reduced.shape[0]), None)
    basis.block = block
    return basis


def spectral(ctx, width):
    """(I - eta Q)^-1, eta = 1 / (1 + C), from one eigendecomposition of the Gaussian graph."""
    kernel = Kernel("rbf", width).fit(ctx.X)
    lgc = propagation.SpectralLGC(propagation.normalized_affinity(propagation.gaussian_affinity(kernel, ctx.X)))
    return Basis(_eta_cells(ctx.params), lgc.vectors, scale=lambda cell: 1.0 / (1.0 - cell["eta"] * lgc.values))


def nystrom(ctx, width):
    """The same on the Nystroem approximation through random rows."""
    blocks = RowBlocks(ctx.X, ctx.m)
    graph = prototype_graph(blocks, Kernel("rbf", width).fit(ctx.X), ctx.subset)
    lgc = propagation.NystromLGC(scaled_gram(graph, blocks))
    G = graph.scaled(ctx.X) @ lgc.vectors
    return Basis(_eta_cells(ctx.params), G, scale=lambda cell: cell["eta"] / (1.0 - cell["eta"] * lgc.values))


def _eta_cells(params):
    return [{"eta": 1.0 / (1.0 + C), "inner": [{"C": C, "at": (i, 0)}]} for i, C in enumerate(params["C"])]


def anchors(ctx, width):
    """Z (Z'LZ)^-1/2 of the anchor graph (local anchor embedding, 3 nearest): no kernel width."""
    _, nearest = nearest_anchors(ctx.X, ctx.centres, min(3, ctx.m))
    Z = weight_matrix(nearest, local_weights(ctx.X, ctx.centres, nearest), ctx.m).toarray()
    gram, mass = Z.T @ Z, np.maximum(Z.sum(axis=0), 1e-12)
    features = Z @ pvm.inverse_root(gram - (gram / mass) @ gram)[0]
    inner = [{"gamma": g, "C1": 1.0 / g, "at": (i, 0)} for i, g in enumerate(ctx.params["C"])]
    return Basis([{"inner": inner}], features)


def ridge(K, targets, inner):
    """beta = (K + weight I)^-1 y for every weight."""
    for cell in inner:
        beta = _ridge_inverse(K, _ridge_weight(cell, len(K))) @ targets
        yield lambda at, beta=beta: decide(at @ beta)


def ridge_held_out(K, targets, folds, inner):
    """For every cell the values at each fold of the machine trained on the others, all folds from one inverse.

    With M = (K + weight I)^-1 over all labelled points, y_F - f_F = (M_FF)^-1 (M y)_F: leaving out rows of a ridge
    regression, exactly.
    """
    for cell in inner:
        values, inverses = np.empty_like(targets), {}
        for k in range(folds.max() + 1):
            held = np.flatnonzero(folds == k)
            weight = _ridge_weight(cell, len(K) - len(held))
            if weight not in inverses:
                M = _ridge_inverse(K, weight)
                inverses[weight] = M, M @ targets
            M, beta = inverses[weight]
            values[held] = targets[held] - linalg.solve(M[np.ix_(held, held)], beta[held], assume_a="pos")
        yield values


def _ridge_weight(cell, n_labelled):
    return cell["gamma_A"] * n_labelled if "gamma_A" in cell else 1.0 / cell["C1"]


def _ridge_inverse(K, weight):
    """(K + weight I)^-1 by Cholesky; by eigenvalues, negative ones taken as rounding, where weight is tiny."""
    if weight > 1e-11 * np.trace(K):
        system = np.array(K, order="F")
        system.flat[:: len(K) + 1] += weight
        factor, failed = lapack.dpotrf(system, lower=1, overwrite_a=1)
        if not failed:
            inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
            return np.tril(inverse) + np.tril(inverse, -1).T
    values, vectors = linalg.eigh(K, check_finite=False)
    return (vectors / (np.maximum(values, 0.0) + weight)) @ vectors.T


def hinge(K, targets, inner, tol=1e-3):
    """The machine of every C1 (ascending), each started from the last."""
    path, _ = unbiased_svc_path(K, targets, [cell["C1"] for cell in inner], tol)
    for beta in path:
        yield lambda at, beta=beta: decide(at @ beta)


def squared_hinge(K, targets, inner):
    """The machine of every weight_A, each started from the points with loss of the one before."""
    lossy = np.ones(targets.T.shape, dtype=bool)  # at f = 0
    for cell in inner:
        beta = np.empty_like(targets)
        for c, y in enumerate(targets.T):
            beta[:, c], lossy[c] = solve_from(K, y, cell["weight_A"], lossy[c])
        yield lambda at, beta=beta: decide(at @ beta)


def votes(K, targets, inner):
    """The labels themselves, spread by the Gram matrix."""
    yield lambda at: decide(at @ targets)


def support_vectors(K, targets, inner):
    """LIBSVM, one against one, as its MATLAB interface does."""
    codes = decide(targets)
    for cell in inner:
        yield SVC(C=cell["C"], kernel="precomputed", cache_size=50).fit(K, codes).predict


METHODS = {
    "SVM": (plain, support_vectors),
    "LGC": (spectral, votes),
    "LapRLS": (deformed, ridge),
    "LapSVMp": (partial(deformed, cells=melacci_cells), squared_hinge),
    "NYS-LGC": (nystrom, votes),
    "NFI": (induced_features, ridge),
    "Anchor": (anchors, ridge),
    "PVM(sqr)": (prototype_features, ridge),
    "PVM(hinge)": (prototype_features, hinge),
    "PVM(sqr, C2)": (penalised_features, ridge),
    "CB-LapRLS": (centroids, ridge),
    "CB-LapSVMp": (partial(centroids, cells=melacci_cells), squared_hinge),
}
HELD_OUT = {ridge: ridge_held_out}  # folds that share work
PER_DRAW = ("CB-LapRLS", "CB-LapSVMp")  # their basis depends on the labelled set
NO_WIDTH = ("Anchor",)
