"""What LapRLSCV and the other searches share: lists in, held-out values of every cell, a choice, a fit with all labels.

All points stay in the graph, and labels are hidden: a fold at a time, or one by one where that has a closed form. The
machines come from :mod:`mr.paths`, so that what no label touches (graph, Gram matrix, factorisation) is done once.
"""

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from itertools import product
from numbers import Integral, Number

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mr._sklearn import HasMethods, Interval, StrOptions, fit_context, validate_parameter_constraints
from mr.estimators._base import (
    CLASS_WEIGHT_CONSTRAINTS,
    WeightedClassifier,
    WeightedRegressor,
    check_new_points,
    check_points_and_labels,
)
from mr.estimators._manifold import GraphInfluenceWarning
from mr.estimators._words import in_words
from mr.labels import encode_labels
from mr.model_selection.calibration import fit_temperature, probabilities
from mr.model_selection.graphs import KnownGraph, fitted_graphs, graph_template
from mr.model_selection.marks import hide_all_but
from mr.model_selection.splits import deal
from mr.solvers.choice import (
    can_hold_out,
    choose_by_alignment,
    choose_by_balance,
    choose_regression_cell,
    class_mass_gap,
    held_out_alignment,
    held_out_errors,
    weights_with_rare_classes,
)

FEW_LABELS = 3
"""Labels per class, on average, up to which choice="auto" does not trust held-out labels (docs/choosing_parameters)."""
ENOUGH_HELD_OUT = 100
"""Folds are drawn again until this many labels were held out, but not more often than ``_most_repeats``."""

HEAVIEST = 1e12
"""Largest weight of a label in what is held out; larger ones are scaled down to it, or sums would overflow."""

SEARCH_CONSTRAINTS = {
    "cv": [None, Interval(Integral, 2, None, closed="left"), HasMethods(["split"]), "array-like"],
    "n_jobs": [None, Interval(Integral, -1024, -1, closed="both"), Interval(Integral, 1, 1024, closed="both")],
    "verbose": ["verbose"],
    "random_state": ["random_state"],
}


