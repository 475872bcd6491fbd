"""The one way a figure reaches the disk."""

import os
from pathlib import Path

from experiments.engine import paths

# Dates and program versions would make every rerun look like a change.
METADATA = {"pdf": {"CreationDate": None, "Producer": None, "Creator": None}, "png": {"Software": None}}


def save(fig, name: str) -> list[Path]:
    """Write ``figures/NAME.pdf`` and ``.png`` of the workspace; a rerun without changes gives the same bytes.

    While ``python -m mr notebook`` runs, figures wait in a staging folder until the whole notebook has succeeded.
    """
    folder = Path(os.environ.get("MR_FIGURES_STAGING", paths.figures_dir()))
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for kind, metadata in METADATA.items():
        files.append(folder / f"{name}.{kind}")
        fig.savefig(files[-1], metadata=metadata, bbox_inches="tight")
    return files
