"""Features made by blocks give the numbers of features that are held."""

import numpy as np
import pytest
from scipy import sparse

from mr.graph import KNNGraph, PrecomputedGraph
from mr.graph.blocks import RowBlocks
from mr.kernels import Kernel, ReducedGram
from mr.kernels.features import HeldFeatures, StreamedFeatures, graph_parts
from mr.kernels.reduced import reduced_factor

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 3))
POINTS = X[::20] + 0.1
KERNEL = Kernel("rbf", 0.3).fit(X)


def streamed(source=X, rows_at_once=32):
    blocks = RowBlocks(source)
    blocks.rows_at_once = rows_at_once
    return StreamedFeatures(KERNEL, blocks, POINTS, reduced_factor(KERNEL, X, POINTS)[1])


@pytest.mark.parametrize("source", [X, np.array_split(X, 7), lambda: iter(np.array_split(X, 3))])
@pytest.mark.parametrize("laplacian", ["normalized", "unnormalized"])
@pytest.mark.parametrize("power", [1, 2, 3, 4])
def test_smoothness_is_that_of_the_held_factor(source, laplacian, power):
    graph = KNNGraph(5, laplacian=laplacian, power=power).fit(X)
    expected = HeldFeatures(reduced_factor(KERNEL, X, POINTS)[0]).smoothness(graph)
    assert np.allclose(streamed(source).smoothness(graph), expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_points_without_edges_carry_no_smoothness():
    W = KNNGraph(5).fit(X).affinity_.tolil()
    W[:40], W[:, :40] = 0, 0
    with pytest.warns(UserWarning, match="no edge"):
        graph = PrecomputedGraph(sparse.csr_array(W)).fit(X)
    factor = reduced_factor(KERNEL, X, POINTS)[0]
    expected = factor[40:].T @ graph.laplacian_[40:, 40:] @ factor[40:]
    assert np.allclose(streamed().smoothness(graph), expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_a_block_touches_a_bounded_number_of_rows():
    everything = sparse.csr_array(np.ones((300, 300)) - np.eye(300))
    few = KNNGraph(5).fit(X)
    for graph, limit in ((few, 64), (PrecomputedGraph(everything).fit(X), 300)):
        parts = list(graph_parts(graph, rows_at_once=32))
        assert sum(left.shape[0] for _, left, _ in parts) == 300
        # a row with many neighbours touches them all, and stands alone then
        for touched, left, _ in parts:
            assert len(touched) <= limit and (len(touched) <= 64 or left.shape[0] == 1)
    assert sum(len(touched) for touched, _, _ in graph_parts(few, 150)) < 1.5 * 300


def test_values_and_rows_are_those_of_the_held_factor():
    factor = reduced_factor(KERNEL, X, POINTS)[0]
    weights = rng.normal(size=(factor.shape[1], 2))
    assert np.allclose(streamed().values(weights), factor @ weights, rtol=0, atol=1e-9)
    rows = np.array([0, 5, 31, 32, 299])
    assert np.allclose(streamed(np.array_split(X, 4)).rows(rows), factor[rows], rtol=0, atol=1e-10)


def test_the_residual_sees_a_wrong_solution():
    graph, rows, beta = KNNGraph(5).fit(X), np.arange(8), rng.normal(size=(8, 2))
    for gram in (ReducedGram(KERNEL, X, POINTS), ReducedGram(KERNEL, None, POINTS, RowBlocks(X))):
        _, expand = gram.deform(graph, 10.0, rows)
        expand(beta)
        assert gram.residual < 1e-12
        gram.features.smoothness(graph)[0, 0] += 1e-3  # the streamed one keeps what it found
        expand(beta)
        assert (gram.residual > 1e-6) == (gram.factor is None)
