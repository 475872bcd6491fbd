"""Where original data files lie on this machine, and where downloads go."""

import os
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]  # of a checkout; for an installed package this is site-packages


def registry_file() -> Path:
    """The list of original files: inside an installed package, or as it stands in the repository."""
    packaged = Path(__file__).with_name("registry.csv")
    return packaged if packaged.exists() else REPOSITORY / "data" / "registry.csv"


def local_dir() -> Path | None:
    """The folder of original files that this user or this checkout keeps.

    ``MR_DATA_DIR`` wins. Without it, ``data/raw`` of a repository checkout counts when it exists.
    """
    if os.environ.get("MR_DATA_DIR"):
        return Path(os.environ["MR_DATA_DIR"])
    raw = REPOSITORY / "data" / "raw"
    return raw if raw.is_dir() and (REPOSITORY / "data" / "registry.csv").exists() else None


def cache_dir() -> Path:
    """The user's cache folder, where downloads are kept: ``~/.cache/mr`` on Linux, and its like elsewhere.

    The same folder as ``pooch.os_cache("mr")`` gives, but known without pooch: files that were downloaded once must
    be found where only the core packages are installed.
    """
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "mr" / "mr" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "mr"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "mr"


def search_path() -> list[Path]:
    """Folders in which files are looked for, in this order."""
    return [folder for folder in (local_dir(), cache_dir()) if folder]
