"""Which ``mr`` files a module needs: the transitive closure of its imports, read from the source without running it.

DVC stages depend on exactly these files, so that an edit elsewhere does not rerun hours; the journal of a run is keyed
by their content.

The ``__init__.py`` of a room only re-exports. Python executes it on any import from the room, but it does not count:
``from mr.kernels import Kernel`` needs the module that defines ``Kernel``, and a new neighbour in the room changes
nothing. ``mr/__init__.py`` and ``mr/experiments/__init__.py``, which find the modules beside them, count only where
they are imported by name.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from experiments.engine import paths

PACKAGE = "mr"
BYSTANDERS = (PACKAGE, "experiments.engine")  # packages that count only where they are imported by name


def module_file(name: str) -> Path | None:
    """Source file of a dotted ``mr`` module, or None when there is no such module (a class, say)."""
    base = paths.ROOT.joinpath(*name.split("."))
    for candidate in (base.with_suffix(".py"), base / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def imported(source: str, importer: str = "", is_package: bool = False) -> set[str]:
    """``mr`` modules named by the import statements of a source text, wherever in it they stand."""
    found: set[str] = set()
    for node in _imports(source):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        else:
            base = _absolute(node, importer, is_package)
            found.update(_defining_module(base, alias.name) for alias in node.names)
    return {name for name in found if name.split(".")[0] == PACKAGE and module_file(name)}


@cache
def _imports(source: str) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Import statements of a source text; parsed once, as the closures of many artifacts share most files."""
    return tuple(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom))


@cache
def _body(source: str) -> tuple[ast.stmt, ...]:
    """Statements at the top level of a source text."""
    return tuple(ast.parse(source).body)


def closure(modules: Iterable[str], rooms: Iterable[str] | None = None) -> set[Path]:
    """Files of the modules and of everything they import; with ``rooms``, only follow imports into those rooms."""
    rooms = None if rooms is None else set(rooms)
    done: set[str] = set()
    queue = list(modules)
    while queue:
        name = queue.pop()
        if name in done or module_file(name) is None:
            continue
        if rooms is not None and _room(name) not in rooms:
            continue
        done.add(name)
        file = module_file(name)
        queue.extend(imported(file.read_text(encoding="utf-8"), name, file.name == "__init__.py"))
        package = name.rpartition(".")[0]  # executed before the module
        if package and package not in BYSTANDERS and not _only_reexports(package):
            queue.append(package)
    return {module_file(name) for name in done}


def _defining_module(package: str, name: str) -> str:
    """Module behind ``from package import name``: a submodule, what a re-export points to, or the package itself."""
    if module_file(f"{package}.{name}"):
        return f"{package}.{name}"
    if _only_reexports(package):
        return _reexported(package).get(name, package)
    return package


def _only_reexports(package: str) -> bool:
    """True for a package whose ``__init__.py`` holds nothing but a docstring, imports and assignments."""
    file = module_file(package)
    if file is None or file.name != "__init__.py":
        return False
    return all(_is_plain(node) for node in _body(file.read_text(encoding="utf-8")))


def _is_plain(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Import | ast.ImportFrom | ast.Assign)


def _reexported(package: str) -> dict[str, str]:
    """Names that the ``__init__.py`` of a package imports, and the module each comes from."""
    found = {}
    for node in _body(module_file(package).read_text(encoding="utf-8")):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = _defining_module(_absolute(node, package, True), alias.name)
    return found


def fingerprint(files: Iterable[Path]) -> str:
    """sha256 of what the files do: comments, docstrings and layout do not count."""
    total = hashlib.sha256()
    for file in sorted(files):
        total.update(file.relative_to(paths.ROOT).as_posix().encode())
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


def _absolute(node: ast.ImportFrom, importer: str, is_package: bool) -> str:
    """Dotted name of the module in ``from ... import``, relative imports resolved."""
    if not node.level:
        return node.module or ""
    parts = importer.split(".")
    parts = parts[: len(parts) - node.level + is_package]
    return ".".join(parts + ([node.module] if node.module else []))


def _room(name: str) -> str:
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else ""
