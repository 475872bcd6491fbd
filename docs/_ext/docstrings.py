"""Docstrings as pages: |x| is an absolute value there, not a substitution; constants say what they are; a search and a
regressor share the references of the plain class."""

import inspect

from sphinx.util import logging

import mr

LOGGER = logging.getLogger(__name__)
CONSTANTS = {  # Python shows the docstring of their type
    "mr.kernels.KERNELS": "Names of the kernels.",
    "mr.kernels.PRECOMPUTED": "Name of the kernel whose Gram matrix takes the place of X.",
    "mr.labels.UNLABELED": "Marks an unlabelled point among numbers.",
    "mr.labels.UNLABELED_STRINGS": "Each of them marks an unlabelled point among strings.",
}


def escape_bars(app, what, name, obj, options, lines):
    """Escape bars outside of code. Runs before numpydoc."""
    lines[:] = [line if line.lstrip().startswith((">>>", "...")) else line.replace("|", r"\|") for line in lines]


def describe_constants(app, what, name, obj, options, lines):
    if name in CONSTANTS:
        lines[:] = [CONSTANTS[name], ""]
    elif isinstance(obj, (int, str, tuple)):
        LOGGER.warning("%s is a constant without a description in docs/_ext/docstrings.py", name)


def complete_relatives(app, what, name, obj, options, lines):
    """A search or a regressor without a section of its own refers to the plain class, and shares its references."""
    plain = getattr(mr, name.removeprefix("mr.").removesuffix("CV").removesuffix("Regressor"), None)
    if what != "class" or not name.startswith("mr.") or name.count(".") > 1 or plain in (None, obj):
        return
    if "See Also" not in lines:
        lines += ["", "See Also", "--------", f"mr.{plain.__name__} : the same method, as a plain classifier."]
    if "References" not in lines:
        found = inspect.cleandoc(plain.__doc__).split("\n")
        if "References" in found:
            start = found.index("References")
            after = (i for i, line in enumerate(found) if i > start + 1 and line.startswith("---"))
            lines += ["", *found[start : next(after, len(found) + 1) - 1]]


def setup(app):
    app.connect("autodoc-process-docstring", complete_relatives, priority=80)
    app.connect("autodoc-process-docstring", describe_constants, priority=90)
    app.connect("autodoc-process-docstring", escape_bars, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
