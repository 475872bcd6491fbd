"""Statistics that judge the claims of chen2012 (``data/claims.csv``), each from committed result rows."""

import numpy as np
import pandas as pd

from experiments.chen2012.table2 import PAPER_SETTING
from experiments.chen2012.table3 import SIGN
from experiments.engine import paths
from experiments.scoreboard.claims import Judgement, decide, pick, with_parameters

AUTHORS, RANDOM = "the authors' labels", "random labels"
EMBEDDED = ("LapERLS", "LapESVR")
SUPERVISED = ("SVR(Linear)", "SVR(RBF)")
SPARSE = 0.5  # share of the points below which an expansion counts as sparse
POINTS = 1500  # of each benchmark set
LARGE = "transductive, cross-validated"
NEW = "out of sample, 266079 points"
ANCHORS = [f"AnchorGraphReg({m})" for m in (500, 1000, 2000, 5000)]
LEVEL = 0.05
RULES = {SIGN: "anchor graphs by the sign of f, as the text says", "": "with class division, as their authors do"}
SIZES = {"FACEMIT": 31022, "MNIST1": 60000, "MNIST2": 60000, "extended USPS": 75383}
SMALL = 1e-9  # differences that are rounding
SMALL_LIMIT = 1e-4  # differences at the largest weight of a limit


# Section V-A, Figure 1


def moons(rows, labels) -> list[float]:
    """Errors of panels (a) to (d)."""
    panels = [("0", 400), ("10", 400), ("1000", 400), ("10", 2)]
    return [float(pick(rows, setting=f"{labels}, mu={mu}, n_ev={k}")["mean"].iloc[0]) for mu, k in panels]


def better_with_mu(rows) -> Judgement:
    """Panels (a) to (c): the error falls as mu grows, for the authors' labels and on average over random ones."""
    errors = {labels: moons(rows, labels)[:3] for labels in (AUTHORS, RANDOM)}
    text = "; ".join(f"{labels}: " + ", ".join(f"{e:.1f}" for e in found) for labels, found in errors.items())
    falling = [bool((np.diff(found) < 0).all()) for found in errors.values()]
    return Judgement(decide(*falling), errors[AUTHORS][-1], f"error at mu = 0, 10, 1000: {text}")


def two_eigenvectors_beat_all(rows) -> Judgement:
    """Panels (b) and (d): at mu = 10 two eigenvectors do better than 400."""
    pairs = {labels: (moons(rows, labels)[3], moons(rows, labels)[1]) for labels in (AUTHORS, RANDOM)}
    text = "; ".join(f"{labels}: {two:.1f} against {whole:.1f}" for labels, (two, whole) in pairs.items())
    return Judgement(decide(*(two < whole for two, whole in pairs.values())), pairs[AUTHORS][0], text)


# Section V-B, Table II


def ranks(rows) -> dict[str, float]:
    """Average rank of every method by the paper's protocol."""
    found = pick(rows, setting=PAPER_SETTING, metric="average_rank")
    return dict(zip(found["method"], found["mean"], strict=True))


def embedded_rank_first(rows) -> Judgement:
    """LapESVR and LapERLS have the smallest average ranks."""
    rank = ranks(rows)
    best_other = min(value for name, value in rank.items() if name not in EMBEDDED)
    text = ", ".join(f"{name} {value:.2f}" for name, value in sorted(rank.items(), key=lambda item: item[1]))
    return Judgement(decide(*(rank[name] < best_other for name in EMBEDDED)), max(rank[m] for m in EMBEDDED), text)


def lapsvr_above_plapsvm(rows) -> Judgement:
    """LapSVR ranks slightly better than PLapSVM; at the optimum of PLapSVM's own problem the words give both errors."""
    rank, cells = ranks(rows), pick(rows, metric="error_pct")
    optimum = pick(cells, method="PLapSVM", setting=f"{PAPER_SETTING}, optimum").set_index("dataset")["mean"]
    svr = pick(cells, method="LapSVR", setting=f"{PAPER_SETTING}, stated grid").set_index("dataset")["mean"]
    text = f"average rank {rank['LapSVR']:.2f} against {rank['PLapSVM']:.2f}; with the stated grid and PLapSVM at its "
    text += f"optimum LapSVR has the smaller error on {int((svr < optimum).sum())} of {len(optimum)} sets"
    return Judgement(decide(rank["LapSVR"] < rank["PLapSVM"]), rank["LapSVR"] - rank["PLapSVM"], text)


