"""Every public class says what its parameters are and what they are by default, and shows itself at work."""

import inspect
import re

import pytest

import mr
from mr.paths import Path, PathFit


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


@pytest.mark.parametrize("name", CLASSES)
def test_there_is_an_example(name):
    assert ">>> " in (CLASSES[name].__doc__ or ""), f"{name} has no example"
