"""Splitters for data of which few rows are labelled: unlabelled rows always train, labelled ones take turns.

scikit-learn's own splitters treat -1 as one more class and put unlabelled rows into test sets, where nothing can be
right. These give ``GridSearchCV``, ``cross_val_score`` and their kin what they expect.
"""

import warnings
from abc import abstractmethod
from numbers import Integral, Real

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from mr.model_selection.marks import holds_numbers, labelled_mask


class LabelledSplitter(BaseCrossValidator):
    """What the splitters share: labelled rows are split, all others are in every training set."""

    stratify = True

    def split(self, X, y=None, groups=None):
        """Yield the row numbers to train and to test on.

        Parameters
        ----------
        X : array-like (n, d)
            Not looked at.
        y : array-like (n,)
            Classes with -1 (strings: "unlabeled") on unlabelled rows, or numbers with NaN.
        groups : object
            Not looked at.

        Yields
        ------
        train : array
            All unlabelled rows and the labelled rows that are not tested.
        test : array
            Labelled rows.
        """
        rows, codes = self._to_deal(y)
        for held in self._tests(codes):
            test = rows[np.sort(held)]
            inside = np.ones(len(y), dtype=bool)
            inside[test] = False
            yield np.flatnonzero(inside), test

    @abstractmethod
    def _tests(self, codes):
        """Yield the members of every test set, as indices into ``codes``."""

    def _to_deal(self, y):
        """Rows whose labels take turns, and their classes as codes (one code for all without stratification)."""
        if y is None:
            raise ValueError(f"{type(self).__name__} needs y: it says which rows are labelled.")
        y = np.asarray(y)
        rows = np.flatnonzero(labelled_mask(y))
        if len(rows) == 0:
            raise ValueError(f"No labelled rows: all {len(y)} values of y mark unlabelled ones (-1 or NaN).")
        if not self.stratify or holds_numbers(y):
            return rows, np.zeros(len(rows), dtype=int)
        classes, codes, counts = np.unique(y[rows], return_inverse=True, return_counts=True)
        if counts.min() == 1:
            named = ", ".join(str(c) for c in classes[counts == 1][:5])
            warnings.warn(
                f"{(counts == 1).sum()} of {len(classes)} classes have a single label ({named}). "
                "It is always in the training set: a machine that never saw a class cannot be tested on it.",
                UserWarning,
                stacklevel=3,
            )
        several = counts[codes] > 1
        return rows[several], codes[several]


class LabelledKFold(LabelledSplitter):
    """K-fold cross-validation over the labelled rows; unlabelled rows are in every training set.

    Each class is spread evenly over the folds, so that no class loses all its labels, however few they are. A class
    with a single label is never tested. The targets of a regression (``y`` with NaN) are split in their order.

    Parameters
    ----------
    n_splits : int, default=5
        Folds of one repetition, at most the number of labels.
    n_repeats : int, default=1
        Repetitions, each with folds of its own. Needs ``shuffle=True``.
    stratify : bool, default=True
        Spread each class over the folds. Without it a fold may take all labels of a class.
    shuffle : bool, default=False
        Split the labels in random order.
    random_state : int, RandomState or None, default=None
        Of the order. ``HalvingGridSearchCV`` needs an int when ``shuffle=True``.

    See Also
    --------
    Transductive : hides labels instead of rows, so that the graph keeps all points.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.model_selection import LabelledKFold
    >>> y = np.array([0, 0, 1, 1, -1, -1])
    >>> for train, test in LabelledKFold(2).split(np.zeros((6, 1)), y):
    ...     print(train, test)
    [1 3 4 5] [0 2]
    [0 2 4 5] [1 3]
    """

    def __init__(self, n_splits=5, *, n_repeats=1, stratify=True, shuffle=False, random_state=None):
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.stratify = stratify
        self.shuffle = shuffle
        self.random_state = random_state
        _check_count("n_splits", n_splits, 2)
        _check_count("n_repeats", n_repeats, 1)
        if n_repeats > 1 and not shuffle:
            raise ValueError(f"n_repeats={n_repeats} would repeat the same folds; pass shuffle=True with it.")
        if random_state is not None and not shuffle:
            raise ValueError("random_state has no effect without shuffle=True; leave it at None.")

    def get_n_splits(self, X=None, y=None, groups=None):
        """Number of splits: folds times repetitions."""
        return self.n_splits * self.n_repeats

    def _tests(self, codes):
        if len(codes) < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} folds need as many labelled rows that can be held out; got {len(codes)}."
            )
        rng = check_random_state(self.random_state) if self.shuffle else None
        for _ in range(self.n_repeats):
            folds = deal(codes, self.n_splits, rng)
            yield from (np.flatnonzero(folds == number) for number in range(self.n_splits))


