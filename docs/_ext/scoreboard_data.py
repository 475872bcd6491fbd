"""When the pages are written: the explorer's data beside them, with links to the sections of the notebooks."""

import json
import shutil
from pathlib import Path

from docutils import nodes

from experiments.engine import paths
from experiments.site.board import explorer_data
from experiments.site.sections import section_of

TABLES = ("scoreboard.csv", "claims_judged.csv", "errata.csv", "reported.csv", "notes.csv", "timing_order.csv")


def headings(env, docname: str) -> list[tuple[str, str]]:
    """Headings of a page: text and anchor, in order."""
    return [(node.astext(), node["anchorname"]) for node in env.tocs[docname].findall(nodes.reference)]


def write_data(app, error):
    if error or app.builder.name != "html":
        return
    papers = {name.rpartition("_")[2]: name for name in app.env.found_docs if name.startswith("papers/")}
    found = {paper: headings(app.env, name) for paper, name in papers.items()}

    def section(artifact: str) -> str:
        paper = artifact.partition("_")[0]
        return f"{papers[paper]}.html{section_of(artifact, found[paper])}" if paper in papers else ""

    text = json.dumps(explorer_data(section), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    out = Path(app.outdir)
    (out / "_static" / "scoreboard-data.js").write_text(f"window.MR_SCOREBOARD = {text};\n", encoding="utf-8")
    (out / "data").mkdir(exist_ok=True)
    for name in TABLES:
        shutil.copyfile(paths.data_file(name), out / "data" / name)


def setup(app):
    app.connect("build-finished", write_data)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
