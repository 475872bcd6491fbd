"""The verdict on one printed cell. This is the only place where the rule is written.

- ``exact``: our mean, rounded to the printed number of decimals, is the printed mean;
- ``match``: the means differ by at most the tolerance of :func:`tolerance`;
- ``better`` or ``worse``: they differ by more, in the direction of the metric; neither is a replication;
- ``not comparable``: seconds, measured on the hardware of 2005-2015 (see :mod:`experiments.scoreboard.timing`);
- ``no data``: the data set cannot be had;
- ``pending``: not computed yet.

Average ranks are printed too, but they follow from the cells of their table. They get a verdict (``match`` within half
a rank) and are never counted with the cells: :func:`experiments.scoreboard.cells` leaves them out.
"""

import math
import re

VERDICTS = ("exact", "match", "better", "worse", "not comparable", "no data", "pending")
REPLICATED = ("exact", "match")
JUDGED = ("exact", "match", "better", "worse")
RANK = "average_rank"
DIRECTION = {"error_pct": -1, "accuracy_pct": 1, "prbep_pct": 1, RANK: -1}  # +1: more is better

FLOOR_SHARE, FLOOR_LEAST, FLOOR_MOST = 0.1, 0.3, 1.0  # share of the printed error; points
RANK_TOLERANCE = 0.5  # three places in all over six data sets
SPREAD_CAP = 2.0  # our deviation counts at most so many times the printed one
ROUNDING = 1e-9  # 0.025 - 0.02 is more than 0.005 in binary

# Runs behind a printed mean, where the cell's setting does not say so itself.
PAPER_RUNS = {("chen2012", "II"): 12, ("chen2012", "III"): 10, ("chen2012", "IV"): 10, ("zhang2015", "III"): 30,
              ("zhang2015", "V"): 30, ("wang2017", "1"): 30, ("wang2017", "2"): 30}  # fmt: skip
WANG_SSL = {"Bci", "Digit1", "Usps"}  # wang2017 has the 12 official splits on these sets of the SSL book
# Tables whose splits are fixed and known: the SSL book's, the ten of Chapelle and Zien (2005), the 30 speakers.
FIXED_SPLITS = {("chen2012", "II"), ("belkin2006", "3"), ("belkin2006", "4")}


def reported_runs(paper: str, table: str, dataset: str, setting: str) -> int | None:
    """Number of runs behind a printed mean, or None when the paper does not say."""
    stated = re.search(r"(\d+) (?:runs|splits|draws)", setting or "")
    if stated:
        return int(stated.group(1))
    return 12 if paper == "wang2017" and dataset in WANG_SSL else PAPER_RUNS.get((paper, table))


def same_splits(paper: str, table: str, dataset: str) -> bool:
    """Whether our splits are the paper's own, so that no difference comes from the draws."""
    return (paper, table) in FIXED_SPLITS or (paper == "wang2017" and dataset in WANG_SSL)


def floor(metric: str, reported_mean: float) -> float:
    """10 % of the printed error rate (of 100 minus a printed accuracy), at least 0.3 and at most 1 point."""
    if metric == RANK:
        return RANK_TOLERANCE
    error = reported_mean if DIRECTION[metric] < 0 else 100.0 - reported_mean
    return min(max(FLOOR_SHARE * error, FLOOR_LEAST), FLOOR_MOST)


def tolerance(metric, reported_mean, reported_std, n_reported, ours_std, n_ours, own_splits=False) -> float:
    """Largest difference that is a match.

    With the paper's own splits, and where no deviation is printed, the floor is all. With independent draws it is the
    larger of the floor and twice the combined standard error sqrt(s1^2/n1 + s2^2/n2), in which our deviation s2 counts
    at most twice the printed s1: an unstable result of ours cannot make a match. A paper that does not state its
    number of runs is taken to have had ours.
    """
    least = floor(metric, reported_mean)
    if own_splits or metric == RANK or _missing(reported_std):
        return least
    ours_std = 0.0 if _missing(ours_std) else min(ours_std, SPREAD_CAP * reported_std)
    n_ours = n_ours or 1  # a number without runs has no deviation either
    return max(least, 2.0 * math.hypot(reported_std / math.sqrt(n_reported or n_ours), ours_std / math.sqrt(n_ours)))


def verdict(metric, reported_mean, reported_std, n_reported, ours_mean, ours_std, n_ours,
            decimals=2, own_splits=False, available=True) -> str:  # fmt: skip
    """Verdict on one cell; ``ours_mean`` is None or NaN when there is no result."""
    if _missing(ours_mean):
        return "pending" if available else "no data"
    if metric not in DIRECTION:
        return "not comparable"
    difference = ours_mean - reported_mean
    # half a unit of the last printed digit; a tie rounds to either side
    if abs(difference) <= 0.5 * 10.0**-decimals + ROUNDING:
        return "exact"
    allowed = tolerance(metric, reported_mean, reported_std, n_reported, ours_std, n_ours, own_splits)
    if abs(difference) <= allowed + ROUNDING:
        return "match"
    return "better" if difference * DIRECTION[metric] > 0 else "worse"


def _missing(value) -> bool:
    return value is None or math.isnan(value)
