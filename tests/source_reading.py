"""Read what modules and notebooks import and use, from their source alone: nothing is executed."""

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DOCUMENTED = {"_asdict", "_fields", "_make", "_replace", "_exit"}  # of named tuples and of os: public all the same
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def modules(folder: str) -> list[Path]:
    """Python files below a folder of the repository."""
    return sorted((ROOT / folder).rglob("*.py"))


def short(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def tree(path: Path) -> ast.Module:
    """Syntax tree of a module, or of the code cells of a notebook one after the other."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        lines = "\n".join("".join(cell["source"]) for cell in cells).splitlines()
        text = "\n".join("pass" if line.startswith(("%", "!")) else line for line in lines)
    return ast.parse(text, filename=str(path))


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that run when the module is imported: neither bodies of functions nor imports for type checkers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FUNCTIONS):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield child
        yield from at_import(child)


def imports(nodes) -> Iterator[str]:
    """Full dotted names that the import statements among the nodes name."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import; write the full name, so that the room shows"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def all_imports(path: Path) -> set[str]:
    """Everything a module imports, at any depth of the file."""
    return set(imports(ast.walk(tree(path))))


def uses(source: ast.Module) -> set[str]:
    """Full dotted names that a source text uses: what it imports, by statement or by ``import_module("...")``, and
    every chain of attributes that begins at an imported name (``import mr as m; m.graph.KNNGraph`` uses
    ``mr.graph.KNNGraph``). A parameter or variable of a function that has the name of an import is not the import.
    """
    bound = _bound_by_imports(source)
    found = set(imports(ast.walk(source)))
    found.update(f"{module}." for module in _imported_by_string(source))
    _collect_chains(source, bound, found)
    return {name.rstrip(".") for name in found}


def _bound_by_imports(source: ast.Module) -> dict[str, str]:
    """Name in the file -> full dotted name it stands for."""
    bound = {}
    for node in ast.walk(source):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            bound.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return bound


def _imported_by_string(source: ast.Module) -> Iterator[str]:
    """First argument of ``import_module`` and ``__import__``; of an f-string the text before its first brace."""
    for node in ast.walk(source):
        if isinstance(node, ast.Call) and node.args:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            if called in ("import_module", "__import__"):
                argument = node.args[0]
                if isinstance(argument, ast.JoinedStr):
                    argument = argument.values[0]
                if isinstance(argument, ast.Constant):
                    yield str(argument.value)


def _collect_chains(node: ast.AST, bound: dict[str, str], found: set[str]) -> None:
    """Add the chains below a node; ``bound`` shrinks inside functions by what they bind themselves."""
    if isinstance(node, FUNCTIONS + COMPREHENSIONS):
        local = _bound_locally(node)
        bound = {name: full for name, full in bound.items() if name not in local}
    chain = _chain(node)
    if chain and chain[0] in bound:
        found.add(".".join([bound[chain[0]], *chain[1:]]))
        return
    for child in ast.iter_child_nodes(node):
        _collect_chains(child, bound, found)


def _chain(node: ast.AST) -> list[str] | None:
    """``a.b.c`` as ["a", "b", "c"]; None when the node is no attribute of a plain name."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if names and isinstance(node, ast.Name) else None


def _bound_locally(function: ast.AST) -> set[str]:
    """Parameters and assigned names of a function or comprehension."""
    return {
        node.arg if isinstance(node, ast.arg) else node.id
        for node in ast.walk(function)
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    }


def underscored(source: ast.Module) -> set[str]:
    """Attributes with a leading underscore that a source text reads from anything but ``self`` and ``cls``."""
    found = set()
    for node in ast.walk(source):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            if ast.unparse(node.value) not in ("self", "cls") and node.attr not in DOCUMENTED:
                found.add(ast.unparse(node))
    return found


def module_file(name: str) -> Path | None:
    """File of the module that a dotted name is or begins with (of ``experiments.tidy.tidy_row`` the first two)."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        base = ROOT.joinpath(*parts[:end])
        for candidate in (base.with_suffix(".py"), base / "__init__.py"):
            if candidate.is_file():
                return candidate
    return None


def closure(path: Path, package: str) -> set[Path]:
    """The module and every module of the package that it imports, directly or through others."""
    done, ahead = set(), [path]
    while ahead:
        here = ahead.pop()
        if here not in done:
            done.add(here)
            names = [name for name in all_imports(here) if name.split(".")[0] == package]
            ahead += [file for file in map(module_file, names) if file is not None]
    return done
