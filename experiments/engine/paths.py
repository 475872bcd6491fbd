"""Every path of the compendium, in one place.

Two workspaces exist: the repository itself (profile ``paper``: what is written there is committed) and ``quick/``
inside it (profile ``quick``: ignored by git). ``MR_WORKSPACE`` selects one; everything that is written goes below it,
so a quick run can never overwrite a committed result.
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUICK = ROOT / "quick"


def workspace() -> Path:
    """Folder below which everything is written: ``MR_WORKSPACE``, or the repository."""
    return Path(os.environ.get("MR_WORKSPACE", ROOT)).resolve()


def cache_dir() -> Path:
    """Intermediates that a rerun can make again: graphs, spectra, journals."""
    return workspace() / "cache"


def data_file(name: str) -> Path:
    """A committed file below ``data/``, such as ``scoreboard.csv`` or ``inputs/graphs.json``."""
    return workspace() / "data" / name


def runs_file(artifact: str) -> Path:
    """Raw rows of an artifact: ``data/runs/chen2012_table2.jsonl.gz``."""
    return data_file(f"runs/{artifact}.jsonl.gz")


def results_file(artifact: str) -> Path:
    """Tidy rows of an artifact: ``chen2012_table2`` has ``data/results/chen2012/table2.csv``."""
    paper, _, name = artifact.partition("_")
    return data_file(f"results/{paper}/{name}.csv")


def figures_dir() -> Path:
    return workspace() / "figures"


def executed_notebooks_dir() -> Path:
    return workspace() / "notebooks" / "executed"


def notebooks_dir() -> Path:
    return ROOT / "notebooks"


def params_file() -> Path:
    return Path(os.environ.get("MR_PARAMS", ROOT / "params.yaml"))


def reported_file() -> Path:
    return ROOT / "data" / "reported.csv"


def shown(path: Path) -> str:
    """Path relative to the repository where it lies inside it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