class LabelledShuffleSplit(LabelledSplitter):
    """Random tests of the labelled rows, drawn anew for every split; unlabelled rows are always in the training set.

    Every class is drawn in proportion and keeps at least one label for training.

    Parameters
    ----------
    n_splits : int, default=10
    test_size : float or int, default=0.2
        Share (or number) of the labelled rows in a test, unlabelled ones not counted.
    stratify : bool, default=True
        Draw class by class. Without it a test may take all labels of a class.
    random_state : int, RandomState or None, default=None

    See Also
    --------
    mr.model_selection.LabelledKFold : every labelled row is tested once.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.model_selection import LabelledShuffleSplit
    >>> y = np.array([0, 0, 0, 1, 1, 1, -1, -1])
    >>> splits = LabelledShuffleSplit(4, test_size=2, random_state=0).split(np.zeros((8, 1)), y)
    >>> [y[test].tolist() for train, test in splits]
    [[0, 1], [0, 1], [0, 1], [0, 1]]
    """

    def __init__(self, n_splits=10, *, test_size=0.2, stratify=True, random_state=None):
        self.n_splits = n_splits
        self.test_size = test_size
        self.stratify = stratify
        self.random_state = random_state
        _check_count("n_splits", n_splits, 1)
        whole = isinstance(test_size, Integral) and test_size >= 1
        if isinstance(test_size, bool) or not (whole or (isinstance(test_size, Real) and 0 < test_size < 1)):
            raise ValueError(f"test_size must be a share between 0 and 1 or a number of rows; got {test_size!r}.")

    def get_n_splits(self, X=None, y=None, groups=None):
        """Number of splits."""
        return self.n_splits

    def _tests(self, codes):
        counts = np.bincount(codes)
        size = self.test_size if isinstance(self.test_size, Integral) else int(np.ceil(self.test_size * len(codes)))
        most = len(codes) - np.count_nonzero(counts)
        if size > most:
            raise ValueError(
                f"test_size={self.test_size} asks for {size} labelled rows; at most {most} can be held out."
            )
        rng = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            place, last = _places(codes, rng)
            # The first of every class come early, in proportion to its size; its last one stays.
            yield np.argsort(np.where(last, np.inf, place))[:size]


class LabelledLeaveOneOut(LabelledSplitter):
    """Every labelled row is the test set once; all other rows are in the training set, labelled and unlabelled.

    A class with a single label is never tested.

    See Also
    --------
    mr.model_selection.LabelledKFold : a few folds of the labelled rows.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.model_selection import LabelledLeaveOneOut
    >>> y = np.array([0.5, np.nan, 1.5])  # of a regression
    >>> [(train.tolist(), test.tolist()) for train, test in LabelledLeaveOneOut().split(np.zeros((3, 1)), y)]
    [([1, 2], [0]), ([0, 1], [2])]
    """

    def get_n_splits(self, X=None, y=None, groups=None):
        """Number of labelled rows that can be tested."""
        return len(self._to_deal(y)[0])

    def _tests(self, codes):
        yield from np.arange(len(codes))[:, None]


def deal(codes, n_folds, rng=None) -> np.ndarray:
    """Fold of every label, one after the other, class by class: counts differ by at most one, in total and by class.

    >>> deal(np.array([0, 0, 0, 1, 1]), 2)
    array([0, 1, 0, 1, 0])
    """
    order = np.arange(len(codes)) if rng is None else rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    folds = np.empty(len(codes), dtype=int)
    folds[order] = np.arange(len(codes)) % n_folds
    return folds


def _places(codes, rng):
    """A random place in (0, 1) of every label within its class, and whether it is the last one of the class."""
    place, last = np.empty(len(codes)), np.zeros(len(codes), dtype=bool)
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        place[members] = (np.arange(len(members)) + rng.uniform(size=len(members))) / len(members)
        last[members[-1]] = True
    return place, last


def _check_count(name, value, least):
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}; got {value!r}.")
