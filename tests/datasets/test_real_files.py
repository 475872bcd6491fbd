"""Every original file: shapes, class counts, split sizes. Skipped, with a reason, where the files are not."""

import gzip
import io
import struct
import tarfile

import numpy as np
import pytest
from scipy import sparse

from mr.datasets import ShiftedImages, folders, load
from mr.datasets.parsers.faces import ARCHIVE_FILE
from mr.datasets.parsers.images import IDX_FILES

TEN_DIGITS = tuple("0123456789")
SHAPES_AND_COUNTS = {
    "digit1": ((1500, 241), [766, 734]),
    "usps241": ((1500, 241), [1200, 300]),
    "coil2": ((1500, 241), [750, 750]),
    "bci": ((400, 117), [200, 200]),
    "g241c": ((1500, 241), [750, 750]),
    "coil": ((1500, 241), [250] * 6),
    "g241d": ((1500, 241), [752, 748]),
    "text": ((1500, 11960), [750, 750]),
    "uspst": ((2007, 256), [327, 273, 206, 178, 196, 140, 174, 173, 160, 180]),
    "usps": ((9298, 256), [1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821]),
    "isolet": ((7797, 617), [300] * 5 + [298] + [300] * 6 + [299] + [300] * 13),
    "webkb": ((1051, 3000), [230, 821]),
    "two_moons_belkin": ((400, 2), [189, 211]),
    "two_spirals_belkin": ((194, 2), [97, 97]),
    "webkb_pages": ((1051,), [230, 821]),
    "splice": ((1000, 60), [483, 517]),
    "dna": ((3186, 180), [767, 765, 1654]),
    "svmguide1": ((7089, 4), [3089, 4000]),
    "segment": ((2310, 19), [330] * 7),
    "satimage": ((6435, 36), [1533, 703, 1358, 626, 707, 1508]),
    "ionosphere": ((351, 34), [126, 225]),
    "sonar": ((208, 60), [111, 97]),
    "bupa": ((345, 6), [145, 200]),
    "hepatitis": ((155, 19), [32, 123]),
    "house": ((435, 16), [267, 168]),
    "spectf": ((267, 44), [55, 212]),
    "german": ((1000, 24), [700, 300]),
    "wdbc": ((569, 30), [357, 212]),
    "water": ((527, 38), [275, 1, 1, 4, 116, 3, 1, 1, 69, 1, 53, 1, 1]),
    "automobile": ((205, 75), [3, 22, 67, 54, 32, 27]),
    "mnist": ((70000, 784), [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]),
    "facemit": ((31022, 361), [28121, 2901]),
    "extended_usps": ((341462, 676), [1553 * 121, 1269 * 121]),
    "extended_faces": ((1196181, 361), [4548 * 168 + 23573, 2429 * 168 + 472]),
    "equalised_faces": ((31022, 361), [28121, 2901]),
}
TRAIN_TEST = {
    "usps": (7291, 2007),
    "mnist": (60000, 10000),
    "facemit": (6977, 24045),
    "satimage": (4435, 2000),
    "dna": (2000, 1186),
    "svmguide1": (3089, 4000),
    "spectf": (80, 187),
    "two_moons_belkin": (200, 200),
    "extended_usps": (266079, 75383),
    "extended_faces": (1172136, 24045),
    "equalised_faces": (6977, 24045),
}
LAZY_OR_TEXT = ("extended_usps", "extended_faces", "webkb_pages")
SSL_BOOK = ("digit1", "usps241", "coil2", "bci", "g241c", "coil", "g241d", "text")


@pytest.mark.parametrize("name", SHAPES_AND_COUNTS)
def test_shape_and_class_counts(real, name):
    data = real(name)
    shape, counts = SHAPES_AND_COUNTS[name]
    assert data.X.shape == shape
    assert np.bincount(data.y).tolist() == counts
    assert data.n_classes == len(counts)
    assert data.source in ("local", "bundled (scikit-learn)")
    assert len(data.sha256) == 64 and data.citation


@pytest.mark.parametrize("name", [name for name in SHAPES_AND_COUNTS if name not in LAZY_OR_TEXT])
def test_values_are_finite_and_read_only(real, name):
    X = real(name).X
    values = X.data if sparse.issparse(X) else X
    assert np.isfinite(values).all()
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 0


@pytest.mark.parametrize("name", TRAIN_TEST)
def test_train_and_test_share_no_row_and_leave_none_out(real, name):
    data = real(name)
    train, test = data.splits["train"], data.splits["test"]
    assert (len(train), len(test)) == TRAIN_TEST[name]
    np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(len(data.y)))


