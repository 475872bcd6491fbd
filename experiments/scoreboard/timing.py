"""Seconds of 2005-2015 hardware are not comparable with ours; the order of the methods is."""

import numpy as np
import pandas as pd

GROUP = ["paper", "table", "dataset", "setting", "metric"]
COLUMNS = [*GROUP, "n_methods", "kendall_tau", "same_fastest", "paper_order", "our_order"]


def timing_order(board: pd.DataFrame) -> pd.DataFrame:
    """For each data set with timed methods: does our order, fastest to slowest, agree with the paper's?

    ``kendall_tau`` (tau-a: concordant minus discordant pairs, over all pairs) is 1 for the same order and -1 for the
    reverse. Data sets with fewer than two methods timed by us are left out.
    """
    timed = board[board["metric"].str.contains("seconds") & board["ours_mean"].notna()]
    rows = []
    for key, group in timed.groupby(GROUP, sort=False, dropna=False):
        if len(group) < 2:
            continue
        theirs = group.sort_values("reported_mean", kind="stable")["method"]
        ours = group.sort_values("ours_mean", kind="stable")["method"]
        tau = kendall_tau(group["reported_mean"].tolist(), group["ours_mean"].tolist())
        same = theirs.iloc[0] == ours.iloc[0]
        rows.append([*key, len(group), round(tau, 3), same, " < ".join(theirs), " < ".join(ours)])
    return pd.DataFrame(rows, columns=COLUMNS)


def kendall_tau(a: list[float], b: list[float]) -> float:
    """Share of concordant pairs minus share of discordant pairs; a tie is neither."""
    signs = np.sign(np.subtract.outer(a, a)) * np.sign(np.subtract.outer(b, b))
    return float(signs.sum() / (len(a) * (len(a) - 1)))
