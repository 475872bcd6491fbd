"""The generated parts of the overview: counts and claims, from ``data/*.csv`` alone."""

import html
import re
from urllib.parse import urlencode

import pandas as pd

from experiments.engine import params
from experiments.scoreboard import read_scoreboard, summary
from experiments.scoreboard.claims import CLAIM_VERDICTS
from experiments.scoreboard.scoreboard import STATUSES
from experiments.site import records

KEYS = (
    ("replicated", "our mean is the printed mean, or differs by no more than the tolerance"),
    ("demonstrated", "our mean differs by more, but a committed result by another convention gives the printed number"),
    ("open", "neither"),
    ("rest", "times measured on other hardware, data that are not available, numbers not computed yet"),
)
TITLES = {"fails": "Claims that fail", "holds in part": "Claims that hold in part", "holds": "Claims that hold",
          "cannot be tested": "Claims that cannot be tested"}  # fmt: skip


def pieces() -> dict[str, str]:
    """File names and texts that docs/index.md and docs/claims.md include."""
    claims = records.table("claims_judged.csv")
    return {"glance.md": glance(read_scoreboard()), "claims.md": claims_at_a_glance(claims),
            "all_claims.md": all_claims(claims), "due.md": due()}  # fmt: skip


def explorer(**chosen) -> str:
    """Address of the explorer with filters set."""
    return "scoreboard.html" + ("#?" + urlencode(chosen) if chosen else "")


def by_year(papers) -> list[str]:
    """Names of papers in the order in which they appeared.

    >>> by_year({"tsang2006", "zhang2015", "belkin2006"})
    ['belkin2006', 'tsang2006', 'zhang2015']
    """
    return sorted(papers, key=lambda paper: (paper[-4:], paper))


def glance(board: pd.DataFrame) -> str:
    """Replicated, demonstrated, open: one bar per paper, and the numbers."""
    counts = summary(board)
    total = counts.loc["all"]
    judged = int(total[list(STATUSES)].sum())
    said = (
        f"The papers print {total['cells']} cells. {judged} can be judged: **{total['replicated']} are replicated** "
        f"({total['exact']} exactly), **{total['demonstrated']} demonstrated** and **{total['open']} open**.\n"
    )
    curves = by_year(set(records.papers()) - set(counts.index))
    if curves:
        said += f"{' and '.join(curves)} shows results as curves, without numbers: its claims are judged below.\n"
    keys = " ".join(_key(name, words) for name, words in KEYS)
    rows = "".join(_bar(paper, counts.loc[paper]) for paper in [*by_year(set(counts.index) - {"all"}), "all"])
    head = "".join(f'<th scope="col">{name}</th>' for name in ("paper", "", *STATUSES, "cells"))
    table = (
        f'<table class="glance"><caption class="ex-hidden">Cells by status and paper</caption><thead><tr>{head}</tr>'
        f"</thead>\n<tbody>{rows}</tbody></table>"
    )
    return f'{said}\n```{{raw}} html\n<div style="overflow-x:auto">{table}</div>\n{keys}\n```\n'


def _key(name: str, words: str) -> str:
    shown = "not judged" if name == "rest" else name
    square = f'<span class="key bar"><span class="{name}" style="width:100%"></span></span>'
    return f'<p class="keyline">{square}<b>{shown}</b>: {words}</p>'


def _bar(paper: str, counts: pd.Series) -> str:
    rest = counts["cells"] - counts[list(STATUSES)].sum()
    widths = {name: counts[name] for name in STATUSES} | {"rest": rest}
    parts = "".join(f'<span class="{name}" style="width:{100 * n / counts["cells"]:.2f}%"></span>'
                    for name, n in widths.items() if n)  # fmt: skip
    chosen = {} if paper == "all" else {"paper": paper}
    numbers = "".join(f'<td class="n"><a href="{html.escape(explorer(**chosen, status=name))}">{counts[name]}</a></td>'
                      for name in STATUSES)  # fmt: skip
    link = f'<a href="{html.escape(explorer(**chosen))}">{paper}</a>'
    bar = f'<td style="width:45%"><div class="bar" aria-hidden="true">{parts}</div></td>'
    return f'<tr><th scope="row">{link}</th>{bar}{numbers}<td class="n">{counts["cells"]}</td></tr>\n'


