"""Every Python file of the library and the compendium as a page with numbered lines: links to code work offline."""

import html
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from experiments.engine import paths

FOLDERS = ("mr", "experiments", "benchmarks")
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{path}</title><link rel="stylesheet" href="{up}_static/source.css"></head>
<body><header><a href="{up}index.html">mr</a> <span>/</span> <a href="{up}source/index.html">source</a> <span>/</span> \
<h1>{path}</h1></header>
<main>{code}</main></body></html>
"""
DARK = "@media (prefers-color-scheme: dark) {{\n{}\n}}\n"
FRAME = """\
:root { color-scheme: light dark; }
body { margin: 0; font: 15px/1.45 system-ui, sans-serif; background: #fff; color: #1b1b1b; }
header { padding: 0.7rem 1rem; border-bottom: 1px solid #8886; }
header h1 { display: inline; font-size: 1rem; margin: 0; }
main { padding: 0 1rem; overflow-x: auto; }
a { color: #0b4f8a; }
.linenos a { color: #667; text-decoration: none; }
td.linenos { padding-right: 1rem; user-select: none; vertical-align: top; }
"""
FRAME_DARK = "body { background: #14181e; color: #e6e6e6; } a { color: #a9d2ff; } .linenos a { color: #9aa; }"


def files() -> list[str]:
    return [
        path.relative_to(paths.ROOT).as_posix()
        for folder in FOLDERS
        for path in sorted((paths.ROOT / folder).rglob("*.py"))
    ]


def page(path: str, code: str) -> str:
    return PAGE.format(path=html.escape(path), up="../" * (path.count("/") + 1), code=code)


def write_pages(app, error):
    if error or app.builder.name != "html":
        return
    out = Path(app.outdir)
    light = HtmlFormatter(style="default", linenos="table", lineanchors="L", anchorlinenos=True)
    dark = HtmlFormatter(style="monokai")
    style = FRAME + light.get_style_defs(".highlight")
    style += DARK.format(FRAME_DARK + "\n" + dark.get_style_defs(".highlight"))
    (out / "_static" / "source.css").write_text(style, encoding="utf-8")
    names = files()
    for path in names:
        target = out / "source" / f"{path}.html"
        source = paths.ROOT / path
        if target.exists() and target.stat().st_mtime > source.stat().st_mtime:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        code = highlight(source.read_text(encoding="utf-8"), PythonLexer(), light)
        target.write_text(page(path, code), encoding="utf-8")
    items = "".join(f'<li><a href="{name}.html">{html.escape(name)}</a></li>' for name in names)
    listing = PAGE.format(path="all files", up="../", code=f"<ul>{items}</ul>")
    (out / "source" / "index.html").write_text(listing, encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
