"""The lines that the two packages keep: which room imports what, and which names the compendium may use.

``mr`` is the library. ``experiments`` is the compendium, and knows the library as any user does: through its public
names. So every table that it regenerates exercises the product.
"""

import ast
import csv
import importlib
import re
import sys
import tomllib

import pytest

import mr
from tests.source_reading import ROOT, all_imports, at_import, closure, imports, modules, short, tree, underscored, uses

# Rooms of the library. A module imports from rooms to the left of its own, and from its own.
ROOMS = [
    "_sklearn", "extras", "resources", "pair_descent", "labels", "metrics", "datasets",
    "graph", "spectrum", "kernels", "solvers", "estimators", "baselines", "paths", "model_selection",
]  # fmt: skip
NUMERIC_ROOMS = set(ROOMS[ROOMS.index("graph") :])
FILES_AND_PICTURES = ("pandas", "matplotlib", "mr.datasets")
# Estimators are public as mr.LapRLS or mr.baselines.NFI.
PRIVATE_ROOMS = {"_sklearn", "extras", "resources", "pair_descent", "solvers", "estimators"}

LIBRARY, COMPENDIUM = modules("mr"), modules("experiments")
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SHARED = {"engine", "scoreboard", "plotting", "site"}
PAPERS = sorted(
    folder.name
    for folder in (ROOT / "experiments").iterdir()
    if (folder / "__init__.py").exists() and folder.name not in SHARED
)
LINES_OF_THE_ENGINE = 1560  # of code. The design asks for 1,500; this is what there is, and it must not grow

# Modules of the compendium that solve a problem themselves, because no user of the library would want the machine.
# Every judged cell of an artifact that needs one of them counts as not public.
OWN_MACHINES = {
    "experiments/belkin2006/text_baselines.py",
    "experiments/belkin2006/svmlight.py",
    "experiments/wang2017/printed.py",
}
# Names that a machine of one's own would be made of. Norms are only measures.
SOLVERS = ("numpy.linalg", "scipy.linalg", "scipy.sparse.linalg", "scipy.optimize", "osqp", "numba")
MEASURES = {f"{room}.norm" for room in SOLVERS} | {"numpy.linalg.LinAlgError", "scipy.linalg.LinAlgError"}
JUDGED = {"exact", "match", "better", "worse"}
ROMAN = {name: number for number, name in enumerate("I II III IV V VI VII VIII IX X".split(), start=1)}


