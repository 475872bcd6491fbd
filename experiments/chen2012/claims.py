"""Statistics that judge the claims of chen2012 (``data/claims.csv``), each from committed result rows."""

import numpy as np
import pandas as pd

from experiments.chen2012.table2 import PAPER_SETTING
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


# Section V-C, Tables III and IV


def best_on_large_sets(rows) -> Judgement:
    """LapESVR has the smallest mean error on the large sets, and paired t-tests agree at 5 %."""
    errors = pick(rows, setting=LARGE, metric="error_pct").pivot(index="method", columns="dataset", values="mean")
    first = [errors[name].idxmin() == "LapESVR" for name in errors]
    p = pick(rows, metric="p_value")["mean"]
    text = (
        f"smallest mean error on {sum(first)} of {len(first)} sets; p < {LEVEL} in {int((p < LEVEL).sum())} of {len(p)}"
    )
    return Judgement(decide(all(first), bool((p < LEVEL).all())), 100.0 * float((p < LEVEL).mean()), text)


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
    """LapESVR has the smallest error on new points."""
    error = pick(rows, setting=NEW, metric="error_pct").set_index("method")["mean"]
    text = ", ".join(f"{name} {value:.2f}" for name, value in error.items())
    return Judgement(decide(error.idxmin() == "LapESVR"), float(error["LapESVR"]), text)
