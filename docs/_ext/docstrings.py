"""Docstrings state formulas in plain letters: |x| is an absolute value there, not a substitution."""


def escape_bars(app, what, name, obj, options, lines):
    """Escape bars outside of code. Runs before numpydoc."""
    lines[:] = [line if line.lstrip().startswith((">>>", "...")) else line.replace("|", r"\|") for line in lines]


def setup(app):
    app.connect("autodoc-process-docstring", escape_bars, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
