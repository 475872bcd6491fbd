"""Statistics that judge the claims of zhang2015 (``data/claims.csv``), each from committed result rows.

Observation 1 of the paper rests on a paired t-test: all methods share their draws, and Table III's rows ``minus SVM``
hold the differences. The bold faces of Table III rest on a one-tailed two-sample test, computed from mean, deviation
and number of draws, in the print and in ours.
"""

import numpy as np
import pandas as pd
from scipy import stats

from experiments.scoreboard.claims import Judgement, decide, pick, with_parameters
from experiments.scoreboard.scoreboard import read_reported

SETTING = "unlabelled, 30 runs, 5-fold CV"
NORMALISED = "normalised S as in equation 14"
LEVEL = 0.05
EXACT, APPROXIMATE = ["LGC", "LapRLS", "LapSVMp"], ["NYS-LGC", "NFI"]
POINT = 1.0  # errors that differ by less are comparable
MOST = 0.5  # "in general", "usually", "often": more than half of the data sets
PRINTED_WINS, PRINTED_LOSSES = 7, 2  # of PVM(hinge) against the SVM, observation 1
SEVERAL, HUNDREDS = 3.0, 200.0  # "several times", "several hundred times"
CUBIC, LINEAR = ["LGC", "LapRLS"], ["NYS-LGC", "NFI", "Anchor", "PVM(sqr)", "PVM(hinge)"]
BOLD = {
    "G241C": ["LGC", "LapRLS"], "G241D": ["LapRLS"], "DIGIT1": ["LapSVMp"], "USPS": ["LGC"], "COIL 2": ["Anchor"],
    "COIL": ["LapSVMp"], "BCI": ["LapRLS"], "TEXT": ["LGC", "LapSVMp"], "SPLICE": ["LapRLS"],
    "SEGMENT": ["LGC", "PVM(hinge)"], "DNA": ["PVM(hinge)"], "SVMGD1A": ["LapSVMp", "Anchor"],
    "USPS-FULL": ["LapSVMp"], "SATIMAGE": ["LapSVMp", "PVM(hinge)"],
}  # fmt: skip
"""Bold faces of Table III, as printed."""


def wide(rows, value="mean") -> pd.DataFrame:
    """Data sets x methods of Table III."""
    return pick(rows, setting=SETTING, metric="error_pct").pivot(index="dataset", columns="method", values=value)


def against_svm(rows, method) -> tuple[list, list, list]:
    """Data sets on which a method is better than the SVM, the same and worse by the paired t-test."""
    better, same, worse = [], [], []
    for row in pick(rows, setting=f"{SETTING}, minus SVM", method=method).itertuples():
        p = 2 * stats.t.sf(abs(row.mean) / (row.std / np.sqrt(row.n_runs)), row.n_runs - 1) if row.std > 0 else 1.0
        (same if p >= LEVEL else better if row.mean < 0 else worse).append(row.dataset)
    return better, same, worse


def hinge_against_svm(rows) -> Judgement:
    """Observation 1: PVM(hinge) wins on 7 data sets, ties on 4 and loses on 2."""
    better, same, worse = against_svm(rows, "PVM(hinge)")
    text = (f"better on {len(better)} ({', '.join(better)}), same on {len(same)}, worse on {len(worse)} of "
            f"{len(better + same + worse)} data sets")  # fmt: skip
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
    """Observation 2: LGC, LapRLS and LapSVMp are usually the most accurate."""
    means = wide(rows).dropna()
    hits = means.idxmin(axis=1).isin(EXACT)
    text = f"lowest error by {' or '.join(EXACT)} on {int(hits.sum())} of {len(means)} data sets that all methods have"
    return Judgement("holds" if hits.mean() > MOST else "fails", 100.0 * float(hits.mean()), text)


def approximations_are_poor(rows) -> Judgement:
    """Observation 3: NYS-LGC and NFI are not as accurate, above all on TEXT and DNA."""
    means, parts, words = wide(rows), [], []
    for method in APPROXIMATE:
        behind = (means[method] > means["PVM(sqr)"])[means["PVM(sqr)"].notna()]
        hard = means.loc[["TEXT", "DNA"], method] > means.loc[["TEXT", "DNA"], "PVM(sqr)"]
        parts += [bool(behind.mean() > MOST), bool(hard.all())]
        words.append(f"{method} has a higher error than PVM(sqr) on {int(behind.sum())} of {len(behind)} sets, "
                     f"on {int(hard.sum())} of TEXT and DNA")  # fmt: skip
    return Judgement(decide(*parts), float(sum(parts)), "; ".join(words))


