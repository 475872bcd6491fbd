"""The headline: how many cells are replicated, demonstrated or open, and which claims hold."""

import pandas as pd

from experiments.scoreboard.claims import CLAIM_VERDICTS, judge_claims
from experiments.scoreboard.flags import DOUBTFUL
from experiments.scoreboard.scoreboard import STATUSES, read_scoreboard, summary
from experiments.scoreboard.verdict import RANK, REPLICATED

SHOWN = ["cells", "replicated", "exact", "match", "demonstrated", "open", "better", "worse", "not comparable",
         "no data", "pending"]  # fmt: skip
TEXT = """\
Of {judged} judged cells **{replicated} are replicated** ({exact} exact, {match} within the tolerance), \
**{demonstrated} demonstrated** by a committed variant and **{open} open**. Of the replicated cells {doubtful} carry a \
flag ({flags}) that says they mean little.

{table}

Claims of {papers} judged by code from result rows: {claims}. Apart from the cells, {ranks[replicated]} of \
{ranks[printed]} printed average ranks (chen2012) are replicated, and {stars[same]} of {stars[computed]} significance \
stars (wang2017) come out as printed."""


def metrics(board: pd.DataFrame, claims: pd.DataFrame) -> dict:
    """Counts per paper and in all, for ``dvc metrics``; ranks and stars stand apart from the cells."""
    found = {}
    for paper, row in summary(board)[SHOWN].iterrows():
        mine, part = (frame if paper == "all" else frame[frame["paper"] == paper] for frame in (claims, board))
        judged = {name.replace(" ", "_"): int((mine["verdict"] == name).sum()) for name in CLAIM_VERDICTS}
        found[paper] = {name.replace(" ", "_"): int(n) for name, n in row.items()}
        found[paper] |= {"doubtful": _doubtful(part), "claims": judged}
    return found | _apart(board)


def headline_markdown(board: pd.DataFrame | None = None, claims: pd.DataFrame | None = None) -> str:
    """The text that README shows between ``<!-- headline -->`` and ``<!-- /headline -->``."""
    board = read_scoreboard() if board is None else board
    claims = judge_claims() if claims is None else claims
    counts = summary(board)[SHOWN]
    table = [f"| {paper} | " + " | ".join(map(str, row)) + " |" for paper, *row in counts.itertuples()]
    table = ["| paper | " + " | ".join(SHOWN) + " |", "| --- |" + " ---: |" * len(SHOWN), *table]
    verdicts = ", ".join(f"{(claims['verdict'] == name).sum()} {name}" for name in CLAIM_VERDICTS)
    return TEXT.format(
        **counts.loc["all"], judged=counts.loc["all", list(STATUSES)].sum(), doubtful=_doubtful(board),
        flags=" or ".join(DOUBTFUL), table="\n".join(table), papers=", ".join(claims["paper"].unique()),
        claims=verdicts, **_apart(board),
    )  # fmt: skip


def _doubtful(board: pd.DataFrame) -> int:
    """Replicated cells with a flag that takes their meaning away."""
    flagged = board["flags"].str.contains("|".join(DOUBTFUL))
    return int((flagged & (board["status"] == "replicated")).sum())


def _apart(board: pd.DataFrame) -> dict:
    """Printed numbers that are no cells: average ranks, and stars (those we can compute, and those that agree)."""
    ranks = board[board["metric"] == RANK]
    both = board[(board["reported_star"] != "") & (board["ours_star"] != "")]
    return {
        "ranks": {"printed": len(ranks), "replicated": int(ranks["verdict"].isin(REPLICATED).sum())},
        "stars": {"computed": len(both), "same": int((both["reported_star"] == both["ours_star"]).sum())},
    }
