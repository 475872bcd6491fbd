"""Statistics that judge the claims of wang2017 (``data/claims.csv``): comparisons of two methods over the data sets.

The paper counts data sets on which one method is better or worse. A claim "better" holds when our method is better on
more sets than it is worse on, in both tables, chosen as the paper chose: nothing in Table 1, best on test in Table 2.
"""

from experiments.scoreboard.claims import Judgement, decide, pick, with_parameters

CELLS = {"wang2017_table1": "l=10", "wang2017_table2": "l=100"}
HONEST = "l=100, a third of the labels held out"


def _counts(rows, artifact, setting, first, second):
    """Data sets (the printed ones) on which ``first`` is better and worse than ``second``, and its stars."""
    rows = with_parameters(pick(rows, artifact=artifact, setting=setting, method=[first, second]))
    rows = rows[~rows["dataset"].str.contains("(", regex=False)]
    wide = rows.pivot(index="dataset", columns="method", values="mean")[[first, second]].dropna()
    runs = rows.pivot(index="dataset", columns="method", values="n_runs")
    wide = wide[runs[first].eq(runs[second]).reindex(wide.index)]  # an unfinished run has other draws
    rows = rows[(rows["method"] == first) & rows["dataset"].isin(wide.index)]
    stars = rows["star"].eq(True).sum() if "star" in rows else 0
    gain = wide[first] - wide[second]
    return int((gain > 0).sum()), int((gain < 0).sum()), int(stars), float(gain.mean())


def _compare(rows, first, second, printed):
    found = [_counts(rows, artifact, setting, first, second) for artifact, setting in CELLS.items()]
    words = [f"Table {i}: better on {up}, worse on {down} (printed {said})"
             for i, ((up, down, *_), said) in enumerate(zip(found, printed, strict=True), start=1)]  # fmt: skip
    stars = (
        f"; our stars {found[0][2]} and {found[1][2]}" if first.startswith("AGMR") and second.startswith("MR") else ""
    )
    return Judgement(decide(*(up > down for up, down, *_ in found)), found[1][3], "; ".join(words) + stars)


def sparse_graph_beats_neighbours(rows) -> Judgement:
    """MR_SP is slightly better than MR_LP."""
    return _compare(rows, "MR_SP", "MR_LP", ("9 and 5", "10 and 5"))


def entropy_beats_neighbours(rows) -> Judgement:
    """AGMR_entropy is better than MR_LP."""
    return _compare(rows, "AGMR_entropy", "MR_LP", ("9 and 5, 4 stars", "11 and 2, 8 stars"))


def adapted_sparse_beats_sparse(rows) -> Judgement:
    """AGMR_sparse is better than MR_SP."""
    return _compare(rows, "AGMR_sparse", "MR_SP", ("12 and 4, 7 stars", "13 and 1, 9 stars"))


def sparse_beats_entropy(rows) -> Judgement:
    """AGMR_sparse is better than AGMR_entropy."""
    return _compare(rows, "AGMR_sparse", "AGMR_entropy", ("11 and 4", "12 and 3"))


def adapting_helps(rows) -> Judgement:
    """Optimising the graph in classification is better than fixing it, with parameters chosen without test labels."""
    pairs = (("AGMR_entropy", "MR_LP"), ("AGMR_sparse", "MR_SP"))
    found = [_counts(rows, "wang2017_table2", HONEST, *pair) for pair in pairs]
    words = [f"{a} minus {b}: {gain:+.2f} points, better on {up}, worse on {down}, {stars} significant gains"
             for (a, b), (up, down, stars, gain) in zip(pairs, found, strict=True)]  # fmt: skip
    return Judgement(decide(*(up > down and stars > 0 for up, down, stars, _ in found)), found[0][3], "; ".join(words))
