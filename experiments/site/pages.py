"""The code of the guide: every page runs from top to bottom, prints what it shows, and draws its pictures.

A page is Markdown. Each block ```` ```python ```` is followed by a block ```` ```text ```` with what it prints. A line
``<!-- picture: WORDS -->`` stands where the figure that the code above it has open goes, with its description.
"""

import contextlib
import io
import re
from pathlib import Path

from experiments.engine.errors import UsageError

CODE = re.compile(r"```python\n(.*?)```\n```text\n(.*?)```\n", re.S)
PICTURE = re.compile(r"<!-- picture: (.*?) -->")


def blocks(text: str) -> list[tuple[str, str]]:
    """Pairs of code and what it prints; a block of code without one is an error."""
    found = CODE.findall(text)
    if len(found) != text.count("```python"):
        raise UsageError("every block of Python is followed by a block of text with what it prints")
    return found


def run(page: Path, folder: Path | None = None) -> str:
    """Run a page. Its text with pictures in place is returned; the pictures are written into ``folder``."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    text = page.read_text(encoding="utf-8")
    blocks(text)
    plt.close("all")
    names: dict = {"__name__": "__page__"}
    pieces, drawn, last = [], 0, 0
    for found in re.finditer(f"{CODE.pattern}|{PICTURE.pattern}", text, re.S):
        pieces.append(text[last : found.start()])
        last = found.end()
        code, shown, words = found.groups()
        if words is None:
            _check(page, code, shown, names)
            pieces.append(found.group())
            continue
        if not plt.get_fignums():
            raise UsageError(f"{page.name}: no figure is open where the page has the picture {words!r}")
        drawn += 1
        name = f"{page.stem}-{drawn}.png"
        if folder is not None:
            plt.gcf().savefig(folder / name, dpi=160)
        plt.close("all")
        pieces.append(f"```{{figure}} {name}\n:alt: {words}\n\n{words}\n```")
    plt.close("all")
    return "".join([*pieces, text[last:]])


def _check(page: Path, code: str, shown: str, names: dict) -> None:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, page.name, "exec"), names)
    if said.getvalue() != shown:
        raise UsageError(f"{page.name} prints\n{said.getvalue()}where it shows\n{shown}after the code\n{code}")


def filled(page: Path) -> str:
    """The text of a page with what its code prints now: for writing a page, never for checking one."""
    text, names = page.read_text(encoding="utf-8"), {"__name__": "__page__"}

    def output(found: re.Match) -> str:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(found.group(1), page.name, "exec"), names)
        return f"```python\n{found.group(1)}```\n```text\n{said.getvalue()}```\n"

    return CODE.sub(output, text)


if __name__ == "__main__":  # python -m experiments.site.pages docs/guide/graphs.md
    import sys

    import matplotlib

    matplotlib.use("Agg")
    for name in sys.argv[1:]:
        text = filled(Path(name))
        Path(name).write_text(text, encoding="utf-8")
