"""``python -m experiments reproduce``: everything at quick scale, or a rerun at paper scale with a report."""

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from experiments.engine import notebooks, paths
from experiments.engine import rows as raw
from experiments.engine.errors import TasksFailed
from experiments.engine.params import ids
from experiments.engine.recheck import Comparison, compare
from experiments.engine.runner import publish, run
from experiments.engine.summary import write_summary


def quick(only: list[str]) -> None:
    """All artifacts, the scoreboard and the notebooks at quick scale, below ``quick/``."""
    from experiments.scoreboard import write_all

    recompute(only or ids(), "quick")
    with workspace(paths.QUICK):
        write_all()
        for name in [] if only else notebooks.names():
            print(f"{name} -> {paths.shown(notebooks.execute(name, 'quick'))}")
        print(f"results, figures, notebooks: {paths.shown(paths.workspace())}/")


def rerun(only: list[str], accept: bool, n_jobs: int | None = None) -> None:
    """Run artifacts anew at paper scale and report how the rows compare with the committed ones.

    Committed files stay as they are unless ``accept`` is given: then the new rows take their place, and DVC makes what
    follows from them.
    """
    whole, fresh = Comparison(), {}
    for artifact in only or ids():
        old = raw.read_committed(artifact)
        fresh[artifact] = run(artifact, "paper", n_jobs, fresh=True)
        found = compare(artifact, old, {record["key"]: record for record in fresh[artifact]})
        print(f"{artifact}: {found.equal} rows equal, {found.within} within the stated tolerance, "
              f"{len(found.differ)} values differ" + ("" if old else "; there are no committed rows"))  # fmt: skip
        print(*(f"  {line}" for line in found.differ[:10]), sep="\n", end="\n" if found.differ else "")
        whole.equal, whole.within = whole.equal + found.equal, whole.within + found.within
        whole.differ += found.differ
    print(f"report: {whole.equal} rows equal, {whole.within} within tolerance, {len(whole.differ)} values differ")
    changed = _changed_verdicts(fresh)
    print(f"verdicts that change: {len(changed)}", *changed, sep="\n  ")
    if not accept:
        print("committed files are untouched; ACCEPT=1 (--accept) publishes the new rows")
        return
    for artifact, records in fresh.items():
        publish(artifact, records)
        raw.Journal("rerun", artifact).forget()
        write_summary(artifact, "paper", records)
    if dvc("repro", "--allow-missing"):
        raise TasksFailed("the rows are published, but a later stage failed; `dvc repro --allow-missing` continues")


def recompute(artifacts: list[str], profile: str = "paper") -> Path:
    """For notebooks: compute artifacts anew, through the same engine and cache, into a workspace of their own.

    Returns the workspace; results are read from it when it is selected (:func:`experiments.engine.use`).
    """
    if profile == "quick":
        with workspace(paths.QUICK):
            for artifact in artifacts:
                publish(artifact, run(artifact, "quick"))
                write_summary(artifact, "quick")
        return paths.QUICK
    return _workspace_with({artifact: run(artifact, "paper", fresh=True) for artifact in artifacts})


@contextmanager
def workspace(folder: Path):
    """Write below ``folder`` inside the block, unless ``MR_WORKSPACE`` is set already (tests set it)."""
    before = os.environ.get("MR_WORKSPACE")
    os.environ["MR_WORKSPACE"] = before or str(folder)
    try:
        yield
    finally:
        os.environ.pop("MR_WORKSPACE") if before is None else None


def dvc(*arguments: str) -> int:
    """Run DVC with this Python first in PATH; it ends when this process is interrupted."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    child = subprocess.Popen([sys.executable, "-m", "dvc", *arguments], cwd=paths.ROOT, env=os.environ | {"PATH": path})
    try:
        return child.wait()
    except BaseException:
        child.terminate()
        raise


def _workspace_with(fresh: dict[str, list[dict]]) -> Path:
    """A copy of the committed data in the cache with the results of some artifacts computed anew."""
    folder = paths.cache_dir() / "recomputed"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(paths.ROOT / "data", folder / "data", ignore=shutil.ignore_patterns("raw", "runs"))
    with workspace(folder):
        for artifact, records in fresh.items():
            write_summary(artifact, "paper", records)
    return folder


def _changed_verdicts(fresh: dict[str, list[dict]]) -> list[str]:
    from experiments.scoreboard import build_scoreboard

    before = build_scoreboard()
    with workspace(_workspace_with(fresh)):
        after = build_scoreboard()
    return [
        f"{old['paper']} Table {old['table']}, {old['dataset']}, {old['method']}: {old['verdict']} now {new['verdict']}"
        for old, new in zip(before.to_dict("records"), after.to_dict("records"), strict=True)
        if old["verdict"] != new["verdict"]
    ]
