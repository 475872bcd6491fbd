"""What every path shares: the template estimator, the points, the labels, and the walk over a grid."""

from dataclasses import dataclass, field
from itertools import product
from numbers import Real

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils import column_or_1d

from mr._sklearn import Interval, check_array, validate_parameter_constraints
from mr.estimators._base import check_values
from mr.estimators._words import in_words
from mr.graph.scale import sound_points
from mr.labels import encode_labels, encode_targets

UNSCALED = {
    "ridge": [Interval(Real, 0.0, None, closed="neither")],
    "smoothness": [Interval(Real, 0.0, None, closed="left")],
}
"""What paths take in place of gamma_A and gamma_I, without their scales."""


@dataclass(frozen=True)
class PathFit:
    """One machine of a path.

    See Also
    --------
    mr.paths.Path : gives one for every cell.

    Examples
    --------
    >>> import numpy as np, mr
    >>> path = mr.paths.RLSPath(mr.RLS(gamma=4.0), np.array([[0.0], [1.0], [2.0]]))
    >>> path.fit(np.array([0, -1, 1]), gamma_A=1e-2).values.shape
    (3, 1)
    """

    values: np.ndarray
    """Decision values on the points, (n, k); one column for two classes or one target."""
    new_values: np.ndarray | None = None
    """The same on ``X_new``, or None."""
    info: dict = field(default_factory=dict)
    """Certificates and sizes of the solution: ``dual_gap``, ``n_iter``, ``n_support``."""


