"""The scoreboard as one JSON-able tree: every printed cell, every claim, every erratum, with all behind it.

Explorer and tests read it. Numbers are those of ``data/scoreboard.csv`` and the result rows; nothing is judged anew
except the variants beside a cell, by the same rule (:func:`experiments.scoreboard.verdict`).
"""

import json
import math
import re
from collections.abc import Callable
from functools import cache

import pandas as pd

from experiments.engine import params
from experiments.scoreboard import read_reported, read_scoreboard, verdict
from experiments.scoreboard.flags import KEYS
from experiments.scoreboard.scoreboard import CELL, TAKEN_OVER, artifact_of, paper_rows, read_notes
from experiments.scoreboard.variants import place
from experiments.scoreboard.verdict import reported_runs, same_splits
from experiments.site import methods, records

SHARES = ("one_sided", "majority")  # shares of answers and classes, which raise flags
PRINTED = re.compile(r"_(?:table|fig)\d+$")  # artifacts that regenerate something printed: no variants of each other
METRICS = {
    "error_pct": "error, %",
    "accuracy_pct": "accuracy, %",
    "prbep_pct": "precision-recall break-even point, %",
    "average_rank": "average rank",
    "train_test_seconds": "training and test, s",
    "test_seconds_per_point": "test, s per point",
}


def explorer_data(section: Callable[[str], str] = lambda artifact: "") -> dict:
    """Everything the explorer shows. ``section`` gives the page and anchor of an artifact in its notebook."""
    cells, claims, errata = all_cells(), all_claims(), all_errata()
    used = {cell["artifact"] for cell in cells} | {name for claim in claims for name in claim["artifacts"]}
    artifacts = {name: records.artifact_entry(name) | {"section": section(name)} for name in sorted(used)}
    names = sorted({cell["provenance"]["class"] for cell in cells} - {""})
    return {
        "cells": cells,
        "claims": claims,
        "errata": errata,
        "artifacts": artifacts,
        "classes": {name: methods.sources(name) for name in names},
        "metrics": METRICS,
    }


def all_cells() -> list[dict]:
    """Every row of ``data/scoreboard.csv`` with what stands behind it, in the order of the print."""
    printed = read_reported().set_index(CELL)["decimals"]
    notes = read_notes().to_dict("records")
    rows = {paper: _by_cell(paper) for paper in records.papers()}
    seen: set[str] = set()
    return [
        _cell(cell, int(printed[tuple(cell[name] for name in CELL)]), rows[cell["paper"]], notes, seen)
        for cell in read_scoreboard().to_dict("records")
    ]


def all_claims() -> list[dict]:
    """Every judged claim."""
    return [
        {
            "id": row["id"],
            "paper": row["paper"],
            "section": row["section"],
            "claim": row["claim"],
            "verdict": row["verdict"],
            "text": row["text"],
            "note": row["note"],
            "test": f"experiments/{row['paper']}/claims.py: {row['test']}" if row["test"] else "",
            "artifacts": [name for name in row["artifact"].split("; ") if name in params.ids()],
        }
        for row in records.table("claims_judged.csv")
    ]


def all_errata() -> list[dict]:
    return [dict(row) for row in records.table("errata.csv")]


def slug(text: str) -> str:
    """Letters, digits and single dashes: fit for the hash of an address.

    >>> slug("PVM(sqr), 5-fold CV")
    'PVM-sqr-5-fold-CV'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")


def _cell(cell: dict, decimals: int, rows: dict, notes: list[dict], seen: set[str]) -> dict:
    artifact = artifact_of(cell["paper"], cell["table"])
    found, source = _ours(cell, artifact, rows)
    entry = {name: cell[name] for name in (*CELL, "verdict", "status", "variant", "note")}
    entry |= {
        "id": _unique(cell, seen),
        "artifact": source,
        "decimals": decimals,
        "printed": _number(cell["reported_mean"]),
        "printed_std": _number(cell["reported_std"]),
        "ours": _number(cell["ours_mean"]),
        "ours_std": _number(cell["ours_std"]),
        "n_runs": None if pd.isna(cell["n_runs"]) else int(cell["n_runs"]),
        "variants_tried": int(cell["variants_tried"]),
        "flags": [flag for flag in cell["flags"].split("; ") if flag],
        "stars": [cell["reported_star"], cell["ours_star"]],
        "draws": _draws(found, source),
        "reason": _reason(cell, notes),
        "parameters": _parameters(found),
        "raised": _raised(found),
        "variants": _variants(cell, decimals, artifact, rows),
        "provenance": records.provenance(source, cell["dataset"], cell["method"]),
    }
    return entry


def _ours(cell: dict, artifact: str, rows: dict) -> tuple[dict | None, str]:
    """The result row beside a cell, and its artifact; a column printed again has the row of its first print."""
    key = cell["dataset"], cell["method"], cell["metric"]
    for row in rows.get(key, ()):
        if (row["artifact"], row["setting"]) == (artifact, cell["setting"]):
            return row, artifact
    again = TAKEN_OVER.get((cell["paper"], cell["table"]))
    if again:
        first = artifact_of(cell["paper"], again[0])
        for row in rows.get(key, ()):
            if (row["artifact"], row["setting"]) == (first, again[1]):
                return row, first
    return None, artifact


def _draws(row: dict | None, artifact: str) -> list[float]:
    """Values of the single draws behind a result row; empty where their mean is not the row's."""
    if row is None:
        return []
    values = records.single_values(artifact).get((row["dataset"], row["method"], row["setting"], row["metric"]), [])
    fitting = values and math.isclose(sum(values) / len(values), row["mean"], rel_tol=1e-4, abs_tol=1e-9)
    return values if fitting else []


