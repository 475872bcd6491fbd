"""The headline in the README is that of the committed scoreboard and claims."""

import re

import pytest

from experiments.engine import paths
from experiments.scoreboard import headline_markdown, read_scoreboard

README = paths.ROOT / "README.md"


@pytest.mark.skipif(not README.exists(), reason="installed without the repository")
def test_headline_in_the_readme_is_the_committed_one():
    shown = re.findall(r"<!-- headline -->\n(.*?)\n<!-- /headline -->", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(shown) == 1, "README.md needs the markers <!-- headline --> and <!-- /headline --> on lines of their own"
    assert shown[0].strip() == headline_markdown()


def test_the_headline_counts_every_judged_cell_once():
    board = read_scoreboard()
    numbers = [int(n) for n in re.findall(r"\d+", headline_markdown(board).split("Of the replicated")[0])]
    judged, replicated, exact, match, demonstrated, still_open = numbers
    assert judged == replicated + demonstrated + still_open and replicated == exact + match
    assert judged == (board["status"] != "").sum()
