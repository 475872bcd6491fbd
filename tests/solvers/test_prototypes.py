"""H'SH over blocks against the explicit n x n Laplacian; k-means; ranks; degrees."""

import numpy as np
import pytest
from scipy import sparse

from mr.graph.blocks import RowBlocks, resolve_gamma
from mr.kernels import Kernel
from mr.solvers.prototypes import kmeans, nystrom_map, prototype_graph, raised_degrees, scaled_gram


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(120, 3))


def explicit_laplacian(H, W, laplacian):
    K = H @ np.linalg.inv(W) @ H.T
    d = K.sum(axis=1)
    return np.diag(d) - K if laplacian == "unnormalized" else np.eye(len(d)) - K / np.sqrt(np.outer(d, d))


@pytest.mark.parametrize("laplacian", ["normalized", "unnormalized"])
def test_smoothness_is_that_of_the_explicit_laplacian(points, laplacian):
    V = points[:15]
    kernel = Kernel("rbf", 0.3).fit(points)
    graph = prototype_graph(RowBlocks(points), kernel, V, laplacian)
    assert graph.rank == 15 and graph.n_floored == 0
    H, W = kernel(points, V), kernel(V)
    S = explicit_laplacian(H, W, laplacian)
    back = np.linalg.inv(graph.transform)  # w = T^-1 f_v
    assert np.allclose(back.T @ graph.smoothness @ back, H.T @ S @ H, rtol=1e-8, atol=1e-8)


def test_scaled_gram_has_the_eigenvalues_of_the_normalised_affinity(points):
    kernel = Kernel("rbf", 0.3).fit(points)
    blocks = RowBlocks(points)
    graph = prototype_graph(blocks, kernel, points[:10])
    S = explicit_laplacian(kernel(points, points[:10]), kernel(points[:10]), "normalized")
    expected = np.sort(np.linalg.eigvalsh(np.eye(120) - S))[-10:]
    assert np.allclose(np.linalg.eigvalsh(scaled_gram(graph, blocks)), expected, atol=1e-8)


def test_rank_decision_is_visible_with_repeated_prototypes(points):
    V = np.concatenate([points[:10], points[:4]])
    kernel = Kernel("rbf", 0.3).fit(points)
    assert nystrom_map(kernel(V)).shape == (14, 10)
    twice = prototype_graph(RowBlocks(points), kernel, V)
    once = prototype_graph(RowBlocks(points), kernel, points[:10])
    F, G = twice.features(points), once.features(points)
    assert np.allclose(F @ F.T, G @ G.T)


def test_degrees_below_self_similarity_are_raised_and_counted():
    F = np.array([[1.0, 0.0], [1.0, 0.1], [-1.0, 0.0], [1.0, 2.0]])
    degrees, n_raised = raised_degrees(F, F.sum(axis=0))
    assert n_raised == 1  # row 2: F . total = -2, own similarity 1
    assert degrees[2] == 1.0
    assert (degrees >= (F**2).sum(axis=1) - 1e-12).all()


class TestBlocks:
    def sources(self, X):
        parts = np.array_split(X, [7, 50, 51])
        yield "list", parts
        yield "function", lambda: iter(parts)
        yield "array", X
        yield "dask", LikeDask(parts)

    def test_every_source_gives_the_same_rows(self, points):
        for name, source in self.sources(points):
            assert (np.concatenate(list(RowBlocks(source))) == points).all(), name
            assert (RowBlocks(source).take(np.array([3, 49, 50, 119])) == points[[3, 49, 50, 119]]).all(), name

    def test_blocks_are_cut_to_bounded_size(self, points):
        blocks = RowBlocks(np.tile(points, (100, 1)), width=2**16)
        assert max(len(block) for block in blocks) == 64

    def test_iterators_are_refused(self, points):
        with pytest.raises(TypeError, match="can be read once"):
            RowBlocks(iter([points]))

    def test_uneven_columns_are_refused(self, points):
        with pytest.raises(ValueError, match="columns"):
            list(RowBlocks([points, points[:, :2]]))

    @pytest.mark.parametrize("rule", ["scale", "mean"])
    def test_widths_from_moments_are_those_of_the_kernel(self, points, rule):
        X = points * 2 + 1
        expected = Kernel("rbf", rule).fit(X).gamma_
        for _, source in self.sources(X):
            assert np.isclose(resolve_gamma(rule, RowBlocks(source).moments()), expected)
        assert np.isclose(resolve_gamma(rule, RowBlocks(sparse.csr_matrix(X)).moments()), expected)


class LikeDask:
    """The three attributes of a dask array that count."""

    def __init__(self, parts):
        self.blocks = [Computed(part) for part in parts]
        self.numblocks = (len(parts), 1)

    def compute(self):
        raise AssertionError("the whole array was asked for")


class Computed:
    def __init__(self, part):
        self.part = part

    def compute(self):
        return self.part


def test_kmeans_is_lloyd(points):
    rng = np.random.default_rng(1)
    first = points[np.sort(np.random.default_rng(1).choice(120, 6, replace=False))]
    expected = first.copy()
    for _ in range(5):
        nearest = ((points[:, None] - expected) ** 2).sum(axis=2).argmin(axis=1)
        expected = np.array([points[nearest == k].mean(axis=0) for k in range(6)])
    for source in (points, np.array_split(points, 3), sparse.csr_matrix(points)):
        rng = np.random.default_rng(1)
        assert np.allclose(kmeans(RowBlocks(source), 6, 120, rng), expected)


def test_kmeans_keeps_centres_that_lose_their_points():
    X = np.zeros((8, 2))
    assert np.isfinite(kmeans(RowBlocks(X), 3, 8, np.random.default_rng(0))).all()
