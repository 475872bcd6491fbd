"""Neighbours among shifted images: the graph of the exact search, for all rows and for parts, and what is refused."""

import numpy as np
import pytest

import mr
from experiments.tsang2006.shifted_search import ShiftedSearch, heat_union
from mr.datasets import ShiftedImages
from mr.datasets.shifted import all_shifts


def shifted(n_images, reach=2, side=5, border=None, seed=0, repeat=False):
    images = np.random.default_rng(seed).uniform(0.0, 2.0, (n_images, side, side)).astype(np.float32)
    if repeat:
        images[-1] = images[0]
    rows = all_shifts(np.arange(n_images), reach)
    return ShiftedImages(images - 1.0, rows, border=reach if border is None else border, fill=-1.0)


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1])
@pytest.mark.parametrize("k", [1, 6])
def test_the_graph_is_that_of_the_exact_search(share, k):
    X = shifted(30)
    rng = np.random.default_rng(1)
    rows = np.sort(rng.permutation(len(X))[: int(share * len(X))])
    found = heat_union(*ShiftedSearch(X, range(len(X))).neighbors(rows, k))
    exact = mr.KNNGraph(k, method="exact", n_jobs=1).fit(X[rows]).affinity_
    assert ((found != 0) != (exact != 0)).nnz == 0
    assert abs(found - exact).max() < 1e-5  # the pixels are in single precision


def test_a_part_of_the_rows_starts_where_it_starts():
    X, n_shifts = shifted(12), 25
    part = range(4 * n_shifts, 12 * n_shifts)
    rows = np.array(part)[::2]
    distances, indices = ShiftedSearch(X, part).neighbors(rows, 4)
    true = np.sort(np.linalg.norm(X[rows][:, None].astype(float) - X[rows][None].astype(float), axis=2), axis=1)
    np.testing.assert_allclose(distances, true[:, 1:5], atol=1e-5)
    np.testing.assert_allclose(
        np.linalg.norm(X[rows].astype(float) - X[rows][indices[:, 0]].astype(float), axis=1), distances[:, 0], atol=1e-5
    )


def test_a_search_that_went_before_changes_nothing():
    X = shifted(20)
    rng = np.random.default_rng(2)
    few, many = (np.sort(rng.permutation(len(X))[:n]) for n in (60, 400))
    used = ShiftedSearch(X, range(len(X)))
    used.neighbors(few, 5)
    for mine, fresh in zip(used.neighbors(many, 5), ShiftedSearch(X, range(len(X))).neighbors(many, 5), strict=True):
        np.testing.assert_array_equal(mine, fresh)


def test_duplicates_are_neighbours_at_distance_zero_and_ties_go_to_the_first():
    X = shifted(6, repeat=True)
    distances, indices = ShiftedSearch(X, range(len(X))).neighbors(np.arange(len(X)), 2)
    assert (distances[:25, 0] == 0).all() and (indices[:25, 0] == np.arange(125, 150)).all()
    one = ShiftedSearch(shifted(1), range(25)).neighbors(np.arange(25), 3)
    exact = mr.KNNGraph(3, method="exact", n_jobs=1).fit(shifted(1)[:]).affinity_
    assert abs(heat_union(*one) - exact).max() < 1e-5


def test_images_that_a_shift_cuts_or_that_are_mirrored_are_refused():
    with pytest.raises(ValueError, match="must stay whole at every shift"):
        ShiftedSearch(shifted(4, border=1), range(100))
    images = np.ones((3, 4, 4), np.float32)
    with pytest.raises(ValueError, match="mirrored"):
        ShiftedSearch(ShiftedImages(images, all_shifts(np.arange(3), 1, mirror=True), border=1), range(54))
    with pytest.raises(ValueError, match="every image unshifted"):
        ShiftedSearch(ShiftedImages(images, [[0, 1, 0, 0], [1, 0, 0, 0]], border=1), range(2))
    with pytest.raises(ValueError, match="more than k=6 ascending"):
        ShiftedSearch(shifted(4), range(100)).neighbors(np.array([5, 3, 1]), 6)
