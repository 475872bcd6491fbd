"""The lazily shifted array against shifting by hand."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from mr.datasets import ShiftedImages, shifted
from mr.datasets.dataset import Dataset
from mr.datasets.extended import extended_faces, extended_usps
from mr.datasets.shifted import all_shifts


def by_hand(images, reach, border, fill, mirror):
    """Paste every shifted image onto its canvas, in the documented order."""
    rows = []
    height, width = images.shape[1:]
    for image in images:
        for side in (image, image[:, ::-1]) if mirror else (image,):
            for down in range(-reach, reach + 1):
                for right in range(-reach, reach + 1):
                    if fill == "edge":
                        big = np.pad(side, border + reach, mode="edge")
                        top, left = reach - down, reach - right
                        canvas = big[top : top + height + 2 * border, left : left + width + 2 * border]
                    else:
                        canvas = np.full((height + 2 * border, width + 2 * border), fill, images.dtype)
                        canvas[border + down :, border + right :][:height, :width] = side
                    rows.append(canvas.ravel())
    return np.array(rows)


def example(m=3, height=4, width=5, reach=2, border=2, fill=-1.0, mirror=False, dtype=np.float32):
    images = np.random.default_rng(0).normal(size=(m, height, width)).astype(dtype)
    lazy = ShiftedImages(images, all_shifts(np.arange(m), reach, mirror), border, fill)
    return lazy, by_hand(images, reach, border, fill, mirror)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 3), st.integers(1, 5), st.integers(1, 5), st.integers(0, 2), st.integers(0, 2), st.booleans(),
    st.sampled_from([-1.0, 0.0, "edge"]),
)  # fmt: skip
def test_equals_shifting_by_hand(m, height, width, reach, slack, mirror, fill):
    lazy, dense = example(m, height, width, reach, reach + slack, fill, mirror)
    assert lazy.shape == dense.shape and lazy.dtype == dense.dtype
    np.testing.assert_array_equal(lazy.materialise(), dense)


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        slice(None),
        slice(10, 60, 7),
        slice(5, 5),
        [3, 3, 70],
        np.array([74, 0, 1]),
        np.arange(75) % 3 == 0,
        (slice(2, 9), 4),
        ([1, 2], slice(0, 3)),
        (5, 6),
    ],
    ids=repr,
)
def test_indexing_is_numpys(key):
    lazy, dense = example()
    expected = dense[key[0]][..., key[1]] if isinstance(key, tuple) else dense[key]
    np.testing.assert_array_equal(lazy[key], expected)
    assert np.shape(lazy[key]) == np.shape(expected)


@pytest.mark.parametrize("key", [75, [0, 75], np.zeros(74, bool), (0, 1, 2), np.zeros((2, 2), int)], ids=repr)
def test_bad_indices_are_refused(key):
    lazy, _ = example()
    with pytest.raises(IndexError):
        lazy[key]


def test_blocks_cover_every_row_once():
    lazy, dense = example()
    pieces = list(lazy.blocks(block_rows=16))
    assert [part.stop - part.start for part, _ in pieces] == [16, 16, 16, 16, 11]
    np.testing.assert_array_equal(np.concatenate([block for _, block in pieces]), dense)


def test_as_array_but_no_large_one_in_a_wider_type(monkeypatch):
    lazy, dense = example()
    np.testing.assert_array_equal(np.asarray(lazy), dense)
    np.testing.assert_array_equal(np.asarray(lazy, dtype=np.float64), dense)
    monkeypatch.setattr(shifted, "WIDE_BYTES", dense.size * 8 - 1)
    with pytest.raises(TypeError, match="refusing a float64 copy"):
        np.asarray(lazy, dtype=np.float64)
    np.testing.assert_array_equal(np.asarray(lazy), dense)


def test_memmap_is_complete_or_absent(tmp_path, monkeypatch):
    lazy, dense = example()
    mapped = lazy.memmap(tmp_path / "x.npy")
    assert isinstance(mapped, np.memmap) and not mapped.flags.writeable
    np.testing.assert_array_equal(mapped, dense)

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(ShiftedImages, "materialise", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lazy.memmap(tmp_path / "y.npy")
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


def test_rows_are_read_only_and_survive_a_pickle():
    lazy, dense = example()
    with pytest.raises(ValueError, match="read-only"):
        lazy.rows[0] = 1
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(lazy))[:], dense)


def small(name, side, y, dtype):
    images = np.random.default_rng(1).integers(0, 9, size=(len(y), side * side)).astype(dtype)
    splits = {"train": np.arange(len(y) - 2), "test": np.arange(len(y) - 2, len(y))}
    return Dataset(name, images, np.array(y), tuple(map(str, range(max(y) + 1))), splits)


def test_extended_usps_recipe():
    usps = small("usps", 16, [0, 3, 1, 2, 1, 0], np.float64)
    kept = usps.X[[0, 2, 4, 5]].reshape(-1, 16, 16).astype(np.float32)
    parsed = extended_usps(usps)
    np.testing.assert_array_equal(parsed.X.materialise(), by_hand(kept, 5, 5, -1.0, False))
    assert parsed.X.dtype == np.float32 and parsed.y.tolist() == np.repeat([0, 1, 1, 0], 121).tolist()
    assert parsed.splits["test"].tolist() == list(range(242, 484))
    train = extended_usps(usps, part="train")
    np.testing.assert_array_equal(train.X[:], parsed.X[parsed.splits["train"]])
    assert list(train.splits) == ["train"]
    with pytest.raises(ValueError, match="part must be None, 'train' or 'test', got 'all'"):
        extended_usps(usps, part="all")


def test_extended_faces_recipe():
    """Rows are what scipy does to the image: mean filter, mirror, rotation."""
    faces = small("facemit", 19, [0, 1, 1, 0], np.uint8)
    parsed = extended_faces(faces)
    rows = parsed.X[parsed.splits["train"]].reshape(2, 4, 2, 21, 19, 19)
    image = faces.X[1].reshape(19, 19).astype(float)
    for blur, side, angle in ((0, 0, 10), (2, 0, 10), (0, 1, 10), (0, 0, 0), (3, 1, 17)):
        expected = ndimage.uniform_filter(image, blur + 1, mode="nearest")
        expected = expected[:, ::-1] if side else expected
        expected = ndimage.rotate(expected, 2.0 * angle - 20.0, reshape=False, order=1, mode="nearest")
        np.testing.assert_allclose(rows[1, blur, side, angle], expected, atol=1e-4)
    np.testing.assert_array_equal(parsed.X[parsed.splits["test"]], faces.X[2:])
    assert parsed.X.dtype == np.float32 and parsed.y.tolist() == [0] * 168 + [1] * 168 + [1, 0]
    np.testing.assert_array_equal(extended_faces(faces, part="test").X[:], parsed.X[parsed.splits["test"]])