class PathSearch(BaseEstimator):
    """A search over the cells of a path.

    A subclass says which estimator, lists and path it is about. ``_path(estimator, X, shared)`` makes the path of one
    kernel and graph, ``_cells(path, rows)`` lists what is tried on it, in parameters of the estimator, and
    ``_ladder(path, rows)`` what is tried when no held-out label decides.
    """

    _estimator_class: type
    _closed_form = True
    """Whether leaving out labels one by one costs no more than a fit."""
    _most_repeats = 5
    """How often folds are drawn again at most."""

    @abstractmethod
    def _cells(self, path, rows) -> list[dict]:
        """Cells to try with labels at these rows, the most cautious first."""

    @abstractmethod
    def _ladder(self, path, rows) -> list[dict]:
        """Cells of growing weight of the graph, all else as usual."""

    @abstractmethod
    def _path(self, estimator, X, shared):
        """Path of the template. ``shared`` is a dict in which one path leaves what the next can use."""

    def _settings(self, X, seed, cautious):
        """Pairs of outer parameters (kernel width, graph) and the estimator's parameters for them, kernel by kernel."""
        graphs = fitted_graphs(self.graph, X, as_list(self.n_neighbors), as_list(self.power))
        gammas = as_list(self.gamma)
        for gamma in gammas:
            named = {"gamma": gamma} if len(gammas) > 1 else {}
            for made, graph in graphs:
                yield named | made, {"gamma": gamma, "graph": KnownGraph(graph)}

    def _run(self, X, y, rows, targets, weights, sample_weight):
        """Try all cells, choose one, fit it. ``weights`` (l,) of the labels, or None, hold what ``sample_weight`` and
        the classes say; they count in the machines and in what is held out alike."""
        self._check_lists()
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        partitions = self._partitions(targets, seed)
        cautious = self._is_cautious(targets)
        tried = self._try_all(X, Labelled(rows, targets, weights), partitions, cautious, seed)
        held_out = HeldOut.of(targets, weights, partitions)
        self.best_index_ = self._choose(tried, held_out, cautious)
        best = tried[self.best_index_]
        self._keep_results(tried, held_out)
        self.best_params_, self.best_score_ = best.params, float(self.cv_results_["mean_test_score"][self.best_index_])
        self._calibrate_held_out(best.held_out, held_out)
        self.best_estimator_ = self._fit_best(X, y, best, seed, sample_weight)

    def _check_lists(self):
        """Refuse lists that are none, and values in them that the parameter alone would not take."""
        for name in {*self._lists, "gamma"} & set(self.get_params(deep=False)):
            values = getattr(self, name)
            if values is None or isinstance(values, str | Number):
                continue
            try:
                dimensions = np.ndim(values)
            except ValueError:  # lists of several lengths
                dimensions = None
            if dimensions != 1:
                raise ValueError(f"{name} must be a value or a list of values; got {values!r}.")
            # None stands for the whole list, and not for one of its values
            single = [c for c in self._parameter_constraints[name] if c is not None and c != "array-like"]
            for value in as_list(values):
                validate_parameter_constraints({name: single}, {name: value}, caller_name=type(self).__name__)

    def _try_all(self, X, labelled, partitions, cautious, seed) -> list["Tried"]:
        jobs = self._jobs(X, labelled, partitions, cautious, seed)
        try:
            return [found for part in Parallel(n_jobs=self.n_jobs)(jobs) for found in part]
        except (ValueError, TypeError) as error:
            if self.n_jobs in (None, 1):
                raise
            raise type(error)(*error.args) from error  # of a worker: said here, and not in the depth of joblib

    def _jobs(self, X, labelled, partitions, cautious, seed):
        shared = {}
        for outer, inner in self._settings(X, seed, cautious):
            path = self._path(self._unweighted(seed).set_params(**inner), X, shared)
            path._sample_weight = labelled.of_points(X.shape[0])
            yield delayed(_try_cells)(self, path, (outer, inner), labelled, partitions, cautious)
            if cautious:
                return

    def _is_supervised(self, path, cell) -> bool:
        """Whether the cell has no graph, so that a graph is taken only where it is clearly better."""
        return False

    def _template(self, seed):
        """The estimator with all that is not chosen."""
        own, wanted = self.get_params(deep=False), self._estimator_class().get_params(deep=False)
        chosen = set(self._lists) | {"gamma", "graph"}
        fixed = {name: own[name] for name in wanted if name in own and name not in chosen}
        if "random_state" in wanted:
            fixed["random_state"] = seed
        return self._estimator_class(**fixed)

    def _unweighted(self, seed):
        """The template of a path: it is given the weights of labels, which hold those of classes."""
        template = self._template(seed)
        return template.set_params(class_weight=None) if hasattr(template, "class_weight") else template

    def _partitions(self, targets, seed) -> list[np.ndarray]:
        """Fold of every label, once for each repetition; [] when nothing can be held out."""
        if not self._can_hold_out(targets):
            return []
        l, codes = len(targets), self._strata(targets)
        if self.cv is None and self._closed_form:
            return [np.arange(l)]
        rng = np.random.RandomState(seed)
        if self.cv is None:
            repeats = int(np.clip(np.ceil(ENOUGH_HELD_OUT / l), 1, self._most_repeats))
            return [deal(codes, min(5, l), rng) for _ in range(repeats)]
        if isinstance(self.cv, Integral):
            if self.cv > l:
                raise ValueError(f"cv={self.cv} folds need as many labels; got {l}.")
            return [deal(codes, self.cv, rng)]
        try:
            splits = check_cv(self.cv, codes, classifier=True).split(np.zeros((l, 1)), codes)
            tests = [np.arange(l)[test] for _, test in splits]
        except (IndexError, TypeError, ValueError) as error:
            raise ValueError(
                f"cv must be None, a number of folds, a splitter or a list of pairs (train, test) of indices into the "
                f"{l} labels; got {self.cv!r} ({error})."
            ) from error
        return partitions_of(tests, l)

    def _fit_best(self, X, y, best, seed, sample_weight):
        estimator = self._template(seed).set_params(**best.setting, **best.cell)
        with warnings.catch_warnings():
            # that a weak graph was chosen needs no advice to take a stronger one
            warnings.simplefilter("ignore", GraphInfluenceWarning)
            estimator.fit(X, y, sample_weight)
        self._restore(estimator, best.params)
        return estimator

    def _restore(self, estimator, params):
        """Give the fitted machine the user's graph, with what was chosen; the fitted one is its ``graph_``."""
        changes = {name: params[name] for name in ("n_neighbors", "power") if name in params}
        estimator.graph = graph_template(self.graph, **changes) if changes else self.graph

    def _keep_results(self, tried, held_out):
        """``cv_results_``: what was tried, and how it did."""
        results = {"params": [found.params for found in tried]}
        for name in tried[0].params:
            values = [found.params[name] for found in tried]
            mixed = any(isinstance(value, str) for value in values)  # "mean" beside numbers, which must stay numbers
            results[f"param_{name}"] = np.array(values, dtype=object if mixed else None)
        scores = np.array([self._fold_scores(found.held_out, held_out) for found in tried])
        results["mean_test_score"], results["std_test_score"] = scores.T
        order = np.nan_to_num(-results["mean_test_score"], nan=np.inf)
        results["rank_test_score"] = np.array([1 + int((order < own).sum()) for own in order])
        for name in ("alignment", "class_mass_gap"):
            if getattr(tried[0], name) is not None:
                results[name] = np.array([getattr(found, name) for found in tried])
        self.cv_results_ = results

    def _evaluate(self, X):
        X = check_new_points(self, X)
        return self.best_estimator_._evaluate(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(frozen=True)
class Labelled:
    """Labelled rows, their targets (l, k), and their weights (l,) or None."""

    rows: np.ndarray
    targets: np.ndarray
    weights: np.ndarray | None

    def of_points(self, n):
        """Weights of all n points, or None."""
        if self.weights is None:
            return None
        weights = np.ones(n)
        weights[self.rows] = self.weights
        return weights


@dataclass(frozen=True)
class HeldOut:
    """Targets and weights in the order of held-out values, once for each partition, and the folds of each."""

    targets: np.ndarray
    weights: np.ndarray
    partitions: list[np.ndarray]

    @classmethod
    def of(cls, targets, weights, partitions):
        weights, times = np.ones(len(targets)) if weights is None else weights, max(1, len(partitions))
        weights = weights / max(1.0, weights.max() / HEAVIEST)
        return cls(np.tile(targets, (times, 1)), np.tile(weights, times), partitions)

    def score(self, numbers):
        """Mean of one number per held-out label, and the deviation of the means over folds."""
        parts = zip(*(np.split(a, len(self.partitions)) for a in (numbers, self.weights)), self.partitions, strict=True)
        means = [np.bincount(folds, part * own) / np.bincount(folds, own) for part, own, folds in parts]
        return np.average(numbers, weights=self.weights), np.std(np.concatenate(means))


@dataclass
class Tried:
    """One cell, and what was measured."""

    params: dict
    """All that was varied."""
    setting: dict
    """Parameters of the estimator that a path has in common,"""
    cell: dict
    """and those in which its cells differ."""
    supervised: bool
    held_out: np.ndarray | None
    class_mass_gap: float | None
    alignment: float | None = None


def _try_cells(search, path, setting, labelled, partitions, cautious):
    """Held-out values of every cell of one path, and the decisions at all points if the choice is to look at them."""
    (outer, inner), rows, targets = setting, labelled.rows, labelled.targets
    cells = search._ladder(path, rows) if cautious else search._cells(path, rows)
    for cell in cells:
        clone(path.estimator).set_params(**cell)._validate_params()
    held_out = _held_out_values(path, cells, rows, targets, partitions)
    gaps = [None] * len(cells)
    if cautious:
        fits = (path._fit(rows, targets, path._complete(cell)) for cell in cells)
        gaps = [class_mass_gap(fit.values, targets) for fit in fits]
    if search.verbose:
        named = ", ".join(f"{name}={value}" for name, value in outer.items())
        print(f"[{type(search).__name__}] {len(cells)} cells tried{named and ' at '}{named}", flush=True)
    supervised = [search._is_supervised(path, cell) for cell in cells]
    found = zip(cells, supervised, held_out, gaps, strict=True)
    return [Tried(outer | cell, inner, cell, *measured) for cell, *measured in found]


def _held_out_values(path, cells, rows, targets, partitions) -> list:
    """One array (labels held out, k) per cell: the partitions one after the other. None if there are no partitions."""
    if not partitions:
        return [None] * len(cells)
    place = {id(cell): i for i, cell in enumerate(cells)}
    ordered = path._ordered(cells)
    complete = [path._complete(cell) for cell in ordered]
    parts = [list(path._held_outs(rows, targets, folds, complete)) for folds in partitions]
    found = [None] * len(cells)
    for cell, *values in zip(ordered, *parts, strict=True):
        found[place[id(cell)]] = np.concatenate(values)
    return found


class ClassifierSearch(WeightedClassifier, PathSearch):
    """Choice by held-out alignment, or cautiously, and calibrated probabilities."""

    _parameter_constraints = {
        **SEARCH_CONSTRAINTS,
        "choice": [StrOptions({"auto", "held-out", "cautious"})],
        **CLASS_WEIGHT_CONSTRAINTS,
    }

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Choose the parameters, then fit to all labels.

        Parameters
        ----------
        X : array or sparse matrix (n, d)
            Labelled and unlabelled points.
        y : array (n,)
            Classes; -1 (strings: "unlabeled") marks unlabelled points.
        sample_weight : array (n,), default=None
            Weights of the labels, in the loss and in what is held out; those of unlabelled rows play no part.
        """
        X, y = check_points_and_labels(self, X, y)
        labels, (weights,) = self._weigh(X, encode_labels(y), sample_weight)
        self.classes_ = labels.classes
        with in_words(self):
            self._run(X, y, labels.rows, labels.signed, weights, sample_weight)
        self.transduction_ = self.best_estimator_.transduction_
        return self

    def predict_proba(self, X):
        """Probability of every class, in the order of ``classes_``.

        softmax(a f), for two classes sigmoid(2 a f), with the ``temperature_`` a of least held-out log loss. The most
        probable class is always the one that ``predict`` gives.

        Parameters
        ----------
        X : array or sparse matrix (n_new, d)

        Returns
        -------
        array (n_new, n_classes)
        """
        check_is_fitted(self)
        return probabilities(self._decision_values(self._evaluate(X)), self.temperature_)

    def _adjust(self, values):
        return self.best_estimator_._adjust(values)

    def _is_cautious(self, targets):
        if self.choice != "auto":
            return self.choice == "cautious"
        return not can_hold_out(targets) or len(targets) <= FEW_LABELS * max(2, targets.shape[1])

    def _can_hold_out(self, targets):
        return can_hold_out(targets)

    @staticmethod
    def _strata(targets):
        return (targets[:, 0] > 0).astype(int) if targets.shape[1] == 1 else targets.argmax(axis=1)

    def _choose(self, tried, held_out, cautious):
        if held_out.partitions:
            weights = weights_with_rare_classes(held_out.targets, held_out.weights)
            for found in tried:
                found.alignment = held_out_alignment(found.held_out, held_out.targets, weights)
        if cautious:
            return choose_by_balance([found.class_mass_gap for found in tried])
        if not held_out.partitions:
            raise ValueError(
                "choice='held-out' needs two classes with at least two labels each: without its only label, a class is "
                "unknown to the machine. Take choice='auto' or 'cautious', or label more points."
            )
        supervised = [found.supervised for found in tried]
        return choose_by_alignment([found.held_out for found in tried], held_out.targets, weights, supervised)

    def _fold_scores(self, values, held_out):
        """Accuracy, and its deviation over folds."""
        if values is None:
            return np.nan, np.nan
        return held_out.score(1.0 - held_out_errors(values, held_out.targets))

    def _calibrate_held_out(self, values, held_out):
        self.temperature_ = 1.0 if values is None else fit_temperature(values, held_out.targets, held_out.weights)


class RegressorSearch(WeightedRegressor, PathSearch):
    """Choice by held-out squared error."""

    _parameter_constraints = SEARCH_CONSTRAINTS

    def _fit_functions(self, X, rows, targets, weights=None):
        n, y = X.shape[0], targets[:, 0] if self._flat else targets
        sample_weight = Labelled(rows, targets, weights).of_points(n)
        self._run(X, hide_all_but(y, rows, n, regression=True), rows, targets, weights, sample_weight)
        return self.best_estimator_.transduction_.reshape(X.shape[0], -1)

    def _is_cautious(self, targets):
        return False

    def _can_hold_out(self, targets):
        return len(targets) >= 2

    @staticmethod
    def _strata(targets):
        return np.zeros(len(targets), dtype=int)

    def _choose(self, tried, held_out, cautious):
        if not held_out.partitions:  # a single label
            return 0
        caution = [found.cell.get("graph_weight", found.cell.get("gamma_I")) for found in tried]
        values = [found.held_out for found in tried]
        return choose_regression_cell(values, held_out.targets, caution, held_out.weights)

    def _fold_scores(self, values, held_out):
        """R^2 over all held-out values, and the deviation of the mean squared error over folds in the same unit."""
        if values is None:
            return np.nan, np.nan
        targets, weights = held_out.targets, held_out.weights
        centred = targets - np.average(targets, axis=0, weights=weights)
        unit = float(np.average(np.square(centred).mean(axis=1), weights=weights))
        mean, deviation = held_out.score(np.square(values - targets).mean(axis=1))
        unit = max(unit, np.finfo(float).tiny)
        return 1.0 - mean / unit, deviation / unit

    def _calibrate_held_out(self, values, held_out):
        """Nothing to calibrate."""


def as_list(values):
    """The values of a parameter that may be one or several; None stays None."""
    if values is None or isinstance(values, str) or np.ndim(values) == 0:
        return None if values is None else [values]
    if len(values) == 0:
        raise ValueError("expected at least one value to choose from; got an empty list.")
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def grid(**lists) -> list[dict]:
    """All combinations, the last name varying fastest."""
    return [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]


def nearest(values, anchor):
    """The value nearest to a positive anchor in ratio."""
    return min(values, key=lambda value: abs(np.log(max(value, 1e-300) / anchor)))


def partitions_of(tests, l) -> list[np.ndarray]:
    """Test sets that come one after the other as partitions of l labels."""
    partitions, folds = [], np.full(l, -1)
    for test in tests:
        if (folds[test] >= 0).any():
            break
        folds[test] = folds.max() + 1
        if (folds >= 0).all():
            partitions.append(folds)
            folds = np.full(l, -1)
    if (folds >= 0).any() or not partitions:
        raise ValueError(
            "cv must hold out every label once, or once per repetition (k-fold, repeated k-fold, leave-one-out); "
            "got test sets that overlap or leave labels out. For other splits take TransductiveSearchCV."
        )
    return partitions