@pytest.mark.parametrize("name", SSL_BOOK)
@pytest.mark.parametrize("size", [10, 100])
def test_ssl_book_splits(real, name, size):
    data = real(name)
    labelled, unlabelled = data.splits[f"labeled{size}"], data.splits[f"unlabeled{size}"]
    assert labelled.shape == (12, size)
    rows = np.sort(np.hstack([labelled, unlabelled]), axis=1)
    np.testing.assert_array_equal(rows, np.tile(np.arange(len(data.y)), (12, 1)))
    if not (name == "coil" and size == 10):  # six classes, ten labels: one class may go without
        assert all(len(np.unique(data.y[row])) == data.n_classes for row in labelled)


def test_text_is_sparse(real):
    assert real("text").X.format == "csr"


def test_uspst_splits_label_every_digit(real):
    data = real("uspst")
    assert data.splits["labeled50"].shape == (10, 50) and data.splits["unlabeled50"].shape == (10, 1957)
    assert all(set(data.y[row]) == set(range(10)) for row in data.splits["labeled50"])


def test_usps_is_restored_to_three_decimals(real):
    data = real("usps")
    assert data.X.min() == -1.0 and data.X.max() == 1.0
    np.testing.assert_array_equal(data.X, np.round(data.X, 3))
    assert np.bincount(data.y[data.splits["train"]])[:2].tolist() == [1194, 1005]


def test_isolet_speakers_and_utterances(real):
    data = real("isolet")
    speaker, utterance = data.splits["speaker"], data.splits["utterance"]
    for part in (1, 2, 5):
        rows = data.splits[f"part{part}"]
        expected = {speaker: 52 for speaker in range(30 * (part - 1), 30 * part)}
        if part == 5:
            expected[123] = 51  # this speaker said M once
        assert dict(zip(*np.unique(speaker[rows], return_counts=True), strict=True)) == expected
        triples = np.column_stack([speaker[rows], data.y[rows], utterance[rows]])
        assert len(np.unique(triples, axis=0)) == len(rows)
        assert set(utterance[rows]) == {0, 1}
    unknown = np.concatenate([data.splits["part3"], data.splits["part4"]])
    assert (speaker[unknown] == -1).all() and (utterance[unknown] == -1).all()


@pytest.mark.parametrize("part", [1, 2, 5])
def test_isolet_utterances_of_a_speaker_resemble_each_other(real, part):
    """The order of rows is evidence, not documentation: the other utterance is usually the nearest of its letter."""
    data = real("isolet")
    rows = data.splits[f"part{part}"]
    hits = []
    for letter in range(26):
        same = rows[data.y[rows] == letter]
        distance = ((data.X[same, None] - data.X[None, same]) ** 2).sum(axis=2)
        np.fill_diagonal(distance, np.inf)
        nearest = same[distance.argmin(axis=1)]
        hits.append(np.mean(data.splits["speaker"][nearest] == data.splits["speaker"][same]))
    assert np.mean(hits) > 0.6  # chance is 1 in 59


def test_webkb_views(real):
    page, link, both = (real("webkb", view=view) for view in ("page", "link", "page+link"))
    assert (link.X.shape[1], both.X.shape[1]) == (1840, 4840)
    assert len(page.splits["nonzero"]) == 1046 and page.class_names[0] == "course"
    norms = np.sqrt(page.X[page.splits["nonzero"]].multiply(page.X[page.splits["nonzero"]]).sum(axis=1))
    np.testing.assert_allclose(norms, 1.0, atol=1e-6)
    with pytest.raises(ValueError, match="view must be one of"):
        real("webkb", view="pages")


def test_webkb_pages_are_the_pages_of_webkb(real):
    """Row i is one page in both views; course pages come first, as in the features of `webkb`."""
    page, link, features = real("webkb_pages"), real("webkb_pages", view="link"), real("webkb")
    np.testing.assert_array_equal(page.y, link.y)
    np.testing.assert_array_equal(page.y, features.y)
    assert page.class_names == features.class_names and page.sha256 == link.sha256
    assert "CS414: Systems Programming and Operating Systems" in page.X[0]
    assert link.X[0] == "CS414 Operating System \n"
    assert all(isinstance(text, str) and text for data in (page, link) for text in data.X)
    assert sum("<html" in text.lower() for text in page.X) > 500 > sum("<html" in text.lower() for text in link.X)


def test_two_spirals_belkin(real):
    """One spiral is the other turned by half; the radius falls from 6.5 to 0.5 (coordinates have four decimals)."""
    data = real("two_spirals_belkin")
    assert data.class_names == ("-1", "+1") and data.y[:2].tolist() == [1, 0]
    np.testing.assert_allclose(data.X[data.y == 1], -data.X[data.y == 0], atol=1e-12)
    radius = np.linalg.norm(data.X[data.y == 1], axis=1)
    np.testing.assert_allclose(radius, np.linspace(6.5, 0.5, 97), atol=1e-4)


