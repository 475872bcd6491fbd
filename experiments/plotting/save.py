"""The one way a figure reaches the disk."""

import os
from pathlib import Path

from experiments.engine import paths
from experiments.engine.files import replacing

# Dates and program versions would make every rerun look like a change.
METADATA = {"pdf": {"CreationDate": None, "Producer": None, "Creator": None}, "png": {"Software": None}}
_enabled = False


def saving(enabled: bool) -> None:
    """Whether :func:`save` writes: a notebook passes its parameter ``save``, which only the pipeline sets to True."""
    global _enabled
    _enabled = enabled


def save(fig, name: str) -> list[Path]:
    """Write figure ``PAPER_NAME`` as ``figures/PAPER/NAME.pdf`` and ``.png``, if saving is switched on.

    A rerun without changes gives the same bytes. While ``python -m experiments notebook`` runs, figures wait in a
    staging folder until the whole notebook has succeeded.
    """
    if not _enabled:
        return []
    paper, _, rest = name.partition("_")
    folder = Path(os.environ.get("MR_FIGURES_STAGING", paths.figures_dir())) / paper
    files = []
    for kind, metadata in METADATA.items():
        files.append(folder / f"{rest}.{kind}")
        with replacing(files[-1]) as temporary:  # a save that fails leaves the old picture whole
            fig.savefig(temporary, metadata=metadata, bbox_inches="tight")
    return files