def not_worse_than_best(mean, std, runs) -> pd.DataFrame:
    """Data sets x methods: whether a one-tailed two-sample t-test does not find the method worse than the best one."""
    bold = pd.DataFrame(False, index=mean.index, columns=mean.columns)
    for dataset in mean.index:
        best = mean.loc[dataset].idxmin()
        for method in mean.columns[mean.loc[dataset].notna()]:
            sides = [(mean.loc[dataset, m], std.loc[dataset, m], runs.loc[dataset, m]) for m in (method, best)]
            p = stats.ttest_ind_from_stats(*sides[0], *sides[1], alternative="greater").pvalue
            bold.loc[dataset, method] = method == best or not p < LEVEL
    return bold


def printed_table() -> tuple[pd.DataFrame, ...]:
    printed = read_reported().query("paper == 'zhang2015' and table == 'III'")
    mean, std = (printed.pivot(index="dataset", columns="method", values=value) for value in ("mean", "std"))
    return mean, std, mean * 0 + 30


def bold_faces(rows) -> Judgement:
    """Table III prints the best method of a row, and those not significantly worse, in bold."""
    ours = not_worse_than_best(*(wide(rows, value).astype(float) for value in ("mean", "std", "n_runs")))
    met = [any(ours.loc[dataset].get(method, False) for method in BOLD[dataset]) for dataset in ours.index]
    text = f"a printed bold method is among our best by the same test on {sum(met)} of {len(met)} data sets"
    verdict = "holds" if all(met) else "holds in part" if sum(met) > MOST * len(met) else "fails"
    return Judgement(verdict, float(sum(met)), text)


def bold_faces_follow_from_the_print(rows) -> Judgement:
    """The bold faces as printed, against the stated test applied to the printed means and deviations."""
    computed = not_worse_than_best(*printed_table())
    differ = [d for d in computed.index if set(computed.columns[computed.loc[d]]) != set(BOLD[d])]
    text = f"they do on {len(computed) - len(differ)} of {len(computed)} data sets; not on {', '.join(differ)}"
    return Judgement("holds" if not differ else "holds in part" if len(differ) < len(computed) else "fails",
                     float(len(computed) - len(differ)), text)  # fmt: skip


def pvm_near_exact(rows) -> Judgement:
    """Observation 5: both PVM are comparable with LGC, LapRLS and LapSVMp."""
    means, parts, words = wide(rows), [], []
    means = means.dropna(subset=EXACT)
    for method in ("PVM(sqr)", "PVM(hinge)"):
        known = means.dropna(subset=[method])
        gap = float(np.median(known[method] - known[EXACT].min(axis=1)))
        share = float((known[method] <= known[EXACT].max(axis=1)).mean())
        parts += [share > MOST, gap <= POINT]
        words.append(f"{method}: no worse than the worst of the three on {100 * share:.0f} % of {len(known)} sets, "
                     f"median {gap:.1f} points above the best one")  # fmt: skip
    return Judgement(decide(*parts), float(sum(parts)), "; ".join(words))


def centroids_are_inferior(rows) -> Judgement:
    """V-C: the centroid versions are "often much inferior" to the full ones; PVM is better in general."""
    full, reduced = wide(rows), pick(rows, artifact="zhang2015_table5", setting="unlabelled", metric="error_pct")
    reduced = reduced.pivot(index="dataset", columns="method", values="mean")
    parts, words = [], []
    for method in reduced:
        both = pd.concat([reduced[method], full[method.removeprefix("CB-")], full["PVM(sqr)"]], axis=1).dropna()
        inferior, pvm = both.iloc[:, 0] > both.iloc[:, 1] + POINT, both.iloc[:, 2] < both.iloc[:, 0]
        parts += [bool(inferior.mean() > MOST), bool(pvm.mean() > MOST)]
        words.append(f"{method} is more than a point worse than {both.columns[1]} on {int(inferior.sum())}, and worse "
                     f"than PVM(sqr) on {int(pvm.sum())} of {len(both)} data sets")  # fmt: skip
    return Judgement(decide(*parts), float(sum(parts)), "; ".join(words))


