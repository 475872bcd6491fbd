"""``python -m mr reproduce``: bring a workspace up to date through DVC."""

import os
import subprocess
import sys
from pathlib import Path

from experiments.engine import cli_pipeline as pipeline
from experiments.engine import paths
from experiments.engine import ids
from experiments.engine import load
from experiments.engine.cards import forget_unavailable
from experiments.engine.files import write_text

# The quick workspace is a DVC project of its own, outside git: its lock file is thrown away with it.
QUICK_CONFIG = "[core]\n    analytics = false\n    no_scm = true\n"


def reproduce(profile: str, only: list[str]) -> int:
    """Run every stage that is out of date (of the artifacts ``only``, if given), then say where things are."""
    for artifact in only:
        load(artifact)  # an unknown id suggests the nearest before anything runs
    workspace = prepare(profile, only)
    for artifact in forget_unavailable():
        print(f"{artifact}: data was missing last time; looking again")
    code = 0
    for targets in _targets(profile, only):
        code = code or dvc(["repro", *targets], workspace)
    if code:
        print(
            f"a stage failed (exit code {code}); finished tasks are kept, the same command continues", file=sys.stderr
        )
        return 1
    report()
    return 0


def prepare(profile: str, only: list[str]) -> Path:
    """Make the workspace's ``dvc.yaml`` (and for quick, the workspace)."""
    workspace = paths.workspace()
    artifacts = only or ids()
    if profile == "quick":
        write_text(workspace / ".dvc" / "config", QUICK_CONFIG)
    else:
        wanted = {*artifacts, *pipeline.released()}
        artifacts = [artifact for artifact in ids() if artifact in wanted]
    if pipeline.write(workspace, profile, artifacts) and profile == "paper":
        print("dvc.yaml was out of date; written anew")
    return workspace


def dvc(arguments: list[str], workspace: Path, **options) -> int:
    """Run DVC with this Python first in PATH (stages say ``python``); its exit code."""
    return subprocess.run(
        [sys.executable, "-m", "dvc", *arguments], cwd=workspace, env=environment(), **options
    ).returncode


def environment() -> dict[str, str]:
    """This process's environment for a child in another folder: it finds this Python, and this ``mr``."""
    python, path = str(Path(sys.executable).parent), os.environ.get("PATH", "")
    sources, more = str(paths.ROOT), os.environ.get("PYTHONPATH", "")
    return os.environ | {
        "PATH": os.pathsep.join([python, path]),
        "PYTHONPATH": os.pathsep.join([sources, more]) if more else sources,
        "DVC_NO_ANALYTICS": "1",
    }


def _targets(profile: str, only: list[str]) -> list[list[str]]:
    """Arguments of the ``dvc repro`` calls.

    At paper scale the scoreboard depends on every result; with ``only``, the others are taken as committed
    (``--single-item`` does not look upstream). The quick pipeline is generated with just the artifacts asked for.
    """
    if profile == "quick" or not only:
        return [[]]
    stages = pipeline.stage_names(paths.workspace())
    last = [name for name in stages if name == "scoreboard" or name.startswith("notebook-")]
    return [[f"results-{artifact}" for artifact in only], *(["--single-item", stage] for stage in last)]


def report() -> None:
    """Where to look."""
    from experiments.scoreboard import read_scoreboard, summary

    def shown(path: Path) -> str:
        return os.path.relpath(path, Path.cwd())

    print()
    print(summary(read_scoreboard()).loc[["all"]].to_string(index=False))
    print(f"figures:    {shown(paths.figures_dir())}/")
    print(f"notebooks:  {shown(paths.executed_notebooks_dir())}/")
    print(f"results:    {shown(paths.results_dir())}/")
    print(f"scoreboard: {shown(paths.scoreboard_file())}")
