"""Comparisons that several claims of belkin2006 share: errors by problem, significance, agreement of two solvers."""

import math

import numpy as np
import pandas as pd
from scipy import stats

from experiments.scoreboard.claims import Judgement, decide, pick, with_parameters

LEVEL = 0.05
PARTS = ("unlabelled", "test")
SUPERVISED = {"LapRLS": "RLS", "LapSVM": "SVM"}  # a manifold method and its supervised counterpart
PROGRAM = "SVM-light"  # the search of the program, decision values on all points
SAME = 1e-6  # relative difference of two solvers of one problem
LIMIT = 0.01  # relative difference from the limiting algorithm at the smallest gamma_A


def errors(rows: pd.DataFrame, part: str, value: str = "mean") -> pd.DataFrame:
    """Problems (pairs of digits, or speakers) x methods: error on one part of the data."""
    rows = pick(rows, metric="error_pct")
    rows = pick(rows[rows["setting"].str.endswith(part)], metric="error_pct")
    return rows.assign(problem=problems(rows, part)).pivot(index="problem", columns="method", values=value)


def problems(rows, part: str, before: str = "") -> pd.Series:
    """Name of each row's problem: its data set and what its setting says besides the part."""
    return rows["dataset"] + " " + rows["setting"].str.removesuffix(part).str.removeprefix(before)


def searches(rows) -> dict[str, pd.DataFrame]:
    """Rows of TSVM on the pairs of digits: as SVM-light searches, and by Joachims (1999)."""
    program = with_parameters(pick(rows, artifact="belkin2006_tsvm", method="TSVM", metric="error_pct"))
    program = program[program["dataset"].str.startswith("USPS ")]
    printed = pick(rows, artifact="belkin2006_fig4", method="TSVM", metric="error_pct")
    return {PROGRAM: program, "Joachims (1999)": printed.assign(part=printed["setting"])}


def unscaled_pairs(rows, part: str) -> dict[str, pd.DataFrame]:
    """Rows by method, one line per pair of digits, with the kernel (x.z)^3; TSVM as SVM-light searches."""
    rows = with_parameters(pick(rows, artifact="belkin2006_tsvm", metric="error_pct"))
    rows = pick(rows[rows["dataset"].str.startswith("USPS-unscaled ")], part=part)
    return {method: group.set_index("dataset") for method, group in rows.groupby("method")}


def clearly_worse(ours: pd.DataFrame, theirs: pd.DataFrame, points: float) -> tuple[float, str]:
    """Share of problems on which ours is significantly worse (Welch) by more than ``points``; the counts in words."""
    apart = [name for name in ours.index if differ(ours.loc[name], theirs.loc[name])]
    excess = (ours["mean"] - theirs["mean"])[apart]
    worse, far = (excess > 0).sum(), (excess > points).sum()
    words = (f"{(excess < 0).sum()} significantly better, {worse} worse ({far} by more than a point) of {len(ours)}; "
             f"mean {ours['mean'].mean():.2f} against {theirs['mean'].mean():.2f}")  # fmt: skip
    return float(far / len(ours)), words


def times(rows, dataset: str) -> Judgement:
    ratio = pick(rows, dataset=dataset, metric="times_lapsvm").set_index("method")["mean"].drop("LapSVM")
    text = "processor seconds relative to LapSVM: " + ", ".join(f"{m} {value:.1f}" for m, value in ratio.items())
    return Judgement("cannot be tested", float(ratio.max()), text)


def same(rows, limit: str, what: str) -> Judgement:
    """Two solutions of Table 2's machinery agree."""
    found = pick(with_parameters(rows), limit=limit).set_index("method")["mean"]
    text = f"{what}: " + ", ".join(f"{method} {value:.0e}" for method, value in found.items())
    return Judgement(decide(*(found <= SAME)), float(found.max()), text)


def differ(first: pd.Series, second: pd.Series) -> bool:
    """Whether two means over independent draws differ significantly (Welch)."""
    (mean1, std1, n1), (mean2, std2, n2) = (
        [float(row[c]) for c in ("mean", "std", "n_runs")] for row in (first, second)
    )
    if math.isnan(std1 + std2) or std1 + std2 == 0:
        return mean1 != mean2
    return bool(stats.ttest_ind_from_stats(mean1, std1, n1, mean2, std2, n2, equal_var=False).pvalue < LEVEL)


