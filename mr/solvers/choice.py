"""The choice of a parameter from held-out values: one rule for every estimator that chooses for itself.

A *cell* is one value of the parameters. Its held-out values (l, k) are the decision values at each labelled point of
the machine that did not see that point's label. Few labels make such estimates noisy, so the rule is careful twice: it
adds a loss that is smoother than the error rate, and among cells that cannot be told apart it takes the most cautious
one, the one with the weakest graph.
"""

import numpy as np

TEMPERATURES = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Slopes of the logistic loss; the best one counts, so that the scale of decision values does not matter."""
STANDARD_ERRORS = 0.25
"""Scores whose difference from the best is below this many of its standard errors count as equal to it."""
LONGEST = 1.5
"""Held-out values count up to this multiple of their median length."""

CLEARLY = 0.5
"""A machine with a graph has to beat the best one without by this many standard errors of the difference."""
PARTS = 100
"""Most parts of the labels that are left out in turn to find that standard error."""
RARE = 0.1
"""A class with at most this share of the mean number of labels per class is rare: held-out errors hardly feel it."""
FEW_LABELS = 3
"""Labels per class, on average, up to which held-out labels are not trusted (docs/choosing_parameters)."""


def are_few(targets) -> bool:
    """Whether labels are too few to choose by what is held out."""
    return not can_hold_out(targets) or len(targets) <= FEW_LABELS * max(2, targets.shape[1])


def can_hold_out(targets) -> bool:
    """Whether leaving out labels can tell anything: at least two classes have two labels or more (of two, both).

    With a single label of a class, the machine without it has never seen the class.
    """
    return int((_class_sizes(targets) >= 2).sum()) >= 2


def choose_cell(held_out, targets, fallback, caution=None, weights=None) -> int:
    """Number of the cell to take.

    The score of a cell is its held-out error rate plus its held-out logistic loss. Both are means over the labels, in
    which half of the weight is shared by labels and half by classes, so that a rare class counts. Cells whose score is
    within a quarter of a standard error of the best one (that of the difference, label by label) cannot be told from
    it: of them, those of the lowest caution level remain, and the best of these is taken.

    Parameters
    ----------
    held_out : list of arrays (l, k)
        Held-out values of every cell, the most cautious cell first.
    targets : array (l, k)
        Signed targets, one column per class (a single column for two classes).
    fallback : int
        Cell to take when there are too few labels to tell (see :func:`can_hold_out`).
    caution : array of one number per cell, default=None
        Level of each cell, smaller is more cautious; None is the order of the cells.
    weights : array (l,), default=None
        Weights of the labels in the loss: they count here as much.

    Returns
    -------
    int
    """
    if not can_hold_out(targets):
        return fallback
    weights = _label_weights(targets, np.ones(len(targets)) if weights is None else weights)
    losses = np.array(
        [held_out_errors(values, targets) + _logistic_losses(values, targets, weights) for values in held_out]
    )
    return _most_cautious(losses, weights, caution)


def choose_regression_cell(held_out, targets, caution=None, weights=None) -> int:
    """Number of the cell of least held-out squared error, or of a more cautious one that cannot be told from it.

    Every target counts in units of its own spread. Arguments as in :func:`choose_cell`, with any real targets, and
    ``weights`` (l,) of the squared errors.
    """
    weights = np.ones(len(targets)) if weights is None else weights
    scale = np.maximum(targets.std(axis=0), np.finfo(float).tiny ** 0.25)
    losses = np.array([np.square((values - targets) / scale).mean(axis=1) for values in held_out])
    return _most_cautious(losses, weights / weights.sum(), caution)


def held_out_errors(values, targets) -> np.ndarray:
    """1.0 where the held-out decision is wrong, 0.0 where it is right, one number for each label."""
    return (held_out_margins(values, targets) <= 0).astype(float)


def held_out_margins(values, targets) -> np.ndarray:
    """How far the value of the true class is above the largest other one; negative where the decision is wrong."""
    if targets.shape[1] == 1:
        return values[:, 0] * np.sign(targets[:, 0])
    rows, classes = np.arange(len(values)), targets.argmax(axis=1)
    others = values.copy()
    others[rows, classes] = -np.inf
    return (values[rows, classes] - others.max(axis=1)) / 2


def _logistic_losses(values, targets, weights) -> np.ndarray:
    """log(1 + exp(-a margin)) of each label, margins in units of their root mean square, at the best temperature a."""
    margins = held_out_margins(values, targets)
    margins = margins / (np.sqrt(np.square(margins).mean()) + np.finfo(float).tiny)
    candidates = [np.logaddexp(0.0, -a * margins) for a in TEMPERATURES]
    return min(candidates, key=lambda losses: float(weights @ losses))


def _most_cautious(losses, weights, caution) -> int:
    """The cell of least loss, or a more cautious one whose mean loss (cells x labels) cannot be told from it."""
    caution = np.arange(len(losses)) if caution is None else np.asarray(caution)
    # what cannot be computed for a cell speaks against it; where it cannot for any, nothing speaks against caution
    scores = np.nan_to_num(losses @ weights, nan=np.inf)
    if np.isinf(scores).all():
        return int(np.argmin(caution))
    best = int(np.argmin(scores))
    apart = scores - scores[best]
    spread = np.sqrt(np.square(losses - losses[best] - apart[:, None]) @ np.square(weights))
    near = np.flatnonzero(apart <= STANDARD_ERRORS * spread)
    near = near[caution[near] == caution[near].min()]
    return int(near[np.argmin(scores[near])])


def _codes(targets):
    return (targets[:, 0] > 0).astype(int) if targets.shape[1] == 1 else targets.argmax(axis=1)


def _class_sizes(targets):
    return np.bincount(_codes(targets))


def _label_weights(targets, weights):
    """Shares of the labels, with sum 1: half are those of their weights, half are the same for every class."""
    codes = _codes(targets)
    sizes = np.bincount(codes, weights)
    return weights * (0.5 / weights.sum() + 0.5 / (np.count_nonzero(sizes) * sizes[codes]))


def held_out_alignment(values, targets, weights=None) -> float:
    """Squared cosine between held-out values and targets, 0 if they point away from each other.

    That is the share of the targets that the values explain once they are scaled at best: a strong graph shrinks
    held-out values, which says nothing about its decisions. Of several classes, each label's mean over the classes is
    taken off first, since no decision depends on it. Values of a label that are longer than LONGEST times the median
    are shortened to that, so that no single label decides. A label of weight 2 counts as two.
    """
    weights = np.ones(len(values)) if weights is None else weights
    if targets.shape[1] > 1:
        values = values - values.mean(axis=1, keepdims=True)
        targets = targets - targets.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(values, axis=1)
    limit = LONGEST * _median(lengths, weights)
    values = values * np.minimum(1.0, limit / np.maximum(lengths, np.finfo(float).tiny))[:, None]
    roots = np.sqrt(weights)[:, None]
    size = np.linalg.norm(roots * values) * np.linalg.norm(roots * targets)
    return max(0.0, float((weights[:, None] * values * targets).sum() / size)) ** 2 if size > 0 else 0.0


def choose_by_alignment(held_out, targets, weights, supervised) -> int:
    """Number of the cell of largest held-out alignment, unless it has a graph that is not clearly better than none.

    Best of many cells with a graph, one of them is ahead by chance. So it is taken only where its alignment exceeds
    that of the best supervised cell by CLEARLY standard errors of the difference, found by leaving out labels one by
    one (parts of them, of more than PARTS): the jackknife.

    Parameters
    ----------
    held_out : list of arrays (l, k)
        Held-out values of every cell.
    targets : array (l, k)
    weights : array (l,)
    supervised : list of bool
        Which cells know nothing of the unlabelled points; if none does, the largest alignment decides.
    """
    alignments = np.array([held_out_alignment(values, targets, weights) for values in held_out])
    best, without = int(np.argmax(alignments)), np.flatnonzero(supervised)
    if len(without) == 0 or supervised[best]:
        return best
    rival = int(without[np.argmax(alignments[without])])
    parts = np.arange(len(targets)) % min(len(targets), PARTS)
    differences = np.array(
        [
            held_out_alignment(held_out[best][kept], targets[kept], weights[kept])
            - held_out_alignment(held_out[rival][kept], targets[kept], weights[kept])
            for kept in (parts != part for part in range(parts.max() + 1))
        ]
    )
    error = np.sqrt((len(differences) - 1) * differences.var())
    return best if alignments[best] - alignments[rival] > CLEARLY * error else rival


def weights_with_rare_classes(targets, weights) -> np.ndarray:
    """Weights of the labels, shared by classes to a half if a class is rare, so that it counts in what is held out."""
    sizes = _class_sizes(targets)
    sizes = sizes[sizes > 0]
    if sizes.min() > RARE * sizes.mean():
        return weights
    return _label_weights(targets, weights)


def _median(numbers, weights) -> float:
    """Median of numbers that count as often as their weights say."""
    order = np.argsort(numbers)
    sums = np.cumsum(weights[order])
    middle = np.searchsorted(sums, [sums[-1] / 2 * (1 - 1e-12), sums[-1] / 2 * (1 + 1e-12)])
    return float(numbers[order[np.minimum(middle, len(numbers) - 1)]].mean())


def class_mass_gap(values, targets) -> float:
    """Total variation between the shares of the classes among all decisions and among the labels.

    Every class counts as if it had one more label: few labels say little about shares.

    Parameters
    ----------
    values : array (n, k)
        Decision values at all points.
    targets : array (l, k)
        Signed targets.
    """
    decided, labelled = (np.bincount(_codes(v), minlength=max(2, targets.shape[1])) for v in (values, targets))
    return 0.5 * float(np.abs(decided / decided.sum() - (labelled + 1) / (labelled + 1).sum()).sum())


def choose_by_balance(gaps, tolerance=0.1) -> int:
    """The last cell, cells in order of their graph's weight, whose class-mass gap is near the least one.

    With a label or two per class nothing can be held out. What can be seen without labels is when a graph is too strong
    or wrong: one class is then predicted for most points.
    """
    gaps = np.asarray(gaps)
    return int(np.flatnonzero(gaps <= gaps.min() + tolerance)[-1])
