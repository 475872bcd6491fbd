"""The code of the guide: every page runs from top to bottom, prints what it shows, and draws its pictures.

A page is Markdown. A block of Python that prints something is followed by a block ```` ```text ```` with what it
prints. A line ``<!-- picture: WORDS -->`` stands where the figure that the code above it has open goes.

    python -m experiments.site.pages docs/guide/graphs.md    # writes what the code prints now into the page
"""

import contextlib
import io
import re
import sys
from pathlib import Path

import matplotlib

from experiments.engine.errors import UsageError

BLOCK = re.compile(
    r"```python\n(?P<code>.*?)```\n(?:```text\n(?P<shown>.*?)```\n)?|<!-- picture: (?P<words>.*?) -->", re.S
)


def run(page: Path, folder: Path) -> str:
    """Run and check a page. Returns its text with pictures in place; the pictures are written into ``folder``."""
    text = _rewritten(page, _checked, folder)
    if "{figure}" not in text:
        raise UsageError(f"{page.name}: a page of the guide needs a picture")
    return text


def filled(page: Path) -> str:
    """The text of a page with what its code prints now: for writing a page, never for checking one."""
    return _rewritten(page, lambda page, found, printed: _block(found["code"], printed), None)


def _rewritten(page: Path, code_block, folder: Path | None) -> str:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    names: dict = {"__name__": "__page__"}
    drawn = 0

    def replaced(found: re.Match) -> str:
        nonlocal drawn
        if found["words"] is None:
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                exec(compile(found["code"], page.name, "exec"), names)
            return code_block(page, found, said.getvalue())
        if folder is None:
            return found.group()
        if not plt.get_fignums():
            raise UsageError(f"{page.name}: no figure is open where the page has the picture {found['words']!r}")
        drawn += 1
        name = f"{page.stem}-{drawn}.png"
        plt.gcf().savefig(folder / name, dpi=160)
        plt.close("all")
        return f"```{{figure}} {name}\n:alt: {found['words']}\n\n{found['words']}\n```"

    plt.close("all")
    try:
        return BLOCK.sub(replaced, page.read_text(encoding="utf-8"))
    finally:
        plt.close("all")


def _checked(page: Path, found: re.Match, printed: str) -> str:
    if printed != (found["shown"] or ""):
        raise UsageError(f"{page.name} prints\n{printed}where it shows\n{found['shown']}\nafter\n{found['code']}")
    return found.group()


def _block(code: str, printed: str) -> str:
    return f"```python\n{code}```\n" + (f"```text\n{printed}```\n" if printed else "")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(filled(Path(name)), encoding="utf-8")