def significant_gain(row: pd.Series) -> bool:
    """Whether a mean gain over paired runs is significantly above zero (one-sided t-test)."""
    gain, std, n = (float(row[name]) for name in ("mean", "std", "n_runs"))
    return bool(stats.t.sf(gain / (std / math.sqrt(n)), n - 1) < LEVEL)


def mean(rows: pd.DataFrame, **equal) -> float:
    return float(pick(rows, **equal)["mean"].iloc[0])


def improvements(tables: dict[str, pd.DataFrame], pairs, share: float = 0.0) -> Judgement:
    """Every method of ``pairs`` significantly below its baseline, and on at least ``share`` of the problems."""
    parts, words, gains = [], [], []
    for part, wide in tables.items():
        for method, baseline in pairs:
            gain = wide[baseline] - wide[method]
            p = stats.wilcoxon(gain, alternative="greater", method="approx").pvalue if (gain != 0).any() else 1.0
            wins = int((gain > 0).sum())
            parts += [gain.mean() > 0 and p < LEVEL] + ([wins >= share * len(gain)] if share else [])
            gains.append(float(gain.mean()))
            words.append(f"{part}: {method} below {baseline} by {gain.mean():.2f}, on {wins} of {len(gain)}")
    return Judgement(decide(*parts), float(np.mean(gains)), "; ".join(words))


def inside_and_outside(rows) -> tuple[list[float], list[float], str]:
    """Correlation of the errors on unlabelled and test points, and their mean difference, for LapRLS and LapSVM."""
    inside, outside = (errors(rows, part) for part in PARTS)
    correlation = [float(inside[method].corr(outside[method])) for method in SUPERVISED]
    gap = [float((outside[method] - inside[method]).mean()) for method in SUPERVISED]
    text = "; ".join(f"{method}: correlation {r:.3f}, test minus unlabelled {g:.2f} points"
                     for method, r, g in zip(SUPERVISED, correlation, gap, strict=True))  # fmt: skip
    return correlation, gap, text


def cells_below(rows, pairs, metric: str, setting: str) -> Judgement:
    """Each first method of ``pairs`` significantly below the second (Welch), in the cells that the table prints."""
    rows = pick(rows, metric=metric, setting=setting)
    parts, words, gains = [], [], []
    for method, other in pairs:
        low, high = (pick(rows, method=name).iloc[0] for name in (method, other))
        parts.append(low["mean"] < high["mean"] and differ(low, high))
        gains.append(float(high["mean"] - low["mean"]))
        words.append(f"{method} {low['mean']:.2f} against {other} {high['mean']:.2f}")
    return Judgement(decide(*parts), float(np.mean(gains)), "; ".join(words))


def more_pages(rows, part: str) -> tuple[list[bool], str]:
    """For each number of labels: does LapSVM's break-even rise with every step of the number of pages?"""
    rows = with_parameters(pick(rows, metric="prbep_pct", method="LapSVM"))
    wide = pick(rows, part=part).pivot(index="n_labelled", columns="size", values="mean").sort_index(axis=1)
    curves = {l: wide.loc[l].tolist() for l in wide.index}
    text = "; ".join(f"{l} labels: " + ", ".join(f"{v:.1f}" for v in curve) for l, curve in curves.items())
    sizes = ", ".join(f"{size:g}" for size in wide)
    return [bool((np.diff(c) > 0).all()) for c in curves.values()], f"break-even with {sizes} pages: {text}"


def limit(rows, limit: str) -> Judgement:
    """Table 2: the difference from the limiting algorithm falls with gamma_A, and is small at the smallest."""
    rows = pick(with_parameters(rows), limit=limit)
    wide = rows.pivot(index="gamma_A", columns="method", values="mean").sort_index()
    last = wide.iloc[0]
    text = f"relative difference at gamma_A = {wide.index[0]:g}: " + ", ".join(f"{m} {v:.0e}" for m, v in last.items())
    falling = (np.diff(wide.to_numpy(), axis=0) >= 0).all(axis=0)
    return Judgement(decide(*falling, *(last <= LIMIT)), float(last.max()), text)