def pvm_is_better_than_l1(rows) -> Judgement:
    """V-D: at equal sparsity PVM often has a lower error than L1-LRK.

    PVM's error at the sparsity that L1-LRK reached is read off its curve, linearly in the logarithm of the sparsity;
    points of L1-LRK beyond the ends of that curve do not count.
    """
    found = with_parameters(pick(rows, metric="error_pct"))
    lower, words = [], []
    for dataset, group in found.groupby("dataset", sort=False):
        curve, points = (group[group["method"] == m].sort_values("used") for m in ("PVM(sqr)", "L1-LRK"))
        if curve.empty or points.empty:
            continue
        points = points[points["used"].between(curve["used"].iloc[0], curve["used"].iloc[-1])]
        pvm = np.interp(np.log(points["used"]), np.log(curve["used"]), curve["mean"].astype(float))
        won = pvm < points["mean"].astype(float).to_numpy()
        lower += won.tolist()
        words.append(f"{dataset} {int(won.sum())} of {len(won)}")
    text = f"PVM(sqr) has the lower error at {sum(lower)} of {len(lower)} points: " + ", ".join(words)
    return Judgement("holds" if np.mean(lower) > MOST else "fails", float(sum(lower)), text)


def _seconds(rows) -> pd.DataFrame:
    found = pick(rows, artifact="zhang2015_table4", metric="train_test_seconds")
    return found.pivot(index="dataset", columns="method", values="mean")


def anchor_takes_longer(rows) -> Judgement:
    """Observation 4: the anchor graph takes at least several times the time of PVM."""
    seconds = _seconds(rows)
    ratio = (seconds["Anchor"] / seconds["PVM(sqr)"]).dropna()
    text = f"Anchor takes {ratio.min():.2f} to {ratio.max():.2f} times as long as PVM(sqr), median {ratio.median():.2f}"
    return Judgement("holds" if (ratio >= SEVERAL).all() else "fails", float(ratio.median()), text)


def pvm_is_hundreds_of_times_faster(rows) -> Judgement:
    """Observation 5: PVM can be several hundred times faster than LGC, LapRLS and LapSVMp."""
    seconds = _seconds(rows)
    ratio = seconds[[m for m in EXACT if m in seconds]].div(seconds["PVM(sqr)"], axis=0)
    largest = float(ratio.max(axis=None))
    text = "largest ratio of seconds to PVM(sqr): " + ", ".join(f"{m} {ratio[m].max():.1f}" for m in ratio)
    return Judgement("holds" if largest >= HUNDREDS else "fails", largest, text)


def curve(rows, letter, ending="") -> pd.Series:
    """Mean error by the number that follows ``letter=`` in the settings ending so."""
    found = rows[rows["setting"].str.fullmatch(rf"{letter}=\d+(, \d+ labels per class, m=\d+)?{ending}")]
    if found.empty:
        raise KeyError(f"no row {letter}=...{ending}")
    numbers = found["setting"].str.extract(rf"^{letter}=(\d+)")[0].astype(int)
    return pd.Series(found["mean"].to_numpy(), index=numbers.to_numpy()).sort_index()


