"""Data flows one way: a module imports only from rooms to its left."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "mr"
ROOMS = [
    "common",
    "datasets",
    "graph",
    "spectrum",
    "kernels",
    "solvers",
    "estimators",
    "experiments",
    "results",
    "figures",
    "cli",
]
NUMERIC_ROOMS = {"graph", "spectrum", "kernels", "solvers", "estimators"}
FILES_AND_PICTURES = {"pandas", "matplotlib", "pooch", "h5py", "mr.datasets"}
MODULES = sorted(PACKAGE.rglob("*.py"))


def imports(path):
    """Full dotted names of everything a module imports, at any depth of the file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; write the full name, so that the room shows"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(path):
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else None


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_come_from_the_left(path):
    here = room(path)
    if here is None:  # mr/__init__.py and mr/__main__.py open the doors of the house
        return
    assert here in ROOMS, f"{here} is not a room; see CONTRIBUTING.md"
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "mr" and len(parts) > 1:
            assert parts[1] in ROOMS, f"{path} imports {name}: import from a room, not from mr itself"
            assert ROOMS.index(parts[1]) <= ROOMS.index(here), f"{path} ({here}) imports {name}, a room to its right"


@pytest.mark.parametrize("path", [p for p in MODULES if room(p) in NUMERIC_ROOMS], ids=lambda p: p.stem)
def test_numeric_rooms_know_arrays_only(path):
    for name in imports(path):
        assert not any(name == f or name.startswith(f + ".") for f in FILES_AND_PICTURES), f"{path} imports {name}"


def test_every_room_exists_and_has_a_docstring():
    for name in ROOMS:
        assert ast.get_docstring(ast.parse((PACKAGE / name / "__init__.py").read_text())), name


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_modules_stay_short(path):
    assert len(path.read_text().splitlines()) <= 300
