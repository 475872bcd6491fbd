"""``make site``: copy docs/ to build/site-source, add what the repository itself says, run Sphinx, check the links.

    python -m experiments.site.build [--out build/site]

Warnings are errors. The output works from a file, without a server.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from experiments.engine import paths
from experiments.engine.files import digest, write_text
from experiments.engine.provenance import fingerprint
from experiments.site import api, links, overview, pages
from experiments.site.board import all_cells, all_claims, all_errata

DOCS = paths.ROOT / "docs"
BUILD = paths.ROOT / "build"
NOT_COPIED = {"_generated", "examples", "__pycache__"}
INJECTED = "injected-parameters"
PICTURES = ("overview/two_moons.png", "overview/scoreboard.png")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # pages and examples run side by side
PAGES_OF_CODE = ("choosing_parameters.md", "meta_estimators.md", "defaults.md", "guide/*.md", "extending/*.md")


def prepare(source: Path) -> None:
    """Make the folder that Sphinx reads. Files whose text did not change keep their time, so builds are incremental."""
    wanted: dict[Path, bytes] = {}
    for path in sorted(DOCS.rglob("*")):
        relative = path.relative_to(DOCS)
        if path.is_file() and not NOT_COPIED & set(relative.parts):
            wanted[relative] = path.read_bytes()
    wanted |= _papers() | _generated()
    wanted |= {Path("images") / Path(name).name: (paths.figures_dir() / name).read_bytes() for name in PICTURES}
    wanted |= run_pages(source.parent / "site-pages")
    for relative, content in wanted.items():
        target = source / relative
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    made_by_sphinx = ("gallery", "api/generated", "api/backreferences")
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        if path.is_file() and relative not in wanted and not relative.as_posix().startswith(made_by_sphinx):
            path.unlink()
    keep = {f"{name}.rst" for names in api.public_names().values() for name in names}
    for path in (source / "api" / "generated").glob("*.rst"):
        if path.name not in keep:
            path.unlink()


def pages_of_code() -> list[Path]:
    return [path for pattern in PAGES_OF_CODE for path in sorted(DOCS.glob(pattern)) if path.stem != "index"]


def run_pages(cache: Path) -> dict[Path, bytes]:
    """Run the pages that have code, two at a time; one that ran before with the same text and library is kept."""
    found = pages_of_code()
    os.environ |= ONE_THREAD
    with ProcessPoolExecutor(max_workers=2, mp_context=get_context("spawn")) as pool:
        folders = list(pool.map(_run_page, found, [cache] * len(found)))
    files = {}
    for page, folder in zip(found, folders, strict=True):
        for path in sorted(folder.iterdir()):
            files[page.relative_to(DOCS).parent / path.name] = path.read_bytes()
    return files


def _run_page(page: Path, cache: Path) -> Path:
    folder = cache / f"{page.stem}-{digest(page.read_text(encoding='utf-8'), fingerprint(paths.ROOT / 'mr'))[:16]}"
    if not folder.exists():
        for old in cache.glob(f"{page.stem}-*"):
            shutil.rmtree(old)
        fresh = cache / f".{page.stem}"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        (fresh / page.name).write_text(pages.run(page, fresh), encoding="utf-8")
        fresh.rename(folder)
    return folder


def _papers() -> dict[Path, bytes]:
    """Executed notebooks, with the titles of a list of contents."""
    found = sorted(paths.executed_notebooks_dir().glob("*.ipynb"))
    intro = "One notebook per paper, executed at the paper's scale, a tour of all, and a study of large data."
    lines = ["# Papers", "", intro, "", "```{toctree}", ":maxdepth: 1", ""]
    files = {Path("papers") / path.name: _notebook(path) for path in found}
    text = "\n".join([*lines, *(path.stem for path in found), "```", ""])
    return files | {Path("papers/index.md"): text.encode()}


def _notebook(path: Path) -> bytes:
    """A notebook for the site: its links to the built site become links between pages.

    The cell in which papermill repeats parameters is left out. A table of claims links each claim to its section
    (``#fig3``). Where the notebook has no such section yet, the text of the link stays.
    """
    text = path.read_text(encoding="utf-8")
    anchors = set(re.findall(r'<a id=\\"([^"\\]+)', text))
    dead = re.compile(r'<a href=\\"#([^"\\]+)\\"[^>]*>(.*?)</a>')
    notebook = json.loads(dead.sub(lambda link: link.group() if link[1] in anchors else link[2], text))
    notebook["cells"] = [cell for cell in notebook["cells"] if INJECTED not in cell["metadata"].get("tags", ())]
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            cell["source"] = re.sub(r"\]\((\.\./build/site/[^)\s]+)\)", _moved, text)
    return json.dumps(notebook, ensure_ascii=False, sort_keys=True).encode()


def _moved(link: re.Match) -> str:
    """A link of a notebook to the built site, as a link of the site itself; others stay, and Sphinx checks them."""
    page, _, anchor = link.group(1).removeprefix("../build/site/").partition("#")
    name = page.removesuffix(".html")
    suffix = ".md" if (DOCS / f"{name}.md").exists() else ".rst"
    return f"](../{name}{suffix}{'#' * bool(anchor)}{anchor})"


def _generated() -> dict[Path, bytes]:
    files = {Path("_generated") / name: text.encode() for name, text in overview.pieces().items()}
    files[Path("api/index.rst")] = api.index_page().encode()
    changes = (paths.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    files[Path("changelog.md")] = changes.encode()
    return files


def sphinx(source: Path, out: Path) -> int:
    """Run Sphinx with warnings as errors; 0 when all is well."""
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-j", "2"]
    command += ["-d", str(source.parent / "site-doctrees"), str(source), str(out)]
    environment = os.environ | {"MR_ROOT": str(paths.ROOT), "PYTHONPATH": str(paths.ROOT), "MPLBACKEND": "Agg"}
    return subprocess.run(command, env=environment).returncode


def check(out: Path) -> int:
    """Print every link without a target and every page that names a folder of this machine; 1 when there are any."""
    rows = {item["id"] for item in [*all_cells(), *all_claims(), *all_errata()]}
    wrong = links.broken(out, {"scoreboard.html": rows}) + links_of_data(out)
    files = sorted(out.rglob("*.html"))
    print(f"links of {len(files)} pages checked: {len(wrong)} without a target")
    wrong += [f"{page.relative_to(out)}: names a folder of this machine" for page in files if names_this_machine(page)]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def names_this_machine(page: Path) -> bool:
    """Whether a page names the folder of the repository or that of Python, as the warnings of an example do."""
    text = page.read_text(encoding="utf-8")
    return f"{paths.ROOT}/" in text or f"{sys.prefix}/lib" in text


def links_of_data(out: Path) -> list[str]:
    """The explorer's own links, which are in its data: sections of notebooks, protocols, sources, API pages."""
    text = (out / "_static" / "scoreboard-data.js").read_text(encoding="utf-8")
    data = json.loads(text.partition("=")[2].rstrip().removesuffix(";"))
    wanted = [entry["section"] for entry in data["artifacts"].values() if entry["section"]]
    wanted += [f"source/{entry['protocol']}.html" for entry in data["artifacts"].values()]
    wanted += [f"api/generated/mr.{name}.html" for name in data["classes"]]
    wanted += [f"source/{file}.html" for files in data["classes"].values() for file in files]
    wrong, anchors = [], {}
    for address in sorted(set(wanted)):
        name, _, anchor = address.partition("#")
        if not (out / name).exists():
            wrong.append(f"scoreboard data -> {address}: there is no such file")
        elif anchor:
            anchors.setdefault(name, links.read(out / name).anchors)
            if anchor not in anchors[name]:
                wrong.append(f"scoreboard data -> {address}: there is no such anchor")
    return wrong


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m experiments.site.build", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=BUILD / "site", help="folder of the site, default build/site")
    out = parser.parse_args(arguments).out.resolve()
    start = time.perf_counter()
    prepare(BUILD / "site-source")
    print(f"pages are prepared and their code has run ({time.perf_counter() - start:.0f} s)", flush=True)
    if sphinx(BUILD / "site-source", out):
        print("Sphinx failed, or warned", file=sys.stderr)
        return 1
    failed = check(out)
    write_text(out / ".nojekyll", "")
    print(f"{paths.shown(out / 'index.html')} ({time.perf_counter() - start:.0f} s)")
    return failed


if __name__ == "__main__":
    sys.exit(main())
