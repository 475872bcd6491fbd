"""Parsers on small files written by hand, so that the real files are not the only evidence."""

import gzip

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import savemat

from mr.datasets.dataset import Dataset, encode, stack
from mr.datasets.parsers import images, libsvm, matlab, tables, uci, water
from mr.datasets.parsers.reading import npz_parts
from mr.datasets.sources import Files


@pytest.fixture
def written(tmp_path):
    """Turn {name: text or bytes} into the `Files` a parser takes."""

    def write(contents):
        for name, content in contents.items():
            (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return Files({name: tmp_path / name for name in contents}, "test", "")

    return write


def mat_files(tmp_path, **contents):
    for name, content in contents.items():
        savemat(tmp_path / f"{name}.mat", content)
    return Files({f"{name}.mat": tmp_path / f"{name}.mat" for name in contents}, "test", "")


def test_ssl_book_counts_from_zero_and_codes_from_zero(tmp_path):
    X = np.arange(8.0).reshape(4, 2)
    data = {"X": X, "y": np.array([[-1], [1], [1], [-1]], dtype=np.int16)}
    split = {"idxLabs": np.array([[1, 2], [4, 3]], np.uint16), "idxUnls": np.array([[3, 4], [1, 2]], np.uint16)}
    parsed = matlab.ssl_book(mat_files(tmp_path, data=data, splits=split))
    np.testing.assert_array_equal(parsed.X, X)
    assert parsed.y.tolist() == [0, 1, 1, 0] and parsed.class_names == ("-1", "+1")
    assert parsed.splits["labeled2"].tolist() == [[0, 1], [3, 2]]
    assert parsed.splits["unlabeled2"].tolist() == [[2, 3], [0, 1]]


def test_ssl_book_keeps_sparse_data_sparse(tmp_path):
    data = {"X": sparse.csc_matrix(np.eye(3)), "y": np.array([[0], [1], [2]], dtype=np.uint8)}
    parsed = matlab.ssl_book(mat_files(tmp_path, data=data))
    assert parsed.X.format == "csr" and parsed.class_names == ("0", "1", "2")


def test_webkb_lists_rows_with_words(tmp_path):
    page = np.array([[1.0, 0.0], [0.0, 0.0], [0.6, 0.8]])
    files = mat_files(tmp_path, WebKB={"PAGE": page, "LINK": np.eye(3), "Y": np.array([[1], [2], [2]])})
    parsed = matlab.webkb(files)
    assert parsed.splits["nonzero"].tolist() == [0, 2] and parsed.y.tolist() == [0, 1, 1]
    assert matlab.webkb(files, view="page+link").X.toarray()[1].tolist() == [0, 0, 0, 1, 0]


def test_isolet_speakers_when_sorted_by_letter():
    speaker, utterance = matlab.speakers_of_part(2, np.repeat([1, 2], 4))
    assert speaker.tolist() == [30, 30, 31, 31] * 2 and utterance.tolist() == [0, 1] * 4


def test_isolet_speakers_in_original_order_with_a_missing_utterance():
    speaker, utterance = matlab.speakers_of_part(5, np.array([1, 1, 2, 1, 1, 2, 2]))
    assert speaker.tolist() == [120, 120, 120, 121, 121, 121, 121]
    assert utterance.tolist() == [0, 1, 0, 0, 1, 0, 1]


@given(st.lists(st.integers(0, 4), max_size=30))
def test_occurrence_counts_earlier_equals(keys):
    expected = [keys[:i].count(key) for i, key in enumerate(keys)]
    assert matlab.occurrence(np.array(keys, dtype=int)).tolist() == expected


def test_usps_undoes_the_scaling(tmp_path):
    original = np.array([[-1.0, -0.631, 0.862, 1.0]])
    with h5py.File(tmp_path / "usps.h5", "w") as archive:
        for part, label in (("train", 6), ("test", 9)):
            archive[f"{part}/data"] = ((original + 1) / 2).astype(np.float32)
            archive[f"{part}/target"] = np.array([label], dtype=np.int32)
    parsed = images.usps(Files({"usps.h5": tmp_path / "usps.h5"}, "test", ""))
    np.testing.assert_array_equal(parsed.X, np.vstack([original, original]))
    assert parsed.class_names == ("6", "9") and parsed.splits["test"].tolist() == [1]


def test_npz_with_pickled_objects_is_refused(tmp_path):
    np.savez(tmp_path / "evil.npz", X_train=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle"):
        npz_parts(tmp_path / "evil.npz")


@pytest.mark.parametrize(
    "raw, message",
    [(b"\0\0\x0d\x01" + b"\0\0\0\1" + b"\0" * 4, "not an idx file"), (b"\0\0\x08\x01\0\0\0\5abc", "announces")],
)
def test_idx_that_is_not_what_it_says(tmp_path, raw, message):
    for contents in (raw, gzip.compress(raw)):
        (tmp_path / "x").write_bytes(contents)
        with pytest.raises(ValueError, match=message):
            images.read_idx(tmp_path / "x")


def test_libsvm_keeps_trailing_zero_features(written):
    parsed = libsvm.svmguide1(written({"svmguide1": "1 1:2.5 3:1\n0 2:1\n", "svmguide1.t": "1 4:7\n"}))
    np.testing.assert_array_equal(parsed.X, [[2.5, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 7]])
    assert parsed.y.tolist() == [1, 0, 1] and parsed.splits["test"].tolist() == [2]


def test_arff_classes_keep_the_order_of_the_header(written):
    text = "@relation r\n@attribute a real\n@attribute class { sky, grass}\n@data\n1.5,grass\n2,sky\n"
    parsed = uci.segment(written({"segment.arff": text}))
    assert parsed.class_names == ("sky", "grass") and parsed.y.tolist() == [1, 0] and parsed.X.tolist() == [[1.5], [2]]


def test_house_votes_and_missing(written):
    files = written({"house-votes-84.data": "republican ,n ,y \ndemocrat ,? ,y \ndemocrat ,y ,? \n"})
    parsed = uci.house(files, missing="nan")
    np.testing.assert_array_equal(parsed.X, [[0, 1], [np.nan, 1], [1, np.nan]])
    assert parsed.class_names == ("democrat", "republican") and parsed.y.tolist() == [1, 0, 0]
    np.testing.assert_array_equal(uci.house(files).X, [[0, 1], [0.5, 1], [1, 1]])
    dropped = uci.house(files, missing="drop")
    assert dropped.X.tolist() == [[0, 1]] and dropped.class_names == ("republican",)
    with pytest.raises(ValueError, match="'mean', 'nan' or 'drop', got 'zero'"):
        uci.house(files, missing="zero")


def test_one_hot_marks_missing_in_every_column():
    np.testing.assert_array_equal(tables.one_hot(["b", "?", "a"]), [[0, 1], [np.nan, np.nan], [1, 0]])


def test_ragged_table_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("1,2\n\n3\n")
    with pytest.raises(ValueError, match=r"t.csv.*lengths \[1, 2\]"):
        tables.read_rows(tmp_path / "t.csv")


WATER_NAMES = """9. Class Distribution
 -- Class 1: Normal situation
   - Objects (3 days): D-30/4/90 to  D-1/5/90, D-4/8/91  D-9/8/91 to D-10/8/91.
 -- Class 9: Low influent
   - Objects (1 day): D-2/5/90
-- Comments to the data file:
"""


def test_water_classes_are_date_ranges(written):
    rows = "D-2/5/90,1,?\nD-1/5/90,2,3\nD-10/8/91,4,5\nD-6/8/91,6,7\n\n\n"
    parsed = water.water(written({"water-treatment.names": WATER_NAMES, "water-treatment.data": rows}))
    assert parsed.class_names == ("1 Normal situation", "9 Low influent")
    assert parsed.y.tolist() == [1, 0, 0, 1]  # 6 August 1991 is one of the days the description lost
    assert parsed.X[0].tolist() == [1, 5]


def test_water_day_in_two_classes_is_refused():
    with pytest.raises(ValueError, match="1990-05-02 is listed in classes 1 and 9"):
        water.read_classes(WATER_NAMES.replace("D-1/5/90", "D-3/5/90"))


@given(st.lists(st.integers(-5, 5), min_size=1))
def test_encode_is_a_faithful_relabelling(labels):
    y, names = encode(labels)
    assert [int(names[code]) for code in y] == labels
    assert sorted(set(y.tolist())) == list(range(len(names)))


def test_encode_refuses_unexpected_classes():
    with pytest.raises(ValueError, match=r"expected 2 classes .* got the labels \[0, 1, 2\]"):
        encode([0, 1, 2], ("a", "b"))


def test_stack_numbers_rows_part_by_part():
    parsed = stack({"train": (np.zeros((2, 1)), [5, 7]), "test": (np.ones((1, 1)), [7])})
    assert parsed.y.tolist() == [0, 1, 1] and parsed.splits["test"].tolist() == [2]
    with pytest.raises(ValueError, match="part 'train' has 2 rows but 1 labels"):
        stack({"train": (np.zeros((2, 1)), [5])})


def test_dataset_checks_lengths_and_is_frozen():
    with pytest.raises(ValueError, match="X has 2 rows but y has 3 entries"):
        Dataset("d", np.zeros((2, 1)), np.zeros(3, int), ("0",))
    data = Dataset("d", np.zeros((2, 1)), np.zeros(2, int), ("0",), {"train": np.arange(2)})
    for array in (data.X, data.y, data.splits["train"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        data.name = "other"
    assert repr(data) == "<Dataset d: 2 x 1, 1 classes, splits: train; source: >"
