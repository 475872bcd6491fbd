"""Histogram equalisation against its definition."""

import numpy as np

from mr.datasets.equalised import equalise

rng = np.random.default_rng(0)


def test_a_pixel_becomes_its_place_among_the_greys():
    image = np.array([10, 10, 20, 30, 30, 30, 200, 255], dtype=np.uint8)
    assert np.allclose(equalise(image), np.array([0, 0, 1, 4, 4, 4, 5, 6]) / 6)


def test_contrast_and_brightness_do_not_matter_and_the_range_is_used():
    image = rng.integers(0, 100, 361).astype(np.uint8)
    assert np.array_equal(equalise(image), equalise(2 * image + 50))
    assert equalise(image).min() == 0.0 and equalise(image).max() == 1.0


def test_an_image_of_one_grey_is_black():
    assert np.array_equal(equalise(np.full(9, 77, dtype=np.uint8)), np.zeros(9))
