"""One label convention for every estimator.

Classification follows scikit-learn's semi-supervised module: in ``y`` the value ``-1`` marks an unlabelled point and
every other value names a class. For string labels the marker is the string ``"unlabeled"`` (or ``"-1"``). The codes
-1 and +1 that solvers work with exist only inside solvers. Regression marks unlabelled points by ``NaN``.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

__all__ = [
    "Labels",
    "Targets",
    "UNLABELED",
    "UNLABELED_STRINGS",
    "encode_labels",
    "encode_targets",
    "unlabeled_mask",
]

UNLABELED = -1
UNLABELED_STRINGS = ("unlabeled", "-1")
MISSPELLED = ("unlabeled", "unlabelled", "-1")
"""Markers in any case, with spaces around them, and in British spelling: no names of classes."""

LARGEST_TARGET = 1e150
"""Squares of larger numbers, summed over many points, are no longer finite."""

_CONVENTION = (
    "In mr, as in scikit-learn's semi-supervised module, -1 marks an unlabelled point and every other value is a "
    "class (for string labels the marker is 'unlabeled')."
)


@dataclass(frozen=True)
class Labels:
    """Labelled rows of a data set and their classes, as solvers need them.

    See Also
    --------
    mr.labels.encode_labels : makes it from y.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.labels import encode_labels
    >>> labels = encode_labels(np.array([7, -1, 3]))
    >>> labels.classes, labels.rows, labels.codes
    (array([3, 7]), array([0, 2]), array([1, 0]))
    """

    classes: np.ndarray
    """Sorted class values as the user wrote them."""
    rows: np.ndarray
    """Indices of the labelled points, ascending."""
    codes: np.ndarray
    """Class of each labelled row as an index into ``classes``."""

    @property
    def signed(self) -> np.ndarray:
        """Targets in {-1, +1}, one column per one-versus-rest problem (a single column for two classes)."""
        if len(self.classes) == 2:
            return np.where(self.codes == 1, 1.0, -1.0)[:, None]
        return np.where(self.codes[:, None] == np.arange(len(self.classes)), 1.0, -1.0)


def unlabeled_mask(y) -> np.ndarray:
    """True where ``y`` carries the unlabelled marker: -1, or "unlabeled" and "-1" among strings.

    Parameters
    ----------
    y : array-like

    Returns
    -------
    ndarray of bool, of the shape of y

    See Also
    --------
    encode_labels : Labelled rows and classes.

    Examples
    --------
    >>> from mr.labels import unlabeled_mask
    >>> unlabeled_mask([0, -1, 1])
    array([False,  True, False])
    """
    y = np.asarray(y)
    if y.dtype.kind in "OUS":
        return np.isin(y.astype(str), UNLABELED_STRINGS)
    return y == UNLABELED


def encode_labels(y) -> Labels:
    """Split ``y`` into labelled rows and classes, or say what is wrong with it.

    Parameters
    ----------
    y : array-like of shape (n,)
        Integers or strings; -1 or "unlabeled" marks an unlabelled point.

    Returns
    -------
    Labels
        With ``classes``, ``rows`` and ``codes``.

    See Also
    --------
    encode_targets : The same for regression.

    Examples
    --------
    >>> from mr.labels import encode_labels
    >>> found = encode_labels(["cat", "unlabeled", "dog"])
    >>> print(found.classes, found.rows, found.codes)
    ['cat' 'dog'] [0 2] [0 1]
    """
    y = np.asarray(y)
    _check_label_type(y)
    check_classification_targets(y)
    unlabeled = unlabeled_mask(y)
    rows = np.flatnonzero(~unlabeled)
    if len(rows) == 0:
        raise ValueError(f"No labelled points: all {len(y)} values of y mark unlabelled points. {_CONVENTION}")
    classes, codes = np.unique(y[rows], return_inverse=True)
    if len(classes) < 2:
        raise ValueError(_one_class_message(y, classes, len(rows), unlabeled))
    return Labels(classes, rows, codes)


def _check_label_type(y):
    """Refuse values that can be neither a class nor the marker, before they are compared with each other."""
    if y.dtype.kind not in "biufOUS":
        raise ValueError(f"Unknown label type: y must hold integers or strings; got {y.dtype}. {_CONVENTION}")
    if y.dtype.kind == "u" and y.size and (y == np.iinfo(y.dtype).max).any():
        raise ValueError(
            f"y is of unsigned type {y.dtype} and holds its largest value {np.iinfo(y.dtype).max}, which is what -1 "
            f"becomes in that type. {_CONVENTION} Cast before marking: y = y.astype(int), then y[unlabelled] = -1."
        )
    if y.dtype.kind == "O":
        found = sorted({type(value).__name__ for value in y.flat if not isinstance(value, str)})
        if found:
            raise ValueError(
                f"Unknown label type: y of type object must hold strings only, got values of type {', '.join(found)}. "
                f"{_CONVENTION} None and NaN mark nothing. For numbers, pass an array of integers."
            )
    if y.dtype.kind in "OUS":
        _check_spelling(np.unique(y.astype(str)).tolist())


def _check_spelling(strings):
    """Refuse what was meant as the marker: as a class it would be predicted nearly everywhere."""
    for value in strings:
        meant = value.strip().casefold()
        if not meant:
            what = repr(value) if value else "the empty string"
            raise ValueError(f"y holds {what}, which is neither a class nor the marker. {_CONVENTION}")
        if meant in MISSPELLED and value not in UNLABELED_STRINGS:
            raise ValueError(f"y holds {value!r}, which reads like the marker; expected 'unlabeled'. {_CONVENTION}")


def _one_class_message(y, classes, n_labelled, unlabeled) -> str:
    if unlabeled.any() and y.dtype.kind in "iuf" and classes[0] == 1:
        return (
            "y holds only -1 and 1, which reads as unlabelled points and one class. "
            f"{_CONVENTION} If -1 and 1 are your two classes, recode them, for example with np.where(y == 1, 1, 0)."
        )
    return (
        f"Classification needs labelled points of at least 2 classes, got {n_labelled} labelled points "
        f"of one class, {classes.tolist()[0]!r}. {_CONVENTION}"
    )


@dataclass(frozen=True)
class Targets:
    """Labelled rows of a regression problem.

    See Also
    --------
    mr.labels.encode_targets : makes it from y.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.labels import encode_targets
    >>> targets = encode_targets(np.array([0.5, np.nan, 2.0]))
    >>> targets.rows, targets.values.ravel()
    (array([0, 2]), array([0.5, 2. ]))
    """

    rows: np.ndarray
    values: np.ndarray
    """Targets of the labelled rows, always two-dimensional."""


def encode_targets(y) -> Targets:
    """Split regression targets into labelled rows and values; NaN marks unlabelled points.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, k)

    Returns
    -------
    Targets
        With ``rows`` and ``values``, the latter of shape (labelled rows, k).

    See Also
    --------
    encode_labels : The same for classification.

    Examples
    --------
    >>> from mr.labels import encode_targets
    >>> print(encode_targets([0.5, float("nan"), 2.0]).rows)
    [0 2]
    """
    try:
        y = np.asarray(y, dtype=float)
    except OverflowError as error:
        raise ValueError(
            "Targets of y must be numbers that double precision can hold; got a larger integer."
        ) from error
    if np.isinf(y).any():
        raise ValueError("Input y contains infinity; expected finite numbers, with NaN for unlabelled points.")
    if np.abs(y).max(initial=0.0, where=~np.isnan(y)) > LARGEST_TARGET:
        raise ValueError(f"Targets of y must be at most {LARGEST_TARGET:g} in size: their squares overflow. Rescale y.")
    values = y[:, None] if y.ndim == 1 else y
    missing = np.isnan(values)
    if (missing.any(axis=1) != missing.all(axis=1)).any():
        raise ValueError("A row of y mixes NaN and numbers; expected a row to be labelled or unlabelled as a whole.")
    rows = np.flatnonzero(~missing[:, 0])
    if len(rows) == 0:
        raise ValueError(f"No labelled points: all {len(y)} targets are NaN, which marks unlabelled points.")
    return Targets(rows, values[rows])
