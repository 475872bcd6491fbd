"""The verdict on one reported cell. This is the only place where the rule is written.

- ``exact``: the means differ by at most 0.015 (they agree as printed, give or take one unit of the second digit);
- ``match``: they differ by at most twice the combined standard error sqrt(s1^2/n1 + s2^2/n2), or by at most 1 point,
  whichever is larger; a std or run count that the paper does not print contributes nothing or ours, respectively;
- ``better`` or ``worse``: they differ by more, in the direction of the metric;
- ``not comparable``: seconds, measured on the hardware of 2005-2015 (see :mod:`experiments.scoreboard.timing`);
- ``no data``: the data set cannot be had;
- ``pending``: not computed yet.
"""

import math
import re

VERDICTS = ("exact", "match", "better", "worse", "not comparable", "no data", "pending")
EXACT = 0.015
POINT = 1.0
ROUNDING = 1e-9  # 5.655 - 5.64 is not <= 0.015 in binary
DIRECTION = {"error_pct": -1, "accuracy_pct": 1, "prbep_pct": 1}  # +1: more is better

# Runs behind a printed mean, where the cell's setting does not say so itself.
PAPER_RUNS = {
    ("chen2012", "II"): 12,
    ("chen2012", "III"): 10,
    ("chen2012", "IV"): 10,
    ("zhang2015", "III"): 30,
    ("zhang2015", "V"): 30,
}
# wang2017: 30 draws on the UCI sets, the 12 official splits on the sets of the SSL book
WANG_SSL = {"Bci", "Digit1", "Usps"}


def comparable(metric: str) -> bool:
    """Whether a number of this metric means the same on every machine."""
    return metric in DIRECTION


def reported_runs(paper: str, table: str, dataset: str, setting: str) -> int | None:
    """Number of runs behind a printed mean, or None when the paper does not say."""
    stated = re.search(r"(\d+) (?:runs|splits|draws)", setting or "")
    if stated:
        return int(stated.group(1))
    if paper == "wang2017":
        return 12 if dataset in WANG_SSL else 30
    return PAPER_RUNS.get((paper, table))


def standard_error(std, n_runs) -> float:
    """std / sqrt(n), or 0 where either is unknown."""
    if std is None or math.isnan(std) or not n_runs:
        return 0.0
    return std / math.sqrt(n_runs)


def verdict(metric, reported_mean, reported_std, n_reported, ours_mean, ours_std, n_ours, available=True) -> str:
    """Verdict on one cell; ``ours_mean`` is None or NaN when there is no result."""
    if ours_mean is None or math.isnan(ours_mean):
        return "pending" if available else "no data"
    if not comparable(metric):
        return "not comparable"
    difference = ours_mean - reported_mean
    if abs(difference) <= EXACT + ROUNDING:
        return "exact"
    combined = math.hypot(standard_error(reported_std, n_reported or n_ours), standard_error(ours_std, n_ours))
    if abs(difference) <= max(2 * combined, POINT) + ROUNDING:
        return "match"
    return "better" if difference * DIRECTION[metric] > 0 else "worse"
