import numpy as np
import pytest

from mr.labels import encode_labels, encode_targets


def test_rows_classes_and_codes():
    labels = encode_labels([3, -1, 1, 3, -1])
    assert labels.rows.tolist() == [0, 2, 3]
    assert labels.classes.tolist() == [1, 3]
    assert labels.codes.tolist() == [1, 0, 1]
    assert labels.signed.tolist() == [[1.0], [-1.0], [1.0]]


def test_three_classes_are_one_versus_rest():
    signed = encode_labels([0, 1, 2, -1]).signed
    assert signed.tolist() == [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]


@pytest.mark.parametrize("marker", ["unlabeled", "-1"])
def test_string_labels(marker):
    labels = encode_labels(np.array(["cat", marker, "dog"]))
    assert labels.rows.tolist() == [0, 2]
    assert labels.classes.tolist() == ["cat", "dog"]


def test_string_labels_of_type_object():
    labels = encode_labels(np.array(["cat", "unlabeled", "dog"], dtype=object))
    assert labels.rows.tolist() == [0, 2]
    assert labels.classes.tolist() == ["cat", "dog"]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_unsigned_types_cannot_hold_the_marker(dtype):
    y = np.array([0, 1, 0, -1]).astype(dtype)
    with pytest.raises(
        ValueError, match=rf"largest value {np.iinfo(dtype).max}, which is what -1 becomes.*astype\(int\)"
    ):
        encode_labels(y)


def test_unsigned_types_without_their_largest_value_are_classes():
    labels = encode_labels(np.array([0, 254, 0], dtype=np.uint8))
    assert labels.classes.tolist() == [0, 254] and labels.rows.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "y, found",
    [
        ([0, "a", None], "NoneType, int"),
        ([0, 1, None], "NoneType, int"),
        (["a", "b", None], "NoneType"),
        (["a", "b", -1], "int"),
        (["a", "b", np.nan], "float"),
    ],
)
def test_objects_other_than_strings_are_refused(y, found):
    with pytest.raises(ValueError, match=f"strings only, got values of type ({found})\\. .*the marker is 'unlabeled'"):
        encode_labels(np.array(y, dtype=object))


@pytest.mark.parametrize("marker", ["unlabelled", "Unlabeled", "UNLABELLED", " unlabeled", " -1 "])
@pytest.mark.parametrize("dtype", [str, object])
def test_what_reads_like_the_marker_is_no_class(marker, dtype):
    with pytest.raises(ValueError, match=f"y holds '{marker}', which reads like the marker; expected 'unlabeled'"):
        encode_labels(np.array(["a", "b", marker], dtype=dtype))


def test_a_blank_string_is_refused():
    with pytest.raises(ValueError, match="y holds '  ', which is neither a class nor the marker"):
        encode_labels(["a", "b", "  "])


@pytest.mark.parametrize("y, shown", [([0, 0, -1], "0"), (["a", "a", "unlabeled"], "'a'")])
def test_a_single_class_is_named_as_the_user_wrote_it(y, shown):
    with pytest.raises(ValueError, match=f"of one class, {shown}\\."):
        encode_labels(y)


@pytest.mark.parametrize("dtype", [str, object])
def test_the_empty_string_is_refused(dtype):
    with pytest.raises(ValueError, match="holds the empty string.*the marker is 'unlabeled'"):
        encode_labels(np.array(["a", "b", ""], dtype=dtype))


def test_no_labels_at_all():
    with pytest.raises(ValueError, match="No labelled points: all 3"):
        encode_labels([-1, -1, -1])


def test_signed_classes_are_explained():
    with pytest.raises(ValueError, match="-1 marks an unlabelled point.*recode"):
        encode_labels([-1, 1, 1, -1])


def test_one_class_only():
    with pytest.raises(ValueError, match="at least 2 classes, got 2 labelled points of one class"):
        encode_labels([5, -1, 5])


def test_regression_targets():
    targets = encode_targets([1.5, np.nan, 2.0])
    assert targets.rows.tolist() == [0, 2]
    assert targets.values.tolist() == [[1.5], [2.0]]


@pytest.mark.parametrize(
    "y, message",
    [
        ([np.nan, np.nan], "all 2 targets are NaN"),
        ([1.0, np.inf], "infinity"),
        ([[1.0, np.nan], [1.0, 2.0]], "mixes NaN and numbers"),
    ],
)
def test_bad_regression_targets(y, message):
    with pytest.raises(ValueError, match=message):
        encode_targets(y)