def eigenfunction_ranks_low(rows) -> Judgement:
    """Eigenfunction is better than the baselines and PLapSVM only."""
    rank = ranks(rows)
    below, above = (*SUPERVISED, "PLapSVM"), ("LapRLS", "LapSVR", *EMBEDDED)
    parts = [rank["Eigenfunction"] < rank[m] for m in below] + [rank["Eigenfunction"] > rank[m] for m in above]
    text = f"Eigenfunction {rank['Eigenfunction']:.2f}: {sum(parts)} of {len(parts)} comparisons as stated"
    return Judgement(decide(*parts), rank["Eigenfunction"], text)


def printed_ranks(rows) -> Judgement:
    """The order of the printed average ranks (Spearman's correlation with ours)."""
    reported = pick(pd.read_csv(paths.reported_file()), paper="chen2012", metric="average_rank")
    printed = dict(zip(reported["method"], reported["mean"], strict=True))
    rank = ranks(rows)
    ours, theirs = ([values[name] for name in printed] for values in (rank, printed))
    order = np.corrcoef(np.argsort(np.argsort(ours)), np.argsort(np.argsort(theirs)))[0, 1]
    far = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    text = f"rank correlation {order:.2f}; largest difference of an average rank {far:.2f}"
    return Judgement(decide(order > 0.9, far <= 1.0), float(order), text)


def alpha_is_sparse(rows) -> Judgement:
    """Section III: the expansion of LapESVR is sparse, here in the chosen cell of each benchmark set."""
    chosen = with_parameters(pick(rows, method="LapESVR", setting=PAPER_SETTING, metric="error_pct"))
    shares = chosen.set_index("dataset")["n_support"] / POINTS
    text = "support vectors: " + ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items())
    return Judgement(decide(*(shares < SPARSE)), 100.0 * float(shares.mean()), text)


# Section III, equations


def differences(rows, what) -> list[float]:
    """Largest differences between two ways to the same numbers, the growing weight ascending."""
    found = pick(rows, artifact="chen2012_limits", method=what)
    return found.iloc[found["setting"].str.removeprefix("weight=").astype(float).argsort()]["mean"].tolist()


def embedding_is_new(rows) -> Judgement:
    """Equation 28: Phi~ Phi~' is the graph kernel; without labels it is the eigenmap, scaled by 1 / sqrt(mu sigma)."""
    kernel, eigenmap = differences(rows, "equation 28")[0], differences(rows, "no labels")[0]
    text = f"relative difference {kernel:.0e} with labels, {eigenmap:.0e} to the scaled eigenmap without"
    return Judgement(decide(kernel < SMALL, eigenmap < SMALL), kernel, text)


def limits_of_proposition_2(rows) -> Judgement:
    """mu = 0, lambda growing: LapESVR becomes SVR, LapERLS becomes RLS."""
    return _limit(rows, ("SVR", "RLS"), "lambda")


def laperls_becomes_laprls(rows) -> Judgement:
    """LapERLS becomes LapRLS as C grows."""
    return _limit(rows, ("LapRLS",), "C")


def _limit(rows, methods, weight) -> Judgement:
    found = {name: differences(rows, name) for name in methods}
    shrinking = [bool((np.diff(values) < 0).all()) and values[-1] < SMALL_LIMIT for values in found.values()]
    text = "; ".join(f"{name}: " + ", ".join(f"{v:.0e}" for v in values) for name, values in found.items())
    worst = max(values[-1] for values in found.values())
    return Judgement(decide(*shrinking), worst, f"largest difference as {weight} grows from 1e2 to 1e6: {text}")


def affinity_is_a_kernel(rows) -> Judgement:
    """Section III-B: the normalised affinity is positive semidefinite."""
    (smallest,) = differences(rows, "smallest eigenvalue of W~")
    (lemma,) = differences(rows, "lemma 1")
    text = f"smallest eigenvalue {smallest:.2f} on two moons; lemma 1 itself holds to {lemma:.0e}"
    return Judgement(decide(smallest >= -SMALL), smallest, text)


