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
