"""Executes notebooks through papermill, strictly, and so that a rerun without changes gives the same bytes.

The clean source in ``notebooks/`` declares in its metadata what it needs and makes::

    "mr": {"results": ["chen2012_table2"], "scoreboard": true, "figures": ["overview_scoreboard"],
           "quick": {"n_points": 100}}

``quick`` holds values for its parameters cell at quick scale. Nothing reaches ``notebooks/executed/`` or ``figures/``
before the whole notebook has succeeded.
"""

import os
import shutil
import tempfile
from pathlib import Path

import nbformat
import yaml

from experiments.engine import paths
from experiments.engine.errors import TasksFailed, UsageError, nearest
from experiments.engine.files import write_text

LIMIT = 2_000_000  # bytes: people read executed notebooks in the browser
FIGURES_VARIABLE = "MR_FIGURES_STAGING"  # where experiments.plotting.save writes while a notebook runs
TIMEOUT = 3600


def names() -> list[str]:
    """Notebooks that exist, in reading order."""
    return sorted(file.stem for file in paths.notebooks_dir().glob("[0-9][0-9]_*.ipynb"))


def source_file(name: str) -> Path:
    return paths.notebooks_dir() / f"{name}.ipynb"


def read(name: str):
    return nbformat.read(source_file(name), as_version=4)


def declaration(name: str) -> dict:
    """The ``mr`` metadata with every key present."""
    return {"results": [], "scoreboard": False, "figures": [], "quick": {}} | read(name).metadata.get("mr", {})


def code_cells(name: str) -> list[str]:
    return [cell.source for cell in read(name).cells if cell.cell_type == "code"]


def parse_parameters(pairs: list[list[str]]) -> dict:
    """``-p KEY VALUE`` pairs; values are YAML, so that numbers become numbers."""
    return {key: yaml.safe_load(value) for key, value in pairs}


def execute(name: str, profile: str, given: dict | None = None) -> Path:
    """Run one notebook into the workspace; the path of the executed copy."""
    import papermill  # slow to import, and only needed here

    declared = declaration(name)
    values = (declared["quick"] if profile == "quick" else {}) | (given or {})
    _check_parameters(name, values, papermill.inspect_notebook(str(source_file(name))))
    staging = Path(tempfile.mkdtemp(prefix=f"notebook-{name}-"))
    figures, executed = staging / "figures", staging / f"{name}.ipynb"
    figures.mkdir()
    before = os.environ.get(FIGURES_VARIABLE)
    os.environ[FIGURES_VARIABLE] = str(figures)
    try:
        papermill.execute_notebook(
            str(source_file(name)), str(executed), parameters=values, kernel_name="python3", cwd=str(paths.ROOT),
            progress_bar=False, request_save_on_cell_execute=False, execution_timeout=TIMEOUT,
            extra_arguments=["--log-level=ERROR"],
        )  # fmt: skip
        notebook = normalise(nbformat.read(executed, as_version=4))
        _check_figures(name, declared["figures"], figures)
        return _publish(name, notebook, figures)
    except papermill.PapermillExecutionError as error:
        raise TasksFailed(f"notebook {name} failed, nothing was overwritten:\n{error}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        os.environ.pop(FIGURES_VARIABLE)
        if before is not None:
            os.environ[FIGURES_VARIABLE] = before


def normalise(notebook):
    """Drop what changes from run to run or names this machine."""
    notebook.metadata.pop("papermill", None)
    notebook.metadata.pop("widgets", None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    for cell in notebook.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell.id = "injected-parameters"
        for output in cell.get("outputs", []):
            _scrub(output)
    return notebook


def _scrub(output) -> None:
    """Replace this machine's folders in the text of an output."""
    for holder in (output, output.get("data", {})):
        for key, value in list(holder.items()):
            if isinstance(value, str) and (key == "text" or key.startswith("text/")):
                holder[key] = value.replace(str(paths.workspace()), ".").replace(str(paths.ROOT), ".")


def _check_parameters(name: str, values: dict, known: dict) -> None:
    for key in values:
        if key not in known:
            raise UsageError(f"notebook {name} has no parameter {key!r}{nearest(key, known)}")


def _check_figures(name: str, declared: list[str], folder: Path) -> None:
    made = {file.stem for file in folder.iterdir()}
    if made != set(declared):
        raise UsageError(
            f"notebook {name} declares the figures {sorted(declared)} in its metadata but made {sorted(made)}"
        )


def _publish(name: str, notebook, figures: Path) -> Path:
    target = paths.executed_notebooks_dir() / f"{name}.ipynb"
    text = nbformat.writes(notebook) + "\n"
    if len(text.encode()) > LIMIT:
        raise UsageError(f"executed notebook {name} has {len(text.encode()):,} bytes, more than {LIMIT:,}: show less")
    paths.figures_dir().mkdir(parents=True, exist_ok=True)
    for file in sorted(figures.iterdir()):
        shutil.copyfile(file, paths.figures_dir() / file.name)
    write_text(target, text)
    return target