def labels_lower_the_error(rows) -> Judgement:
    """Fig. 3(a): the error falls with the number of labels, fast at first."""
    found = curve(rows, "l")
    first, rest = found.iloc[0] - found.iloc[len(found) // 2], found.iloc[len(found) // 2] - found.iloc[-1]
    text = f"{found.iloc[0]:.1f} % with {found.index[0]} labels, {found.iloc[-1]:.1f} % with {found.index[-1]}"
    return Judgement(decide(found.iloc[-1] < found.iloc[0], first > rest), float(found.iloc[0] - found.iloc[-1]), text)


def prototypes_lower_the_error(rows) -> Judgement:
    """Fig. 3(b): more prototypes lower the error; the gain is small from m = 200 on. Both S are looked at."""
    parts, words = [], []
    for name, ending in (("equation 13", ""), ("equation 14", f", {NORMALISED}")):
        found = curve(rows, "m", ending)
        parts += [bool(found.iloc[-1] < found.iloc[0]), bool(found.loc[200] - found.iloc[-1] < POINT)]
        words.append(f"{name}: " + ", ".join(f"m={m} {value:.1f}" for m, value in found.items()))
    return Judgement(decide(*parts), float(sum(parts)), "; ".join(words) + " % wrong")


def time_is_linear(rows) -> Judgement:
    """Fig. 2(a): training time grows linearly with n."""
    row = pick(rows, metric="time_exponent").iloc[0]
    text = f"seconds grow as n^{row['mean']:.2f} (deviation {row['std']:.2f} over the repetitions)"
    return Judgement("holds" if row["mean"] <= 1.1 else "fails", float(row["mean"]), text)


def error_is_stable(rows) -> Judgement:
    """Fig. 2(b): the error stays about the same as n grows."""
    found = curve(pick(rows, metric="error_pct"), "n")
    spread = float(found.max() - found.min())
    text = ", ".join(f"n={n} {value:.1f}" for n, value in found.items()) + " % wrong"
    return Judgement("holds" if spread <= 2 * POINT else "fails", spread, text)


def exponents(rows, metric) -> pd.Series:
    return pick(rows, metric="exponent", setting=f"fitted over n, {metric}").set_index("method")["mean"]


def training_exponents(rows) -> Judgement:
    """Table I (columns in the order of the text): LGC and LapRLS cubic, LapSVMp quadratic, the others linear in n."""
    found = exponents(rows, "training_seconds")
    parts = [found[CUBIC].min() > 2.0, found[LINEAR].max() < 1.5, 1.5 < found["LapSVMp"] < 2.5]
    text = ", ".join(f"{m} {found[m]:.2f}" for m in (*CUBIC, "LapSVMp", *LINEAR))
    return Judgement(decide(*map(bool, parts)), float(found["PVM(sqr)"]), f"exponents of n: {text}")


def prediction_exponents(rows) -> Judgement:
    """Section IV-B: prediction costs O(m) per point for PVM, O(n) for LapRLS and LapSVMp."""
    found = exponents(rows, "seconds_per_point")
    flat, growing = found[["PVM(sqr)", "PVM(hinge)"]].abs().max(), found[["LapRLS", "LapSVMp"]].min()
    text = ", ".join(f"{m} {found[m]:.2f}" for m in ("PVM(sqr)", "PVM(hinge)", "LapRLS", "LapSVMp"))
    return Judgement(decide(bool(flat < 0.3), bool(growing > 0.6)), float(growing), f"exponents of n: {text}")


def encoding_error_bounds(rows) -> Judgement:
    """II-C: the encoding error bounds the low-rank error, so k-means centres are a good choice."""
    found = pick(rows, metric=["relative_error", "bound"])
    table = found.pivot(index=["dataset", "setting"], columns=["method", "metric"], values="mean")
    within = (table["k-means", "relative_error"] <= table["k-means", "bound"]).mean()
    better = (table["k-means", "relative_error"] < table["random rows", "relative_error"]).mean()
    text = (f"within the bound in {100 * within:.0f} %, smaller with k-means centres than with random rows in "
            f"{100 * better:.0f} % of {len(table)} cells (data set x width)")  # fmt: skip
    return Judgement(decide(bool(within == 1), bool(better > MOST)), 100.0 * float(better), text)


def sparse_similarities(rows) -> Judgement:
    """III-B2: H may be cut to the nearest samples of each prototype."""
    found = pick(rows, metric="error_pct", method="PVM(sqr)")
    share = found["setting"].str.extract(r"([\d.]+) %")[0].astype(float)
    table = found.assign(share=share).pivot(index="dataset", columns="share", values="mean")
    loss = table.sub(table[100.0], axis=0)
    text = "median change of the error against the full H: " + ", ".join(
        f"{value:+.1f} points with {name:g} % of the samples" for name, value in loss.median().items() if name < 100
    )
    return Judgement("holds" if loss[20.0].median() <= POINT else "fails", float(loss[20.0].median()), text)
