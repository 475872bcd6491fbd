"""The README's examples run as they stand, and the first one shows what it promises."""

import re

from tests.source_reading import ROOT


def test_the_examples_can_be_pasted_and_the_graph_helps(capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert len(blocks) == 2
    names = {}
    for block in blocks:
        exec(block, names)
    ours, supervised = map(float, capsys.readouterr().out.splitlines()[0].split())
    assert ours > supervised + 0.05
    assert names["model"].graph_weight_ > 0
