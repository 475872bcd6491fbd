"""Demonstrated or open: can a committed variant explain a printed cell that ours does not replicate?

``data/notes.csv`` may name a variant beside a note: the setting of a committed result row, or ``artifact:setting`` for
a row of another artifact; ``{setting}`` in it stands for the setting of the printed cell. With enough variants some row
meets any number, so a variant is one convention for a whole column (method x table). It demonstrates the cells that it
meets when it has a row for every judged cell of the column, and

- its reason is external: column ``reason`` of the notes begins with ``text:``, ``code:`` or ``data:`` (the paper's
  text, released code, the data file); or
- it alone replicates at least 60 % of the column's judged cells, and these are at least three (in a column of one cell
  any lucky hit is 100 %).
"""

import re

import pandas as pd

from experiments.scoreboard.verdict import REPLICATED

SHARE, LEAST_CELLS = 0.6, 3
EXTERNAL = ("text:", "code:", "data:")


def place(variant: str, artifact: str, setting: str) -> tuple[str, str]:
    """Artifact and setting of the row that a variant names for a cell of this artifact and setting."""
    named = re.fullmatch(r"([a-z]+\d{4}_\w+):(.*)", variant)
    artifact, variant = named.groups() if named else (artifact, variant)
    return artifact, variant.replace("{setting}", setting)


def demonstrates(verdicts: list[str | None], reason: str) -> bool:
    """Whether a variant demonstrates the cells it meets; its verdicts on a column's judged cells (None: no row)."""
    if not verdicts or None in verdicts:
        return False
    share = sum(verdict in REPLICATED for verdict in verdicts) / len(verdicts)
    return reason.startswith(EXTERNAL) or (len(verdicts) >= LEAST_CELLS and share >= SHARE)


def variants_tried(cells: pd.DataFrame, rows: pd.DataFrame, artifact: str, elsewhere: set = frozenset()) -> int:
    """Number of conventions, other than the judged one, with a committed row for a data set and metric of a column.

    ``cells`` are the printed cells of the column, ``rows`` all result rows of its method, of any artifact of the paper.
    Rows of the other tables and figures that the paper prints are results of their own, not variants of this one; and
    so are variants of those tables: rows whose setting begins with one of ``elsewhere``, the settings printed there.
    """
    settings = sorted(set(cells["setting"]), key=len, reverse=True)
    own = rows["artifact"] == artifact
    printed = rows["artifact"].str.contains(r"_(?:table|fig)\d+$") & ~own
    others = rows[~printed & ~(own & rows["setting"].isin(settings))]
    others = others[~others["setting"].str.split(",").str[0].isin(elsewhere - {s.split(",")[0] for s in settings})]
    others = others.merge(cells[["dataset", "metric"]].drop_duplicates())
    return len({(row.artifact, _convention(row.setting, settings)) for row in others.itertuples()})


def _convention(setting: str, printed: list[str]) -> str:
    """A setting without the part that only says which printed cell it belongs to."""
    return next((setting.replace(name, "{setting}") for name in printed if name and name in setting), setting)