def claims_at_a_glance(claims: list[dict]) -> str:
    """Counts by paper and verdict, then every claim that fails, with what we find."""
    known = {claim["paper"] for claim in claims}
    papers, without = by_year(known), by_year(set(records.papers()) - known)
    lines = ["| paper | " + " | ".join(CLAIM_VERDICTS) + " |", "| --- |" + " ---: |" * len(CLAIM_VERDICTS)]
    for paper in papers:
        numbers = [sum(c["paper"] == paper and c["verdict"] == name for c in claims) for name in CLAIM_VERDICTS]
        linked = [_link(explorer(view="claims", paper=paper, verdict=name), str(n)) if n else "0"
                  for n, name in zip(numbers, CLAIM_VERDICTS, strict=True)]  # fmt: skip
        lines.append(f"| {paper} | " + " | ".join(linked) + " |")
    if without:
        lines.append(f"\nThe claims of {', '.join(without)} are not listed yet.")
    return "\n".join([*lines, *_listed(claims, "fails", "###")]) + "\n"


def all_claims(claims: list[dict]) -> str:
    """Every claim, by verdict."""
    return "\n".join(line for verdict in TITLES for line in _listed(claims, verdict, "##")) + "\n"


def _listed(claims: list[dict], verdict: str, level: str) -> list[str]:
    mine = [claim for claim in claims if claim["verdict"] == verdict]
    if not mine:
        return []
    found = "Rows so far" if verdict == "cannot be tested" else "We find"
    items = [f"- {_link('scoreboard.html#' + c['id'], c['claim'])} ({c['paper']}, {_plain(c['section'])})"
             + (f"<br>{found}: {_found(c['text'])}" if c["text"] else "") for c in mine]  # fmt: skip
    return ["", f"{level} {TITLES[verdict]} ({len(mine)})", "", *items]


def _found(text: str) -> str:
    """A sentence; a list when the finding has more than three parts.

    >>> _found("error 2.0; seconds 3")
    'error 2.0; seconds 3.'
    >>> print(_found("a 1; b 2; c 3; d 4"))
    <BLANKLINE>
      - a 1
      - b 2
      - c 3
      - d 4
    """
    parts = text.split("; ")
    return _plain(text) + "." if len(parts) < 4 else "".join(f"\n  - {_plain(part)}" for part in parts)


def _link(address: str, text: str) -> str:
    """A link that Sphinx passes through: rows of the explorer are made by its script."""
    return f'<a href="{html.escape(address)}">{html.escape(text)}</a>'


def due() -> str:
    """Which results stand as an earlier protocol left them, and which are computed in part."""
    names = [artifact for artifact in params.ids() if records.is_due(artifact)]
    old = [name for name in names if not records.has_rows(name)]
    part = [name for name in names if records.has_rows(name)]
    said = []
    if old:
        said.append("These results come from an earlier protocol that is being replaced, and their raw rows are not "
                    f"committed: {_grouped(old)}. Do not cite verdicts on them yet.")  # fmt: skip
    if part:
        said.append(f"These results are computed in part: {_grouped(part)}. Cells without a result are pending.")
    return ":::{warning}\n" + "\n\n".join(said) + "\n:::\n" if said else ""


def _grouped(artifacts: list[str]) -> str:
    """Tables and figures by paper, as a reader calls them.

    >>> _grouped(["chen2012_fig2", "chen2012_table3", "zhang2015_fig4"])
    'chen2012 (Figure 2, Table 3); zhang2015 (Figure 4)'
    """
    papers: dict[str, list[str]] = {}
    for artifact in artifacts:
        paper, _, name = artifact.partition("_")
        words = re.sub(r"^(fig|table)(?=\d)", lambda kind: {"fig": "Figure ", "table": "Table "}[kind[0]], name)
        papers.setdefault(paper, []).append(words)
    return "; ".join(f"{paper} ({', '.join(names)})" for paper, names in papers.items())


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    for sign in "\\`*_[]<>$|":
        text = text.replace(sign, "\\" + sign)
    return text
