"""Where original data files lie on this machine."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def raw_data_dir() -> Path:
    """Local folder with original data files: ``MR_DATA_DIR``, or ``data/raw`` of the repository."""
    return Path(os.environ.get("MR_DATA_DIR", REPOSITORY / "data" / "raw"))


def registry_file() -> Path:
    """The list of original files as it stands in the repository."""
    return REPOSITORY / "data" / "registry.csv"
