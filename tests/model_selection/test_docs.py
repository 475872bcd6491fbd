"""The pages of the guide that belong to this room run as they stand, and print what they show."""

import re

import pytest

from tests.source_reading import ROOT


@pytest.mark.parametrize("page", ["choosing_parameters.md", "meta_estimators.md"])
def test_the_code_of_a_page_prints_what_the_page_shows(page, capsys):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", text, re.S)
    assert blocks and len(blocks) == text.count("```python")
    names = {}
    for code, shown in blocks:
        exec(code, names)
        assert capsys.readouterr().out == shown
