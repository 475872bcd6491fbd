"""The README's scoreboard is the committed one."""

import re

import pytest

from experiments.engine import paths
from experiments.scoreboard import VERDICTS, read_scoreboard, summary

README = paths.ROOT / "README.md"


@pytest.mark.skipif(not README.exists(), reason="installed without the repository")
def test_scoreboard_in_the_readme_is_the_committed_one():
    rows = re.findall(r"^\| (\w+2\d{3}|all) \|(.+)\|$", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    shown = {name: [int(cell) for cell in cells.split("|")] for name, cells in rows}
    counts = summary(read_scoreboard())
    assert shown == {name: counts.loc[name, list(VERDICTS)].tolist() for name in counts.index}
