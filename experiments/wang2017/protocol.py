"""Protocol of wang2017 (section 4), shared by its artifacts: binary tasks, preprocessing, draws, t-tests.

What the paper states: UCI sets are split into random halves, 30 times; the sets of the SSL book use their 12 official
labelled sets and the unlabelled points as test; linear kernel; 10 nearest neighbours; 10 labels with every parameter 1,
100 labels with the best of a grid *on test*. What it leaves open, and what is done here:

- features are scaled to [0, 1] on the training half, and a constant feature is appended (the paper's remark under
  equation 3). L = D - W with the factor 2 of equation 2. This was *selected on the outcome*: of 80 conventions it came
  near the printed MR_LP column of Table 1. ``wang2017_search`` repeats that search, with a constant guess beside it.
  Every cell carries the flag ``read from print``;
- labels are drawn at random, with at least one of each class;
- a training half of fewer than 100 points cannot hold 100 labels (Hepatitis, Automobile, Water): the training part is
  then 100 points, all labelled, and the rest is the test part;
- binary tasks: see ``params.yaml``. Automobile: symboling above 0 against the rest, complete rows, categories one-hot
  (75 columns). Water: plant states 9 (low influent) against 11 (normal). Isolet: letter A against B. Other readings of
  the data are rows of their own in Table 1.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats
from sklearn.decomposition import PCA

from experiments.tidy import tidy_row

CONVENTION = {"scaling": "unit interval", "bias": True, "labels": "random", "laplacian": "unnormalized", "factor": 2.0,
              "sigma": "neighbours", "test": "half"}  # fmt: skip
READ_FROM_PRINT = "scaling, constant feature, labels, Laplacian and factor, by the printed MR_LP column of Table 1"
NAMES = {
    "automobile": "Automobile", "bupa": "Bupa", "hepatitis": "Hepatitis", "house": "House", "ionosphere": "Ionosphere",
    "sonar": "Sonar", "spectf": "Spectf", "water": "Water", "wdbc": "Wdbc", "bci": "Bci", "ethn": "Ethn",
    "german": "German", "digit1": "Digit1", "isolet": "Isolet", "usps241": "Usps",
    "automobile_01": "Automobile (0 vs 1)", "automobile_filled": "Automobile (all rows)",
    "house_filled": "House (all rows)", "water_59": "Water (5 vs 9)", "water_15": "Water (1 vs 5)",
    "isolet_halves": "Isolet (part 5, A-M vs N-Z)", "automobile_integer": "Automobile (integer codes, 25 columns)",
    "water_complete": "Water (complete rows, 95)", "isolet_pca": "Isolet (51 principal components)",
    "wdbc_pca": "Wdbc (14 principal components)",
}  # fmt: skip
MEASURED = ("iterations", "majority", "one_sided", "spread", "information", "like_rls", "condition", "rank", "size")
GRAPH_OFF = 99.9  # per cent of test points on which a method says what RLS says, from which on its graph does nothing
PAIRS = {"AGMR_entropy": "MR_LP", "AGMR_sparse": "MR_SP"}


def datasets(params):
    return {key: (spec["name"], spec.get("options", {})) for key, spec in params["datasets"].items()}


def binary_task(data, spec):
    """Points of the two sides of the task and their class, 0 or 1. Classes go by the first word of their name."""
    X, y = np.asarray(data.X, dtype=float), np.asarray(data.y)
    if "part" in spec:
        X, y = X[data.splits[spec["part"]]], y[data.splits[spec["part"]]]
    if "positive" not in spec:
        return _projected(X, spec), y
    first = np.array([name.split()[0] for name in data.class_names])[y]
    positive = np.isin(first, [str(name) for name in spec["positive"]])
    negative = np.isin(first, [str(name) for name in spec["negative"]]) if "negative" in spec else ~positive
    kept = positive | negative
    return _projected(X[kept], spec), positive[kept].astype(int)


def _projected(X, spec):
    """Principal components of the whole set, where a version of the data is said to consist of them."""
    return PCA(spec["pca"], svd_solver="full").fit_transform(X) if "pca" in spec else X


@dataclass(frozen=True)
class Draw:
    """Rows of one run: training part, labelled rows within it, test part."""

    train: np.ndarray
    labelled: np.ndarray
    test: np.ndarray

    @property
    def transductive(self) -> bool:
        """Are the test points the unlabelled points of the training part?"""
        return bool(np.isin(self.test, self.train).all())


def draws(data, y, n_labelled, n_draws, seed_sequence, labels="random", test="half") -> list[Draw]:
    """The official labelled sets where the data has them (test: the unlabelled points), else random halves.

    ``labels="balanced"`` draws half of the labels from each class; where the data has official sets, from all points.
    ``test="unlabelled"`` has no halves: every set is treated as the official ones are, with labelled sets of our own
    where it has none.
    """
    name, everything = f"labeled{n_labelled}", np.arange(len(y))
    if name in data.splits and labels == "random":
        return [Draw(everything, rows, np.setdiff1d(everything, rows)) for rows in data.splits[name][:n_draws]]
    generators = [np.random.default_rng(child) for child in seed_sequence.spawn(n_draws)]
    if name in data.splits or test == "unlabelled":
        sets = [_labelled_set(y, n_labelled, rng, labels) for rng in generators]
        return [Draw(everything, rows, np.setdiff1d(everything, rows)) for rows in sets]
    return [_half(y, n_labelled, rng, labels) for rng in generators]


def _labelled_set(y, n_labelled, rng, labels):
    """Rows of a labelled set among all points: half of them from each class, or at least one."""
    sure = n_labelled // 2 if labels == "balanced" else 1
    rows = np.concatenate([rng.choice(np.flatnonzero(y == c), sure, replace=False) for c in (0, 1)])
    others = np.setdiff1d(np.arange(len(y)), rows)
    return np.sort(np.concatenate([rows, rng.choice(others, n_labelled - len(rows), replace=False)]))


def _half(y, n_labelled, rng, labels):
    order = rng.permutation(len(y))
    size = max(len(y) // 2, n_labelled)
    train, test = order[:size], order[size:]
    by_class = [np.flatnonzero(y[train] == c) for c in (0, 1)]
    # the order is random already: the first rows of each class, then whatever comes
    sure = np.concatenate([rows[: n_labelled // 2 if labels == "balanced" else 1] for rows in by_class])
    others = np.setdiff1d(np.arange(size), sure)
    return Draw(train, np.sort(np.concatenate([sure, others[: n_labelled - len(sure)]])), test)


def scaler(X, how):
    """Shift and scale of every feature, from the training part; "unit length" is a property of a row, not of a part."""
    if how == "standard":
        shift, scale = X.mean(axis=0), X.std(axis=0)
    elif how == "unit interval":
        shift, scale = X.min(axis=0), np.ptp(X, axis=0)
    elif how == "symmetric interval":
        shift, scale = (X.min(axis=0) + X.max(axis=0)) / 2, np.ptp(X, axis=0) / 2
    elif how in ("none", "unit length"):
        shift, scale = 0.0, np.ones(X.shape[1])
    else:
        raise ValueError(f"unknown scaling {how!r}")
    return shift, np.where(scale > 0, scale, 1.0)


def points(X, draw, convention):
    """Training and test points of a draw, scaled, with the constant feature; no test points when transductive."""
    shift, scale = scaler(X[draw.train], convention["scaling"])
    Z = (X - shift) / scale
    if convention["scaling"] == "unit length":
        Z = Z / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-300)
    if convention["bias"]:
        Z = np.hstack([Z, np.ones((len(Z), 1))])
    return Z[draw.train], None if draw.transductive else Z[draw.test]


def partly_labelled(draw, y) -> np.ndarray:
    """Classes of the labelled rows of the training part, -1 elsewhere."""
    labels = np.full(len(draw.train), -1)
    labels[draw.labelled] = y[draw.train[draw.labelled]]
    return labels


def majority(draw, y) -> float:
    """Share of the larger class among the test points, in per cent."""
    share = float(np.mean(y[draw.test]))
    return 100.0 * max(share, 1 - share)


def improvement(ours, baseline) -> dict:
    """Paired t-test over the draws: mean gain, its standard error, two-sided p, and the paper's star.

    A star is a gain that is significant at 95 %.
    """
    gain = np.asarray(ours) - np.asarray(baseline)
    error = float(gain.std(ddof=1) / np.sqrt(len(gain))) if len(gain) > 1 else 0.0
    p = 1.0 if len(gain) < 2 or np.ptp(gain) == 0 else float(stats.ttest_rel(ours, baseline).pvalue)
    if len(gain) > 1 and np.ptp(gain) == 0 and gain[0] != 0:
        p = 0.0  # the same difference in every draw
    return {"gain": float(gain.mean()), "gain_error": error, "p": p, "star": bool(gain.mean() > 0 and p < 0.05)}


def table_row(artifact, dataset, method, setting, values, baseline, parameters, group, chosen=None) -> dict:
    """One tidy row; its parameters also carry what was measured and the t-test against the fixed graph, if any.

    ``chosen`` are the raw rows of the parameters that were chosen (all rows where nothing was), for what was measured.
    """
    chosen = group if chosen is None else chosen
    measured = [name for name in MEASURED if name in chosen and chosen[name].notna().any()]
    note = {"read_from_print": READ_FROM_PRINT} | {name: float(chosen[name].mean()) for name in measured} | parameters
    note["equals_supervised"] = method != "RLS" and note.get("like_rls", 0.0) >= GRAPH_OFF
    if baseline is not None and len(baseline) == len(values):
        note |= improvement(values, baseline)
    return tidy_row(artifact, NAMES.get(dataset, dataset), method, setting, values, "accuracy_pct", note, group)


def few_labels(classes, per_class, random_state) -> np.ndarray:
    """``classes`` with all but ``per_class`` random points of each class marked unlabelled (-1)."""
    rng = np.random.default_rng(random_state)
    y = np.full(len(classes), -1)
    for c in np.unique(classes):
        rows = rng.choice(np.flatnonzero(classes == c), per_class, replace=False)
        y[rows] = c
    return y
