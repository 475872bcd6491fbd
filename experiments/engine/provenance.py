"""Who computed a row: the code, the environment, the commit and the day. Provenance, never identity."""

import ast
import hashlib
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path

from experiments.engine import paths

NUMERIC = ("numpy", "scipy", "scikit-learn", "numba", "joblib", "threadpoolctl", "osqp")
NOT_NUMBERS = ("figures.py", "toy_figures.py", "claims.py")  # of a paper's folder: they show or judge results


def code_of(paper: str) -> str:
    """Fingerprint of all code that can change the rows of a paper: the library, and the paper's own folder."""
    return hashlib.sha256(
        (fingerprint(paths.ROOT / "mr") + fingerprint(paths.ROOT / "experiments" / paper)).encode()
    ).hexdigest()[:16]


@cache
def fingerprint(folder: Path) -> str:
    """sha256 of what the modules below a folder do: comments, docstrings and layout do not count."""
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        if file.name not in NOT_NUMBERS:
            total.update(file.relative_to(folder).as_posix().encode())
            total.update(_meaning(file.read_text(encoding="utf-8")).encode())
    return total.hexdigest()


def _meaning(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            if isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
                body[0].value.value = ""
    return ast.dump(tree)


@cache
def environment() -> str:
    """Versions of the packages that compute, such as ``python 3.11 numpy 2.4.0 ...``."""
    python = ".".join(platform.python_version_tuple()[:2])
    return " ".join([f"python {python}", *(f"{name} {_version(name)}" for name in NUMERIC)])


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "none"


@cache
def stamp(paper: str) -> dict:
    """Provenance of rows computed now."""
    lock = paths.ROOT / "requirements.txt"
    return {
        "code": code_of(paper),
        "environment": environment(),
        "lock": hashlib.sha256(lock.read_bytes()).hexdigest()[:16] if lock.exists() else "",
        "commit": _commit(),
        "date": datetime.now(UTC).date().isoformat(),
    }


def _commit() -> str:
    try:
        done = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"], cwd=paths.ROOT, capture_output=True, text=True
        )
    except OSError:
        return ""
    return done.stdout.strip()
