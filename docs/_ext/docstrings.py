"""Docstrings as pages: |x| is an absolute value there, not a substitution; constants say what they are."""

from sphinx.util import logging

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


def setup(app):
    app.connect("autodoc-process-docstring", describe_constants, priority=90)
    app.connect("autodoc-process-docstring", escape_bars, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
