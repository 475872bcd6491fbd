"""One style, one colour a method, and the makers of tables and figures."""

from experiments.scoreboard.pictures import scoreboard_picture, show_tables
from experiments.plotting.save import save
from experiments.plotting.style import METHODS, line_style, use_style
from experiments.plotting.surfaces import decision_surfaces

__all__ = [
    "METHODS",
    "decision_surfaces",
    "line_style",
    "save",
    "scoreboard_picture",
    "show_tables",
    "use_style",
]
