"""Equations as MathML, which browsers draw themselves: no script and no other host. Unknown LaTeX is a warning."""

import html
import re

from docutils.nodes import SkipNode
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
# What docutils does not know, or reads in another way than TeX, in words that it knows. TeX takes one digit where
# docutils takes a whole number: \frac12 and x^12.
SIMPLER = (
    (re.compile(r"\\[bB]igg?[lr]?(?![a-zA-Z])"), ""),
    (re.compile(r"\\dots(?![a-zA-Z])"), r"\\ldots"),
    (re.compile(r"(\\[dt]?frac)\s*(\d)\s*(?=[^\s{])(\w)"), r"\1{\2}{\3}"),
    (re.compile(r"(\\[dt]?frac|\\sqrt)\s*(\d)"), r"\1{\2}"),
    (re.compile(r"([\^_])(\d)(?=\d)"), r"\1{\2}"),
)


def to_mathml(latex: str, block: bool) -> str:
    """MathML of an equation, by docutils."""
    simple = latex.strip()
    for pattern, replacement in SIMPLER:
        simple = pattern.sub(replacement, simple)
    if block and r"\\" in simple and r"\begin" not in simple:
        simple = rf"\begin{{aligned}}{simple}\end{{aligned}}"
    return tex2mathml(simple, as_block=block)


def _draw(node, block: bool) -> str:
    try:
        return to_mathml(node.astext(), block)
    except MathError as error:
        LOGGER.warning("equation cannot be drawn (%s): %s", error, node.astext(), location=node)
        return f"<code>{html.escape(node.astext())}</code>"


def visit_inline(self, node):
    self.body.append(_draw(node, block=False))
    raise SkipNode


def visit_block(self, node):
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    self.body.append(f'<div class="math-block" tabindex="0">{_draw(node, block=True)}{number}</div>')
    raise SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
