"""What the printed digits say about the number of answers behind a printed accuracy.

A mean accuracy over r runs on m test points is a whole number of correct answers over r m. Rounded to two decimals, few
values can be printed when r m is below 10,000: with 30 halves of Sonar (104 points each) 31 % of all two-decimal
numbers. So the share of a table's cells that a stated protocol *can* print, against the share by chance, tests the
protocol without computing any method (the test of Brown and Heathers 2017 for means of whole numbers).
"""

import numpy as np
import pandas as pd
from scipy import stats

DECIMALS = 2
RUNS = (10, 12, 20, 30)
INFORMATIVE = 0.9  # protocols that can print more than this share of all numbers say nothing


def printable(percent, answers: int) -> bool:
    """Can a share of ``answers`` answers be this percentage, rounded to :data:`DECIMALS`? Halves may go either way."""
    k = np.round(float(percent) * answers / 100.0)
    return bool(min(abs(100.0 * (k + step) / answers - percent) for step in (-1, 0, 1)) <= 0.5 * 10.0**-DECIMALS + 1e-9)


def chance(answers: int) -> float:
    """Share of all two-decimal percentages that so many answers can give."""
    return min(1.0, answers / 10.0 ** (2 + DECIMALS))


def part_sizes(n: int, n_labelled: int) -> dict[str, set[int]]:
    """Sizes of the test part: a half (rounded either way), or all points but the labelled ones."""
    return {"half": {n // 2, n - n // 2}, "unlabelled": {n - n_labelled}}


def cells_printable(printed, sizes, n_labelled) -> pd.DataFrame:
    """For each protocol (runs, test part): cells that it can print, cells expected by chance, and the probability.

    ``printed`` holds percentages, data sets x methods; ``sizes`` the number of points of each set. 0 and 100 can always
    be printed and are left out, and so are sets whose protocol could print nearly everything. A half rounded up and one
    rounded down count as one protocol, the better of the two, with the larger chance. ``probability``: of so many cells
    or more by chance, from a normal approximation with continuity correction.
    """
    rows = []
    for runs in RUNS:
        for part in ("half", "unlabelled"):
            found, expected, variance, cells = 0, 0.0, 0.0, 0
            for name, n in sizes.items():
                values = [v for v in printed.loc[name].dropna() if 0 < v < 100] if name in printed.index else []
                answers = [runs * size for size in part_sizes(n, n_labelled)[part] if size > 0]
                if not values or not answers or chance(max(answers)) > INFORMATIVE:
                    continue
                hits = [[printable(v, total) for v in values] for total in answers]
                p = (
                    1.0 - np.prod([1.0 - chance(total) for total in answers])
                    if len(answers) > 1
                    else chance(answers[0])
                )
                found += int(np.any(hits, axis=0).sum())
                expected, variance = expected + p * len(values), variance + p * (1 - p) * len(values)
                cells += len(values)
            tail = stats.norm.sf((found - 0.5 - expected) / np.sqrt(variance)) if variance > 0 else np.nan
            rows.append([runs, part, cells, found, expected, float(tail)])
    columns = ["runs", "test part", "cells", "printable", "by chance", "probability"]
    return pd.DataFrame(rows, columns=columns).set_index(["runs", "test part"])
