"""Generators are seeded and follow their recipes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mr.datasets import load

GENERATED = ("two_moons", "two_spirals", "ring", "g241c_like", "g241d_like")


@pytest.mark.parametrize("name", GENERATED)
def test_seeded(name):
    first, again, other = load(name, n=100, seed=3), load(name, n=100, seed=3), load(name, n=100, seed=4)
    np.testing.assert_array_equal(first.X, again.X)
    assert first.sha256 == again.sha256 != other.sha256
    assert not np.array_equal(first.X, other.X)
    assert first.source == "generated" and first.X.shape[0] == 100


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 300), st.integers(0, 2**32 - 1))
def test_two_moons_without_noise_lie_on_their_circles(n, seed):
    data = load("two_moons", n=n, noise=0.0, seed=seed)
    centres = np.array([[0.0, 0.0], [1.0, 0.5]])
    offset = data.X - centres[data.y]
    np.testing.assert_allclose(np.linalg.norm(offset, axis=1), 1.0)
    assert (offset[data.y == 0, 1] >= 0).all() and (offset[data.y == 1, 1] <= 1e-12).all()
    assert abs(np.diff(np.bincount(data.y, minlength=2))[0]) <= 1


def test_two_moons_noise_has_the_stated_size():
    data = load("two_moons", n=20000, noise=0.1, seed=0)
    radius = np.linalg.norm(data.X - np.array([[0.0, 0.0], [1.0, 0.5]])[data.y], axis=1)
    assert np.std(radius) == pytest.approx(0.1, rel=0.05)


def test_two_moons_of_a_million_points():
    assert load("two_moons", n=1_000_000, seed=0).X.shape == (1_000_000, 2)


def test_spirals_are_one_curve_turned_by_half():
    data = load("two_spirals", n=500, noise=0.0, turns=1.5, seed=1)
    turned = np.where(data.y[:, None] == 1, -data.X, data.X)
    radius = np.linalg.norm(turned, axis=1)
    angle = 2 * np.pi * 1.5 * radius
    np.testing.assert_allclose(turned, radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), atol=1e-12)
    assert 0.1 <= radius.min() and radius.max() <= 1.0


def test_ring_has_two_labelled_points_and_its_classes_are_apart():
    data = load("ring", n=300, noise=0.05, seed=0)
    assert data.splits["labeled"].tolist() == [0, 1] and len(data.splits["unlabeled"]) == 298
    assert data.X[:2].tolist() == [[0, 0], [1, 0]] and data.y[:2].tolist() == [0, 1]
    radius = np.linalg.norm(data.X, axis=1)
    assert radius[data.y == 0].max() <= 0.25
    assert radius[data.y == 1].min() > 0.7


def distance_of_means(X, rows, others):
    """Distance of two means, less what sampling adds to it (variance 1 in each of 241 dimensions)."""
    squared = ((X[rows].mean(axis=0) - X[others].mean(axis=0)) ** 2).sum()
    return np.sqrt(max(squared - X.shape[1] * (1 / rows.sum() + 1 / others.sum()), 0.0))


@pytest.mark.parametrize("name", ["g241c_like", "g241d_like"])
def test_g241_is_standardised_and_balanced(name):
    data = load(name, seed=0)
    assert data.X.shape == (1500, 241) and np.bincount(data.y).tolist() == [750, 750]
    np.testing.assert_allclose(data.X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(data.X.std(axis=0), 1.0)


def test_g241c_classes_are_clusters():
    data = load("g241c_like", n=6000, seed=0)
    assert distance_of_means(data.X, data.y == 0, data.y == 1) == pytest.approx(2.5, abs=0.15)


def test_g241d_clusters_mislead():
    data = load("g241d_like", n=6000, seed=0)
    component = np.arange(6000) % 4
    cluster = component >= 2
    # Standardising shrinks the long axis between the clusters a little (its variance is 1 + 3^2 spread over 241 axes).
    assert 5.0 < distance_of_means(data.X, (component == 0), (component == 2)) < 6.1
    for one in (cluster, ~cluster):
        assert data.y[one].mean() == 0.5
        inside = distance_of_means(data.X, one & (data.y == 1), one & (data.y == 0))
        assert inside == pytest.approx(2.5, abs=0.2)


@pytest.mark.parametrize("name", GENERATED)
def test_too_few_points_are_refused(name):
    with pytest.raises(ValueError, match="n_samples must be at least"):
        load(name, n=1)
