"""One style, one colour a method, and the makers of tables and figures."""

from mr.figures.overview import scoreboard_picture, show_tables
from mr.figures.save import save
from mr.figures.style import METHODS, line_style, use_style
from mr.figures.surfaces import decision_surfaces

__all__ = [
    "METHODS",
    "decision_surfaces",
    "line_style",
    "save",
    "scoreboard_picture",
    "show_tables",
    "use_style",
]
