"""Statistics that judge the claims of wang2017 (``data/claims.csv``): comparisons of two methods over the data sets.

The paper counts data sets on which one method is better or worse. A claim "better" holds when our method is better on
more sets than it is worse on, in both tables, chosen as the paper chose: nothing in Table 1, best on test in Table 2.
"""

from experiments.scoreboard.claims import Judgement, decide, pick, with_parameters
from experiments.scoreboard.scoreboard import read_reported

CELLS = {"wang2017_table1": "l=10", "wang2017_table2": "l=100"}


def _counts(rows, artifact, setting, first, second):
    """Data sets (the printed ones) on which ``first`` is better and worse than ``second``; its stars, the mean gain."""
    rows = with_parameters(pick(rows, artifact=artifact, setting=setting, method=[first, second]))
    rows = rows[~rows["dataset"].str.contains("(", regex=False)]
    wide = rows.pivot(index="dataset", columns="method", values="mean")[[first, second]].dropna()
    runs = rows.pivot(index="dataset", columns="method", values="n_runs")
    wide = wide[runs[first].eq(runs[second]).reindex(wide.index)]  # an unfinished run has other draws
    rows = rows[(rows["method"] == first) & rows["dataset"].isin(wide.index)]
    stars = rows["star"].eq(True).sum() if "star" in rows else 0
    gain = wide[first] - wide[second]
    return int((gain > 0).sum()), int((gain < 0).sum()), int(stars), float(gain.mean())


def _printed_counts(table, first, second):
    """The same counts in the printed table; the text of the paper often gives others."""
    cells = read_reported().query("paper == 'wang2017' and table == @table").pivot(index="dataset", columns="method")
    gain = cells["mean"][first] - cells["mean"][second]
    return int((gain > 0).sum()), int((gain < 0).sum()), int(cells["star"][first].eq("yes").sum())


def _compare(rows, first, second, text):
    """``text``: the counts that the paper's text gives for each table."""
    found = [_counts(rows, artifact, setting, first, second) for artifact, setting in CELLS.items()]
    starred = first.startswith("AGMR") and second.startswith("MR")
    words = []
    for table, ours, said in zip("12", found, text, strict=True):
        counts = [ours, _printed_counts(table, first, second)]
        shown = [f"{up}, {down}" + (f", {stars}" if starred else "") for up, down, stars, *_ in counts]
        words.append(f"Table {table}: {shown[0]} (printed table {shown[1]}; text {said})")
    named = "Sets where it is better, worse" + (", stars. " if starred else ". ")
    judged = decide(*(up > down for up, down, *_ in found))
    return Judgement(judged, found[1][3], named + "; ".join(words))


def sparse_graph_beats_neighbours(rows) -> Judgement:
    """MR_SP is slightly better than MR_LP."""
    return _compare(rows, "MR_SP", "MR_LP", ("9, 5", "10, 5"))


def entropy_beats_neighbours(rows) -> Judgement:
    """AGMR_entropy is better than MR_LP."""
    return _compare(rows, "AGMR_entropy", "MR_LP", ("9, 5, 4", "11, 2, 8"))


def adapted_sparse_beats_sparse(rows) -> Judgement:
    """AGMR_sparse is better than MR_SP."""
    return _compare(rows, "AGMR_sparse", "MR_SP", ("12, 4, 7", "13, 1, 9"))


def sparse_beats_entropy(rows) -> Judgement:
    """AGMR_sparse is better than AGMR_entropy."""
    return _compare(rows, "AGMR_sparse", "AGMR_entropy", ("11, 4", "12, 3"))


def objective_falls(rows) -> Judgement:
    """Proposition 1: the objective decreases at every step. Equations 7, 9 and 13 as printed, solved in the primal."""
    rows = with_parameters(pick(rows, metric="rises"))
    words, falls = [], {}
    for name in ("as printed, solved in the primal", "corrected"):
        part = pick(rows.assign(machine=rows["setting"].str.partition(", ")[2]), machine=name)
        for method, group in part.groupby("method", sort=False):
            total = float((group["mean"] * group["n_runs"].astype(float)).sum())
            falls[name, method] = total == 0
            sets = int((group.groupby("dataset")["mean"].max() > 0).sum())
            words.append(f"{method}, {name}: {total:.0f} of {group['half_steps'].sum():.0f} half steps raise it, "
                         f"on {sets} of {group['dataset'].nunique()} sets")  # fmt: skip
    printed = [falls["as printed, solved in the primal", method] for method in ("AGMR_entropy", "AGMR_sparse")]
    total = float((rows["mean"] * rows["n_runs"].astype(float))[rows["setting"].str.contains("primal")].sum())
    return Judgement(decide(*printed), total, "; ".join(words))
