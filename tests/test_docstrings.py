"""Every public class says what its parameters are and what they are by default, and shows itself at work."""

import ast
import builtins
import doctest
import inspect
import re
import sys

import pytest
from sklearn.base import BaseEstimator

import mr
from mr.paths import Path, PathFit
from tests.estimators_list import ESTIMATORS


def public_classes():
    rooms = [mr] + [getattr(mr, name) for name in ("baselines", "model_selection", "paths") if name in mr.__all__]
    found = {f"{room.__name__}.{name}": getattr(room, name) for room in rooms for name in room.__all__}
    # what all paths share is shown by each of them
    return {n: thing for n, thing in found.items() if inspect.isclass(thing) and thing not in (Path, PathFit)}


CLASSES = public_classes()


def documented(doc) -> dict[str, str]:
    """Parameters of a numpydoc docstring: name -> what follows the colon. ``a, b : float`` documents both."""
    section = re.search(r"\n\s*Parameters\n\s*-+\n(.*?)(\n\s*\w[\w ]*\n\s*-{3,}\n|\Z)", doc, re.S)
    found = {}
    for names, kind in re.findall(r"^    ([\w, *]+?) : (.*)$", section.group(1) if section else "", re.M):
        found |= {name.strip(" *"): kind for name in names.split(",")}
    return found


@pytest.mark.parametrize("name", [n for n, c in CLASSES.items() if "__init__" in dir(c) and hasattr(c, "get_params")])
def test_parameters_are_documented_with_their_defaults(name):
    said = documented(CLASSES[name].__doc__)
    for parameter in inspect.signature(CLASSES[name]).parameters.values():
        assert parameter.name in said, f"{name}: {parameter.name} is not documented"
        if parameter.default is not inspect.Parameter.empty:
            assert "default" in said[parameter.name], f"{name}: the default of {parameter.name} is not stated"


ROOMS = [mr, *(getattr(mr, name) for name in ("baselines", "model_selection", "paths"))]


def public_callables():
    """Classes, functions and ready-made scorers of the rooms; of a ready-made one its class is what is shown."""
    found = {f"{room.__name__}.{name}": getattr(room, name) for room in ROOMS for name in room.__all__}
    found = {n: thing for n, thing in found.items() if callable(thing) and thing not in (Path, PathFit)}
    return {
        n: thing if inspect.isclass(thing) or inspect.isfunction(thing) else type(thing) for n, thing in found.items()
    }


CALLABLES = public_callables()


def test_no_room_and_no_estimator_is_left_out():
    assert {name.rpartition(".")[2] for name in CALLABLES} >= {estimator.__name__ for estimator in ESTIMATORS}
    for room in ROOMS:
        assert any(name.startswith(f"{room.__name__}.") for name in CALLABLES), room


@pytest.mark.parametrize("name", CALLABLES)
def test_there_is_an_example_that_runs_and_checks_something(name):
    """`make test` runs what doctest finds in the module of a class; here it must find an example that has an answer."""
    thing = CALLABLES[name]
    found = doctest.DocTestFinder(recurse=False).find(thing, thing.__name__, module=sys.modules[thing.__module__])
    examples = [example for test in found for example in test.examples]
    assert examples, f"{name} has no example"
    assert any(example.want for example in examples), f"{name}: no line of the example has an answer to compare with"
    assert not any(doctest.SKIP in example.options for example in examples), f"{name}: a line is not run"


GRAPHS_AND_TOOLS = [
    f"mr.{room}.{name}"
    for room in ("graph", "kernels", "labels", "metrics", "spectrum")
    for name in getattr(mr, room).__all__
    if callable(getattr(getattr(mr, room), name))
]


@pytest.mark.parametrize("name", [*CALLABLES, *GRAPHS_AND_TOOLS])
def test_an_example_can_be_pasted(name):
    """doctest runs an example among the names of its module; a reader has none of them, but those that it imports."""
    thing = CALLABLES[name] if name in CALLABLES else getattr(getattr(mr, name.split(".")[1]), name.split(".")[2])
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(thing))
    nodes = list(ast.walk(ast.parse("".join(example.source for example in examples))))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | set(vars(builtins))
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.FunctionDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    missing = {node.id for node in names} - bound
    assert not missing, f"the example of {name} uses {sorted(missing)} and does not import it"


@pytest.mark.parametrize("name", [n for n, thing in CLASSES.items() if issubclass(thing, BaseEstimator)])
def test_an_estimator_names_its_attributes_its_neighbours_and_its_source(name):
    """A splitter, a graph or a wrapper comes from no paper; every machine does."""
    headings = re.findall(r"^(\S[\w ]*)\n-{3,}$", inspect.getdoc(CLASSES[name]), re.M)
    machine = CLASSES[name] in ESTIMATORS or name.endswith("CV") and "Transductive" not in name
    wanted = {"Parameters", "Attributes", "See Also", "Examples"} | ({"References"} if machine else set())
    assert wanted <= set(headings), f"{name} lacks {sorted(wanted - set(headings))}"