# Section V-B and D, Figures 2 and 3


def stable_from_100(rows) -> Judgement:
    """Figure 2: from 100 eigenvectors on the error stays within a point of that at 100."""
    cells = with_parameters(pick(rows, artifact="chen2012_fig2", dataset=["Digit1", "USPS", "COIL2", "Text"]))
    change = {}
    for name, group in cells.groupby("dataset", sort=False):
        error = group.set_index("n_eigenvectors")["mean"].sort_index()
        change[name] = float((error.loc[100:] - error.loc[100]).abs().max())
    text = ", ".join(f"{name} {value:.1f}" for name, value in change.items())
    return Judgement(decide(*(v <= 1.0 for v in change.values())), max(change.values()), f"largest change: {text}")


def few_are_best(rows) -> Judgement:
    """Figure 2: two eigenvectors for g241c and eight for g241d are already very good: no number is a point better."""
    gaps, text = [], []
    for name, k in (("g241c", 2), ("g241d", 8)):
        cells = with_parameters(pick(rows, artifact="chen2012_fig2", dataset=name))
        error = cells.set_index("n_eigenvectors")["mean"]
        gaps.append(float(error[k] - error.min()))
        text.append(f"{name}: {error[k]:.1f} at {k}, smallest {error.min():.1f} at {int(error.idxmin())}")
    return Judgement(decide(*(gap <= 1.0 for gap in gaps)), max(gaps), "; ".join(text))


def ten_to_thirty_suffice(rows) -> Judgement:
    """Figure 3: at 10, 20 or 30 eigenvectors the error is within a point of the smallest over all numbers."""
    cells = with_parameters(pick(rows, artifact="chen2012_fig3", metric="error_pct"))
    gaps = {}
    for name, group in cells.groupby("dataset", sort=False):
        error = group.set_index("n_eigenvectors")["mean"]
        gaps[name] = float(error[[k for k in (10, 20, 30) if k in error.index]].min() - error.min())
    text = "best of 10 to 30 above the best of all by " + ", ".join(f"{gap:.2f} ({name})" for name, gap in gaps.items())
    return Judgement(decide(*(gap <= 1.0 for gap in gaps.values())), max(gaps.values()), text)


# Section V-C, Tables III and IV


def by_rule(rows, setting, rule) -> pd.DataFrame:
    """Paired t-tests of LapESVR, anchor graphs by one of the rules: data set, method, p, difference, significance."""
    tests = with_parameters(pick(rows, metric="p_value"))
    tests = tests[tests["setting"].str.startswith(f"{setting}, against ")]
    name, _, of = tests["setting"].str.partition("against ")[2].str.partition(", ").T.to_numpy()
    tests = tests.assign(against=name, won=(tests["mean"] < LEVEL) & (tests["difference"] < 0))
    return tests[np.where(np.isin(name, ANCHORS), of == rule, of == "")]


def best_on_large_sets(rows) -> Judgement:
    """LapESVR is better than every other method on every large set by a paired t-test at 5 %: each is a part.

    Anchor graphs decide by the sign of f, as the text says for all methods.
    """
    text = []
    for rule, words in RULES.items():
        tests = by_rule(rows, LARGE, rule)
        first = tests.groupby("dataset", sort=False)["difference"].max() < 0
        text.append(f"{words}: smallest mean error on {int(first.sum())} of {len(first)} sets, significantly better in "
                    f"{int(tests['won'].sum())} of {len(tests)} comparisons")  # fmt: skip
    won = by_rule(rows, LARGE, SIGN)["won"]
    return Judgement(decide(*won), 100.0 * float(won.mean()), "; ".join(text))


