"""Sets of the UCI repository in their text formats. Features are never scaled here: that is a protocol's choice."""

import numpy as np
from scipy.io import arff
from sklearn.datasets import load_breast_cancer

from mr.datasets.dataset import Parsed, encode, stack
from mr.datasets.parsers.tables import integers, numeric, one_hot, read_rows, treat_missing

SATIMAGE_CLASSES = (
    "red soil",
    "cotton crop",
    "grey soil",
    "damp grey soil",
    "vegetation stubble",
    "very damp grey soil",
)
AUTOMOBILE_CATEGORICAL = frozenset((2, 3, 4, 5, 6, 7, 8, 14, 15, 17))  # make .. engine location, engine, fuel system
CATEGORIES = {
    "one-hot": "10 categorical attributes are one-hot",
    "integer": "10 categorical attributes are places in alphabetical order",
}
WDBC_CLASSES = ("benign", "malignant")


def with_missing(X, labels, missing, names=None, notes="") -> Parsed:
    X, labels, how = treat_missing(X, labels, missing)
    return Parsed(X, *encode(labels, names), {}, "; ".join(filter(None, (how, notes))))


def class_last(rows, names) -> Parsed:
    return Parsed(numeric(row[:-1] for row in rows), *encode([row[-1] for row in rows], names), {})


def ionosphere(files) -> Parsed:
    parsed = class_last(read_rows(files["ionosphere.csv"]), ("bad", "good"))
    return parsed._replace(notes="feature 1 is constant (0)")


def sonar(files) -> Parsed:
    return class_last(read_rows(files["sonar.csv"]), ("mine", "rock"))


def bupa(files) -> Parsed:
    parsed = class_last(read_rows(files["bupa.data"])[1:], ("1", "2"))
    return parsed._replace(notes="the class is the donors' train/test selector, as in most of the literature")


def wdbc(files) -> Parsed:
    return class_last(read_rows(files["wdbc.data"])[1:], WDBC_CLASSES)


def wdbc_bundled() -> Parsed:
    """scikit-learn ships the same rows in the same order, with malignant coded 0."""
    bunch = load_breast_cancer()
    return Parsed(bunch.data, (1 - bunch.target).astype(np.int64), WDBC_CLASSES, {})


def hepatitis(files, *, missing="mean") -> Parsed:
    rows = read_rows(files["hepatitis.data"])
    return with_missing(numeric(row[1:] for row in rows), [row[0] for row in rows], missing, ("die", "live"))


def house(files, *, missing="mean") -> Parsed:
    """Votes y = 1, n = 0. A ``?`` is neither yes nor no (present, absent, or undisclosed)."""
    rows = read_rows(files["house-votes-84.data"])
    votes = {"y": "1", "n": "0", "?": "?"}
    X = numeric([votes[cell] for cell in row[1:]] for row in rows)
    return with_missing(X, [row[0] for row in rows], missing, notes="yes is 1, no is 0")


def automobile(files, *, missing="mean", categories="one-hot") -> Parsed:
    """imports-85: the class is the insurance risk (symboling, -2..3); 15 numeric and 10 categorical attributes.

    ``categories="integer"`` codes a categorical attribute as the place of its value in alphabetical order: 25 columns.
    """
    if categories not in CATEGORIES:
        raise ValueError(f"categories must be one of {', '.join(map(repr, CATEGORIES))}; got {categories!r}.")
    code = one_hot if categories == "one-hot" else integers
    rows = read_rows(files["imports-85.data"])
    blocks = [
        code([row[column] for row in rows])
        if column in AUTOMOBILE_CATEGORICAL
        else numeric([row[column]] for row in rows)
        for column in range(1, 26)
    ]
    symboling = [int(row[0]) for row in rows]
    return with_missing(np.hstack(blocks), symboling, missing, notes=CATEGORIES[categories])


def segment(files) -> Parsed:
    table, meta = arff.loadarff(str(files["segment.arff"]))
    names = meta["class"][1]
    X = np.column_stack([table[column] for column in meta.names()[:-1]])
    y = np.array([names.index(label.decode()) for label in table["class"]])
    return Parsed(X, y, tuple(names), {}, "feature 3 (region-pixel-count) is constant (9)")


def satimage(files) -> Parsed:
    """Landsat. Both files begin with a line of column numbers; class 6 (mixture) does not occur."""
    parts = {}
    for part, name in (("train", "sat.trn"), ("test", "sat.tst")):
        table = numeric(read_rows(files[name], delimiter="\t")[1:])
        parts[part] = (table[:, :-1], table[:, -1].astype(int))
    return stack(parts, SATIMAGE_CLASSES)


def spectf(files) -> Parsed:
    """SPECTF heart. The official training set is SPECTF.train and SPECTS.valid together, 80 rows."""
    train = np.vstack([numeric(read_rows(files[name])) for name in ("SPECTF.train", "SPECTS.valid")])
    test = numeric(read_rows(files["SPECTF.test"]))
    parts = {part: (table[:, 1:], table[:, 0].astype(int)) for part, table in (("train", train), ("test", test))}
    return stack(parts, ("normal", "abnormal"))