def test_faces_from_pgm_files_are_the_registered_ones(real, tmp_path):
    """An archive of PGM files made here from the arrays. (The public one was compared when the digest was pinned.)"""
    faces = real("facemit")
    with tarfile.open(tmp_path / ARCHIVE_FILE, "w:gz", compresslevel=1) as archive:
        for part in ("test", "train"):
            for row in faces.splits[part][::-1]:
                folder = f"x/datasets/mitcbcl/{part}/{faces.class_names[faces.y[row]]}"
                contents = b"P5\n19 19\n255\n" + faces.X[row].tobytes()
                member = tarfile.TarInfo(f"{folder}/{row:05d}.pgm")
                member.size = len(contents)
                archive.addfile(member, io.BytesIO(contents))
    again = load("facemit", folder=tmp_path)
    np.testing.assert_array_equal(again.X, faces.X)
    np.testing.assert_array_equal(again.y, faces.y)
    assert again.sha256 == faces.sha256


@pytest.mark.parametrize("gzipped", [False, True])
def test_mnist_from_idx_files_is_the_registered_one(real, tmp_path, gzipped):
    mnist = real("mnist")
    for part, (image_file, label_file) in IDX_FILES.items():
        rows = mnist.splits[part]
        for name, values in ((image_file, mnist.X[rows].reshape(-1, 28, 28)), (label_file, mnist.y[rows])):
            raw = bytes([0, 0, 8, values.ndim]) + struct.pack(f">{values.ndim}i", *values.shape)
            raw += values.astype(np.uint8).tobytes()
            path = tmp_path / (f"{name}.gz" if gzipped else name)
            path.write_bytes(gzip.compress(raw, compresslevel=1) if gzipped else raw)
    again = load("mnist", folder=tmp_path)
    np.testing.assert_array_equal(again.X, mnist.X)
    np.testing.assert_array_equal(again.y, mnist.y)
    assert again.sha256 == mnist.sha256


def test_wdbc_file_and_scikit_learn_agree(real, tmp_path, monkeypatch):
    local = real("wdbc")
    if local.source != "local":
        pytest.skip("wdbc.data is not here")
    monkeypatch.setenv("MR_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(folders, "cache_dir", lambda: tmp_path)
    bundled = load("wdbc")
    assert bundled.source == "bundled (scikit-learn)" and bundled.class_names == local.class_names
    np.testing.assert_array_equal(bundled.X, local.X)
    np.testing.assert_array_equal(bundled.y, local.y)


@pytest.mark.parametrize(
    "name, with_holes, complete",
    [("hepatitis", 75, 80), ("house", 203, 232), ("water", 147, 380), ("automobile", 46, 159)],
)
def test_missing_values(real, name, with_holes, complete):
    raw, filled, dropped = (real(name, missing=how) for how in ("nan", "mean", "drop"))
    holes = np.isnan(raw.X)
    assert holes.any(axis=1).sum() == with_holes
    np.testing.assert_array_equal(filled.X[~holes], raw.X[~holes])
    np.testing.assert_allclose(filled.X.mean(axis=0), np.nanmean(raw.X, axis=0))
    assert len(dropped.y) == complete and np.isfinite(dropped.X).all()


def test_water_reads_the_missing_counts_of_its_description(real):
    holes = np.isnan(real("water", missing="nan").X).sum(axis=0)
    assert holes[[0, 1, 3, 10, 29]].tolist() == [18, 3, 23, 40, 62]


def test_extended_usps_rows_are_shifted_digits(real):
    data, usps = real("extended_usps"), real("usps")
    assert isinstance(data.X, ShiftedImages) and data.X.dtype == np.float32
    assert data.X.nbytes < 30e6
    test_images = usps.splits["test"][usps.y[usps.splits["test"]] <= 1]
    image, down, right = 17, -4, 5
    canvas = np.full((26, 26), -1.0, dtype=np.float32)
    canvas[5 + down : 21 + down, 5 + right : 21 + right] = usps.X[test_images[image]].reshape(16, 16)
    row = data.splits["test"][121 * image + 11 * (down + 5) + (right + 5)]
    np.testing.assert_array_equal(data.X[row], canvas.ravel())
    assert data.y[row] == usps.y[test_images[image]]
    np.testing.assert_array_equal(real("extended_usps", part="test").X[:200], data.X[data.splits["test"][:200]])


def test_extended_faces_count_as_printed_and_test_images_are_originals(real):
    data, faces = real("extended_faces"), real("facemit")
    np.testing.assert_array_equal(data.X[data.splits["test"][:50]], faces.X[faces.splits["test"][:50]])
    assert data.y[data.splits["train"]].sum() == 408072  # faces of the core vector machine paper
    first = data.X[data.splits["train"][:168]].reshape(4, 2, 21, 19, 19)
    np.testing.assert_allclose(first[0, 1, 10], first[0, 0, 10][:, ::-1])
    assert (data.y[:168] == data.y[0]).all() and data.X.nbytes < 40e6