def better_than_anchors(rows) -> Judgement:
    """LapESVR is significantly better than every anchor graph, which decides by the sign of f, as the text says."""
    text, tests = [], {rule: by_rule(rows, LARGE, rule) for rule in RULES}
    tests = {rule: found[found["against"].isin(ANCHORS)] for rule, found in tests.items()}
    for rule, words in RULES.items():
        won = tests[rule].groupby("dataset", sort=False)["won"]
        text.append(f"{words}: " + ", ".join(f"{name} {int(group.sum())} of {len(group)}" for name, group in won))
    won = tests[SIGN]["won"]
    return Judgement(decide(*won), 100.0 * float(won.mean()), "; ".join(text))


def eigenfunction_below_svr(rows) -> Judgement:
    """Eigenfunction is worse than SVR(RBF) on the large sets; by the code that its authors released.

    The paper does not print the width of the affinity. The other setting has a width of ours.
    """
    error, text = pick(rows, metric="error_pct"), []
    against = pick(error, setting=LARGE, method="SVR(RBF)").set_index("dataset")["mean"]
    for words, setting in (("a width of ours", LARGE), ("the released code", f"{LARGE}, released code")):
        own = pick(error, setting=setting, method="Eigenfunction").set_index("dataset")["mean"]
        gap = (own - against).dropna()
        text.append(f"with {words} " + ", ".join(f"{name} {value:+.1f}" for name, value in gap.items()))
    return Judgement(decide(*(gap > 0)), float(gap.mean()), f"difference of errors: {'; '.join(text)}")


def sparse_on_large_sets(rows) -> Judgement:
    """The expansion is sparse on the large sets too: share of the points that are support vectors."""
    count = pick(rows, setting=LARGE, method="LapESVR", metric="n_support").set_index("dataset")["mean"]
    share = 100.0 * count / pd.Series(SIZES)[count.index]
    text = ", ".join(f"{name} {count[name]:.0f} ({share[name]:.1f} %)" for name in count.index)
    return Judgement(decide(*(share < 100.0 * SPARSE)), float(share.max()), f"support vectors: {text}")


def more_anchors(rows) -> Judgement:
    """AnchorGraphReg gets better and slower with more anchors."""
    cells = pick(rows, setting=LARGE, method=ANCHORS)
    error, time = (
        pick(cells, metric=metric).pivot(index="method", columns="dataset", values="mean").loc[ANCHORS]
        for metric in ("error_pct", "train_seconds")
    )
    better, slower = error.iloc[-1] < error.iloc[0], time.iloc[-1] > time.iloc[0]
    text = (
        f"5000 against 500 anchors: better on {int(better.sum())}, slower on {int(slower.sum())} of {len(better)} sets"
    )
    return Judgement(decide(*better, *slower), float(better.sum()), text)


def best_on_new_points(rows) -> Judgement:
    """LapESVR has the smallest error on new points, and paired t-tests agree at 5 %; anchor graphs by the sign of f."""
    error = pick(rows, setting=[NEW, f"{NEW}, {SIGN}"], metric="error_pct")
    anchors = error["method"].isin(ANCHORS)
    error = error[~anchors | (error["setting"] != NEW)].set_index("method")["mean"]
    tests = {rule: by_rule(rows, NEW, rule) for rule in RULES}
    text = ", ".join(f"{name} {value:.2f}" for name, value in error.items())
    text += "".join(f"; {words}: significantly better in {int(tests[rule]['won'].sum())} of {len(tests[rule])} tests"
                    for rule, words in RULES.items())  # fmt: skip
    return Judgement(decide(error.idxmin() == "LapESVR", tests[SIGN]["won"].all()), float(error["LapESVR"]), text)


def more_unlabelled_points(rows) -> Judgement:
    """Figure 4: with more unlabelled points the error on new points falls, and training takes longer."""
    cells = with_parameters(pick(rows, artifact="chen2012_fig4"))
    error, time = (
        pick(cells, metric=metric).set_index("n_unlabelled")["mean"].sort_index()
        for metric in ("error_pct", "train_seconds")
    )
    text = "error " + ", ".join(f"{value:.2f} at {n}" for n, value in error.items())
    parts = error.iloc[-1] < error.iloc[0], bool((error.diff().dropna() <= 0).all()), time.iloc[-1] > time.iloc[0]
    return Judgement(decide(*parts), float(error.iloc[-1]), f"{text}; {time.iloc[0]:.1f} to {time.iloc[-1]:.0f} CPU s")
