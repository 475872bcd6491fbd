"""Statistics that judge the claims of zhang2015 (``data/claims.csv``), each from committed result rows.

Means over 30 draws of one data set are compared by Welch's t-test from mean, deviation and number of draws: the paper's
own tests are a paired one (observation 1) and a two-sample one (the bold faces of Table III). The draws are shared by
all methods, so an unpaired test is the more cautious of the two.
"""

import numpy as np
import pandas as pd
from scipy import stats

from experiments.scoreboard.claims import Judgement, decide, pick
from experiments.scoreboard.scoreboard import read_reported

SETTING = "unlabelled, 30 runs, 5-fold CV"
LEVEL = 0.05
EXACT, APPROXIMATE = ["LGC", "LapRLS"], ["NYS-LGC", "NFI"]
POINT = 1.0  # errors that differ by less are comparable
MOST = 0.5  # "in general", "usually": more than half of the data sets
PRINTED_WINS, PRINTED_LOSSES = 7, 2  # of PVM(hinge) against the SVM, observation 1


def wide(rows, value="mean") -> pd.DataFrame:
    """Data sets x methods of Table III."""
    return pick(rows, setting=SETTING, metric="error_pct").pivot(index="dataset", columns="method", values=value)


def compared(rows, first, second) -> tuple[list, list, list]:
    """Data sets on which the first method is better, the same and worse by the t-test."""
    mean, std, runs = (wide(rows, value) for value in ("mean", "std", "n_runs"))
    better, same, worse = [], [], []
    for dataset in mean.index[mean[[first, second]].notna().all(axis=1)]:
        sides = [(mean.loc[dataset, m], std.loc[dataset, m], int(runs.loc[dataset, m])) for m in (first, second)]
        p = stats.ttest_ind_from_stats(*sides[0], *sides[1], equal_var=False).pvalue
        (same if p >= LEVEL else better if sides[0][0] < sides[1][0] else worse).append(dataset)
    return better, same, worse


def hinge_against_svm(rows) -> Judgement:
    """Observation 1: PVM(hinge) wins on 7 data sets, ties on 4 and loses on 2."""
    better, same, worse = compared(rows, "PVM(hinge)", "SVM")
    text = f"better on {len(better)} ({', '.join(better)}), same on {len(same)}, worse on {len(worse)}"
    return Judgement(decide(len(better) >= PRINTED_WINS, len(worse) <= PRINTED_LOSSES), float(len(better)), text)


def semisupervised_against_svm(rows) -> Judgement:
    """Observation 1: "in general" the semisupervised methods are more accurate than the SVM."""
    means = wide(rows)
    shares = {m: float((means[m] < means["SVM"])[means[m].notna()].mean()) for m in means if m != "SVM"}
    won = [m for m, share in shares.items() if share > MOST]
    text = "share of the data sets with a lower error: " + ", ".join(f"{m} {100 * s:.0f} %" for m, s in shares.items())
    verdict = "holds" if len(won) > MOST * len(shares) else "holds in part" if won else "fails"
    return Judgement(verdict, float(len(won)), text)


def exact_methods_are_best(rows) -> Judgement:
    """Observation 2: LGC and LapRLS (LapSVMp is not run yet) are usually the most accurate."""
    means = wide(rows).dropna()
    best = means.idxmin(axis=1)
    hits = best.isin(EXACT)
    text = f"lowest error by LGC or LapRLS on {int(hits.sum())} of {len(means)} data sets that all methods have"
    return Judgement("holds" if hits.mean() > MOST else "fails", 100.0 * float(hits.mean()), text)


def approximations_are_poor(rows) -> Judgement:
    """Observation 3: NYS-LGC and NFI are not as accurate, above all on TEXT and DNA."""
    means, parts, words = wide(rows), [], []
    for method in APPROXIMATE:
        behind = means[method] > means["PVM(sqr)"]
        hard = means.loc[["TEXT", "DNA"], method] > means.loc[["TEXT", "DNA"], "PVM(sqr)"]
        parts += [bool(behind.mean() > MOST), bool(hard.all())]
        words.append(f"{method} has a higher error than PVM(sqr) on {int(behind.sum())} of {len(behind)} sets, "
                     f"on {int(hard.sum())} of TEXT and DNA")  # fmt: skip
    return Judgement(decide(*parts), float(sum(parts)), "; ".join(words))


def bold_faces(rows) -> Judgement:
    """Table III prints the best method of a row, and those not significantly worse, in bold."""
    mean, printed = wide(rows), read_reported().query("paper == 'zhang2015' and table == 'III'")
    paper = printed.pivot(index="dataset", columns="method", values="mean")[list(mean)].reindex(mean.index)
    ours, theirs = mean.idxmin(axis=1), paper.idxmin(axis=1)
    equal = int((ours == theirs).sum())
    text = f"the same method has the lowest error on {equal} of {len(mean)} data sets (LapSVMp left out on both sides)"
    verdict = "holds" if equal == len(mean) else "holds in part" if equal > MOST * len(mean) else "fails"
    return Judgement(verdict, float(equal), text)


def pvm_near_exact(rows) -> Judgement:
    """Observation 5: both PVM are comparable with LGC and LapRLS."""
    means, parts, words = wide(rows).dropna(), [], []
    for method in ("PVM(sqr)", "PVM(hinge)"):
        gap = float(np.median(means[method] - means[EXACT].min(axis=1)))
        share = float((means[method] <= means[EXACT].max(axis=1)).mean())
        parts += [share > MOST, gap <= POINT]
        words.append(f"{method}: no worse than the worse of the two on {100 * share:.0f} % of the sets, "
                     f"median {gap:.1f} points above the better one")  # fmt: skip
    return Judgement(decide(*parts), float(sum(parts)), "; ".join(words))