class Path:
    """A whole experiment with one estimator: any parameters and any labels on the same points.

    What all machines share (graph, Gram matrix, factorisation, eigenvectors, centres) is computed when it is first
    needed and kept. Every machine is the one that the estimator with these parameters finds when it is fitted alone.

    Parameters
    ----------
    estimator : estimator of the path's class
        Unfitted template. Its parameters hold for every cell that does not name them.
    X : array or sparse matrix (n, d)
        Labelled and unlabelled points.
    X_new : array or sparse matrix (n_new, d), default=None
        New points whose decision values are wanted too.

    See Also
    --------
    mr.paths.LapRLSPath : a path with held-out values.
    mr.paths.PathFit : what a cell of a path gives.

    Examples
    --------
    >>> import mr
    >>> issubclass(mr.paths.RLSPath, mr.paths.Path)
    True
    """

    estimator_class: type = object
    parameters: tuple[str, ...] = ()
    """Names that a cell of the grid may hold."""
    fixed: dict = {}
    """Parameters of the estimator that a path takes only at this value."""
    class_weights: tuple = (None,)
    """Weights of the classes that a path takes."""
    _sample_weight: np.ndarray | None = None
    """Weights (n,) of the labels in the loss; None weighs all alike. Only searches set them, before the first label."""

    def __init__(self, estimator, X, X_new=None):
        if not isinstance(estimator, self.estimator_class):
            raise TypeError(
                f"{type(self).__name__} takes {self._expected()} as template; got {type(estimator).__name__}."
            )
        self.estimator = clone(estimator)
        self.estimator._validate_params()
        weighted = {"class_weight": self.class_weights} if hasattr(estimator, "class_weight") else {}
        for name, values in (weighted | {name: (value,) for name, value in self.fixed.items()}).items():
            given = getattr(self.estimator, name)
            if not any(given is value or given == value for value in values):
                raise ValueError(
                    f"{type(self).__name__} takes {name}={' or '.join(map(repr, values))} only; got {given!r}. "
                    "Fit the estimator itself instead."
                )
        self.X = sound_points(check_array(X, accept_sparse="csr", dtype=np.float64))
        if X_new is not None:
            X_new = sound_points(check_array(X_new, accept_sparse="csr", dtype=np.float64), smallest=False)
        self.X_new = X_new
        if self.X_new is not None and self.X_new.shape[1] != self.X.shape[1]:
            raise ValueError(f"X_new must have the {self.X.shape[1]} columns of X; got {self.X_new.shape[1]}.")

    def fit(self, y, **cell) -> PathFit:
        """The machine of one cell.

        Parameters
        ----------
        y : array (n,)
            Labels as the estimator takes them: -1 (regressors: NaN) marks unlabelled points.
        **cell
            Parameters of the machine, by name.

        Returns
        -------
        PathFit
        """
        rows, targets = self._encode(y)
        with in_words(self):
            return self._sound(self._fit(rows, targets, self._complete(cell)))

    def grid(self, y, **lists):
        """Every combination of the listed values: yields (cell, PathFit), in an order that shares work."""
        rows, targets = self._encode(y)
        cells = self._ordered(self._cells(lists))
        yield from zip(
            cells, self._each(self._fits(rows, targets, [self._complete(cell) for cell in cells])), strict=True
        )

    def held_out(self, y, folds=None, **cell) -> np.ndarray:
        """Decision values at every labelled point of the machine that did not see its label.

        Parameters
        ----------
        y : array (n,)
        folds : array (l,), default=None
            Number of the fold of each labelled point, in the order of the rows. None leaves out one at a time.
        **cell
            Parameters of the machine, by name.

        Returns
        -------
        array (l, k)
        """
        rows, targets = self._encode(y)
        with in_words(self):
            return self._sound(self._held_out(rows, targets, self._folds(folds, len(rows)), self._complete(cell)))

    def held_out_grid(self, y, folds=None, **lists):
        """``held_out`` for every combination of the listed values: yields (cell, values)."""
        rows, targets = self._encode(y)
        folds, cells = self._folds(folds, len(rows)), self._ordered(self._cells(lists))
        complete = [self._complete(cell) for cell in cells]
        yield from zip(cells, self._each(self._held_outs(rows, targets, folds, complete)), strict=True)

    def _each(self, found):
        """What an iterator gives, with the errors of its work in words."""
        found = iter(found)
        while True:
            with in_words(self):
                try:
                    item = self._sound(next(found))
                except StopIteration:
                    return
            yield item

    def _sound(self, found):
        """A fit or held-out values, if all numbers are finite."""
        for values in (found.values, found.new_values) if isinstance(found, PathFit) else (found,):
            if values is not None:
                check_values(self, values)
        return found

    def _fit(self, rows, targets, cell) -> PathFit:
        """Machine of one cell from the targets (l, k) of the labelled rows."""
        raise NotImplementedError

    def _held_out(self, rows, targets, folds, cell):
        """One fit for every fold; subclasses share more."""
        values = np.empty_like(targets)
        for number in np.unique(folds):
            held = folds == number
            values[held] = self._fit(rows[~held], targets[~held], cell).values[rows[held]]
        return values

    def _fits(self, rows, targets, cells):
        """Machines of the cells of a grid, in order; subclasses start one from another."""
        for cell in cells:
            yield self._fit(rows, targets, cell)

    def _held_outs(self, rows, targets, folds, cells):
        """Held-out values of the cells of a grid, in order; subclasses start one from another."""
        for cell in cells:
            yield self._held_out(rows, targets, folds, cell)

    def _ordered(self, cells) -> list[dict]:
        return cells

    def _weights_at(self, rows):
        """Weights of the labels at some rows, or None."""
        return None if self._sample_weight is None else self._sample_weight[rows]

    def _encode(self, y):
        """Labelled rows (ascending) and their targets (l, k)."""
        numbers = is_regressor(self.estimator)
        if numbers:
            y = check_array(y, ensure_2d=False, dtype=np.float64, ensure_all_finite=False, input_name="y")
        else:
            y = column_or_1d(y)
        if len(y) != self.X.shape[0]:
            raise ValueError(f"y must have one value for each of the {self.X.shape[0]} points; got {len(y)}.")
        if numbers:
            targets = encode_targets(y)
            return targets.rows, targets.values
        labels = encode_labels(y)
        return labels.rows, labels.signed

    def _complete(self, cell) -> dict:
        """The cell with the template's value for every parameter it does not name."""
        for name in cell:
            if name not in self.parameters:
                raise TypeError(
                    f"{type(self).__name__} varies {', '.join(self.parameters)}; got {name!r}. "
                    "Other parameters belong in the template."
                )
        # None stands for a parameter that another one replaces
        given = {name: value for name, value in cell.items() if value is not None}
        known = UNSCALED | getattr(self, "_template", self.estimator)._parameter_constraints
        constraints = {name: known.get(name, "no_validation") for name in given}
        validate_parameter_constraints(constraints, given, caller_name=type(self).__name__)
        own = {name: getattr(self.estimator, name) for name in self.parameters if hasattr(self.estimator, name)}
        return own | cell

    def _cells(self, lists) -> list[dict]:
        for name, values in lists.items():
            if np.ndim(values) != 1:
                raise TypeError(f"the grid takes a list of values for {name}; got {values!r}.")
        return [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]

    @staticmethod
    def _folds(folds, l):
        folds = np.arange(l) if folds is None else np.asarray(folds)
        if folds.shape != (l,):
            raise ValueError(f"folds must hold one number for each of the {l} labelled points; got {folds.shape}.")
        if len(np.unique(folds)) < 2:
            raise ValueError(f"Held-out values need labels in at least two folds; got {l} label(s) in one fold.")
        return folds

    def _expected(self) -> str:
        classes = self.estimator_class if isinstance(self.estimator_class, tuple) else (self.estimator_class,)
        return " or ".join(cls.__name__ for cls in classes)


def per_fold(matrix, right, folds) -> np.ndarray:
    """(M_FF)^-1 r_F for every fold F of the labelled points; a division when every fold holds one point."""
    numbers = np.unique(folds)
    if len(numbers) == len(folds):
        return right / matrix.diagonal()[:, None]
    solved = np.empty_like(right)
    for number in numbers:
        held = np.flatnonzero(folds == number)
        solved[held] = np.linalg.solve(matrix[np.ix_(held, held)], right[held])
    return solved
