"""Every path the project uses, in one place.

Two workspaces exist: the repository itself (profile ``paper``: results, figures and executed notebooks there are
committed) and ``quick/`` inside it (profile ``quick``: ignored by git). ``MR_WORKSPACE`` selects one; everything that
is written goes below it, so a quick run can never overwrite a committed result.
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUICK = ROOT / "quick"


def workspace() -> Path:
    """Folder below which everything is written: ``MR_WORKSPACE``, or the repository."""
    return Path(os.environ.get("MR_WORKSPACE", ROOT)).resolve()


def raw_data_dir() -> Path:
    """Local folder with original data files: ``MR_DATA_DIR``, or ``data/raw`` of the repository."""
    return Path(os.environ.get("MR_DATA_DIR", ROOT / "data" / "raw"))


def cache_dir() -> Path:
    """Intermediates that a rerun can make again: cards, graphs, spectra, runs, journals."""
    return workspace() / "cache"


def results_dir() -> Path:
    return workspace() / "data" / "results"


def scoreboard_file() -> Path:
    return workspace() / "data" / "scoreboard.csv"


def figures_dir() -> Path:
    return workspace() / "figures"


def executed_notebooks_dir() -> Path:
    return workspace() / "notebooks" / "executed"


def notebooks_dir() -> Path:
    return ROOT / "notebooks"


def params_file() -> Path:
    return ROOT / "params.yaml"


def reported_file() -> Path:
    return ROOT / "data" / "reported.csv"


def registry_file() -> Path:
    return ROOT / "data" / "registry.csv"


def results_file(artifact: str) -> Path:
    """Tidy rows of an artifact: ``chen2012_table2`` has ``data/results/chen2012/table2.csv``."""
    paper, _, name = artifact.partition("_")
    return results_dir() / paper / f"{name}.csv"


def data_file(name: str) -> Path:
    """A file that is made from the results, such as ``scoreboard.csv``."""
    return workspace() / "data" / name
