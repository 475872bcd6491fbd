"""Executes notebooks through papermill, strictly, and so that a rerun without changes gives the same bytes.

Every notebook has the parameters ``profile``, ``recompute`` and ``save``; the pipeline passes ``save=True``, a plain
run writes nothing into committed files. The clean source in ``notebooks/`` may hold, in its metadata, smaller values
for quick runs: ``"mr": {"quick": {"n_points": 100}}``. Nothing reaches ``notebooks/executed/`` or ``figures/`` before
the whole notebook has succeeded.
"""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from experiments.engine import paths
from experiments.engine.errors import TasksFailed, UsageError, nearest
from experiments.engine.files import write_text

LIMIT = 2_000_000  # bytes: people read executed notebooks in the browser
STAGING = "MR_FIGURES_STAGING"  # where experiments.plotting.save writes while a notebook runs
TIMEOUT = 3600


def names() -> list[str]:
    """Notebooks that exist, in reading order."""
    return sorted(file.stem for file in paths.notebooks_dir().glob("[0-9][0-9]_*.ipynb"))


def execute(name: str, profile: str, given: dict | None = None) -> Path:
    """Run one notebook into the workspace; the path of the executed copy."""
    import nbformat  # slow to import, and only needed here
    import papermill

    source = paths.notebooks_dir() / f"{name}.ipynb"
    if name not in names():
        raise UsageError(f"unknown notebook {name!r}{nearest(name, names())}")
    metadata = nbformat.read(source, as_version=4).metadata.get("mr", {})
    values = {"profile": profile, "save": True} | (metadata.get("quick", {}) if profile == "quick" else {})
    values |= given or {}
    known = papermill.inspect_notebook(str(source))
    for key in values:
        if key not in known:
            raise UsageError(f"notebook {name} has no parameter {key!r}{nearest(key, known)}")
    staging = Path(tempfile.mkdtemp(prefix=f"notebook-{name}-"))
    executed = staging / "executed.ipynb"
    (staging / "figures").mkdir()
    before = os.environ.get(STAGING)
    os.environ[STAGING] = str(staging / "figures")
    try:
        papermill.execute_notebook(
            str(source), str(executed), parameters=values, kernel_name="python3", cwd=str(paths.ROOT),
            progress_bar=False, request_save_on_cell_execute=False, execution_timeout=TIMEOUT,
            extra_arguments=["--log-level=ERROR"],
        )  # fmt: skip
        text = nbformat.writes(normalise(nbformat.read(executed, as_version=4))) + "\n"
        return _publish(name, text, staging / "figures")
    except papermill.PapermillExecutionError as error:
        raise TasksFailed(f"notebook {name} failed, nothing was overwritten:\n{error}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        os.environ.pop(STAGING)
        if before is not None:
            os.environ[STAGING] = before


def normalise(notebook):
    """Drop what changes from run to run or names this machine."""
    for part in (notebook, *notebook.cells):
        for key in ("papermill", "widgets", "execution"):
            part.metadata.pop(key, None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    for cell in notebook.cells:
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell.id = "injected-parameters"
        for output in cell.get("outputs", []):
            for holder in (output, output.get("data", {})):
                for key, value in list(holder.items()):
                    if isinstance(value, str) and (key == "text" or key.startswith("text/")):
                        holder[key] = value.replace(str(paths.workspace()), ".").replace(str(paths.ROOT), ".")
    return notebook


def _publish(name: str, text: str, staged: Path) -> Path:
    """Notebook and figures into the workspace: each folder of figures changes at once, with a list of its hashes."""
    if len(text.encode()) > LIMIT:
        raise UsageError(f"executed notebook {name} has {len(text.encode()):,} bytes, more than {LIMIT:,}: show less")
    for folder in sorted(path for path in staged.iterdir() if path.is_dir()):
        lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(folder.iterdir())]
        write_text(folder / "SHA256SUMS", "".join(lines))
        target = paths.figures_dir() / folder.name
        fresh, old = target.with_name(f".new-{folder.name}"), target.with_name(f".old-{folder.name}")
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(folder, fresh)
        if target.exists():
            target.rename(old)
        fresh.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    executed = paths.executed_notebooks_dir() / f"{name}.ipynb"
    write_text(executed, text)
    return executed