def _variants(cell: dict, decimals: int, artifact: str, rows: dict) -> list[dict]:
    """Committed rows of the same data set, method and metric by another convention, judged by the same rule."""
    named = place(cell["variant"], artifact, cell["setting"]) if cell["variant"] else None
    own_settings = rows["settings"].get((artifact, cell["method"]), set())
    found = []
    for row in rows.get((cell["dataset"], cell["method"], cell["metric"]), ()):
        here = row["artifact"], row["setting"]
        elsewhere = PRINTED.search(row["artifact"]) and row["artifact"] != artifact
        if here == (artifact, cell["setting"]) or (elsewhere and here != named):
            continue
        if row["artifact"] == artifact and row["setting"] in own_settings:
            continue  # another printed cell of the same column
        where = cell["paper"], cell["table"], cell["dataset"]
        judged = verdict(
            cell["metric"], cell["reported_mean"], cell["reported_std"], reported_runs(*where, cell["setting"]),
            row["mean"], row["std"], int(row["n_runs"]), decimals, same_splits(*where),
        )  # fmt: skip
        found.append({
            "artifact": row["artifact"], "setting": row["setting"], "mean": _number(row["mean"]),
            "std": _number(row["std"]), "n_runs": int(row["n_runs"]), "verdict": judged,
            "parameters": _parameters(row), "explains": here == named,
        })  # fmt: skip
    return sorted(found, key=lambda variant: not variant["explains"])


@cache
def _by_cell(paper: str) -> dict:
    """Result rows of a paper by (data set, method, metric); under "settings" the printed settings of each column."""
    found: dict = {"settings": {}}
    for row in paper_rows(paper).to_dict("records"):
        found.setdefault((row["dataset"], row["method"], row["metric"]), []).append(row)
    for row in read_reported().to_dict("records"):
        if row["paper"] == paper:
            key = artifact_of(paper, row["table"]), row["method"]
            found["settings"].setdefault(key, set()).add(row["setting"])
    return found


def _reason(cell: dict, notes: list[dict]) -> str:
    """The reason of the last note that names the cell's variant."""
    mine = [n for n in notes if n["variant"] and all(n[name] in (cell[name], "*") for name in CELL[:4])]
    return mine[-1]["reason"] if mine and cell["variant"] else ""


def _parameters(row: dict | None) -> dict:
    """What was chosen or fixed; keys that only raise flags are shown with their flag."""
    return {name: value for name, value in _keys(row).items() if name not in (*KEYS, *SHARES)}


def _raised(row: dict | None) -> dict[str, str]:
    """What raised a flag, in words, by flag: names of parameters, the choice read from the print, what is reduced."""
    said = {KEYS[name]: value for name, value in _keys(row).items() if name in KEYS and value is not True and value}
    return {flag: value if isinstance(value, str) else ", ".join(value) for flag, value in said.items()}


def _keys(row: dict | None) -> dict:
    return json.loads(row["parameters"] or "{}") if row else {}


def _number(value) -> float | None:
    return None if value is None or pd.isna(value) or not math.isfinite(value) else float(value)


def _unique(cell: dict, seen: set[str]) -> str:
    """Id of a cell: artifact, data set, method, and what else tells it from the cells before it."""
    parts = [artifact_of(cell["paper"], cell["table"]), slug(cell["dataset"]), slug(cell["method"])]
    for more in ("", slug(cell["metric"]), slug(cell["setting"])):
        parts += [more] if more else []
        name = ".".join(part for part in parts if part)
        if name not in seen:
            seen.add(name)
            return name
    raise ValueError(f"two cells are called {name}")
