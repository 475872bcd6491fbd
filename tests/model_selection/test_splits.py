"""Splitters: unlabelled rows always train, labelled rows are tested in turn."""

import numpy as np
import pytest

from mr.model_selection import LabelledKFold, LabelledLeaveOneOut, LabelledShuffleSplit
from mr.model_selection.splits import deal

Y = np.array([0, 1, -1, 0, 1, -1, 0, 1, 1, -1, 2, 2])
SPLITTERS = [
    LabelledKFold(3),
    LabelledKFold(3, n_repeats=2, shuffle=True, random_state=0),
    LabelledKFold(4, stratify=False),
    LabelledShuffleSplit(5, test_size=0.4, random_state=0),
    LabelledLeaveOneOut(),
]


def named(y):
    return np.array(["ham", "spam", "egg", "unlabeled"])[y]


def numbers(y):
    return np.where(y == -1, np.nan, y + 0.5)


@pytest.mark.parametrize("splitter", SPLITTERS, ids=str)
@pytest.mark.parametrize("encode", [np.asarray, named, numbers, list])
def test_unlabelled_rows_always_train_and_labelled_ones_are_tested(splitter, encode):
    splits = list(splitter.split(np.zeros((len(Y), 1)), encode(Y)))
    assert len(splits) == splitter.get_n_splits(None, encode(Y))
    for train, test in splits:
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(len(Y)))
        assert len(test) and (Y[test] != -1).all()
        assert np.isin(np.flatnonzero(Y == -1), train).all()


@pytest.mark.parametrize("splitter", [LabelledKFold(3), LabelledLeaveOneOut()], ids=str)
def test_every_label_is_tested_once(splitter):
    tested = np.concatenate([test for _, test in splitter.split(None, Y)])
    assert np.array_equal(np.sort(tested), np.flatnonzero(Y != -1))


@pytest.mark.parametrize("splitter", [SPLITTERS[0], SPLITTERS[1], SPLITTERS[3], SPLITTERS[4]], ids=str)
def test_no_class_loses_all_its_labels(splitter):
    for train, _ in splitter.split(None, Y):
        assert set(Y[train]) == {-1, 0, 1, 2}


def test_classes_are_dealt_evenly():
    codes = np.repeat([0, 1, 2], [7, 12, 3])
    folds = deal(codes, 5, np.random.RandomState(0))
    for code in range(3):
        counts = np.bincount(folds[codes == code], minlength=5)
        assert counts.max() - counts.min() <= 1
    total = np.bincount(folds)
    assert total.max() - total.min() <= 1


def test_shuffled_tests_are_proportional():
    y = np.repeat([0, 1, -1], [30, 10, 20])
    sizes = [np.bincount(y[test]) for _, test in LabelledShuffleSplit(20, test_size=0.5, random_state=0).split(None, y)]
    assert np.abs(np.array(sizes) - [15, 5]).max() <= 1


def test_repetitions_differ_and_are_reproducible():
    folds = [
        [test.tolist() for _, test in LabelledKFold(2, n_repeats=2, shuffle=True, random_state=seed).split(None, Y)]
        for seed in (0, 0, 1)
    ]
    assert folds[0] == folds[1] != folds[2]
    assert folds[0][:2] != folds[0][2:]


def test_a_class_with_a_single_label_always_trains():
    y = np.array([0, 0, 1, 1, 2, -1])
    for splitter in (LabelledKFold(2), LabelledLeaveOneOut(), LabelledShuffleSplit(3, test_size=1, random_state=0)):
        with pytest.warns(UserWarning, match="1 of 3 classes have a single label"):
            splits = list(splitter.split(None, y))
        assert all(4 in train for train, _ in splits)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LabelledKFold(1), "n_splits must be an integer of at least 2; got 1"),
        (lambda: LabelledKFold(2, n_repeats=2), "would repeat the same folds"),
        (lambda: LabelledKFold(2, random_state=0), "no effect without shuffle"),
        (lambda: LabelledShuffleSplit(test_size=1.5), "a share between 0 and 1 or a number of rows; got 1.5"),
        (lambda: list(LabelledKFold(5).split(None, [0, 0, 1, 1, -1])), "n_splits=5 folds need as many.*got 4"),
        (lambda: list(LabelledKFold(2).split(None, None)), "needs y"),
        (lambda: list(LabelledKFold(2).split(None, [-1, -1])), "all 2 values of y mark unlabelled ones"),
        (lambda: list(LabelledShuffleSplit(test_size=3).split(None, [0, 0, 1, 1])), "3 labelled rows; at most 2 can"),
    ],
)
def test_what_is_wrong_is_said(make, message):
    with pytest.raises(ValueError, match=message):
        make()