def inside(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def room(path) -> str | None:
    """Room of a module of the library; None for mr/__init__.py, which opens the doors."""
    name = path.relative_to(ROOT / "mr").parts[0].removesuffix(".py")
    return None if name == "__init__" else name


# ---------------------------------------------------------------------------------------------------------- the library


@pytest.mark.parametrize("path", LIBRARY, ids=short)
def test_rooms_import_from_the_left(path):
    here = room(path)
    if here is None:
        return
    assert here in ROOMS, f"{here} is not a room of mr: {ROOMS}"
    for name in all_imports(path):
        if inside(name, "mr"):
            there = (name.split(".") + [None])[1]
            assert there in ROOMS, f"{short(path)} imports {name}: name the room that defines it"
            assert ROOMS.index(there) <= ROOMS.index(here), f"{short(path)} imports {name}, from a room to its right"


@pytest.mark.parametrize("path", [p for p in LIBRARY if room(p) in NUMERIC_ROOMS], ids=short)
def test_numeric_rooms_know_arrays_only(path):
    wrong = [name for name in all_imports(path) if any(inside(name, package) for package in FILES_AND_PICTURES)]
    assert not wrong, f"{short(path)} imports {wrong}"


@pytest.mark.parametrize("path", LIBRARY, ids=short)
def test_extras_are_imported_where_they_are_needed(path):
    """`import mr.x` needs the core dependencies only: packages of extras are imported inside functions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core = {re.match(r"[\w-]+", line).group().replace("scikit-learn", "sklearn") for line in project["dependencies"]}
    allowed = core | set(sys.stdlib_module_names) | {"mr"}
    wrong = [name for name in imports(at_import(tree(path))) if name.split(".")[0] not in allowed]
    assert not wrong, f"{short(path)} imports {wrong} when it is imported; core dependencies are {sorted(core)}"


@pytest.mark.parametrize("path", [p for p in LIBRARY if room(p) != "_sklearn"], ids=short)
def test_private_names_of_scikit_learn_come_through_one_module(path):
    """An upgrade of scikit-learn is then checked at one place."""
    names = [name for name in all_imports(path) if inside(name, "sklearn")]
    wrong = [name for name in names if any(part.startswith("_") for part in name.split("."))]
    assert not wrong, f"{short(path)} imports {wrong}: import it from mr._sklearn"


@pytest.mark.parametrize("path", LIBRARY, ids=short)
def test_the_library_does_not_know_the_compendium(path):
    assert not [name for name in uses(tree(path)) if inside(name, "experiments")]


@pytest.mark.parametrize("path", LIBRARY + COMPENDIUM, ids=short)
def test_modules_stay_short(path):
    assert len(path.read_text().splitlines()) <= 500


def test_every_room_has_a_docstring():
    for path in {path.parent / "__init__.py" for path in LIBRARY if path.parent.name in ROOMS}:
        assert ast.get_docstring(tree(path)), short(path)


# ------------------------------------------------------------------------------------------ public names of the library


def visible_to_type_checkers() -> set[str]:
    """Names that mr/__init__.py imports under ``if TYPE_CHECKING:``."""
    for node in tree(ROOT / "mr" / "__init__.py").body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return {alias.asname or alias.name for line in node.body for alias in line.names}
    return set()


def test_public_names_resolve_and_type_checkers_see_them():
    assert mr.__all__ == sorted(mr.__all__)
    for name in mr.__all__:
        assert getattr(mr, name) is not None
    assert visible_to_type_checkers() == set(mr.__all__)
    assert set(dir(mr)) == {*mr.__all__, "__version__"}
    assert (ROOT / "mr" / "py.typed").exists()


def test_every_estimator_and_every_public_room_is_listed():
    estimators, baselines = set(importlib.import_module("mr.estimators").__all__), set(mr.baselines.__all__)
    assert baselines < estimators and estimators - baselines == estimators & set(mr.__all__)
    rooms = {room(path) for path in LIBRARY} - {None}
    assert rooms - PRIVATE_ROOMS == set(mr.__all__) & set(ROOMS)


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'LapRLSS'"):
        _ = mr.LapRLSS


def private_part(name: str) -> str | None:
    """The first part of a dotted name below ``mr`` that is not public, or None when all of it is.

    >>> private_part("mr.graph.KNNGraph.fit"), private_part("mr.kernels.deformation.multiply")
    (None, 'mr.kernels.deformation')
    """
    parts = name.split(".")
    if len(parts) > 1 and parts[1] not in mr.__all__ and parts[1] != "__version__":
        return ".".join(parts[:2])
    if len(parts) > 2 and parts[1] in ROOMS and parts[2] not in getattr(mr, parts[1]).__all__:
        return ".".join(parts[:3])
    return None


def private_uses(source: ast.Module) -> list[str]:
    return sorted({part for name in uses(source) if inside(name, "mr") and (part := private_part(name))})


@pytest.mark.parametrize(
    ("source", "private"),
    [
        ("import mr\nmr.LapRLS().fit(X, y)\nmr.graph.KNNGraph(5).fit(X)", []),
        ("from mr.graph import KNNGraph, laplacian", []),
        ("import mr.metrics as m\nm.balanced_loss(a, b)", []),
        ("from mr import graph\ndef f(graph):\n    return graph.affinity_", []),
        ("from mr import graph\nrows = [graph.degrees_ for graph in graphs]", []),
        ("from mr.solvers.rls import solve_rls", ["mr.solvers"]),
        ("import mr.solvers", ["mr.solvers"]),
        ("from mr import solvers", ["mr.solvers"]),
        ("import mr as m\nm.solvers.rls.solve_rls(K, y)", ["mr.solvers"]),
        ("from mr.estimators import LapRLS", ["mr.estimators"]),
        ("from mr.kernels.deformation import multiply", ["mr.kernels.deformation"]),
        ("from mr import kernels\nkernels.deformation.multiply", ["mr.kernels.deformation"]),
        ("import mr\nf = mr.graph.knn_graph", ["mr.graph.knn_graph"]),
        ("from mr.metrics import _binary", ["mr.metrics._binary"]),
        ("from mr.graph import *", ["mr.graph.*"]),
        ("def f():\n    from mr import _GRAPHS", ["mr._GRAPHS"]),
        ("import importlib\nimportlib.import_module('mr.solvers.rls')", ["mr.solvers"]),
        ("from importlib import import_module\nimport_module(f'mr.solvers.{name}')", ["mr.solvers"]),
    ],
)
def test_private_names_are_found(source, private):
    assert private_uses(ast.parse(source)) == private


def test_underscored_attributes_are_found():
    source = "class A:\n    def f(self, model):\n        self._x = model._fit(1)\n        row._replace(a=1)"
    assert underscored(ast.parse(source)) == {"model._fit"}


@pytest.mark.parametrize("path", COMPENDIUM + NOTEBOOKS, ids=short)
def test_the_compendium_uses_public_names_only(path):
    found = private_uses(tree(path)) + sorted(underscored(tree(path)))
    assert not found, f"{short(path)} uses {found}"


# ------------------------------------------------------------------------------------------------------- the compendium


def papers_of(path) -> set[str]:
    """Papers whose folders a module of the compendium imports from."""
    parts = (name.split(".") for name in all_imports(path))
    return {name[1] for name in parts if name[0] == "experiments" and len(name) > 1 and name[1] in PAPERS}


@pytest.mark.parametrize("path", COMPENDIUM, ids=short)
def test_papers_stand_alone(path):
    """A paper imports no other paper. Shared rooms import none: they find artifacts by name, with importlib."""
    here = path.relative_to(ROOT / "experiments").parts[0]
    assert papers_of(path) <= {here} & set(PAPERS), f"{short(path)} imports from {papers_of(path)}"


def test_the_engine_stays_small():
    rooms = [*modules("experiments/engine"), *modules("experiments/scoreboard"), ROOT / "experiments" / "__main__.py"]
    lines = sum(lines_of_code(path) for path in rooms)
    assert lines <= LINES_OF_THE_ENGINE, f"engine, scoreboard and command line have {lines} lines of code"


def lines_of_code(path) -> int:
    """Lines that are neither blank, nor comment, nor docstring."""
    text, documented = path.read_text(), set()
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            if isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
                documented |= set(range(body[0].lineno, body[0].end_lineno + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(1 for i, line in lines if i not in documented and line.strip() and not line.strip().startswith("#"))


# -------------------------------------------------------------------------------------- do the tables test the product?


def judged_cells() -> dict[tuple[str, str], int]:
    """Number of judged cells of the committed scoreboard, by paper and table."""
    counts: dict[tuple[str, str], int] = {}
    with open(ROOT / "data" / "scoreboard.csv", newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if row["verdict"] in JUDGED and row["metric"] != "average_rank":
                key = (row["paper"], row["table"])
                counts[key] = counts.get(key, 0) + 1
    return counts


def own_solvers(source: ast.Module) -> list[str]:
    """Linear algebra, optimisation and compilation that a module would need to solve a problem itself."""
    names = (name for name in uses(source) if any(inside(name, package) for package in SOLVERS))
    return sorted(name for name in names if name not in MEASURES and name not in SOLVERS)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import numpy as np\nnp.linalg.solve(A, b)", ["numpy.linalg.solve"]),
        ("import numpy as np\nnp.linalg.norm(A)", []),
        ("from scipy import linalg\nlinalg.eigh(A)", ["scipy.linalg.eigh"]),
        ("from scipy.linalg import cho_factor", ["scipy.linalg.cho_factor"]),
        ("from scipy.optimize import minimize", ["scipy.optimize.minimize"]),
        ("import scipy.sparse.linalg as sl\nsl.cg(A, b)", ["scipy.sparse.linalg.cg"]),
        ("from numba import njit", ["numba.njit"]),
        ("import osqp\nosqp.OSQP()", ["osqp.OSQP"]),
        ("from sklearn.svm import SVC\nimport scipy.sparse as sp\nsp.csr_array(A)", []),
    ],
)
def test_own_solvers_are_found(source, found):
    assert own_solvers(ast.parse(source)) == found


def not_public(paper: str, table: str) -> list[str]:
    """Why the cells of a table do not come from public estimators and paths: one line per reason, [] when they do."""
    module = ROOT / "experiments" / paper / f"table{ROMAN.get(table, table)}.py"
    assert module.exists(), f"{paper} Table {table} has judged cells, but there is no {short(module)}"
    reasons = []
    for path in sorted(closure(module, "experiments")):
        if short(path) in OWN_MACHINES:
            reasons.append(f"{short(path)} is a machine of the compendium's own")
        else:
            reasons += [f"{short(path)} uses {name}" for name in private_uses(tree(path)) + own_solvers(tree(path))]
    return reasons


def test_judged_cells_come_from_public_estimators_and_paths():
    cells = judged_cells()
    reasons = {table: not_public(*table) for table in cells}
    public = sum(count for table, count in cells.items() if not reasons[table])
    explained = "\n".join(f"{paper} {table}: {line}" for (paper, table), lines in reasons.items() for line in lines)
    assert public >= 0.95 * sum(cells.values()), f"{public} of {sum(cells.values())} judged cells\n{explained}"


def test_the_machines_of_our_own_exist():
    for path in OWN_MACHINES:
        assert (ROOT / path).exists(), f"{path} is listed in OWN_MACHINES but does not exist"
