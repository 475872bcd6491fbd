"""From a method's name in a table to the public class behind it, and from there to the source that solves it."""

import ast
import inspect
import re
from functools import cache
from pathlib import Path

import mr
from experiments.engine import paths

# A name in the tables -> public name below mr; a name that is not listed is the class of the same name.
# "" where the compendium has no estimator of the library: the paper's own baselines, computed by scikit-learn or by a
# module of experiments/.
CLASSES = {
    "AGMR_entropy": "AGMR",
    "AGMR_sparse": "AGMR",
    "Anchor": "AnchorGraph",
    "AnchorGraphReg": "AnchorGraph",
    "CB-LapRLS": "baselines.CentroidReduced",
    "CB-LapSVMp": "baselines.CentroidReduced",
    "Cotraining": "",
    "Eigenfunction": "baselines.Eigenfunction",
    "L1-LRK": "baselines.L1LRK",
    "LapRLS(Linear)": "LinearLapRLS",
    "LapSVMp": "PrimalLapSVM",
    "MR_LP": "LapRLS",
    "MR_SP": "LapRLS",
    "NFI": "baselines.NFI",
    "NYS-LGC": "baselines.NystromLGC",
    "Naive-Bayes": "",
    "PLapSVM": "PrimalLapSVM",
    "SGT": "",
    "SVR": "",
    "k-NN": "",
}
HELPERS = {"mr.solvers.progress", "mr.solvers.row_cache"}  # they solve nothing


def class_of(method: str) -> str:
    """Public name below ``mr`` of a method of the tables, or "".

    >>> class_of("PVM(sqr)"), class_of("AnchorGraphReg(500)"), class_of("LapRLS(Linear)"), class_of("k-NN")
    ('PVM', 'AnchorGraph', 'LinearLapRLS', '')
    """
    plain = re.sub(r"\(.*\)$", "", method)
    name = CLASSES.get(method, CLASSES.get(plain, plain))
    return name if name and _resolve(name) is not None else ""


@cache
def sources(name: str) -> list[str]:
    """Files of the repository behind a public class: its own module, then the solvers that it imports.

    Modules of ``mr.estimators`` that the first one imports are followed, so that a base class's solver is found. The
    solvers that the class itself imports come first.
    """
    thing = _resolve(name)
    if thing is None:
        return []
    first = _relative(Path(inspect.getsourcefile(thing)))
    seen, waiting, solvers = {first}, [first], []
    while waiting:
        for module in _imported(waiting.pop(0)):
            file = _file(module)
            if file is None or file in seen:
                continue
            seen.add(file)
            if module.startswith("mr.solvers.") and module not in HELPERS:
                solvers.append(file)
            elif module.startswith("mr.estimators."):
                waiting.append(file)
    return [first, *solvers]


def _resolve(name: str):
    thing = mr
    for part in name.split("."):
        if part not in getattr(thing, "__all__", ()):
            return None
        thing = getattr(thing, part)
    return thing


def _imported(file: str) -> list[str]:
    tree = ast.parse((paths.ROOT / file).read_text(encoding="utf-8"))
    return [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]


def _file(module: str) -> str | None:
    path = paths.ROOT / (module.replace(".", "/") + ".py")
    return _relative(path) if path.exists() else None


def _relative(path: Path) -> str:
    return path.resolve().relative_to(paths.ROOT).as_posix()
